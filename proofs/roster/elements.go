package roster

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// perElement are the stages that look at one element after the other.
func perElement[T any]() []Stage[T] {
	return []Stage[T]{
		calling("map", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.Map(src, func(v T) T { call(); return v })
		}).telling(),
		calling("tryMap", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.TryMap(src, func(v T) (T, error) { call(); return v, nil })
		}).telling(),
		calling("tryMapContext", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.TryMapContext(src, func(_ context.Context, v T) (T, error) { call(); return v, nil })
		}),
		calling("tryFilterContext", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.TryFilterContext(src, func(context.Context, T) (bool, error) { call(); return true, nil })
		}),
		calling("tryDoOnNextContext", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.TryDoOnNextContext(src, func(context.Context, T) error { call(); return nil })
		}),
		calling("mapOptional", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.MapOptional(src, func(v T) (T, bool) { call(); return v, true })
		}).telling(),
		calling("handle", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.Handle(src, func(v T, s *operators.SyncSink[T]) { call(); s.Next(v) })
		}).telling(),
		plain("cast", whole, func(src Publisher[T]) Publisher[any] { return operators.Cast[any](src) }).telling(),
		plain("ofType", whole, func(src Publisher[T]) Publisher[T] { return operators.OfType[T](src) }).telling(),
		calling("index", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.Index(src, func(_ int, v T) T { call(); return v })
		}).telling(),
		calling("mapIndexed", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.MapIndexed(src, func(_ int, v T) T { call(); return v })
		}).telling(),
		plain("scan", swallow, func(src Publisher[T]) Publisher[T] { return operators.Scan(src, func(_, v T) T { return v }) }).telling(),
		calling("pairwise", swallow, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.Pairwise(src, func(_, b T) T { call(); return b })
		}).keeping("the function has it").telling(),
		plain("materialize", partial, func(src Publisher[T]) Publisher[reactor.Signal[T]] {
			return operators.Materialize[T, reactor.Signal[T]](src)
		}),
		plain("dematerialize", whole, func(src Publisher[T]) Publisher[T] {
			return operators.Dematerialize(operators.Materialize[T, reactor.Signal[T]](src))
		}).cancellingAll(),
		plain("filter", partial, perSubscription(func(src Publisher[T]) Publisher[T] { return operators.Filter(src, everyOther[T]()) })).telling(),
		calling("filter all", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.Filter(src, func(T) bool { call(); return true })
		}).telling(),
		plain("filter none", partial, func(src Publisher[T]) Publisher[T] { return operators.Filter(src, no[T]) }).telling(),
		calling("tryFilter", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.TryFilter(src, func(T) (bool, error) { call(); return true, nil })
		}).telling(),
		calling("filterWhen", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.FilterWhen(src, func(T) Publisher[bool] { call(); return operators.Just(true) })
		}),
		plain("filterWhen asynchronous", whole, func(src Publisher[T]) Publisher[T] {
			return operators.FilterWhen(src, func(T) Publisher[bool] { return operators.Hide(operators.Just(true)) })
		}),
		plain("distinct", partial, perSubscription(func(src Publisher[T]) Publisher[T] { return operators.Distinct(src, countdown[T]()) })).telling(),
		plain("distinctUntilChanged", partial, perSubscription(func(src Publisher[T]) Publisher[T] {
			return operators.DistinctUntilChanged(src, countdown[T]())
		})).telling(),
		plain("hide", whole, operators.Hide[T]).telling(),
		plain("checkpoint", whole, func(src Publisher[T]) Publisher[T] { return operators.Checkpoint(src, "here") }).telling(),
		plain("name", whole, func(src Publisher[T]) Publisher[T] { return operators.Name(src, "n") }).telling(),
		plain("contextWrite", whole, func(src Publisher[T]) Publisher[T] {
			return operators.ContextWrite(src, func(ctx context.Context) context.Context { return ctx })
		}).telling(),
	}
}

