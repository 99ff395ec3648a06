package operators

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// Inner publishers that call a function and end with its result.

// tasks returns a function for flatMap: of a number it makes a publisher that calls a function, in a task of h.
func tasks(h *handScheduler, calls func(int) (int, error)) func(int) reactor.Publisher[int] {
	return func(n int) reactor.Publisher[int] {
		fn := func() (int, error) { return calls(n) }
		if n%2 == 0 {
			return SubscribeOn(FromFunc(func(context.Context) (int, error) { return fn() }), h)
		}
		return SubscribeOn(FromCallable(fn), h)
	}
}

func same(n int) (int, error) { return n, nil }

func TestFlatMapOfTasks(t *testing.T) {
	for _, asked := range []int64{reactor.Unbounded, 20, 1} {
		h, p := &handScheduler{}, probeOf[int](asked)
		FlatMap(Range(0, 20), tasks(h, same), Concurrency(3)).Subscribe(context.Background(), p)
		assert.Len(t, h.waiting, 3)
		for range 20 {
			h.run()
			if asked == 1 {
				p.Request(1)
			}
		}
		p.Done(t, numbers(20)...)
	}
}

// Whose element is the end, too: each subscription that calls a function, unless a stage stands between.
func TestFlatMapTakesWhole(t *testing.T) {
	in := &flatMapInner[int]{}
	fn, call := &funcSubscription[int]{down: in}, &callableSubscription[int, callable[int]]{down: in}
	fnTask, callTask := &funcTask[int]{}, &callableTask[int, callable[int]]{}
	fnTask.down, callTask.down = in, in
	fnTask.task.call, callTask.task.call = fnTask, callTask
	for _, up := range []reactor.Subscription{fn, call, &fnTask.task, &callTask.task} {
		in.takeWhole(up)
	}
	for i, s := range []struct {
		whole bool
		down  reactor.Subscriber[int]
	}{{fn.whole, fn.down}, {call.whole, call.down}, {fnTask.whole, fnTask.down}, {callTask.whole, callTask.down}} {
		assert.True(t, s.whole, i)
		assert.Equal(t, flatMapWhole[int]{in}, s.down, i)
	}
	p := probeOf[int](0)
	behind := &funcSubscription[int]{down: p}
	in.takeWhole(behind)
	assert.False(t, behind.whole)
	assert.Same(t, p, behind.down)
}

// A function with a stage behind it, on a worker, hands flatMap's subscriber its own subscription.
func TestFlatMapOfTasksWithAStageBehind(t *testing.T) {
	h, p := &handScheduler{}, probeOf[int](reactor.Unbounded)
	make := tasks(h, same)
	FlatMap(Range(0, 4), func(n int) reactor.Publisher[int] {
		src := make(n).(*subscribeOnPublisher[int]).src
		return SubscribeOn(TryMap(Map(src, func(n int) int { return n + 1 }), func(n int) (int, error) { return 10 * n, nil }), h)
	}).Subscribe(context.Background(), p)
	for range 4 {
		h.run()
	}
	p.Done(t, 10, 20, 30, 40)
}

// What has ended without demand waits, and keeps its place until there is some.
func TestFlatMapOfTasksWithoutDemand(t *testing.T) {
	h, p := &handScheduler{}, probeOf[int](0)
	FlatMap(Range(0, 4), tasks(h, same), Concurrency(2)).Subscribe(context.Background(), p)
	h.run()
	p.Open(t)
	assert.Empty(t, h.waiting)
	p.Request(1)
	p.Open(t, 0)
	assert.Len(t, h.waiting, 1, "one place is free")
	h.run()
	p.Request(4)
	h.run()
	p.Faultless(t)
	assert.ElementsMatch(t, numbers(4), p.Got())
}

// The next publisher is made with nobody's turn taken: others deliver meanwhile.
func TestFlatMapDeliversWhileAnotherIsMade(t *testing.T) {
	h, p := &handScheduler{}, probeOf[int](reactor.Unbounded)
	make := tasks(h, same)
	FlatMap(Range(0, 3), func(n int) reactor.Publisher[int] {
		if n == 2 {
			h.step()
			p.Open(t, 0, 1)
		}
		return make(n)
	}, Concurrency(2)).Subscribe(context.Background(), p)
	h.run()
	p.Done(t, 0, 1, 2)
}

func TestFlatMapOfTasksFails(t *testing.T) {
	for _, delay := range []bool{true, false} {
		opts := []FlatMapOption{Concurrency(2), DelayErrorsOption(delay)}
		h, p := &handScheduler{}, probeOf[int](reactor.Unbounded)
		FlatMap(Range(0, 6), tasks(h, func(n int) (int, error) {
			if n == 3 {
				return 0, errBoom
			}
			return n, nil
		}), opts...).Subscribe(context.Background(), p)
		h.run()
		if delay {
			p.Failed(t, errBoom, 0, 1, 2, 4, 5)
		} else {
			p.Failed(t, errBoom, 0, 1, 2)
		}
	}
}

