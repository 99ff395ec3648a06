package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// A stage that asks, cancels or tells several goes on with the next one if the goroutine ends at one
// of them.
func TestGoexitAmongSeveral(t *testing.T) {
	exiting := func(fn func()) {
		done := make(chan struct{})
		go func() { defer close(done); fn() }()
		<-done
	}
	// exit hears of its cancellation and ends the goroutine; other only hears of it.
	exit := func() reactor.Publisher[int] { return DoOnCancel(Never[int](), runtime.Goexit) }
	other := func(heard *int) reactor.Publisher[int] { return DoOnCancel(Never[int](), func() { *heard++ }) }

	t.Run("firstWithValue asks all", func(t *testing.T) {
		p := probeOf[int](0)
		FirstWithValue(FromSupplier(func() int { runtime.Goexit(); return 0 }), Hide(Range(1, 2))).Subscribe(context.Background(), p)
		exiting(func() { p.Request(reactor.Unbounded) })
		p.Done(t, 1, 2)
	})
	t.Run("firstWithValue cancels all", func(t *testing.T) {
		heard := 0
		p := probeOf[int](reactor.Unbounded)
		exiting(func() { FirstWithValue(exit(), other(&heard)).Subscribe(context.Background(), p) })
		exiting(p.Cancel)
		assert.Equal(t, 1, heard)
	})
	t.Run("a winner cancels all", func(t *testing.T) {
		for name, first := range map[string]func(...reactor.Publisher[int]) reactor.Publisher[int]{
			"firstWithValue": FirstWithValue[int], "firstWithSignal": FirstWithSignal[int],
		} {
			heard := 0
			p := probeOf[int](0)
			first(exit(), other(&heard), Hide(Range(7, 2))).Subscribe(context.Background(), p)
			exiting(func() { p.Request(1) })
			assert.Equal(t, 1, heard, name)
			assert.True(t, p.Over(), "%s: the goroutine of the winner has ended", name)
		}
	})
	t.Run("a groupBy that stands still", func(t *testing.T) {
		h, src := &handScheduler{}, &puppet[int]{}
		ctx, _ := probe.Recorded()
		p := groupsOf(ctx, DoOnCancel(src, runtime.Goexit), 3, 3, Prefetch(2), Patience(10), On(h))
		src.last().OnNext(1)
		odd := runWith(ctx, p.Got()[0].Publisher)
		for range 3 {
			src.last().OnNext(0)
		}
		exiting(func() { h.forward(20) })
		assert.ErrorIs(t, p.Failure(), reactor.ErrOverflow)
		odd.Failed(t, reactor.ErrOverflow, 1)
	})
	t.Run("one that ends the others' stream", func(t *testing.T) {
		ignore := func(context.Context, error) {}
		ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: ignore})
		sum := func(a, b int) int { return a + b }
		for name, build := range map[string]func(a, b reactor.Publisher[int]) reactor.Publisher[any]{
			"when": func(a, b reactor.Publisher[int]) reactor.Publisher[any] {
				return Map(When([]reactor.Publisher[int]{a, b}), func(v struct{}) any { return v })
			},
			"zip of monos": func(a, b reactor.Publisher[int]) reactor.Publisher[any] {
				return Map(MonoZip2(a, b, sum), func(v int) any { return v })
			},
			"zip": func(a, b reactor.Publisher[int]) reactor.Publisher[any] {
				return Map(Zip2(a, b, sum), func(v int) any { return v })
			},
			"combineLatest": func(a, b reactor.Publisher[int]) reactor.Publisher[any] {
				return Map(CombineLatest2(a, b, sum), func(v int) any { return v })
			},
		} {
			heard := 0
			src := &puppet[int]{}
			p := probeOf[any](reactor.Unbounded)
			build(DoOnCancel(Never[int](), func() { heard++; runtime.Goexit() }), src).Subscribe(ctx, p)
			exiting(func() { src.last().OnError(assert.AnError) })
			assert.Equal(t, 1, heard, name)
			assert.ErrorIs(t, p.Failure(), assert.AnError, name)
		}
	})
	t.Run("sequenceEqual cancels both", func(t *testing.T) {
		heard := 0
		p := probeOf[bool](reactor.Unbounded)
		SequenceEqual(exit(), other(&heard)).Subscribe(context.Background(), p)
		exiting(p.Cancel)
		assert.Equal(t, 1, heard)
	})
	t.Run("reduce cancels all rails", func(t *testing.T) {
		heard, rails := 0, 0
		p := probeOf[int](reactor.Unbounded)
		cut := ParallelRails(Parallel(other(&heard), 2), func(rail reactor.Publisher[int]) reactor.Publisher[int] {
			return DoOnCancel(rail, func() {
				if rails++; rails == 1 {
					runtime.Goexit()
				}
			})
		})
		ParallelReduce(cut, func(a, b int) int { return a + b }).Subscribe(context.Background(), p)
		exiting(p.Cancel)
		assert.Equal(t, 2, rails)
		assert.Equal(t, 1, heard, "the source")
	})
	t.Run("a future tells all", func(t *testing.T) {
		src := &puppet[int]{}
		f := ToFuture[int](context.Background(), src)
		var all []*probe.Probe[int]
		for range 4 { // in no particular order
			p := probeOf[int](1)
			p.Each = func(int) { runtime.Goexit() }
			all = append(all, p)
			FromFuture(f).Subscribe(context.Background(), p)
		}
		exiting(func() { src.last().OnNext(5) })
		for _, p := range all {
			assert.Equal(t, []int{5}, p.Got())
			assert.True(t, p.Over())
		}
	})
	t.Run("share tells all", func(t *testing.T) {
		src := &puppet[int]{}
		shared := MonoShare[int](src)
		one, two := probeOf[int](1), probeOf[int](1)
		one.Each = func(int) { runtime.Goexit() }
		shared.Subscribe(context.Background(), one)
		shared.Subscribe(context.Background(), two)
		exiting(func() { src.last().OnNext(5); src.last().OnComplete() })
		two.Done(t, 5)
	})
	// Two windows or buffers are open, and what closes the first ends the goroutine when it is
	// cancelled.
	closers := func(heard *int) func(int) reactor.Publisher[int] {
		return func(n int) reactor.Publisher[int] {
			if n == 1 {
				return exit()
			}
			return other(heard)
		}
	}
	t.Run("bufferWhen stops what closes", func(t *testing.T) {
		for _, way := range []string{"cancellation", "completion"} {
			heard := 0
			books := ledger.New(t)
			src, open := &puppet[*ledger.Element]{}, &puppet[int]{}
			p := probeOf[[]*ledger.Element](reactor.Unbounded)
			p.Each = func(buf []*ledger.Element) { books.Delivered(buf) }
			BufferWhen[*ledger.Element, int, int](src, open, closers(&heard)).Subscribe(books.Context(context.Background()), p)
			open.last().OnNext(1)
			src.last().OnNext(books.Produce())
			open.last().OnNext(2)
			if way == "cancellation" {
				exiting(p.Cancel)
			} else {
				exiting(src.last().OnComplete)
				assert.True(t, p.Over(), way)
			}
			assert.Equal(t, 1, heard, way)
			books.Check()
		}
	})
	t.Run("windowWhen stops what closes", func(t *testing.T) {
		for way, end := range map[string]func(src, open *puppet[int], p *probe.Probe[*probe.Probe[int]]){
			"completion":         func(src, _ *puppet[int], _ *probe.Probe[*probe.Probe[int]]) { src.last().OnComplete() },
			"failure":            func(src, _ *puppet[int], _ *probe.Probe[*probe.Probe[int]]) { src.last().OnError(assert.AnError) },
			"failure of opening": func(_, open *puppet[int], _ *probe.Probe[*probe.Probe[int]]) { open.last().OnError(assert.AnError) },
		} {
			heard := 0
			src, open := &puppet[int]{}, &puppet[int]{}
			p := probeOf[*probe.Probe[int]](reactor.Unbounded)
			windows := WindowWhen[int, int, int](src, open, closers(&heard), func(w reactor.Publisher[int]) *probe.Probe[int] {
				q := probeOf[int](reactor.Unbounded)
				w.Subscribe(context.Background(), q)
				return q
			})
			windows.Subscribe(context.Background(), p)
			open.last().OnNext(1)
			open.last().OnNext(2)
			exiting(func() { end(src, open, p) })
			assert.Equal(t, 1, heard, way)
			assert.True(t, p.Over(), way)
			for _, w := range p.Got() {
				assert.True(t, w.Over(), "%s: a window", way)
			}
		}
	})
	t.Run("expandDeep cancels all levels", func(t *testing.T) {
		levels := []*puppet[int]{{}, {}, {}}
		var heard []int
		level := func(i int) reactor.Publisher[int] {
			return DoOnCancel[int](levels[i], func() {
				if heard = append(heard, i); len(heard) == 1 {
					runtime.Goexit()
				}
			})
		}
		p := probeOf[int](reactor.Unbounded)
		ExpandDeep(level(0), func(n int) reactor.Publisher[int] { return level(n) }).Subscribe(context.Background(), p)
		levels[0].last().OnNext(1)
		levels[1].last().OnNext(2)
		exiting(p.Cancel)
		assert.ElementsMatch(t, []int{0, 1, 2}, heard)
	})
}
