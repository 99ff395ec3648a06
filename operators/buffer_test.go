package operators

import (
	"context"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// accountedIn is accounted for elements inside of buffers.
func accountedIn(t testing.TB, p *probe.Probe[[]int], r *probe.Record, sent ...int) {
	t.Helper()
	require.Empty(t, p.Faults())
	accountedFor(t, slices.Concat(p.Got()...), r, sent)
}

func TestBuffer(t *testing.T) {
	run(Buffer(Range(1, 5), 2)).Done(t, []int{1, 2}, []int{3, 4}, []int{5})
	run(Buffer(Range(1, 4), 2)).Done(t, []int{1, 2}, []int{3, 4})
	run(Buffer(Range(1, 2), 1)).Done(t, []int{1}, []int{2})
	run(Buffer(Range(1, 2), 5)).Done(t, []int{1, 2})
	run(Buffer(Empty[int](), 5)).Done(t)
	run(Buffer(Range(1, 9), 2, Stride(4))).Done(t, []int{1, 2}, []int{5, 6}, []int{9})
	run(Buffer(Range(1, 7), 2, Stride(4))).Done(t, []int{1, 2}, []int{5, 6})
	run(Buffer(Range(1, 5), 3, Stride(2))).Done(t, []int{1, 2, 3}, []int{3, 4, 5}, []int{5})
	run(Buffer(Range(1, 4), 3, Stride(1))).Done(t, []int{1, 2, 3}, []int{2, 3, 4}, []int{3, 4}, []int{4})
	run(Buffer(Range(1, 2), 3, Stride(1))).Done(t, []int{1, 2}, []int{2})
	run(Buffer(Empty[int](), 3, Stride(1))).Done(t)
	run(BufferAll(Range(1, 3))).Done(t, []int{1, 2, 3})
	run(BufferAll(Empty[int]())).Done(t)
	p := run(Buffer(Range(0, 1000), 300))
	assert.Equal(t, numbers(1000), slices.Concat(p.Got()...))
}

func TestBufferSubscribedTwice(t *testing.T) {
	b := Buffer(Range(1, 3), 2, Stride(1))
	run(b).Done(t, []int{1, 2}, []int{2, 3}, []int{3})
	run(b).Done(t, []int{1, 2}, []int{2, 3}, []int{3})
}

func TestBufferDemand(t *testing.T) {
	for _, c := range []struct {
		name         string
		size, stride int
		first, next  int64 // what requests of 3, then of 2, buffers ask for
	}{
		{"exact", 4, 4, 12, 8},
		{"gaps", 4, 5, 14, 10},
		{"overlapping", 4, 1, 6, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := &puppet[int]{}
			p := probeOf[[]int](0)
			Buffer(src, c.size, Stride(c.stride)).Subscribe(context.Background(), p)
			assert.Zero(t, src.last().requested.Load())
			p.Request(3)
			assert.Equal(t, c.first, src.last().requested.Load())
			p.Request(2)
			assert.Equal(t, c.first+c.next, src.last().requested.Load())
			for i := range int(c.first + c.next) {
				src.last().OnNext(i)
			}
			assert.Len(t, p.Got(), 5)
			p.Request(reactor.Unbounded)
			assert.Equal(t, reactor.Unbounded, src.last().requested.Load())
			p.Faultless(t)
		})
	}
}

func TestBufferRestWaitsForDemand(t *testing.T) {
	p := probeOf[[]int](1)
	Buffer(Range(1, 3), 3, Stride(1)).Subscribe(context.Background(), p)
	p.Open(t, []int{1, 2, 3})
	p.Request(1)
	p.Open(t, []int{1, 2, 3}, []int{2, 3})
	p.Request(1)
	p.Done(t, []int{1, 2, 3}, []int{2, 3}, []int{3})
}

