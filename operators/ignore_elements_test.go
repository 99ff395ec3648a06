package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestThen(t *testing.T) {
	ctx, hooks := probe.Recorded()
	runWith(ctx, Then(FromSlice([]int{1, 2}))).Done(t)
	assert.Equal(t, []any{1, 2}, hooks.Discarded)
	run(IgnoreElements(failing(1))).Failed(t, errBoom)
	run(ThenMany(FromSlice([]int{1, 2}), FromSlice([]string{"a", "b"}))).Done(t, "a", "b")
	run(ThenMany(failing(1), Just("a"))).Failed(t, errBoom)
	run(ThenMono(FromSlice([]int{1, 2}), Just("a"))).Done(t, "a")
	run(ThenMono(Just(1), Empty[string]())).Done(t)
	run(ThenMono(Just(1), Error[string](errBoom))).Failed(t, errBoom)
	run(ThenMono(failing(1), Just("a"))).Failed(t, errBoom)
	run(ThenEmpty(Just(1), FromSlice([]int{1, 2}))).Done(t)
	run(ThenReturn(Just(1), "a")).Done(t, "a")
}

func TestIgnoreElements(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := probeOf[int](0)
	IgnoreElements(src).Subscribe(ctx, p)
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load(), "they are not for downstream")
	src.last().OnNext(1)
	src.last().OnComplete()
	p.Done(t)
	assert.Equal(t, []any{1}, hooks.Discarded)
	run(IgnoreElements(Concat(Just(1), Error[int](errBoom)))).Failed(t, errBoom)
}
