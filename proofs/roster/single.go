package roster

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// Stages of at most one element.
var (
	one       = Traits{Single: true}
	oneShared = Traits{Single: true, Swallows: true, Hot: true}
)

// standIn stands for a publisher, as a Mono does.
type standIn[T any] struct{ publisher Publisher[T] }

func (s standIn[T]) Source() Publisher[T] { return s.publisher }

// single are the stages of Mono.
func single[T any]() []Stage[T] {
	return []Stage[T]{
		plain("mono flatMap scalar", one, func(src Publisher[T]) Publisher[T] { return operators.MonoFlatMap(src, operators.Just[T]) }),
		plain("mono flatMap", one, func(src Publisher[T]) Publisher[T] { return operators.MonoFlatMap(src, hidden[T]) }),
		plain("mono flatMap to a stand-in", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoFlatMapTo(src, func(v T) standIn[T] { return standIn[T]{hidden(v)} })
		}),
		plain("mono flatMapMany", one, func(src Publisher[T]) Publisher[T] { return operators.MonoFlatMapMany(src, hidden[T]) }),
		plain("mono filterWhen", one, func(src Publisher[T]) Publisher[T] {
			return operators.FilterWhenMono(src, func(T) Publisher[bool] { return hidden(true) })
		}),
		plain("mono filterWhen not", one, func(src Publisher[T]) Publisher[T] {
			return operators.FilterWhenMono(src, func(T) Publisher[bool] { return hidden(false) })
		}),
		plain("mono zip", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoZip2(src, hidden(0), func(v T, _ int) T { return v })
		}),
		onScheduler("mono zip with a timer", one, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MonoZip2(src, operators.Delay(1000, operators.On(s)), func(v T, _ int64) T { return v })
		}),
		plain("mono zip delaying errors", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoZip2(src, hidden(0), func(v T, _ int) T { return v }, operators.DelayErrors())
		}),
		plain("mono zipWhen", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoZipWhen(src, func(T) Publisher[int] { return hidden(0) }, func(v T, _ int) T { return v })
		}),
		plain("mono publish", one, func(src Publisher[T]) Publisher[T] { return operators.MonoPublish(src, same[Publisher[T]]) }).cancellingAll(),
		plain("mono share", oneShared, operators.MonoShare[T]).keeping("subscribers may come"),
		plain("mono cache", oneShared, func(src Publisher[T]) Publisher[T] { return operators.MonoCache(src) }).keeping("subscribers may come"),
		onScheduler("mono cache for a time", oneShared, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MonoCache(src, operators.TTL(1000), operators.On(s))
		}).keeping("subscribers may come"),
		plain("mono cacheInvalidateIf", oneShared, func(src Publisher[T]) Publisher[T] {
			return operators.MonoCacheInvalidateIf(src, no[T])
		}).keeping("subscribers may come").failing(reactor.ErrNoElements),
		plain("mono materialize", one, func(src Publisher[T]) Publisher[reactor.Signal[T]] {
			return operators.MonoMaterialize[T, reactor.Signal[T]](src)
		}),
		plain("mono dematerialize", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoDematerialize(operators.MonoMaterialize[T, reactor.Signal[T]](src))
		}).cancellingAll(),
		plain("mono delayUntil", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoDelayUntil(src, func(T) Publisher[int] { return hidden(0) })
		}),
		onScheduler("mono delayUntil a time", one, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MonoDelayUntil(src, func(T) Publisher[int64] { return operators.Delay(1000, operators.On(s)) })
		}),
		onScheduler("mono delayElement", one, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MonoDelayElement(src, 1000, operators.On(s))
		}),
		onScheduler("mono timeout", one, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MonoTimeout(src, 1000, nil, operators.On(s))
		}).failing(reactor.ErrTimeout),
		onScheduler("mono publishOn", one, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MonoPublishOn(src, s)
		}),
		onScheduler("mono timeoutFallback", one, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MonoTimeout(src, 1000, operators.Empty[T](), operators.On(s))
		}).inTurn(),
		plain("mono doOnEach", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoDoOnEach(src, func(context.Context, reactor.Signal[T]) {})
		}).telling(),
		plain("mono doOnTerminate", one, func(src Publisher[T]) Publisher[T] { return operators.MonoDoOnTerminate(src, func() {}) }).telling(),
		plain("mono doAfterTerminate", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoDoAfterTerminate(src, func() {})
		}).telling(),
		plain("mono using", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoUsing(func(context.Context) (int, error) { return 0, nil },
				func(int) Publisher[T] { return src }, func(int) error { return nil })
		}).telling(),
		plain("mono usingWhen", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoUsingWhen(operators.Just(0), func(int) Publisher[T] { return src },
				operators.AsyncCleanup[int, int]{Complete: func(int) Publisher[int] { return operators.Hide(operators.Empty[int]()) }})
		}),
		plain("mono repeatWhenEmpty", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoRepeatWhenEmpty(src, operators.RepeatTimes(1))
		}).inTurn(),
		plain("hasElement", one, operators.HasElement[T]),
		plain("thenMono", one, func(src Publisher[T]) Publisher[T] {
			return operators.ThenMono(src, operators.Hide(operators.Empty[T]()))
		}).inTurn(),
	}
}

