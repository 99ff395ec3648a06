package operators

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// countTo generates 1, 2, …, n and completes; cleaned gets the last states.
func countTo(n int, cleaned *[]int) reactor.Publisher[int] {
	return Generate(func() int { return 1 }, func(i int, s *SyncSink[int]) int {
		if i > n {
			s.Complete()
		} else {
			s.Next(i)
		}
		return i + 1
	}, func(i int) { *cleaned = append(*cleaned, i) })
}

func TestGenerate(t *testing.T) {
	var cleaned []int
	run(countTo(3, &cleaned)).Done(t, 1, 2, 3)
	assert.Equal(t, []int{5}, cleaned)
}

func TestGenerateOnDemand(t *testing.T) {
	var cleaned []int
	p := probeOf[int](2)
	countTo(3, &cleaned).Subscribe(context.Background(), p)
	p.Open(t, 1, 2)
	p.Request(1)
	p.Open(t, 1, 2, 3)
	p.Request(1)
	p.Done(t, 1, 2, 3)
	assert.Equal(t, []int{5}, cleaned)
}

func TestGenerateElementAndEndInOneCall(t *testing.T) {
	run(GenerateStateless(func(s *SyncSink[int]) { s.Next(7); s.Complete() })).Done(t, 7)
	run(GenerateStateless(func(s *SyncSink[int]) { s.Next(7); s.Error(errBoom) })).Failed(t, errBoom, 7)
	run(GenerateStateless(func(s *SyncSink[int]) { s.Error(nil) })).Failed(t, reactor.ErrNilError)
}

func TestGenerateMisuse(t *testing.T) {
	ctx, hooks := probe.Recorded()
	runWith(ctx, GenerateStateless(func(s *SyncSink[int]) { s.Next(1); s.Next(2) })).
		Failed(t, reactor.ErrIllegalState, 1)
	_, err := BlockLast(context.Background(), GenerateStateless(func(s *SyncSink[int]) { s.Next(1); s.Next(2) }))
	assert.EqualError(t, err, "reactor: generate: illegal state: more than one element in one call")
	runWith(ctx, GenerateStateless(func(s *SyncSink[int]) {})).Failed(t, reactor.ErrIllegalState)
	runWith(ctx, GenerateStateless(func(s *SyncSink[int]) { s.Complete(); s.Next(3); s.Error(errBoom) })).Done(t)
	assert.Equal(t, []any{2}, hooks.Discarded)
	assert.Equal(t, []any{3}, hooks.Dropped)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
	for _, fn := range []func(){
		func() { Generate(nil, func(int, *SyncSink[int]) int { return 0 }) },
		func() { Generate[int](func() int { return 0 }, nil) },
		func() { GenerateStateless[int](nil) },
		func() { Generate(func() int { return 0 }, func(int, *SyncSink[int]) int { return 0 }, nil) },
	} {
		assert.Panics(t, fn)
	}
}

func TestGenerateCancelled(t *testing.T) {
	for _, demand := range []int64{2, reactor.Unbounded} {
		var cleaned []int
		p := probeOf[int](demand)
		p.Each = func(v int) {
			if v == 2 {
				p.Cancel()
			}
		}
		countTo(5, &cleaned).Subscribe(context.Background(), p)
		p.Open(t, 1, 2)
		assert.Equal(t, []int{3}, cleaned)
		p.Cancel()
		assert.Len(t, cleaned, 1, "once")
	}
	var cleaned []int
	p := probeOf[int](0)
	countTo(5, &cleaned).Subscribe(context.Background(), p)
	p.Cancel()
	assert.Equal(t, []int{1}, cleaned, "also without demand")
}

func TestGeneratePanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	var panicked *reactor.PanicError
	runWith(ctx, Generate(func() int { panic(errBoom) }, func(i int, s *SyncSink[int]) int { return i })).
		Failed(t, errBoom)

	p := runWith(ctx, Generate(func() int { return 1 }, func(i int, s *SyncSink[int]) int {
		s.Next(i)
		if i == 2 {
			panic(errBoom)
		}
		return i + 1
	}, func(i int) { panic(errOther) }))
	p.Failed(t, errBoom, 1)
	assert.ErrorAs(t, p.Failure(), &panicked)
	assert.Equal(t, []any{2}, hooks.Discarded, "the element that the failing call had provided")
	require.Len(t, hooks.Errs, 1)
	assert.ErrorIs(t, hooks.Errs[0].(error), errOther)
}

func TestGenerateDownstreamPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	var cleaned []int
	runWith(ctx, Map(countTo(5, &cleaned), func(v int) int {
		if v == 2 {
			panic(errBoom)
		}
		return v
	})).Failed(t, errBoom, 1)
	assert.Equal(t, []any{2}, hooks.Discarded)
	assert.Equal(t, []int{3}, cleaned)
}

func TestGenerateDoesNotAllocatePerElement(t *testing.T) {
	src := Generate(func() int { return 0 }, func(i int, s *SyncSink[int]) int {
		if i == 1000 {
			s.Complete()
		} else {
			s.Next(i)
		}
		return i + 1
	})
	assert.Less(t, testing.AllocsPerRun(10, func() { _ = ForEach(context.Background(), src, func(int) {}) }), 20.0)
}

func BenchmarkGenerate(b *testing.B) {
	benchmarkSource(b, Generate(func() int { return 0 }, func(i int, s *SyncSink[int]) int {
		s.Next(i)
		return i + 1
	}))
}

// benchmarkSource takes b.N elements of src with unbounded demand.
func benchmarkSource(b *testing.B, src reactor.Publisher[int]) {
	b.ReportAllocs()
	b.ResetTimer()
	sum, n := 0, 0
	s := &cancelling{limit: b.N, fn: func(v int) { sum += v; n++ }}
	src.Subscribe(context.Background(), s)
}

// cancelling counts elements and cancels.
type cancelling struct {
	probe.Probe[int]
	limit int
	fn    func(int)
}

func (s *cancelling) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	up.Request(reactor.Unbounded)
}

func (s *cancelling) OnNext(v int) {
	s.fn(v)
	if s.limit--; s.limit == 0 {
		s.Up.Cancel()
	}
}

// A step that fails, or that uses its sink in no way, ends what it has left behind before
// the error goes down: whoever starts anew at the error finds it released.
func TestGenerateCleansUpBeforeTheErrorOfItsStep(t *testing.T) {
	for name, step := range map[string]func(int, *SyncSink[int]) int{
		"panic":             func(n int, _ *SyncSink[int]) int { panic(errBoom) },
		"panic after Next":  func(n int, s *SyncSink[int]) int { s.Next(n); panic(errBoom) },
		"Goexit":            func(n int, _ *SyncSink[int]) int { runtime.Goexit(); return n },
		"neither of either": func(n int, _ *SyncSink[int]) int { return n },
	} {
		t.Run(name, func(t *testing.T) {
			var order []string
			done := make(chan struct{})
			go func() { // which Goexit ends
				defer close(done)
				src := Generate(func() int { return 1 }, func(n int, s *SyncSink[int]) int {
					if n == 1 {
						s.Next(n)
						return 2
					}
					return step(n, s)
				}, func(n int) { order = append(order, fmt.Sprint("clean-up of ", n)) })
				DoOnError(src, func(error) { order = append(order, "error") }).Subscribe(context.Background(), probeOf[int](9))
			}()
			<-done
			assert.Equal(t, []string{"clean-up of 2", "error"}, order)
		})
	}
	t.Run("the clean-up fails", func(t *testing.T) {
		for name, cleanup := range map[string]func(int){"panic": func(int) { panic(errOther) }, "Goexit": func(int) { runtime.Goexit() }} {
			p := probeOf[int](9)
			done := make(chan struct{})
			go func() {
				defer close(done)
				ctx, _ := probe.Recorded()
				Generate(func() int { return 1 }, func(int, *SyncSink[int]) int { panic(errBoom) }, cleanup).Subscribe(ctx, p)
			}()
			<-done
			assert.ErrorIs(t, p.Failure(), errBoom, name)
		}
	})
}

func TestGenerateStateless(t *testing.T) {
	n := 0
	src := GenerateStateless(func(s *SyncSink[int]) {
		if n++; n > 2 {
			s.Complete()
			return
		}
		s.Next(n)
	})
	p := probeOf[int](1)
	src.Subscribe(t.Context(), p)
	p.Open(t, 1)
	assert.Equal(t, 1, n, "called on request")
	p.Request(5)
	p.Done(t, 1, 2)
	run(GenerateStateless(func(s *SyncSink[int]) { s.Error(errBoom) })).Failed(t, errBoom)
}

// A function that ends the goroutine does not keep those behind it from their turn.
func TestGenerateGoexitInACleanup(t *testing.T) {
	var cleaned []int
	p := probeOf[int](0)
	Generate(func() int { return 7 }, func(i int, s *SyncSink[int]) int { s.Next(i); return i },
		func(int) { runtime.Goexit() }, func(i int) { cleaned = append(cleaned, i) }).Subscribe(context.Background(), p)
	racetest.Aside(p.Cancel)
	assert.Equal(t, []int{7}, cleaned)
}
