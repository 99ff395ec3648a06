package bytestream_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
)

// ending is a writer whose Write fails with err, if that is not nil, and whose Close ends the goroutine, if that is said.
type ending struct {
	err    error
	exits  bool
	closed int
}

func (w *ending) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

func (w *ending) Close() error {
	w.closed++
	if w.exits {
		runtime.Goexit()
	}
	return nil
}

// The stream ends, and with what has failed first, also if who hears of that ends the goroutine.
func TestWriteWhoseEndEndsTheGoroutine(t *testing.T) {
	for name, c := range map[string]struct {
		src  flux.Flux[[]byte]
		w    ending
		want error
	}{
		"source that is cancelled":         {flux.Just([]byte("a")).ConcatWith(flux.Never[[]byte]()).DoOnCancel(runtime.Goexit), ending{err: errBoom}, errBoom},
		"writer that has failed":           {flux.Just([]byte("a")), ending{err: errBoom, exits: true}, errBoom},
		"writer whose source has failed":   {flux.Error[[]byte](errBoom), ending{exits: true}, errBoom},
		"writer of all there is to write":  {flux.Just([]byte("a")), ending{exits: true}, reactor.ErrGoexit},
		"source that ends where it begins": {flux.Defer(func(context.Context) flux.Flux[[]byte] { runtime.Goexit(); return flux.Empty[[]byte]() }), ending{}, reactor.ErrGoexit},
	} {
		t.Run(name, func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				s := reactortest.Subscribe(t, bytestream.Write(c.src, func(context.Context) (io.WriteCloser, error) { return &c.w, nil }))
				synctest.Wait()
				assert.True(t, s.IsTerminated())
				assert.ErrorIs(t, s.Err(), c.want)
				assert.Equal(t, 1, c.w.closed)
			})
		})
	}
}

// exitsAt is a reader whose Read ends the goroutine, the at-th time.
type exitsAt struct{ at int }

func (r *exitsAt) Read(p []byte) (int, error) {
	if r.at--; r.at == 0 {
		runtime.Goexit()
	}
	return copy(p, "a"), nil
}

// A copy that reads in step has one goroutine, and tells once how that was ended.
func TestCopyInStepWhoseReaderEndsTheGoroutine(t *testing.T) {
	for at := 1; at < 4; at++ {
		reactortest.Bubble(t, func(t *testing.T) {
			var told []error
			ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { told = append(told, err) }})
			src := bytestream.Chunks(bytestream.From(&exitsAt{at}), 1)
			s := reactortest.Subscribe(t, bytestream.Write(src, bytestream.To(io.Discard)), reactortest.InContext(ctx))
			synctest.Wait()
			assert.ErrorIs(t, s.Err(), reactor.ErrGoexit)
			assert.NoError(t, errors.Join(told...))
		})
	}
}