// A failure downstream is that of the element, which is discarded, and ends everything.
func TestFlatMapOfTasksFailsDownstream(t *testing.T) {
	for how, die := range map[string]func(){"panic": func() { panic(errBoom) }, "goexit": runtime.Goexit} {
		t.Run(how, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			h, p := &handScheduler{}, probeOf[int](reactor.Unbounded)
			Map(FlatMap(Range(0, 6), tasks(h, same), Concurrency(2)), func(n int) int {
				if n == 2 {
					die()
				}
				return n
			}).Subscribe(ctx, p)
			for range 6 {
				racetest.Aside(h.run)
			}
			require.Error(t, p.Failure())
			assert.Equal(t, []int{0, 1}, p.Got())
			p.Faultless(t)
			assert.Equal(t, []any{2}, hooks.Discarded)
		})
	}
}

// A function of flatMap that ends the goroutine of the task whose end has called it.
func TestFlatMapOfTasksWhoseNextOneFails(t *testing.T) {
	for how, die := range map[string]func(){"panic": func() { panic(errBoom) }, "goexit": runtime.Goexit} {
		t.Run(how, func(t *testing.T) {
			h, p := &handScheduler{}, probeOf[int](reactor.Unbounded)
			make := tasks(h, same)
			FlatMap(Range(0, 6), func(n int) reactor.Publisher[int] {
				if n == 3 {
					die()
				}
				return make(n)
			}, Concurrency(2)).Subscribe(context.Background(), p)
			for range 6 {
				racetest.Aside(h.run)
			}
			require.Error(t, p.Failure())
			assert.Equal(t, []int{0, 1}, p.Got())
			p.Faultless(t)
		})
	}
}

// While many end at a time, nothing is lost, and nobody hears of what is not his.
func TestFlatMapOfTasksRaces(t *testing.T) {
	round := 0
	racetest.Rounds(t, 3000, func() ([]func(), func()) {
		round++
		l := ledger.New(t)
		h := &handScheduler{}
		p := ledgerProbe(l, int64(round%3))
		FlatMap(Range(0, 7), func(n int) reactor.Publisher[*ledger.Element] {
			if n == 5 {
				return SubscribeOn(Empty[*ledger.Element](), h)
			}
			return SubscribeOn(FromFunc(func(context.Context) (*ledger.Element, error) { return l.Produce(), nil }), h)
		}, Concurrency(3)).Subscribe(l.Context(context.Background()), p)
		calls := []func(){h.run, h.run, func() { p.Request(2); p.Request(2) }, p.Cancel}
		return calls[:3+round%2], func() {
			for range 8 {
				h.run()
				p.Request(1)
			}
			h.run()
			p.Faultless(t)
			if round%2 == 0 {
				assert.Len(t, p.Got(), 6)
			}
			l.Check()
		}
	})
}

// A task that runs where it is scheduled ends within the request of the one before: no source is asked within its own
// answer.
func TestFlatMapOfTasksStack(t *testing.T) {
	const n = 20_000
	src := make([]int, n)
	for name, source := range map[string]reactor.Publisher[int]{
		"range": Range(0, n), "slice": FromSlice(src), "seq": FromSeq(slices.Values(src)),
		"generate": Generate(func() int { return 0 }, func(at int, sink *SyncSink[int]) int {
			if sink.Next(at); at == n-1 {
				sink.Complete()
			}
			return at + 1
		}),
		"create": Create(func(sink *FluxSink[int]) {
			for v := range n {
				sink.Next(v)
			}
			sink.Complete()
		}),
		"concat": Concat(Range(0, n/2), Range(n/2, n/2)),
		"filter": Filter(Range(0, 2*n), func(v int) bool { return v%2 == 0 }),
		"rate":   LimitRate(Range(0, n), 3),
	} {
		t.Run(name, func(t *testing.T) {
			var pcs [1000]uintptr
			calls, deepest := 0, 0
			p := probeOf[int](reactor.Unbounded)
			FlatMap(source, func(int) reactor.Publisher[int] {
				return SubscribeOn(FromCallable(func() (int, error) {
					calls++
					deepest = max(deepest, runtime.Callers(0, pcs[:]))
					return calls, nil
				}), schedulers.Immediate())
			}, Concurrency(2)).Subscribe(context.Background(), p)
			assert.Equal(t, n, calls)
			assert.Less(t, deepest, 100)
			p.Done(t, p.Got()...)
			assert.Len(t, p.Got(), n)
		})
	}
}
