package httpserve

import (
	"io"
	"mime/multipart"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// requestBody is the body of a request. When the first byte of the response is written, a server of
// HTTP/1 throws the unread rest of the body away, unless it is told that reading and writing go on
// at the same time. The latter is so if the stream reads the body. If not, the server is right: it
// notices that the client has gone only when the body is at its end.
//
// Closing the body takes the lock of a Read in net/http, and reads on, in the hope of using the
// connection again: both wait for the client. Code that gives the body up does not wait: neither
// the stream, whose response may go on, nor the code that cuts the response off.
type requestBody struct {
	io.ReadCloser               // nil without one
	r             *http.Request // whose body it is
	readable      *http.Request // the copy that reads it
	streaming     atomic.Bool   // the function has returned the stream: who reads from now on is the stream
	asked         atomic.Bool   // the stream has begun to read
	touched       atomic.Bool   // the function that makes the stream has begun to read

	form *multipart.Form // the form of readable, if the function or the stream has parsed it; nil if the server removes its files

	mu      sync.Mutex
	ended   bool          // it was read to its end; mu
	closed  bool          // it is not read any more; mu
	closing bool          // ReadCloser is closed, or is about to be; mu
	calls   int           // Reads and the Close of ReadCloser that are under way; mu
	free    chan struct{} // closed when there is none any more; nil as long as nobody waits for that; mu
}

// untouched reports whether there is a body that is left to the stream, for a response that begins before the
// stream has done anything.
func (b *requestBody) untouched() bool { return b.ReadCloser != nil && !b.touched.Load() }

// readable returns r with a body that knows whether it is read.
func readable(r *http.Request) (*requestBody, *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return &requestBody{}, r
	}
	body := &requestBody{ReadCloser: r.Body, r: r}
	body.readable = r.WithContext(r.Context()) // a copy
	body.readable.Body = body
	return body, body.readable
}

// keepForm looks for a form in r, which readable has returned. A form that was there before belongs
// to somebody else.
func (b *requestBody) keepForm(r *http.Request) {
	if b.ReadCloser != nil && b.r.MultipartForm == nil {
		b.form = r.MultipartForm
	}
}

// removeFiles removes the files of the form. The server does that for its own request, and knows nothing of the copy.
func (b *requestBody) removeFiles() {
	if b.form != nil {
		_ = b.form.RemoveAll() // a file that stays is for the system to remove, as with net/http
	}
}

// Read implements io.Reader.
func (b *requestBody) Read(p []byte) (n int, err error) {
	if b.streaming.Load() {
		b.asked.Store(true)
	} else {
		b.touched.Store(true)
	}
	if !b.begin() {
		return 0, http.ErrBodyReadAfterClose
	}
	defer func() { b.end(err) }()
	n, err = b.ReadCloser.Read(p)
	if err == io.EOF && b.readable.Trailer == nil { // net/http has told its own request of a trailer that was not announced
		b.readable.Trailer = b.r.Trailer
	}
	return n, err
}

// Close implements io.Closer. With HTTP/1 the body is closed on another goroutine, which may wait for the client until the response is over.
func (b *requestBody) Close() error {
	if b.r.ProtoMajor > 1 {
		return b.ReadCloser.Close()
	}
	b.mu.Lock()
	b.closed = true
	next := b.next()
	b.mu.Unlock()
	next()
	return nil
}

// next returns the function to call without mu: the one that closes the body, if the body is to be
// closed and is not being read. The caller holds mu.
func (b *requestBody) next() func() {
	if !b.closed || b.closing || b.calls > 0 {
		return func() {}
	}
	b.closing = true
	b.calls++
	if b.ended { // there is nothing to wait for
		return b.shut
	}
	return func() { go b.shut() }
}

func (b *requestBody) shut() {
	defer b.end(nil)
	failure.Guard(func() { b.ReadCloser.Close() }, func(err error) { reactor.DropError(b.r.Context(), err) })
}

// begin begins a Read, unless the body is closed.
func (b *requestBody) begin() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.calls++
	return true
}

// end ends a call of ReadCloser; err is what a Read has returned.
func (b *requestBody) end(err error) {
	b.mu.Lock()
	b.calls--
	b.ended = b.ended || err == io.EOF
	next := b.next()
	if b.calls == 0 && b.free != nil {
		close(b.free)
		b.free = nil
	}
	b.mu.Unlock()
	next()
}

// leave is the end of the handler. Then the body belongs to nobody any more: a call that still
// waits for the client does not go on.
func (b *requestBody) leave(control *http.ResponseController) {
	b.mu.Lock()
	busy := b.calls > 0
	b.mu.Unlock()
	if busy {
		b.abandon(control)
	}
}

// abandon lets nobody wait for the client any more; the client can't use the connection again. It
// is also for a response that is cut off: otherwise net/http shows that to the client only after
// the client has sent something.
func (b *requestBody) abandon(control *http.ResponseController) {
	if b.ReadCloser == nil || b.r.ProtoMajor > 1 || control.SetReadDeadline(longAgo) != nil {
		return
	}
	b.mu.Lock()
	free := make(chan struct{})
	if b.calls == 0 {
		close(free)
	} else {
		b.free = free
	}
	b.mu.Unlock()
	// Where net/http sees a Read that is under way it takes the deadline back when that has ended.
	late := time.NewTimer(time.Second) // for a body that is not read from the connection
	defer late.Stop()
	select {
	case <-free:
	case <-late.C:
	}
}

var longAgo = time.Unix(1, 0)