// TestBuffersAreLeftAlone writes into everything that was delivered.
func TestBuffersAreLeftAlone(t *testing.T) {
	for name, b := range map[string]func(reactor.Publisher[int]) reactor.Publisher[[]int]{
		"exact":       func(p reactor.Publisher[int]) reactor.Publisher[[]int] { return Buffer(p, 2) },
		"overlapping": func(p reactor.Publisher[int]) reactor.Publisher[[]int] { return Buffer(p, 3, Stride(1)) },
		"until": func(p reactor.Publisher[int]) reactor.Publisher[[]int] {
			return BufferUntil(p, func(v int) bool { return v%3 == 0 })
		},
		"timeout": func(p reactor.Publisher[int]) reactor.Publisher[[]int] {
			return BufferTimeout(p, 2, 1, On(&handScheduler{}))
		},
		"fair": func(p reactor.Publisher[int]) reactor.Publisher[[]int] {
			return BufferTimeout(p, 2, 1, FairBackpressure(), On(&handScheduler{}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			want := run(b(Range(1, 8))).Got()
			var got [][]int
			p := probeOf[[]int](reactor.Unbounded)
			p.Each = func(v []int) {
				got = append(got, slices.Clone(v))
				_ = append(v, -1)
				for i := range v[:cap(v)] {
					v[:cap(v)][i] = -1
				}
			}
			b(Range(1, 8)).Subscribe(context.Background(), p)
			assert.Equal(t, want, got)
			for _, v := range p.Got() {
				assert.Equal(t, slices.Repeat([]int{-1}, len(v)), v, "nobody writes into it any more")
			}
		})
	}
}

func TestBufferDiscards(t *testing.T) {
	ends := map[string]func(src *puppetSubscription[int], p *probe.Probe[[]int]){
		"cancelled": func(_ *puppetSubscription[int], p *probe.Probe[[]int]) { p.Cancel() },
		"failed":    func(src *puppetSubscription[int], _ *probe.Probe[[]int]) { src.OnError(errBoom) },
	}
	for _, c := range []struct {
		name         string
		size, stride int
		want         []any // discarded out of 1 … 5
	}{
		{"exact", 3, 3, []any{4, 5}},
		{"gaps", 1, 3, []any{2, 3, 5}},
		{"overlapping", 3, 2, []any{5}},
		{"overlapping twice", 4, 1, []any{3, 4, 5, 4, 5, 5}},
	} {
		for name, end := range ends {
			t.Run(c.name+" "+name, func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				src := &puppet[int]{}
				p := runWith(ctx, Buffer(src, c.size, Stride(c.stride)))
				for i := 1; i <= 5; i++ {
					src.last().OnNext(i)
				}
				end(src.last(), p)
				assert.Equal(t, c.want, hooks.Discarded)
				if name == "cancelled" {
					p.Cancel()
					src.last().OnNext(6)
					src.last().OnComplete()
					assert.Equal(t, 6, hooks.Discarded[len(hooks.Discarded)-1], "too late")
					assert.False(t, p.Over())
					assert.Positive(t, src.last().cancels.Load())
				}
			})
		}
	}
}

func TestBufferRestDiscarded(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[[]int](1)
	Buffer(Range(1, 3), 3, Stride(1)).Subscribe(ctx, p)
	p.Cancel()
	p.Request(4)
	p.Open(t, []int{1, 2, 3})
	assert.Equal(t, []any{2, 3, 3}, hooks.Discarded)
}

func TestBufferCancelledByTheSubscriber(t *testing.T) {
	for _, stride := range []int{1, 2, 3} {
		ctx, hooks := probe.Recorded()
		p := probeOf[[]int](reactor.Unbounded)
		p.Each = func([]int) { p.Cancel() }
		Buffer(Range(1, 9), 2, Stride(stride)).Subscribe(ctx, p)
		p.Open(t, []int{1, 2})
		assert.Empty(t, hooks.Discarded)
	}
	p := probeOf[[]int](reactor.Unbounded)
	p.Each = func([]int) { p.Cancel() }
	Buffer(Range(1, 3), 5).Subscribe(context.Background(), p)
	p.Open(t, []int{1, 2, 3})
}

func TestBufferDownstreamPanics(t *testing.T) {
	for _, c := range []struct {
		name         string
		size, stride int
		items        int
		want         []any
	}{
		{"exact", 3, 3, 9, []any{1, 2, 3}},
		{"gaps", 3, 4, 9, []any{1, 2, 3}},
		{"at the end", 3, 3, 2, []any{1, 2}},
		{"overlapping", 3, 2, 9, []any{1, 2, 3}},
		{"overlapping, rest", 3, 2, 2, []any{1, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := runWith(ctx, Map(Buffer(Range(1, c.items), c.size, Stride(c.stride)), func([]int) int { panic(errBoom) }))
			p.Failed(t, errBoom)
			assert.ElementsMatch(t, c.want, hooks.Discarded)
		})
	}
}

