package bytestream

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/internal/blocking"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// NewReader returns a reader of the chunks of src, for functions that take a reader. The first
// Read subscribes to src, with ctx. The reader requests one chunk ahead of the one that is
// being read, see [Prefetch].
//
// Read waits for the next chunk, and returns as much of it as fits; empty chunks are left out.
// When everything before an error of src was read, Read returns that error. Close cancels src,
// from any goroutine, and frees a waiting Read, which then returns io.ErrClosedPipe; Close
// never fails. Call Close if you do not read to the end. The end of ctx cancels src, too; when
// everything before it was read, Read returns the cause of ctx. But only Close discards the
// chunks that nobody reads any more. NewReader panics if src is nil.
func NewReader(ctx context.Context, src reactor.Publisher[[]byte], opts ...ReaderOption) io.ReadCloser {
	const op = "bytestream.newReader"
	c := newConfig()
	for _, o := range argument.Options(op, opts) {
		o.applyReader(&c)
	}
	argument.Positive(op, "prefetch", c.prefetch)
	argument.Given(op, "context", ctx != nil)
	return &reader{ctx: ctx, op: op, src: protocol.Trust(op, src), prefetch: c.prefetch}
}

type reader struct {
	ctx      context.Context
	op       string
	src      reactor.Publisher[[]byte]
	prefetch int

	mu     sync.Mutex             // guards what follows, and is not held while Read waits
	feed   *blocking.Feed[[]byte] // nil before the first Read
	busy   bool                   // a Read is under way: it takes care of the feed
	closed bool

	// What follows belongs to Read.
	rest []byte
	err  error // what src ended with
}

var errTwoReads = errors.New("two calls of Read at a time")

// Read implements io.Reader. One call at a time.
func (r *reader) Read(p []byte) (n int, err error) {
	r.mu.Lock()
	switch {
	case r.busy:
		r.mu.Unlock()
		return 0, errTwoReads
	case r.closed:
		r.mu.Unlock()
		return 0, io.ErrClosedPipe
	}
	r.busy = true
	feed := r.feed
	r.mu.Unlock()
	defer r.done()
	if feed == nil {
		feed = r.subscribe()
	}
	for len(r.rest) == 0 && r.err == nil && len(p) > 0 {
		r.rest, r.err = feed.Next()
		if r.err == reactor.ErrCancelled && r.isClosed() { // what has come before that is not lost
			return 0, io.ErrClosedPipe
		}
	}
	n = copy(p, r.rest)
	if r.rest = r.rest[n:]; len(r.rest) == 0 && n == 0 {
		err = r.err
	}
	return n, err
}

// subscribe makes the feed.
func (r *reader) subscribe() *blocking.Feed[[]byte] {
	feed := blocking.NewFeed(r.ctx, r.op, r.src, r.prefetch)
	r.mu.Lock()
	r.feed = feed
	closed := r.closed
	r.mu.Unlock()
	if closed {
		feed.Interrupt() // without mu: who hears of it may close the reader, too
	}
	return feed
}

func (r *reader) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// done ends a Read, and the feed if it was closed meanwhile or has ended.
func (r *reader) done() {
	r.mu.Lock()
	r.busy = false
	over := r.closed || r.err != nil
	feed := r.feed
	r.mu.Unlock()
	if over && feed != nil {
		feed.Close()
	}
}

// Close implements io.Closer.
func (r *reader) Close() error {
	r.mu.Lock()
	r.closed = true
	busy, feed := r.busy, r.feed
	r.mu.Unlock()
	switch {
	case feed == nil:
	case busy:
		feed.Interrupt()
	default:
		feed.Close()
	}
	return nil
}
