package operators

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/racetest"
	"github.com/goreactor/reactor/schedulers"
)

func TestBufferOther(t *testing.T) {
	ctx, hooks := recordHooks()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := runWith(ctx, BufferOther(src, other))
	up, cut := src.last(), other.last()
	assert.Equal(t, reactor.Unbounded, up.requested.Load())
	assert.Equal(t, reactor.Unbounded, cut.requested.Load())
	cut.OnNext("nothing yet")
	up.OnNext(1)
	up.OnNext(2)
	p.assertOpen(t)
	cut.OnNext("cut")
	cut.OnNext("again")
	p.assertOpen(t, []int{1, 2})
	up.OnNext(3)
	up.OnComplete()
	p.assertCompleted(t, []int{1, 2}, []int{3})
	assert.EqualValues(t, 1, cut.cancels.Load())
	assert.EqualValues(t, 1, up.cancels.Load(), "what doOnCancel sees")
	accountedIn(t, p, hooks, 1, 2, 3)
}

func TestBufferOtherCompletes(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	p := run(BufferOther(src, other))
	src.last().OnNext(1)
	other.last().OnComplete()
	p.assertCompleted(t, []int{1})
	assert.EqualValues(t, 1, src.last().cancels.Load())

	p = run(BufferOther(src, Empty[int]()))
	p.assertCompleted(t)
	assert.EqualValues(t, 1, src.last().cancels.Load(), "subscribed all the same")
}

func TestBufferOtherFails(t *testing.T) {
	for name, fail := range map[string]func(src *puppetSubscription[int], other *puppetSubscription[string]){
		"source": func(src *puppetSubscription[int], _ *puppetSubscription[string]) { src.OnError(errBoom) },
		"other":  func(_ *puppetSubscription[int], other *puppetSubscription[string]) { other.OnError(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := recordHooks()
			src, other := &puppet[int]{}, &puppet[string]{}
			p := runWith(ctx, BufferOther(src, other))
			src.last().OnNext(1)
			other.last().OnNext("cut")
			src.last().OnNext(2)
			fail(src.last(), other.last())
			p.assertFailed(t, errBoom, []int{1})
			assert.EqualValues(t, 1, src.last().cancels.Load())
			if name == "source" {
				assert.EqualValues(t, 1, other.last().cancels.Load())
			}
			src.last().OnNext(3)
			fail(src.last(), other.last())
			assert.Len(t, hooks.droppedErrors, 1)
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
			ctx, hooks := recordHooks()
			src, other := &puppet[int]{}, &puppet[string]{}
			p := probeOf[[]int](1)
			BufferOther(src, other).Subscribe(ctx, p)
			src.last().OnNext(1)
			other.last().OnNext("cut")
			src.last().OnNext(2)
			end(src.last(), other.last())
			p.assertFailed(t, reactor.ErrOverflow, []int{1})
			assert.EqualValues(t, 1, other.last().cancels.Load())
			accountedIn(t, p, hooks, 1, 2)
		})
	}
}

func TestBufferOtherCancel(t *testing.T) {
	ctx, hooks := recordHooks()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := runWith(ctx, BufferOther(src, other))
	src.last().OnNext(1)
	p.cancel()
	p.cancel()
	src.last().OnNext(2)
	other.last().OnNext("cut")
	src.last().OnError(errOther)
	p.assertOpen(t)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, other.last().cancels.Load())
	assert.Len(t, hooks.droppedErrors, 1)
	accountedIn(t, p, hooks, 1, 2)
}

func TestBufferOtherDownstreamPanics(t *testing.T) {
	ctx, hooks := recordHooks()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := runWith(ctx, Map(BufferOther(src, other), func([]int) int { panic(errBoom) }))
	src.last().OnNext(1)
	src.last().OnNext(2)
	other.last().OnNext("cut")
	p.assertFailed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.EqualValues(t, 1, other.last().cancels.Load())
	assert.Equal(t, []any{1, 2}, hooks.discarded)
}

// TestBufferOtherKeepsTheOrder lets elements and boundaries come while a buffer is on
// its way down: each boundary stays where it was.
func TestBufferOtherKeepsTheOrder(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	p := probeOf[[]int](reactor.Unbounded)
	first := true
	p.onNext = func([]int) {
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
	p.assertCompleted(t, []int{1}, []int{2}, []int{3}, []int{4})
}

func TestBufferFor(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := run(BufferFor(src, 10, On(h)))
	src.last().OnNext(1)
	h.forward(9)
	src.last().OnNext(2)
	p.assertOpen(t)
	h.forward(1)
	p.assertOpen(t, []int{1, 2})
	h.forward(10)
	src.last().OnNext(3)
	h.forward(10)
	p.assertOpen(t, []int{1, 2}, []int{3})
	src.last().OnComplete()
	p.assertCompleted(t, []int{1, 2}, []int{3})
	assert.Zero(t, h.pending())
	h.assertReleased(t)
}

func TestBufferForOpenEvery(t *testing.T) {
	for _, c := range []struct {
		name      string
		every     time.Duration
		want      [][]int // of 1, 2, 3, … at 5, 15, 25, …, with buffers of 20
		discarded []any
	}{
		{"overlapping", 10, [][]int{{1, 2}, {2, 3}, {3, 4}, {4, 5}, {5}}, nil},
		{"gaps", 30, [][]int{{1, 2}, {4, 5}}, []any{3}},
		{"as long", 20, [][]int{{1, 2}, {3, 4}, {5}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, hooks := recordHooks()
			h := &handScheduler{}
			src := &puppet[int]{}
			p := runWith(ctx, BufferFor(src, 20, OpenEvery(c.every), On(h)))
			h.forward(0)
			for i := 1; i <= 5; i++ {
				h.forward(5)
				src.last().OnNext(i)
				if i < 5 {
					h.forward(5)
				}
			}
			src.last().OnComplete()
			p.assertCompleted(t, c.want...)
			assert.Equal(t, c.discarded, hooks.discarded)
			assert.Zero(t, h.pending())
			h.assertReleased(t)
		})
	}
}

func TestBufferForRejected(t *testing.T) {
	for _, every := range []time.Duration{10, 20} {
		h := &handScheduler{}
		h.refuse(schedulers.ErrUnavailable)
		src := &puppet[int]{}
		run(BufferFor(src, 10, OpenEvery(every), On(h))).assertFailed(t, reactor.ErrRejected)
		assert.EqualValues(t, 1, src.last().cancels.Load())
	}
}

func TestBufferForBadArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: bufferFor: duration must be positive, got 0s", func() { BufferFor(Empty[int](), 0) })
	assert.PanicsWithValue(t, "reactor: bufferFor: time between two buffers must be positive, got 0s", func() { OpenEvery(0) })
	assert.PanicsWithValue(t, "reactor: bufferFor: the scheduler is nil", func() { BufferFor(Empty[int](), 1, On(nil)) })
	assert.PanicsWithValue(t, "reactor: bufferOther: the publisher is nil", func() { BufferOther[int, int](Empty[int](), nil) })
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
		for _, b := range p.got() {
			assert.NotEmpty(t, b)
			all = append(all, b...)
		}
		assert.Equal(t, numbers(50), all)
		p.assertFaultless(t)
	}
}
