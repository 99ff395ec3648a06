package operators

import (
	"context"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

func TestBackpressureBufferUnbounded(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[int](1)
	OnBackpressureBuffer(src).Subscribe(context.Background(), p)
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	for i := range 5000 {
		src.last().OnNext(i)
	}
	src.last().OnError(errBoom)
	p.Open(t, 0)
	p.Request(4998)
	p.Open(t, numbers(4999)...)
	p.Request(1)
	p.Failed(t, errBoom, numbers(5000)...)
}

func TestBackpressureBufferOverflow(t *testing.T) {
	for _, c := range []struct {
		name     string
		strategy BufferOverflowStrategy
		lost     []int
		kept     []int
		err      error
	}{
		{"error", BufferError, []int{4}, []int{1, 2, 3}, reactor.ErrOverflow},
		{"drop latest", BufferDropLatest, []int{4, 5}, []int{1, 2, 3}, nil},
		{"drop oldest", BufferDropOldest, []int{2, 3}, []int{1, 4, 5}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			var lost []int
			p := probeOf[int](1)
			OnBackpressureBufferFunc(src, func(v int) { lost = append(lost, v) }, Capacity(2), c.strategy).Subscribe(ctx, p)
			for i := 1; i <= 5; i++ {
				src.last().OnNext(i)
			}
			assert.Equal(t, c.lost, lost)
			p.Open(t, 1)
			p.Request(9)
			if c.err != nil {
				assert.EqualValues(t, 1, src.last().cancels.Load())
				p.Failed(t, c.err, c.kept...)
				assert.ErrorContains(t, p.Failure(), "the buffer of 2 elements is full")
			} else {
				src.last().OnComplete()
				p.Done(t, c.kept...)
			}
			accounted(t, p, hooks, 1, 2, 3, 4, 5)
		})
	}
}

func TestBackpressureBufferFunctionPanics(t *testing.T) {
	for _, strategy := range []BufferOverflowStrategy{BufferError, BufferDropLatest, BufferDropOldest} {
		for name, fail := range map[string]func(int){
			"panic":  func(int) { panic(errBoom) },
			"goexit": func(int) { runtime.Goexit() },
		} {
			t.Run(name, func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				src := &puppet[int]{}
				p := probeOf[int](0)
				OnBackpressureBufferFunc(src, fail, Capacity(1), strategy).Subscribe(ctx, p)
				src.last().OnNext(1)
				var wg sync.WaitGroup
				wg.Go(func() { src.last().OnNext(2) })
				wg.Wait()
				p.Request(9)
				if name == "panic" {
					assert.ErrorIs(t, p.Failure(), errBoom)
				} else {
					assert.ErrorIs(t, p.Failure(), reactor.ErrGoexit)
				}
				assert.EqualValues(t, 1, src.last().cancels.Load())
				accounted(t, p, hooks, 1, 2)
			})
		}
	}
}

func TestBackpressureBufferErrorWithoutFunctionCutsIn(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := probeOf[int](1)
	OnBackpressureBuffer(src, Capacity(2), BufferDropLatest).Subscribe(ctx, p)
	src.last().OnNext(1)
	src.last().OnNext(2)
	src.last().OnError(errBoom)
	p.Failed(t, errBoom, 1)
	assert.Equal(t, []any{2}, hooks.Discarded)
}

func TestBackpressureBufferBadArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: onBackpressureBuffer: capacity must be positive, got 0", func() {
		OnBackpressureBuffer(Empty[int](), Capacity(0))
	})
	assert.PanicsWithValue(t, "reactor: onBackpressureBuffer: an overflow strategy needs a capacity", func() {
		OnBackpressureBuffer(Empty[int](), BufferDropLatest)
	})
	assert.PanicsWithValue(t, "reactor: onBackpressureBuffer: the function is nil", func() {
		OnBackpressureBufferFunc(Empty[int](), nil)
	})
}

func TestBackpressureBufferTimeout(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	var evicted []int
	p := probeOf[int](1)
	OnBackpressureBufferTimeout(src, 10*time.Second, 2, func(v int) { evicted = append(evicted, v) }, On(h)).Subscribe(ctx, p)
	up := src.last()
	up.OnNext(1)
	assert.Zero(t, h.pending(), "delivered at once: no timer")
	up.OnNext(2)
	h.forward(4 * time.Second)
	up.OnNext(3)
	up.OnNext(4)
	assert.Equal(t, []int{2}, evicted, "made room")
	h.forward(6 * time.Second)
	assert.Equal(t, []int{2}, evicted)
	h.forward(4*time.Second - 1)
	assert.Equal(t, []int{2}, evicted, "never early")
	p.Request(1)
	p.Open(t, 1, 3)
	h.forward(1)
	assert.Equal(t, []int{2, 4}, evicted)
	up.OnNext(5)
	up.OnComplete()
	p.Open(t, 1, 3)
	h.forward(10 * time.Second)
	p.Done(t, 1, 3)
	assert.Equal(t, []int{2, 4, 5}, evicted)
	accounted(t, p, hooks, 1, 2, 3, 4, 5)
	h.assertReleased(t)
}

