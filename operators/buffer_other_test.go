package operators

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestBufferOther(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := runWith(ctx, BufferOther(src, other))
	up, cut := src.last(), other.last()
	assert.Equal(t, reactor.Unbounded, up.requested.Load())
	assert.Equal(t, reactor.Unbounded, cut.requested.Load())
	cut.OnNext("nothing yet")
	up.OnNext(1)
	up.OnNext(2)
	p.Open(t)
	cut.OnNext("cut")
	cut.OnNext("again")
	p.Open(t, []int{1, 2})
	up.OnNext(3)
	up.OnComplete()
	p.Done(t, []int{1, 2}, []int{3})
	assert.EqualValues(t, 1, cut.cancels.Load())
	assert.EqualValues(t, 1, up.cancels.Load(), "what doOnCancel sees")
	accountedIn(t, p, hooks, 1, 2, 3)
}

func TestBufferOtherCompletes(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	p := run(BufferOther(src, other))
	src.last().OnNext(1)
	other.last().OnComplete()
	p.Done(t, []int{1})
	assert.EqualValues(t, 1, src.last().cancels.Load())

	p = run(BufferOther(src, Empty[int]()))
	p.Done(t)
	assert.EqualValues(t, 1, src.last().cancels.Load(), "subscribed all the same")
}

func TestBufferOtherFails(t *testing.T) {
	for name, fail := range map[string]func(src *puppetSubscription[int], other *puppetSubscription[string]){
		"source": func(src *puppetSubscription[int], _ *puppetSubscription[string]) { src.OnError(errBoom) },
		"other":  func(_ *puppetSubscription[int], other *puppetSubscription[string]) { other.OnError(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src, other := &puppet[int]{}, &puppet[string]{}
			p := runWith(ctx, BufferOther(src, other))
			src.last().OnNext(1)
			other.last().OnNext("cut")
			src.last().OnNext(2)
			fail(src.last(), other.last())
			p.Failed(t, errBoom, []int{1})
			assert.EqualValues(t, 1, src.last().cancels.Load())
			if name == "source" {
				assert.EqualValues(t, 1, other.last().cancels.Load())
			}
			src.last().OnNext(3)
			fail(src.last(), other.last())
			assert.Len(t, hooks.Errs, 1)
			accountedIn(t, p, hooks, 1, 2, 3)
		})
	}
}

func TestBufferOtherWithoutDemand(t *testing.T) {
	for name, end := range map[string]func(src *puppetSubscription[int], other *puppetSubscription[string]){
		"cut":       func(_ *puppetSubscription[int], other *puppetSubscription[string]) { other.OnNext("cut") },
		"completed": func(src *puppetSubscription[int], _ *puppetSubscription[string]) { src.OnComplete() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src, other := &puppet[int]{}, &puppet[string]{}
			p := probeOf[[]int](1)
			BufferOther(src, other).Subscribe(ctx, p)
			src.last().OnNext(1)
			other.last().OnNext("cut")
			src.last().OnNext(2)
			end(src.last(), other.last())
			p.Failed(t, reactor.ErrOverflow, []int{1})
			assert.EqualValues(t, 1, other.last().cancels.Load())
			accountedIn(t, p, hooks, 1, 2)
		})
	}
}

func TestBufferOtherCancel(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := runWith(ctx, BufferOther(src, other))
	src.last().OnNext(1)
	p.Cancel()
	p.Cancel()
	src.last().OnNext(2)
	other.last().OnNext("cut")
	src.last().OnError(errOther)
	p.Open(t)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, other.last().cancels.Load())
	assert.Len(t, hooks.Errs, 1)
	accountedIn(t, p, hooks, 1, 2)
}

func TestBufferOtherDownstreamPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := runWith(ctx, Map(BufferOther(src, other), func([]int) int { panic(errBoom) }))
	src.last().OnNext(1)
	src.last().OnNext(2)
	other.last().OnNext("cut")
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, other.last().cancels.Load())
	assert.Equal(t, []any{1, 2}, hooks.Discarded)
}

// TestBufferOtherKeepsTheOrder lets elements and boundaries come while a buffer is on
// its way down: each boundary stays where it was.
func TestBufferOtherKeepsTheOrder(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	p := probeOf[[]int](reactor.Unbounded)
	first := true
	p.Each = func([]int) {
		if first {
			first = false
			src.last().OnNext(2)
			other.last().OnNext("cut")
			src.last().OnNext(3)
			other.last().OnNext("cut")
			src.last().OnNext(4)
			src.last().OnComplete()
		}
	}
	BufferOther(src, other).Subscribe(context.Background(), p)
	src.last().OnNext(1)
	other.last().OnNext("cut")
	p.Done(t, []int{1}, []int{2}, []int{3}, []int{4})
}

func TestBufferOtherRaces(t *testing.T) {
	raceStage(t, 40, func(src elements, h *handScheduler) reactor.Publisher[[]element] {
		return BufferFor(src, time.Second, On(h))
	})
	raceStage(t, 40, func(src elements, h *handScheduler) reactor.Publisher[[]element] {
		return BufferOther(src, Delay(2*time.Second, On(h)))
	})
}

// TestBufferOtherElementsAgainstCuts has each element come in some buffer, in order.
func TestBufferOtherElementsAgainstCuts(t *testing.T) {
	for range racetest.Iterations(300) {
		src, other := &puppet[int]{}, &puppet[int]{}
		p := run(BufferOther(src, other))
		racetest.Race(func() {
			for i := range 50 {
				src.last().OnNext(i)
			}
		}, func() {
			for i := range 20 {
				other.last().OnNext(i)
			}
		})
		src.last().OnComplete()
		var all []int
		for _, b := range p.Got() {
			assert.NotEmpty(t, b)
			all = append(all, b...)
		}
		assert.Equal(t, numbers(50), all)
		p.Faultless(t)
	}
}
