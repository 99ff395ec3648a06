package bytestream_test

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// Each function works on the scheduler that it is given: one that takes nothing fails the stream.
func TestSchedulerOfEachFunction(t *testing.T) {
	s := schedulers.NewSingle("disposed")
	s.Dispose()
	open, on := bytestream.From(strings.NewReader("1\n")), bytestream.On(s)
	for name, run := range map[string]func() error{
		"Lines":     func() error { return bytestream.Lines(open, on).Run(t.Context()) },
		"Chunks":    func() error { return bytestream.Chunks(open, 1, on).Run(t.Context()) },
		"Records":   func() error { return bytestream.Records(open, bufio.ScanWords, on).Run(t.Context()) },
		"CSV":       func() error { return bytestream.CSV(open, on).Run(t.Context()) },
		"JSONLines": func() error { return bytestream.JSONLines[int](open, on).Run(t.Context()) },
		"Write": func() error {
			return bytestream.Write(flux.Empty[[]byte](), bytestream.To(io.Discard), on).Run(t.Context())
		},
	} {
		assert.ErrorIs(t, run(), reactor.ErrRejected, name)
	}
}

// reluctant is a reader whose Read waits for more than its Close.
type reluctant struct{ reading, release, closed chan struct{} }

func (r *reluctant) Read([]byte) (int, error) {
	close(r.reading)
	<-r.release
	return 0, io.EOF
}

func (r *reluctant) Close() error { close(r.closed); return nil }

// A Read that is under way when the stream is cancelled comes to its end before Close, with any of the functions.
func TestCloseAfterReadOfEachFunction(t *testing.T) {
	after := bytestream.CloseAfterRead()
	for name, subscribe := range map[string]func(*testing.T, bytestream.Opener) (cancel func()){
		"Lines": func(t *testing.T, open bytestream.Opener) func() { return cancelOf(t, bytestream.Lines(open, after)) },
		"Chunks": func(t *testing.T, open bytestream.Opener) func() {
			return cancelOf(t, bytestream.Chunks(open, 1, after))
		},
		"Records": func(t *testing.T, open bytestream.Opener) func() {
			return cancelOf(t, bytestream.Records(open, bufio.ScanWords, after))
		},
		"CSV": func(t *testing.T, open bytestream.Opener) func() { return cancelOf(t, bytestream.CSV(open, after)) },
		"JSONLines": func(t *testing.T, open bytestream.Opener) func() {
			return cancelOf(t, bytestream.JSONLines[int](open, after))
		},
	} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				r := &reluctant{make(chan struct{}), make(chan struct{}), make(chan struct{})}
				cancel := subscribe(t, bytestream.From(r))
				<-r.reading
				cancel()
				synctest.Wait()
				select {
				case <-r.closed:
					assert.Fail(t, "closed within Read")
				default:
				}
				close(r.release)
				<-r.closed
				synctest.Wait()
			})
		})
	}
}

func cancelOf[T any](t *testing.T, f flux.Flux[T]) func() {
	return reactortest.Subscribe(t, f).Cancel
}
