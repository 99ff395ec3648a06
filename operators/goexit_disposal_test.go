package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A function that is told that its sink is over ends the goroutine on which the element fails further down.
func TestMonoCreateWhoseDisposalEndsTheGoroutine(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](reactor.Unbounded)
	racetest.Aside(func() {
		src := MonoCreate(func(s *MonoSink[int]) { s.OnDispose(runtime.Goexit); s.Success(1) })
		Map(src, func(int) int { panic(errBoom) }).Subscribe(ctx, p)
	})
	p.Failed(t, errBoom)
	assert.Equal(t, []any{1}, hooks.Discarded)
	require.Len(t, hooks.Errs, 1)
	assert.ErrorIs(t, hooks.Errs[0].(error), reactor.ErrGoexit)
}

// The same with the latest element of a sink, and whoever takes what is discarded.
func TestCreateLatestWhoseDiscardingEndsTheGoroutine(t *testing.T) {
	for name, run := range map[string]struct {
		discarded []any
		over      func(*FluxSink[int], *probe.Probe[int])
	}{
		"cancelled": {[]any{1}, func(_ *FluxSink[int], p *probe.Probe[int]) { p.Cancel() }},
		"replaced": {[]any{1, 2, 3}, func(s *FluxSink[int], p *probe.Probe[int]) {
			racetest.Aside(func() { s.Next(2) })
			p.Cancel()
			s.Next(3)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var discarded []any
			ctx := reactor.WithHooks(context.Background(), reactor.Hooks{Discard: func(_ context.Context, v any) {
				discarded = append(discarded, v)
				if len(discarded) > 9 {
					panic("again and again")
				}
				runtime.Goexit()
			}})
			var sink *FluxSink[int]
			p := probeOf[int](0)
			Create(func(s *FluxSink[int]) { sink = s }, OverflowLatest).Subscribe(ctx, p)
			sink.Next(1)
			racetest.Aside(func() { run.over(sink, p) })
			assert.Equal(t, run.discarded, discarded)
		})
	}
}

// watchable is a context that counts who watches over it.
type watchable struct {
	context.Context
	done    chan struct{}
	watches int
}

func (c *watchable) Done() <-chan struct{} { return c.done }

func (c *watchable) AfterFunc(func()) (stop func() bool) {
	c.watches++
	return func() bool { c.watches--; return true }
}

func TestContextWriteIsNotWatchedBehindACancellationThatDoesNotReturn(t *testing.T) {
	ctx, _ := probe.Recorded()
	inner := &watchable{Context: ctx, done: make(chan struct{})}
	p := probeOf[int](1)
	ContextWrite(DoOnCancel(Never[int](), runtime.Goexit), func(context.Context) context.Context { return inner }).Subscribe(ctx, p)
	require.Equal(t, 1, inner.watches)
	racetest.Aside(p.Cancel)
	assert.Zero(t, inner.watches)
}

// A source that is asked for more within a comparison ends the goroutine: its error is that of the stream, and nobody else hears of
// it.
func TestSequenceEqualWhereASourceEndsTheGoroutineThatAsks(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[bool](1)
	a := Map(Range(1, 100), func(v int) int {
		if v == 5 {
			runtime.Goexit()
		}
		return v
	})
	b := &puppet[int]{}
	SequenceEqual(a, b, Prefetch(4)).Subscribe(ctx, p)
	racetest.Aside(func() { b.last().OnNext(1) })
	p.Failed(t, reactor.ErrGoexit)
	assert.Empty(t, hooks.Errs)
	assert.ElementsMatch(t, []any{2, 3, 4, 5}, hooks.Discarded)
	assert.EqualValues(t, 1, b.last().cancels.Load())
}

// A stage cancels a future behind an element that has arrived, and what hears of that ends the goroutine.
func TestFutureThatIsCancelledBehindAnElement(t *testing.T) {
	for name, other := range map[string]func(ctx context.Context) stream{
		"future": func(ctx context.Context) stream {
			return FromFuture(ToFuture(ctx, DoOnCancel(Never[int](), runtime.Goexit)))
		},
		"publisher": func(context.Context) stream { return DoOnCancel(Never[int](), runtime.Goexit) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](9)
			racetest.Aside(func() { Take(TakeUntilOther(Hide(Range(1, 5)), other(ctx)), 1).Subscribe(ctx, p) })
			p.Done(t, 1)
			assert.Empty(t, hooks.Discarded, "it was delivered")
			require.Len(t, hooks.Errs, 1)
			assert.ErrorIs(t, hooks.Errs[0].(error), reactor.ErrGoexit)
		})
	}
}
