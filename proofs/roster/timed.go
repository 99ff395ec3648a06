package roster

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// moving are the stages that change the goroutine or the demand.
func moving[T any]() []Stage[T] {
	return []Stage[T]{
		onScheduler("publishOn", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] { return operators.PublishOn(src, s) }),
		onScheduler("publishOn by one", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.PublishOn(src, s, operators.Prefetch(1))
		}),
		onScheduler("publishOn eager errors", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.PublishOn(src, s, operators.Prefetch(2), operators.EagerErrors())
		}),
		onScheduler("subscribeOn", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] { return operators.SubscribeOn(src, s) }).telling(),
		onScheduler("cancelOn", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] { return operators.CancelOn(src, s) }).inPlace(),
		plain("limitRate", whole, func(src Publisher[T]) Publisher[T] { return operators.LimitRate(src, 2) }),
		plain("onBackpressureBuffer", whole, func(src Publisher[T]) Publisher[T] { return operators.OnBackpressureBuffer(src) }),
		plain("onBackpressureBuffer bounded", partial, func(src Publisher[T]) Publisher[T] {
			return operators.OnBackpressureBuffer(src, operators.Capacity(2))
		}).failing(reactor.ErrOverflow),
		plain("onBackpressureBuffer newest", partial, func(src Publisher[T]) Publisher[T] {
			return operators.OnBackpressureBuffer(src, operators.Capacity(2), operators.BufferDropOldest)
		}),
		onScheduler("onBackpressureBufferTimeout", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.OnBackpressureBufferTimeout(src, 1000, 2, func(T) {}, operators.On(s))
		}),
		plain("onBackpressureDrop", partial, operators.OnBackpressureDrop[T]).telling(),
		plain("onBackpressureLatest", partial, operators.OnBackpressureLatest[T]),
		plain("onBackpressureError", partial, operators.OnBackpressureError[T]).failing(reactor.ErrOverflow).telling(),
	}
}

// waiting are the stages that measure or wait.
func waiting[T any]() []Stage[T] {
	return []Stage[T]{
		onScheduler("delayElements", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.DelayElements(src, 1000, operators.On(s))
		}),
		onScheduler("delaySequence", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.DelaySequence(src, 1000, operators.On(s))
		}),
		onScheduler("throttle", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.Throttle(src, 1, 1000, operators.Prefetch(4), operators.On(s))
		}),
		onScheduler("throttle burst", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.Throttle(src, 1, 1000, operators.Burst(3), operators.On(s))
		}),
		onScheduler("delaySubscription", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.DelaySubscriptionFor(src, 1000, operators.On(s))
		}),
		onScheduler("delayUntil", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.DelayUntil(src, func(T) Publisher[int64] { return operators.Delay(1000, operators.On(s)) })
		}),
		onScheduler("timeout", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.Timeout(src, time.Hour, operators.On(s))
		}).inTurn(),
		onScheduler("timeout short", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.Timeout(src, 1000, operators.On(s))
		}).failing(reactor.ErrTimeout),
		onScheduler("timeoutFallback", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.TimeoutFallback(src, 1000, operators.Empty[T](), operators.On(s))
		}).inTurn(),
		onScheduler("sample", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.SampleEvery(src, 1000, operators.On(s))
		}).failing(reactor.ErrOverflow),
		onScheduler("sampleFirst", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.SampleFirstFor(src, 1000, operators.On(s))
		}),
		onScheduler("sampleTimeout", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.SampleTimeoutFor(src, 1000, operators.On(s))
		}).cancellingAll().failing(reactor.ErrOverflow),
		onScheduler("takeFor", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.TakeFor(src, 1000, operators.On(s))
		}),
		onScheduler("skipFor", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.SkipFor(src, 1000, operators.On(s))
		}),
		onScheduler("timed", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.Timed(src, func(v reactor.Timed[T]) T { return v.Value }, operators.On(s))
		}).telling(),
	}
}
