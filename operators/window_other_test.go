package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
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
	r.windows[0].assertCompleted(t, 0)
	r.windows[1].assertCompleted(t)
	r.windows[2].assertOpen(t, 1)
	other.last().OnComplete()
	r.windows[2].assertCompleted(t, 1)
	assert.True(t, r.ended())
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

func TestWindowOtherFails(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	ctx, hooks := recordHooks()
	r := readWindows(ctx, WindowOther(src, other, bare[int]), 9, 9)
	src.last().OnNext(0)
	other.last().OnError(errBoom)
	r.windows[0].assertFailed(t, errBoom, 0)
	assert.ErrorIs(t, r.failure(), errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(1)
	other.last().OnError(errBoom)
	src.last().OnError(errBoom)
	other.last().OnComplete()
	assert.Equal(t, []any{1}, hooks.discarded)
	assert.Len(t, hooks.droppedErrors, 2)
}

func TestWindowOtherOverflow(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	r := readWindows(t.Context(), WindowOther(src, other, bare[int]), 1, 9)
	src.last().OnNext(0)
	other.last().OnNext("")
	r.windows[0].assertCompleted(t, 0)
	assert.ErrorIs(t, r.failure(), reactor.ErrOverflow)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, other.last().cancels.Load())

	src, other = &puppet[int]{}, &puppet[string]{}
	p := probeOf[stream](0)
	WindowOther(src, other, bare[int]).Subscribe(t.Context(), p)
	p.assertFailed(t, reactor.ErrOverflow)
	assert.Zero(t, src.count()+other.count())
}

func TestWindowOtherEndsLastWindowAfterCancel(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	r := readWindows(t.Context(), WindowOther(src, other, bare[int]), 9, 9)
	r.cancel()
	src.last().OnNext(0)
	other.last().OnNext("")
	r.windows[0].assertCompleted(t, 0)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, other.last().cancels.Load())
	assert.Len(t, r.windows, 1)
}