// cutting are the stages that leave out the beginning or the end.
func cutting[T any]() []Stage[T] {
	return []Stage[T]{
		plain("take", partial, func(src Publisher[T]) Publisher[T] { return operators.Take(src, 2) }).telling(),
		plain("take unlimited", partial, func(src Publisher[T]) Publisher[T] {
			return operators.Take(src, 2, operators.UnlimitedRequest())
		}).telling(),
		plain("take many", whole, func(src Publisher[T]) Publisher[T] { return operators.Take(src, 1<<30) }).telling(),
		plain("takeLast", partial, func(src Publisher[T]) Publisher[T] { return operators.TakeLast(src, 2) }),
		plain("takeLast many", Traits{Whole: true, AtEnd: true}, func(src Publisher[T]) Publisher[T] { return operators.TakeLast(src, 1<<20) }),
		plain("takeWhile", partial, perSubscription(func(src Publisher[T]) Publisher[T] {
			key := countdown[T]()
			return operators.TakeWhile(src, func(v T) bool { return key(v) == 0 })
		})).telling(),
		calling("mapWhile", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.MapWhile(src, func(v T) (T, bool) { call(); return v, true })
		}).telling(),
		plain("takeUntil", partial, perSubscription(func(src Publisher[T]) Publisher[T] { return operators.TakeUntil(src, everyOther[T]()) })).telling(),
		plain("takeUntilOther", whole, func(src Publisher[T]) Publisher[T] { return operators.TakeUntilOther(src, operators.Never[int]()) }),
		plain("skip", partial, func(src Publisher[T]) Publisher[T] { return operators.Skip(src, 1) }).telling(),
		plain("skip none", whole, func(src Publisher[T]) Publisher[T] { return operators.Skip(src, 0) }).telling(),
		plain("skipLast", partial, func(src Publisher[T]) Publisher[T] { return operators.SkipLast(src, 2) }).telling(),
		plain("skipWhile", partial, perSubscription(func(src Publisher[T]) Publisher[T] { return operators.SkipWhile(src, everyOther[T]()) })).telling(),
		plain("skipUntil", partial, perSubscription(func(src Publisher[T]) Publisher[T] { return operators.SkipUntil(src, everyOther[T]()) })).telling(),
		plain("skipUntilOther", whole, func(src Publisher[T]) Publisher[T] { return operators.SkipUntilOther(src, operators.Just(1)) }),
		plain("elementAt", partial, func(src Publisher[T]) Publisher[T] { return operators.ElementAt(src, 1) }).failing(reactor.ErrIndexOutOfRange),
		plain("next", partial, operators.Next[T]),
		plain("last", partial, operators.Last[T]).failing(reactor.ErrNoElements),
		plain("single", partial, operators.Single[T]).failing(reactor.ErrTooManyElements, reactor.ErrNoElements),
		plain("singleOrEmpty", partial, operators.SingleOrEmpty[T]).failing(reactor.ErrTooManyElements),
		plain("ignoreElements", partial, operators.IgnoreElements[T]),
	}
}

// peeking are the stages that only look.
func peeking[T any]() []Stage[T] {
	return []Stage[T]{
		plain("doFirst", whole, func(src Publisher[T]) Publisher[T] { return operators.DoFirst(src, func() {}) }).telling(),
		plain("doOnSubscribe", whole, func(src Publisher[T]) Publisher[T] {
			return operators.DoOnSubscribe(src, func(reactor.Subscription) {})
		}).telling(),
		plain("doOnRequest", whole, func(src Publisher[T]) Publisher[T] { return operators.DoOnRequest(src, func(int64) {}) }).telling(),
		calling("doOnNext", whole, func(call func(), src Publisher[T]) Publisher[T] { return operators.DoOnNext(src, func(T) { call() }) }).telling(),
		calling("tryDoOnNext", whole, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.TryDoOnNext(src, func(T) error { call(); return nil })
		}).telling(),
		plain("doOnComplete", whole, func(src Publisher[T]) Publisher[T] { return operators.DoOnComplete(src, func() {}) }).telling(),
		plain("doOnError", whole, func(src Publisher[T]) Publisher[T] { return operators.DoOnError(src, func(error) {}) }).telling(),
		plain("doOnTerminate", whole, func(src Publisher[T]) Publisher[T] { return operators.DoOnTerminate(src, func() {}) }).telling(),
		plain("doAfterTerminate", whole, func(src Publisher[T]) Publisher[T] { return operators.DoAfterTerminate(src, func() {}) }).telling(),
		plain("doOnCancel", whole, func(src Publisher[T]) Publisher[T] { return operators.DoOnCancel(src, func() {}) }).telling(),
		plain("doFinally", whole, func(src Publisher[T]) Publisher[T] {
			return operators.DoFinally(src, func(reactor.SignalKind) {})
		}).telling(),
		plain("doOnEach", whole, func(src Publisher[T]) Publisher[T] {
			return operators.DoOnEach(src, func(context.Context, reactor.Signal[T]) {})
		}).telling(),
		plain("tap", whole, func(src Publisher[T]) Publisher[T] {
			return operators.Tap(src, func(context.Context) *operators.SignalListener[T] { return &operators.SignalListener[T]{} })
		}).telling(),
	}
}