// around are the stages that put something around the source.
func around[T any]() []Stage[T] {
	return []Stage[T]{
		plain("defer", whole, func(src Publisher[T]) Publisher[T] {
			return operators.Defer(func(context.Context) Publisher[T] { return src })
		}).telling(),
		plain("using", whole, func(src Publisher[T]) Publisher[T] {
			return operators.Using(func(context.Context) (int, error) { return 0, nil },
				func(int) Publisher[T] { return src }, func(int) error { return nil })
		}).telling(),
		plain("using, released late", whole, func(src Publisher[T]) Publisher[T] {
			return operators.Using(func(context.Context) (int, error) { return 0, nil },
				func(int) Publisher[T] { return src }, func(int) error { return nil }, operators.LateRelease())
		}).telling(),
		plain("usingWhen", whole, func(src Publisher[T]) Publisher[T] {
			return operators.UsingWhen(hidden(0), func(int) Publisher[T] { return src },
				operators.AsyncCleanup[int, int]{Complete: func(int) Publisher[int] { return operators.Hide(operators.Empty[int]()) }})
		}),
		plain("and", partial, func(src Publisher[T]) Publisher[struct{}] { return operators.And(src, hidden(0)) }),
		plain("thenReturn", partial, func(src Publisher[T]) Publisher[int] { return operators.ThenReturn(src, 1) }),
		plain("sequenceEqual", swallow, func(src Publisher[T]) Publisher[bool] {
			return operators.SequenceEqualFunc(src, operators.Hide(operators.Empty[T]()), func(_, _ T) bool { return true })
		}),
		plain("sequenceEqual of equals", swallow, func(src Publisher[T]) Publisher[bool] {
			other := operators.Map(operators.Range(0, 1<<20), func(int) T { return *new(T) })
			return operators.SequenceEqualFunc(src, other, func(_, _ T) bool { return true })
		}),
		plain("singleOrDefault", partial, func(src Publisher[T]) Publisher[T] { return operators.SingleOrDefault(src, *new(T)) }).failing(reactor.ErrTooManyElements),
		plain("singleOptional", one, func(src Publisher[T]) Publisher[T] {
			return operators.SingleOptional(src, func(v T, _ bool) T { return v })
		}),
		plain("lastOr", partial, func(src Publisher[T]) Publisher[T] { return operators.LastOr(src, *new(T)) }),
		plain("elementAtOr", partial, func(src Publisher[T]) Publisher[T] { return operators.ElementAtOr(src, 1, *new(T)) }),
		plain("collectSorted", partial, func(src Publisher[T]) Publisher[[]T] {
			return operators.CollectSorted(src, func(_, _ T) int { return 0 })
		}),
		plain("collectMultimap", partial, perSubscription(func(src Publisher[T]) Publisher[map[int][]T] {
			return operators.CollectMultimap(src, countdown[T](), same[T])
		})),
		plain("scanWith", swallow, func(src Publisher[T]) Publisher[T] {
			return operators.ScanWith(src, func() T { return *new(T) }, func(_, v T) T { return v })
		}),
		plain("doOnDiscard", whole, func(src Publisher[T]) Publisher[T] { return operators.DoOnDiscard(src, func(T) {}) }).telling(),
		plain("bufferInto", partial, func(src Publisher[T]) Publisher[*[]T] {
			return operators.BufferInto(src, 2, func() *[]T { return new([]T) }, func(c *[]T, v T) bool { *c = append(*c, v); return true })
		}).keeping("the container has it").swallowing(),
		onScheduler("bufferWhen", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[[]T] {
			return operators.BufferWhen(src, operators.Delay(1000, operators.On(s)), func(int64) Publisher[int64] { return operators.Delay(1000, operators.On(s)) })
		}).swallowing(),
		onScheduler("elapsed", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.Elapsed(src, func(_ time.Duration, v T) T { return v }, operators.On(s))
		}).telling(),
		onScheduler("timestamp", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.Timestamp(src, func(_ time.Time, v T) T { return v }, operators.On(s))
		}).telling(),
		onScheduler("timeoutWhen", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.TimeoutWhen(src, operators.Delay(1000, operators.On(s)), func(T) Publisher[int64] { return operators.Delay(1000, operators.On(s)) })
		}).inTurn().failing(reactor.ErrTimeout),
		onScheduler("subscribeOn, requests in place", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.SubscribeOn(src, s, operators.RequestInPlace())
		}),
	}
}
