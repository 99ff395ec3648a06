package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

func TestWindowFor(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := run(lists(WindowFor(src, 10, bare[int], On(h))))
	src.last().OnNext(0)
	h.forward(9)
	src.last().OnNext(1)
	h.forward(1)
	src.last().OnNext(2)
	h.forward(10)
	h.forward(10)
	p.Open(t, []int{0, 1}, []int{2}, []int{})
	src.last().OnComplete()
	assert.Zero(t, h.pending())
	h = &handScheduler{}
	h.refuse(schedulers.ErrUnavailable)
	run(lists(WindowFor(src, 10, bare[int], On(h)))).Failed(t, reactor.ErrRejected)
}

func TestWindowForOpenEvery(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, lists(WindowFor(src, 10, bare[int], OpenEvery(15), On(h))))
	h.run()
	for v := range 7 {
		src.last().OnNext(v)
		h.forward(5)
	}
	p.Open(t, []int{0, 1}, []int{3, 4})
	src.last().OnComplete()
	p.Done(t, []int{0, 1}, []int{3, 4}, []int{6})
	assert.Equal(t, []any{2, 5}, hooks.Discarded)
	assert.Zero(t, h.pending())
}