func TestBufferCompletionPanics(t *testing.T) {
	p := run(DoOnComplete(Buffer(Range(1, 3), 2, Stride(1)), func() { panic(errBoom) }))
	p.Failed(t, errBoom, []int{1, 2}, []int{2, 3}, []int{3})
}

func TestBufferBadArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: buffer: size must be positive, got 0", func() { Buffer(Empty[int](), 0) })
	assert.PanicsWithValue(t, "reactor: buffer: stride must be positive, got -1", func() { Buffer(Just(1), 1, Stride(-1)) })
	assert.Panics(t, func() { Buffer[int](nil, 1) })
}

// steady is a scheduler that says so: it needs no guard.
type steady struct{ *handScheduler }

func (steady) NeverPanics() bool { return true }

func TestBufferAllocations(t *testing.T) {
	src := Range(0, 6400)
	for name, c := range map[string]struct {
		stage   reactor.Publisher[[]int]
		buffers float64
	}{
		"exact":       {Buffer(src, 64), 100},
		"overlapping": {Buffer(src, 64, Stride(32)), 200},
		"until":       {BufferUntil(src, func(v int) bool { return v%64 == 63 }), 100},
		"fair":        {BufferTimeout(src, 64, 1, FairBackpressure(), On(steady{&handScheduler{}})), 300}, // a timer each
	} {
		t.Run(name, func(t *testing.T) {
			per := testing.AllocsPerRun(5, func() {
				assert.NoError(t, ForEach(context.Background(), c.stage, func([]int) {}))
			})
			assert.Less(t, per, c.buffers+30)
		})
	}
}

func TestBufferStackStaysFlat(t *testing.T) {
	var pcs [1000]uintptr
	deepest, n := 0, 0
	p := probeOf[[]int](1)
	p.Each = func([]int) {
		if n++; n%500 == 0 {
			deepest = max(deepest, runtime.Callers(0, pcs[:]))
		}
		p.Request(1)
	}
	Buffer(Range(0, 10_000), 2, Stride(1)).Subscribe(context.Background(), p)
	assert.Len(t, p.Got(), 10_000)
	assert.Less(t, deepest, 100)
}

func TestBufferRaces(t *testing.T) {
	raceStage(t, 40, func(src elements, _ *handScheduler) reactor.Publisher[[]element] { return Buffer(src, 2) })
	raceStage(t, 40, func(src elements, _ *handScheduler) reactor.Publisher[[]element] { return Buffer(src, 1, Stride(2)) })
}

// TestBufferOverlapRaces checks that nothing gets lost; an element may be in several
// buffers, so that it can end several times.
func TestBufferOverlapRaces(t *testing.T) {
	for range racetest.Iterations(500) {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		p := probeOf[[]int](1)
		Buffer(src, 3, Stride(2)).Subscribe(ctx, p)
		up := src.last()
		racetest.Race(
			func() {
				for i := range 3 {
					up.OnNext(i)
				}
				up.OnComplete()
			},
			func() { p.Request(1) },
			func() { p.Cancel() },
		)
		p.Faultless(t)
		seen := map[any]bool{}
		for _, v := range slices.Concat(p.Got()...) {
			seen[v] = true
		}
		for _, v := range hooks.Discarded {
			seen[v] = true
		}
		assert.Len(t, seen, 3)
	}
}

func TestBufferAll(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[[]int](0)
	BufferAll(src).Subscribe(t.Context(), p)
	p.Request(1)
	assert.EqualValues(t, math.MaxInt, src.last().requested.Load())
	src.last().OnNext(1)
	src.last().OnNext(2)
	p.Open(t)
	src.last().OnComplete()
	p.Done(t, []int{1, 2})
	run(BufferAll(Empty[int]())).Done(t)
	run(BufferAll(Concat(Just(1), Error[int](errBoom)))).Failed(t, errBoom)
}
