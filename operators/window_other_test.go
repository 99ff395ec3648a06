package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestWindowOther(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	r := readWindows(t.Context(), WindowOther(src, other, bare[int]), 9, 9)
	assert.Len(t, r.windows, 1, "at once")
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	src.last().OnNext(0)
	other.last().OnNext("")
	other.last().OnNext("")
	src.last().OnNext(1)
	r.windows[0].Done(t, 0)
	r.windows[1].Done(t)
	r.windows[2].Open(t, 1)
	other.last().OnComplete()
	r.windows[2].Done(t, 1)
	assert.True(t, r.Over())
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

func TestWindowOtherFails(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	ctx, hooks := probe.Recorded()
	r := readWindows(ctx, WindowOther(src, other, bare[int]), 9, 9)
	src.last().OnNext(0)
	other.last().OnError(errBoom)
	r.windows[0].Failed(t, errBoom, 0)
	assert.ErrorIs(t, r.Failure(), errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(1)
	other.last().OnError(errBoom)
	src.last().OnError(errBoom)
	other.last().OnComplete()
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.Len(t, hooks.Errs, 2)
}

func TestWindowOtherOverflow(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	r := readWindows(t.Context(), WindowOther(src, other, bare[int]), 1, 9)
	src.last().OnNext(0)
	other.last().OnNext("")
	r.windows[0].Done(t, 0)
	assert.ErrorIs(t, r.Failure(), reactor.ErrOverflow)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, other.last().cancels.Load())

	src, other = &puppet[int]{}, &puppet[string]{}
	p := probeOf[stream](0)
	WindowOther(src, other, bare[int]).Subscribe(t.Context(), p)
	p.Failed(t, reactor.ErrOverflow)
	assert.Zero(t, src.count()+other.count())
}

func TestWindowOtherEndsLastWindowAfterCancel(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	r := readWindows(t.Context(), WindowOther(src, other, bare[int]), 9, 9)
	r.Cancel()
	src.last().OnNext(0)
	other.last().OnNext("")
	r.windows[0].Done(t, 0)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, other.last().cancels.Load())
	assert.Len(t, r.windows, 1)
}

// The error of the source comes while the next window finds no demand.
func TestWindowOtherErrorAtAnOverflow(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := probeOf[stream](1)
	p.Each = func(w stream) {
		DoOnComplete(w, func() { src.last().OnError(errBoom) }).Subscribe(ctx, probeOf[int](9))
	}
	WindowOther(src, other, bare[int]).Subscribe(ctx, p)
	other.last().OnNext("")
	assert.ErrorIs(t, p.Failure(), reactor.ErrOverflow)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}
