// Package httpserve writes a stream as the body of an HTTP response.
package httpserve

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/internal/blocking"
)

// Server says how the elements of a stream become a body.
type Server[T any] struct {
	Op           string
	Prefetch     int
	Encode       func(dst []byte, v T) ([]byte, error) // appends to dst if Appends, or returns something else
	Appends      bool
	Eager        bool          // the header goes out before the first element
	Idle         time.Duration // after so long without an element …
	Heartbeat    []byte        // … this is sent
	WriteTimeout time.Duration // how long a client may hold up a write; 0 for ever
	ErrorTrailer string        // says that the stream has failed; "" cuts the body
	Whole        bool          // who gets the end of a body takes it for all there is, also if the context of the request has ended
}

// FailedText is what a client is told of a failure.
const FailedText = "the stream failed"

// Serve answers r with what fn returns for it. It returns when that has ended, or the client has gone.
func (s *Server[T]) Serve(w http.ResponseWriter, r *http.Request, fn func(*http.Request) reactor.Publisher[T]) {
	request, r := readable(r)
	control := http.NewResponseController(w)
	defer request.leave(control)
	defer request.removeFiles()
	src := func() reactor.Publisher[T] {
		defer request.keepForm(r) // even if fn panics
		return fn(r)
	}()
	request.streaming.Store(true)
	feed := blocking.NewFeed(r.Context(), s.Op, src, s.Prefetch)
	defer feed.Close()
	body := &response[T]{Server: s, feed: feed, w: w, control: control, r: r, request: request}
	if err := body.copy(); err != nil {
		// A write that fails ends the context of its request. That the client has gone is
		// no news, that it did not read is.
		gone := r.Context().Err() != nil
		if !gone || errors.Is(err, os.ErrDeadlineExceeded) {
			reactor.DropError(r.Context(), err)
		}
		if !gone { // an element that can't be written, or a writer that can't do what it has to
			body.failed()
		}
		return
	}
	if r.Context().Err() == nil { // the stream has ended, and touches r no more
		request.keepForm(r)
	}
	err := feed.Err()
	switch {
	case err == nil:
	case r.Context().Err() == nil:
		reactor.DropError(r.Context(), s.about(r, err))
		body.failed()
	case s.Whole: // if the client has gone it does not hear of this
		body.failed()
	}
}

// about says to which request err belongs.
func (s *Server[T]) about(r *http.Request, err error) error {
	return fmt.Errorf("reactor: %s: %s %q for %s: %w", s.Op, r.Method, r.URL.Path, r.RemoteAddr, err)
}

// response is a body that is being written.
type response[T any] struct {
	*Server[T]
	feed    *blocking.Feed[T]
	w       http.ResponseWriter
	control *http.ResponseController
	r       *http.Request
	request *requestBody
	buf     []byte
	started bool  // the header is gone
	dirty   bool  // something waits to be flushed
	written int64 // bytes
	timer   *time.Timer
}

// copy writes what feed has, until it ends. The error is that of a write.
func (b *response[T]) copy() error {
	feed := b.feed
	var idle <-chan time.Time
	if b.Idle > 0 {
		b.timer = time.NewTimer(b.Idle)
		defer b.timer.Stop()
		idle = b.timer.C
	}
	if b.Eager {
		b.started, b.dirty = true, true
		if b.request.untouched() {
			b.duplex()
		}
	}
	for {
		if v, ok := feed.Poll(); ok {
			if err := b.element(v); err != nil {
				return err
			}
			continue
		}
		if err := b.flush(); err != nil {
			return err
		}
		ready, late := feed.WaitFor(idle)
		switch {
		case late:
			if err := b.write(b.Heartbeat); err != nil {
				return err
			}
		case !ready:
			_ = b.deadline() // the end of the body is yet to be written; one that can't be set is no failure of it
			return nil
		}
	}
}

func (b *response[T]) element(v T) error {
	bytes, err := b.Encode(b.buf[:0], v)
	if err != nil {
		_ = b.deadline() // as at the end of the stream
		return err
	}
	if b.Appends && cap(bytes) <= maxKept {
		b.buf = bytes
	}
	return b.write(bytes)
}

// maxKept is how large a buffer for encoding may be that is kept.
const maxKept = 64 << 10

func (b *response[T]) write(p []byte) error {
	if len(p) == 0 {
		return nil // which would send the header, and with it the status
	}
	if err := b.deadline(); err != nil {
		return err
	}
	if b.timer != nil {
		b.timer.Reset(b.Idle)
	}
	if !b.started {
		if b.ErrorTrailer != "" {
			b.w.Header().Add("Trailer", b.ErrorTrailer)
		}
		if b.request.asked.Load() {
			b.duplex()
		}
	}
	b.started, b.dirty = true, true
	n, err := b.w.Write(p)
	if n < 0 || n > len(p) {
		return b.named(fmt.Errorf("%T wrote %d of %d bytes", b.w, n, len(p)))
	}
	if n < len(p) && err == nil {
		err = io.ErrShortWrite
	}
	b.written += int64(n)
	return b.named(err)
}

// duplex lets the stream read the request while the response is written. A writer that can't do that
// leaves the stream what was read before.
func (b *response[T]) duplex() { _ = b.control.EnableFullDuplex() }

// flush sends what is buffered, so that nobody waits for bytes that have come. A stream that is
// quiet after that is not held up by its client: no deadline may pass meanwhile, because it would
// break the connection.
func (b *response[T]) flush() error {
	if !b.dirty {
		return nil
	}
	b.dirty = false
	if err := b.deadline(); err != nil {
		return err
	}
	if err := b.control.Flush(); err != nil || b.WriteTimeout <= 0 {
		return b.named(err)
	}
	return b.named(b.control.SetWriteDeadline(time.Time{}))
}

func (b *response[T]) deadline() error {
	if b.WriteTimeout <= 0 {
		return nil
	}
	return b.named(b.control.SetWriteDeadline(time.Now().Add(b.WriteTimeout)))
}

func (b *response[T]) named(err error) error {
	if err == nil {
		return nil
	}
	return reactor.Failure(b.Op, bytestream.ErrWrite, "after %d bytes for %s", b.written, b.r.RemoteAddr).CausedBy(err)
}

// failed shows the client that the stream has failed: by the status if that was not
// sent yet, otherwise by the trailer or by cutting the body off, so that nobody takes a
// part of the body for the whole. The error itself goes to the hook.
func (b *response[T]) failed() {
	switch {
	case !b.started:
		http.Error(b.w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	case b.ErrorTrailer != "":
		b.w.Header().Set(b.ErrorTrailer, FailedText)
	default:
		b.feed.Close() // nobody shall hear of what becomes of the body of the request
		b.request.abandon(b.control)
		panic(http.ErrAbortHandler)
	}
}
