package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

func TestDelaySequence(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := run(DelaySequence(src, 10, On(h)))
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	src.last().OnNext(1)
	h.forward(3)
	src.last().OnNext(2)
	src.last().OnNext(3)
	h.forward(4)
	src.last().OnError(errBoom)
	h.forward(3)
	p.Open(t, 1)
	h.forward(3)
	p.Open(t, 1, 2, 3)
	h.forward(3)
	p.Open(t, 1, 2, 3)
	h.forward(1)
	p.Failed(t, errBoom, 1, 2, 3)
	h.assertReleased(t)
}

func TestDelaySequenceEndIsImmediateIfNothingIsUnderWay(t *testing.T) {
	h := &handScheduler{}
	run(DelaySequence(Empty[int](), 10, On(h))).Done(t)
	src := &puppet[int]{}
	p := run(DelaySequence(src, 10, On(h)))
	src.last().OnNext(1)
	h.forward(10)
	src.last().OnComplete()
	p.Done(t, 1)
	h.assertReleased(t)
}

func TestDelaySequenceCancel(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, DelaySequence(src, 10, On(h)))
	src.last().OnNext(1)
	src.last().OnNext(2)
	p.Cancel()
	src.last().OnNext(3)
	assert.Zero(t, h.pending())
	accounted(t, p, hooks, 1, 2, 3)
	h.assertReleased(t)
}

func TestDelaySequenceRejected(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, DelaySequence(src, 10, On(h)))
	src.last().OnNext(1)
	h.refuse(schedulers.ErrCapacity)
	src.last().OnNext(2)
	p.Failed(t, reactor.ErrRejected)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(3)
	accounted(t, p, hooks, 1, 2, 3)
	h.assertReleased(t)
}

func TestDelaySequenceDownstreamPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	p := runWith(ctx, Map(DelaySequence(Range(1, 3), 10, On(h)), func(v int) int {
		if v == 2 {
			panic(errBoom)
		}
		return v
	}))
	h.forward(10)
	p.Failed(t, errBoom, 1)
	accounted(t, p, hooks, 1, 2, 3)
	h.assertReleased(t)
}

// TestDelaySequenceWhileTheSourceWorks: what is due is delivered although the source works where it was asked, and has not returned.
func TestDelaySequenceWhileTheSourceWorks(t *testing.T) {
	h := &handScheduler{}
	p := probeOf[int](reactor.Unbounded)
	src := FromSeq(func(yield func(int) bool) {
		for v := range 5 {
			yield(v)
			h.forward(10)
			assert.Equal(t, numbers(v+1), p.Got())
		}
	})
	DelaySequence(src, 10, On(h)).Subscribe(t.Context(), p)
	p.Done(t, numbers(5)...)
	h.assertReleased(t)
}

// TestDelaySequenceAsksBehindElements: the source does not work within OnNext of the subscriber that asks for more.
func TestDelaySequenceAsksBehindElements(t *testing.T) {
	h := &handScheduler{}
	p, within := probeOf[int](1), false
	p.Each = func(int) {
		within = true
		p.Request(1)
		within = false
	}
	src := FromSeq(func(yield func(int) bool) {
		for v := range 5 {
			assert.False(t, within)
			yield(v)
		}
	})
	DelaySequence(src, 10, On(h)).Subscribe(t.Context(), p)
	for range 5 {
		h.forward(10)
	}
	p.Done(t, numbers(5)...)
	h.assertReleased(t)
}
