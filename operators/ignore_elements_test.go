package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

func TestThen(t *testing.T) {
	ctx, hooks := recordHooks()
	runWith(ctx, Then(FromSlice([]int{1, 2}))).assertCompleted(t)
	assert.Equal(t, []any{1, 2}, hooks.discarded)
	run(IgnoreElements(failing(1))).assertFailed(t, errBoom)
	run(ThenMany(FromSlice([]int{1, 2}), FromSlice([]string{"a", "b"}))).assertCompleted(t, "a", "b")
	run(ThenMany(failing(1), Just("a"))).assertFailed(t, errBoom)
	run(ThenMono(FromSlice([]int{1, 2}), Just("a"))).assertCompleted(t, "a")
	run(ThenMono(Just(1), Empty[string]())).assertCompleted(t)
	run(ThenMono(Just(1), Error[string](errBoom))).assertFailed(t, errBoom)
	run(ThenMono(failing(1), Just("a"))).assertFailed(t, errBoom)
	run(ThenEmpty(Just(1), FromSlice([]int{1, 2}))).assertCompleted(t)
	run(ThenReturn(Just(1), "a")).assertCompleted(t, "a")
}

func TestIgnoreElements(t *testing.T) {
	ctx, hooks := recordHooks()
	src := &puppet[int]{}
	p := probeOf[int](0)
	IgnoreElements(src).Subscribe(ctx, p)
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load(), "they are not for downstream")
	src.last().OnNext(1)
	src.last().OnComplete()
	p.assertCompleted(t)
	assert.Equal(t, []any{1}, hooks.discarded)
	run(IgnoreElements(Concat(Just(1), Error[int](errBoom)))).assertFailed(t, errBoom)
}