func TestBackpressureBufferTimeoutCancel(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	var evicted []int
	p := probeOf[int](0)
	OnBackpressureBufferTimeout(src, time.Second, 4, func(v int) {
		evicted = append(evicted, v)
		panic(errBoom)
	}, On(h)).Subscribe(ctx, p)
	src.last().OnNext(1)
	src.last().OnNext(2)
	p.Cancel()
	assert.Equal(t, []int{1, 2}, evicted)
	assert.Len(t, hooks.Errs, 2)
	assert.Zero(t, h.pending())
	accounted(t, p, hooks, 1, 2)
	h.assertReleased(t)
}

func TestBackpressureBufferTimeoutRejected(t *testing.T) {
	h := &handScheduler{}
	h.refuse(schedulers.ErrUnavailable)
	src := &puppet[int]{}
	p := probeOf[int](0)
	OnBackpressureBufferTimeout(src, time.Second, 4, func(int) {}, On(h)).Subscribe(context.Background(), p)
	src.last().OnNext(1)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	p.Request(1)
	p.Failed(t, reactor.ErrRejected, 1)
	h.assertReleased(t)
}

func TestBackpressureDrop(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	var gone []int
	p := probeOf[int](2)
	OnBackpressureDropFunc(src, func(v int) { gone = append(gone, v) }).Subscribe(ctx, p)
	assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
	for i := 1; i <= 4; i++ {
		src.last().OnNext(i)
	}
	p.Request(1)
	src.last().OnNext(5)
	src.last().OnComplete()
	p.Done(t, 1, 2, 5)
	assert.Equal(t, []int{3, 4}, gone)
	assert.Equal(t, []any{3, 4}, hooks.Discarded)
	p = probeOf[int](0)
	OnBackpressureDrop(Range(0, 5)).Subscribe(ctx, p)
	p.Done(t)
}

func TestBackpressureDropFunctionPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](1)
	OnBackpressureDropFunc(Range(0, 5), func(int) { panic(errBoom) }).Subscribe(ctx, p)
	p.Failed(t, errBoom, 0)
	assert.Equal(t, []any{1}, hooks.Discarded)
}

func TestBackpressureError(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := probeOf[int](1)
	OnBackpressureError(src).Subscribe(ctx, p)
	for i := 1; i <= 3; i++ {
		src.last().OnNext(i)
	}
	p.Failed(t, reactor.ErrOverflow, 1)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	accounted(t, p, hooks, 1, 2, 3)
}

func TestBackpressureLatest(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := probeOf[int](1)
	OnBackpressureLatest(src).Subscribe(ctx, p)
	for i := 1; i <= 4; i++ {
		src.last().OnNext(i)
	}
	p.Request(2)
	p.Open(t, 1, 4)
	src.last().OnNext(5)
	src.last().OnNext(6)
	src.last().OnNext(7)
	src.last().OnComplete()
	p.Open(t, 1, 4, 5)
	p.Request(1)
	p.Done(t, 1, 4, 5, 7)
	accounted(t, p, hooks, 1, 2, 3, 4, 5, 6, 7)

	p = probeOf[int](0)
	OnBackpressureLatest(src).Subscribe(ctx, p)
	src.last().OnNext(8)
	src.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.Contains(t, hooks.Discarded, 8)
}

func TestBackpressureRaces(t *testing.T) {
	for name, stage := range map[string]func(src elements, h *handScheduler) elements{
		"limitRate": func(src elements, _ *handScheduler) elements { return LimitRate(src, 2) },
		"unbounded": func(src elements, _ *handScheduler) elements { return OnBackpressureBuffer(src) },
		"bounded":   func(src elements, _ *handScheduler) elements { return OnBackpressureBuffer(src, Capacity(2)) },
		"large":     func(src elements, _ *handScheduler) elements { return OnBackpressureBuffer(src, Capacity(math.MaxInt)) },
		"dropLatest": func(src elements, _ *handScheduler) elements {
			return OnBackpressureBuffer(src, Capacity(1), BufferDropLatest)
		},
		"dropOldest": func(src elements, _ *handScheduler) elements {
			return OnBackpressureBuffer(src, Capacity(2), BufferDropOldest)
		},
		"timeout": func(src elements, h *handScheduler) elements {
			return OnBackpressureBufferTimeout(src, time.Second, 2, func(element) {}, On(h))
		},
		"drop":   func(src elements, _ *handScheduler) elements { return OnBackpressureDrop(src) },
		"latest": func(src elements, _ *handScheduler) elements { return OnBackpressureLatest(src) },
		"error":  func(src elements, _ *handScheduler) elements { return OnBackpressureError(src) },
	} {
		t.Run(name, func(t *testing.T) { raceStage(t, 40, stage) })
	}
}
