package operators

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

func TestSampleFirstFor(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := runWith(ctx, SampleFirstFor(src, 10, On(h)))
	up := src.last()
	up.OnNext(1)
	h.forward(9)
	up.OnNext(2)
	h.forward(1)
	up.OnNext(3)
	up.OnNext(4)
	p.Open(t, 1, 3)
	up.OnComplete()
	p.Done(t, 1, 3)
	assert.Zero(t, h.pending())
	accounted(t, p, hooks, 1, 2, 3, 4)
}

func TestSampleFirst(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	gates := map[int]*puppet[string]{1: {}, 3: {}}
	p := runWith(ctx, SampleFirst(src, func(v int) reactor.Publisher[string] { return gates[v] }))
	src.last().OnNext(1)
	src.last().OnNext(2)
	gates[1].last().OnNext("open")
	assert.EqualValues(t, 1, gates[1].last().cancels.Load())
	src.last().OnNext(3)
	gates[3].last().OnError(errBoom)
	p.Failed(t, errBoom, 1, 3)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(4)
	accounted(t, p, hooks, 1, 2, 3, 4)
}

// A downstream that is not ready for an element gets the next one for which it is.
func TestSampleFirstWithoutDemand(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	p := probeOf[int](1)
	SampleFirstFor(src, 10, On(h)).Subscribe(ctx, p)
	src.last().OnNext(1)
	h.forward(10)
	src.last().OnNext(2)
	p.Open(t, 1)
	assert.Zero(t, src.last().cancels.Load())
	p.Request(1)
	src.last().OnNext(3)
	src.last().OnNext(4)
	h.forward(10)
	src.last().OnNext(5)
	src.last().OnComplete()
	p.Done(t, 1, 3)
	assert.Equal(t, []any{2, 4, 5}, hooks.Discarded)
}

// DelayElements asks for one at a time.
func TestSampleFirstBeforeASlowStage(t *testing.T) {
	schedulers.ShutdownNow() // the shared ones belong to this bubble, and to no other test
	synctest.Test(t, func(t *testing.T) {
		defer schedulers.ShutdownNow()
		got, err := BlockLast(context.Background(), CollectSlice(
			DelayElements(SampleFirstFor(Take(Interval(10*time.Millisecond), 20), 15*time.Millisecond), 95*time.Millisecond)))
		assert.NoError(t, err)
		assert.Equal(t, []int64{0, 10}, got)
	})
}

func TestSampleFirstFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := runWith(ctx, SampleFirst(Range(1, 3), func(int) reactor.Publisher[int] { panic(errBoom) }))
	p.Failed(t, errBoom, 1)
	p = runWith(ctx, Map(SampleFirst(Range(1, 3), func(int) reactor.Publisher[int] { return Never[int]() }), func(int) int { panic(errBoom) }))
	p.Failed(t, errBoom)
	assert.Equal(t, []any{1}, hooks.Discarded, "of the second stream")
	h := &handScheduler{}
	h.refuse(schedulers.ErrUnavailable)
	run(SampleFirstFor(Range(1, 3), 10, On(h))).Failed(t, reactor.ErrRejected, 1)
}
