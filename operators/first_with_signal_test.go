package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestFirstWithSignal(t *testing.T) {
	run(FirstWithSignal(Never[int](), FromSlice([]int{1, 2}), Just(3))).Done(t, 1, 2)
	run(FirstWithSignal(Never[int](), Empty[int](), Just(3))).Done(t)
	run(FirstWithSignal(Error[int](errBoom), Just(3))).Failed(t, errBoom)
	run(FirstWithSignal(Just(3))).Done(t, 3)
	run(FirstWithSignal[int]()).Done(t)
	run(Or(Or(Never[int](), Never[int]()), Just(3))).Done(t, 3)
	assert.Len(t, Or(Or(Never[int](), Never[int]()), Just(3)).(*firstPublisher[int]).sources, 3)
}

func TestFirstWithSignalAsksAllUntilOneHasWon(t *testing.T) {
	ctx, hooks := probe.Recorded()
	a, b := &puppet[int]{}, &puppet[int]{}
	p := probeOf[int](2)
	FirstWithSignal[int](a, b).Subscribe(ctx, p)
	assert.Equal(t, int64(2), a.last().requested.Load())
	assert.Equal(t, int64(2), b.last().requested.Load())
	b.last().OnNext(7)
	assert.Equal(t, int64(1), a.last().cancels.Load())
	p.Request(3)
	assert.Equal(t, int64(5), b.last().requested.Load())
	assert.Equal(t, int64(2), a.last().requested.Load())
	a.last().OnNext(1)
	a.last().OnError(errBoom)
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
	p.Open(t, 7)
	p.Cancel()
	assert.Equal(t, int64(1), b.last().cancels.Load())
}

func TestOr(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[int]{}
	p := run(Or(src, other))
	other.last().OnNext(1)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	other.last().OnComplete()
	p.Done(t, 1)
}
