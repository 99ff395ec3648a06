package roster

import (
	"context"
	"log/slog"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// closer is a resource.
type closer struct{}

func (closer) Close() error { return nil }

func acquire(context.Context) (closer, error) { return closer{}, nil }

func equal(a, b int) bool { return a == b }

// variants are the forms of other stages that say the same with more, or with less.
func variants[T any]() []Stage[T] {
	return []Stage[T]{
		calling("tryMapOptional", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.TryMapOptional(src, func(v T) (T, bool, error) { call(); return v, true, nil })
		}).telling(),
		plain("tryScan", swallow, func(src Publisher[T]) Publisher[T] {
			return operators.TryScan(src, func(_, v T) (T, error) { return v, nil })
		}).telling(),
		plain("tryScanWith", swallow, func(src Publisher[T]) Publisher[T] {
			return operators.TryScanWith(src, func() (T, error) { return *new(T), nil }, func(_, v T) (T, error) { return v, nil })
		}),
		plain("contextWriteValue", whole, func(src Publisher[T]) Publisher[T] { return operators.ContextWriteValue(src, "k", "v") }).telling(),
		plain("tag", whole, func(src Publisher[T]) Publisher[T] { return operators.Tag(src, "k", "v") }).telling(),
		plain("log", whole, func(src Publisher[T]) Publisher[T] {
			return operators.Log(src, operators.LogTo(slog.New(slog.DiscardHandler)))
		}).telling(),
		plain("doOnErrorAs", whole, func(src Publisher[T]) Publisher[T] {
			return operators.DoOnErrorAs(src, func(*reactor.OpError) {})
		}).telling(),
		plain("distinctIn", partial, perSubscription(func(src Publisher[T]) Publisher[T] {
			isNew := everyOther[T]()
			return operators.DistinctIn(src, func() int { return 0 }, func(_ int, v T) bool { return isNew(v) }, func(int) {})
		})).telling(),
		plain("distinctUntilChangedFunc", partial, perSubscription(func(src Publisher[T]) Publisher[T] {
			return operators.DistinctUntilChangedFunc(src, countdown[T](), equal)
		})).telling(),
		plain("bufferUntilChangedFunc", Traits{Lingers: true}, perSubscription(func(src Publisher[T]) Publisher[[]T] {
			return operators.BufferUntilChangedFunc(src, countdown[T](), equal)
		})),
		plain("groupByMap", partial, perSubscription(func(src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.GroupByMap(src, fewKeys[T](), same[T], func(_ int, g Publisher[T]) Publisher[T] { return g }))
		})),
		plain("collectInto", swallow, func(src Publisher[T]) Publisher[*[]T] {
			return operators.CollectInto(src, func() *[]T { return new([]T) }, func(c *[]T, v T) { *c = append(*c, v) })
		}).keeping("the container has it"),
		plain("collectMap", swallow, perSubscription(func(src Publisher[T]) Publisher[map[int]T] {
			return operators.CollectMap(src, countdown[T](), same[T])
		})),
		plain("concat", whole, func(src Publisher[T]) Publisher[T] {
			return operators.Concat(operators.Hide(operators.Empty[T]()), src, operators.Empty[T]())
		}).inTurn().telling(),
		plain("merge", whole, func(src Publisher[T]) Publisher[T] {
			return operators.Merge(operators.Empty[T](), src, operators.Hide(operators.Empty[T]()))
		}).cancellingAll(),
		plain("mergeComparing of a list", whole, func(src Publisher[T]) Publisher[T] {
			return operators.MergeComparing(func(T, T) int { return 0 }, []Publisher[T]{operators.Hide(operators.Empty[T]()), src})
		}).cancellingAll(),
		plain("mergeSequential of publishers", whole, func(src Publisher[T]) Publisher[T] {
			return operators.MergeSequentialAll(hidden(src))
		}).cancellingAll(),
		plain("switchOnNext", whole, func(src Publisher[T]) Publisher[T] { return operators.SwitchOnNext(hidden(src)) }).inTurn(),
		plain("when", partial, func(src Publisher[T]) Publisher[struct{}] {
			return operators.When([]Publisher[T]{operators.Hide(operators.Empty[T]()), src})
		}),
		plain("thenEmpty", partial, func(src Publisher[T]) Publisher[struct{}] { return operators.ThenEmpty(operators.Empty[int](), src) }).inTurn(),
		plain("thenEmpty after all", partial, func(src Publisher[T]) Publisher[struct{}] { return operators.ThenEmpty(src, hidden(0)) }),
		plain("usingCloser", whole, func(src Publisher[T]) Publisher[T] {
			return operators.UsingCloser(acquire, func(closer) Publisher[T] { return src })
		}).telling(),
		plain("onBackpressureBufferFunc", partial, func(src Publisher[T]) Publisher[T] {
			return operators.OnBackpressureBufferFunc(src, func(T) {}, operators.Capacity(2), operators.BufferDropLatest)
		}),
		plain("onBackpressureDropFunc", partial, func(src Publisher[T]) Publisher[T] {
			return operators.OnBackpressureDropFunc(src, func(T) {})
		}).telling(),
		plain("parallel of many", partial, func(src Publisher[T]) Publisher[T] {
			return operators.ParallelSequential(operators.ParallelFrom(operators.Hide(operators.Empty[T]()), src))
		}),
		plain("parallel checkpoint", partial, func(src Publisher[T]) Publisher[T] {
			return operators.ParallelSequential(operators.ParallelCheckpoint(operators.Parallel(src, 2), "here"))
		}),
		plain("mono from", partial, operators.MonoFrom[T]),
		plain("mono doOnSuccess", one, func(src Publisher[T]) Publisher[T] { return operators.DoOnSuccess(src, func(T, bool) {}) }).telling(),
		plain("mono doOnError", one, func(src Publisher[T]) Publisher[T] { return operators.MonoDoOnError(src, func(error) {}) }).telling(),
		plain("mono usingCloser", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoUsingCloser(acquire, func(closer) Publisher[T] { return src })
		}).telling(),
		onScheduler("mono cacheFor", oneShared, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MonoCacheFor(src, func(reactor.Signal[T]) time.Duration { return 1000 }, operators.On(s))
		}).keeping("subscribers may come"),
		onScheduler("mono cacheInvalidateWhen", oneShared, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MonoCacheInvalidateWhen(src, func(T) Publisher[int64] { return operators.Delay(1000, operators.On(s)) }, func(T) {})
		}).keeping("subscribers may come").inPlace().failing(reactor.ErrNoElements),
		onScheduler("sample at signals", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.Sample(src, ticks(s))
		}).failing(reactor.ErrOverflow),
		onScheduler("sampleFirst at signals", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.SampleFirst(src, func(T) Publisher[int64] { return operators.Delay(1000, operators.On(s)) })
		}),
		onScheduler("sampleTimeout at signals", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.SampleTimeout(src, func(T) Publisher[int64] { return operators.Delay(1000, operators.On(s)) })
		}).cancellingAll().failing(reactor.ErrOverflow),
		onScheduler("timeoutFirst", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.TimeoutFirst(src, operators.Delay(1000, operators.On(s)))
		}).inTurn().failing(reactor.ErrTimeout),
		onScheduler("timeoutFirstFallback", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.TimeoutFirstFallback(src, operators.Delay(1000, operators.On(s)), operators.Empty[T]())
		}).inTurn(),
		onScheduler("timeoutWhenFallback", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.TimeoutWhenFallback(src, operators.Delay(1000, operators.On(s)),
				func(T) Publisher[int64] { return operators.Delay(1000, operators.On(s)) }, operators.Empty[T]())
		}).inTurn(),
		onScheduler("delaySubscription to a signal", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.DelaySubscription(src, operators.Delay(1000, operators.On(s)))
		}),
	}
}
