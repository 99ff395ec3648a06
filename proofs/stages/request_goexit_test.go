package stages

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// TestGoexitInTheFirstRequest ends the goroutine in a function below every stage that hears of the first request, which comes while
// the stage gives downstream its subscription: what is still to be done then, such as to subscribe, to ask or to schedule, is done all the same.
func TestGoexitInTheFirstRequest(t *testing.T) {
	for _, stage := range roster.Stages[int]() {
		t.Run(stage.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				require.True(t, asked(stage, func(int64) {}))
				assert.True(t, asked(stage, func(int64) { runtime.Goexit() }), "the subscriber waits for ever")
			})
		})
	}
}

// asked reports whether a stream ends, below whose stage a function hears of requests.
func asked(stage roster.Stage[int], fn func(int64)) bool {
	clock := reactortest.NewVirtualTime()
	down := &watcher{demand: reactor.Unbounded}
	quiet := func(context.Context, error) {}
	ctx, cancel := context.WithCancel(reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: quiet}))
	src := operators.Hide(operators.Range(1, 3))
	racetest.Aside(func() { operators.DoOnRequest(stage.Build(clock, src), fn).Subscribe(ctx, foreign{down}) })
	for range 12 {
		racetest.Aside(func() { clock.AdvanceBy(time.Second) })
		synctest.Wait()
	}
	_, ended, _, _ := down.state()
	cancel()
	racetest.Aside(func() { clock.AdvanceBy(time.Hour) })
	synctest.Wait()
	return ended
}

// TestGoexitInTheFirstRequestOfASource is the same for those that have no source.
func TestGoexitInTheFirstRequestOfASource(t *testing.T) {
	for name, build := range map[string]func(clock schedulers.Scheduler) reactor.Publisher[int]{
		"create": func(schedulers.Scheduler) reactor.Publisher[int] {
			return operators.Create(func(s *operators.FluxSink[int]) { s.Next(1); s.Complete() })
		},
		"push": func(schedulers.Scheduler) reactor.Publisher[int] {
			return operators.Push(func(s *operators.FluxSink[int]) { s.Next(1); s.Complete() })
		},
		"mono create": func(schedulers.Scheduler) reactor.Publisher[int] {
			return operators.MonoCreate(func(s *operators.MonoSink[int]) { s.Success(1) })
		},
		"interval": func(clock schedulers.Scheduler) reactor.Publisher[int] {
			ticks := operators.Interval(time.Second, operators.On(clock))
			return operators.Map(operators.Take(ticks, 2), func(n int64) int { return int(n) })
		},
		"delay": func(clock schedulers.Scheduler) reactor.Publisher[int] {
			return operators.Map(operators.Delay(time.Second, operators.On(clock)), func(n int64) int { return int(n) })
		},
		"at": func(clock schedulers.Scheduler) reactor.Publisher[int] {
			at := operators.At(clock.Now().Add(time.Second), operators.On(clock))
			return operators.Map(at, func(time.Time) int { return 1 })
		},
		"runnable": func(schedulers.Scheduler) reactor.Publisher[int] {
			return operators.FromRunnable[int](func() error { return nil })
		},
		"callable elsewhere": func(clock schedulers.Scheduler) reactor.Publisher[int] {
			return operators.SubscribeOn(operators.FromCallable(func() (int, error) { return 1, nil }), clock)
		},
		"sequence elsewhere": func(clock schedulers.Scheduler) reactor.Publisher[int] {
			return operators.SubscribeOn(operators.FromSeq(slices.Values([]int{1, 2})), clock)
		},
		"future": func(clock schedulers.Scheduler) reactor.Publisher[int] {
			later := operators.Delay(time.Second, operators.On(clock))
			return operators.Map(operators.FromFuture(operators.ToFuture(context.Background(), later)), func(n int64) int { return int(n) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stage := roster.Stage[int]{Build: func(clock schedulers.Scheduler, _ reactor.Publisher[int]) reactor.Publisher[any] {
					return operators.Map(build(clock), func(n int) any { return n })
				}}
				require.True(t, asked(stage, func(int64) {}))
				assert.True(t, asked(stage, func(int64) { runtime.Goexit() }), "the subscriber waits for ever")
			})
		})
	}
}
