package httpsend

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
)

// upload is the body of a request on its way. Once the response has begun, net/http reports an
// error of the body's stream to nobody: then the response fails with that error, or it is reported
// as dropped.
type upload struct {
	ctx context.Context
	t   *Template

	mu     sync.Mutex
	err    error // what the stream has failed with, nil if somebody was told; guarded by mu
	closed bool  // nobody reads the response any more; guarded by mu
}

// fail notes what the stream has failed with.
func (u *upload) fail(err error) {
	if err == io.EOF || u.ctx.Err() != nil { // the end of the stream, or of the request
		return
	}
	err = reactor.Failure(u.t.Op, u.t.Failed, "the body of the request").CausedBy(err)
	u.mu.Lock()
	closed := u.closed
	if !closed {
		u.err = err
	}
	u.mu.Unlock()
	if closed {
		reactor.DropError(u.ctx, err)
	}
}

// take returns what the stream has failed with, once. last says that nobody reads the response any more.
func (u *upload) take(last bool) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	err := u.err
	u.err, u.closed = nil, u.closed || last
	return err
}

// sending is the body that net/http reads.
type sending struct {
	*upload
	io.ReadCloser
	over atomic.Bool // net/http reads no more
}

// Read implements io.Reader.
func (s *sending) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if err != nil && !s.over.Load() {
		s.fail(err)
	}
	return n, err
}

// Close implements io.Closer. What Read returns then is no failure of the stream.
func (s *sending) Close() error {
	s.over.Store(true)
	return s.ReadCloser.Close()
}

// answer is the body of the response.
type answer struct {
	upload *upload
	io.ReadCloser
}

// Read implements io.Reader.
func (a *answer) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		if cause := a.upload.take(false); cause != nil {
			err = cause // err is what it has led to
		}
	}
	return n, err
}

// Close implements io.Closer.
func (a *answer) Close() error {
	defer func() { // also if who hears of it ends the goroutine
		if err := a.upload.take(true); err != nil && a.upload.ctx.Err() == nil {
			reactor.DropError(a.upload.ctx, err)
		}
	}()
	return a.ReadCloser.Close()
}
