package vectors_test

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

func fails()              { panic(errBoom) }
func failsOf[T any](T)    { panic(errBoom) }
func failsToo()           { panic(errOther) }
func failsOfToo[T any](T) { panic(errOther) }

// Hooks that panic whenever they are called.
var hooks = []feature{
	{name: "doOnNext panics", want: `
		plain: cancel error boom
		ones: cancel error boom
		error: cancel error boom
		cancel: cancel error boom
		empty: done
	`, make: func(in *input) run { return of(in.src().DoOnNext(failsOf[int])) }},
	{name: "doOnEach panics", want: `
		plain: cancel error boom
		ones: cancel error boom
		error: cancel error boom
		cancel: cancel error boom
		empty: error boom
	`, make: func(in *input) run {
		return of(in.src().DoOnEach(func(context.Context, reactor.Signal[int]) { fails() }))
	}},
	{name: "doFirst panics", want: `
		plain: error boom
		ones: error boom
		error: error boom
		cancel: error boom
		empty: error boom
	`, make: func(in *input) run { return of(in.src().DoFirst(fails)) }},
	{name: "doOnSubscribe panics", want: `
		plain: cancel error boom
		ones: cancel error boom
		error: cancel error boom
		cancel: cancel error boom
		empty: cancel error boom done
	`, here: `
		empty: cancel error boom
	`, why: "a stream ends once", make: func(in *input) run { return of(in.src().DoOnSubscribe(failsOf[reactor.Subscription])) }},
	{name: "doOnRequest panics", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
	`, here: `
		plain: dropped boom 1 2 3 4 5 done
		ones: dropped boom 1 dropped boom 2 dropped boom 3 dropped boom 4 dropped boom 5 dropped boom done
		error: dropped boom 1 2 3 error boom
		cancel: dropped boom 1 2 cancel
		empty: dropped boom done
	`, why: "nothing is lost silently", make: func(in *input) run { return of(in.src().DoOnRequest(failsOf[int64])) }},
	{name: "doOnCancel panics", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel error boom
		empty: done
	`, here: `
		cancel: 1 2 dropped boom cancel
	`, why: "the failure is reported when it happens, and there is no error after a cancellation", make: func(in *input) run { return of(in.src().DoOnCancel(fails)) }},
	{name: "doOnCancel panics, taken", want: `
		plain: 1 cancel dropped boom done
		ones: 1 cancel dropped boom done
		error: 1 cancel dropped boom done
		cancel: 1 cancel dropped boom done
		empty: done
	`, here: `
		plain: 1 dropped boom cancel done
		ones: 1 dropped boom cancel done
		error: 1 dropped boom cancel done
		cancel: 1 dropped boom cancel done
	`, why: "the failure is reported when it happens, and there is no error after a cancellation", make: func(in *input) run { return of(in.src().DoOnCancel(fails).Take(1)) }},
	{name: "doOnComplete panics", want: `
		plain: 1 2 3 4 5 error boom
		ones: 1 2 3 4 5 error boom
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: error boom
	`, make: func(in *input) run { return of(in.src().DoOnComplete(fails)) }},
	{name: "doOnError panics", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error other
		cancel: 1 2 cancel
		empty: done
	`, make: func(in *input) run { return of(in.src().DoOnError(failsOfToo[error])) }},
	{name: "doOnTerminate panics", want: `
		plain: 1 2 3 4 5 error other
		ones: 1 2 3 4 5 error other
		error: 1 2 3 error other
		cancel: 1 2 cancel
		empty: error other
	`, make: func(in *input) run { return of(in.src().DoOnTerminate(failsToo)) }},
	{name: "doAfterTerminate panics", want: `
		plain: 1 2 3 4 5 done dropped other
		ones: 1 2 3 4 5 done dropped other
		error: 1 2 3 error boom dropped other
		cancel: 1 2 cancel
		empty: done dropped other
	`, make: func(in *input) run { return of(in.src().DoAfterTerminate(failsToo)) }},
	{name: "doFinally panics", want: `
		plain: 1 2 3 4 5 done dropped other
		ones: 1 2 3 4 5 done dropped other
		error: 1 2 3 error boom dropped other
		cancel: 1 2 cancel dropped other
		empty: done dropped other
	`, make: func(in *input) run { return of(in.src().DoFinally(failsOfToo[reactor.SignalKind])) }},
	{name: "doFinally panics, taken", want: `
		plain: 1 cancel dropped other done
		ones: 1 cancel dropped other done
		error: 1 cancel dropped other done
		cancel: 1 cancel dropped other done
		empty: done dropped other
	`, make: func(in *input) run { return of(in.src().DoFinally(failsOfToo[reactor.SignalKind]).Take(1)) }},
	{name: "two hooks panic", want: `
		plain: 1 2 3 4 5 error other
		ones: 1 2 3 4 5 error other
		error: 1 2 3 error other
		cancel: 1 2 cancel
		empty: error other
	`, make: func(in *input) run {
		return of(in.src().DoOnComplete(fails).DoOnError(failsOfToo[error]))
	}},
	{name: "doFinally of a mono panics", want: `
		plain: 3 done dropped other
		ones: 3 done dropped other
		error: error boom dropped other
		cancel: 3 done dropped other
		empty: done dropped other
	`, make: func(in *input) run { return of(in.one().DoFinally(failsOfToo[reactor.SignalKind])) }},
	{name: "doOnSuccess panics", want: `
		plain: cancel error other
		ones: cancel error other
		error: error boom
		cancel: cancel error other
		empty: error other
	`, make: func(in *input) run {
		return of(in.one().DoOnSuccess(func(int, bool) { failsToo() }))
	}},
	{name: "doOnTerminate of a mono panics", want: `
		plain: cancel error other
		ones: cancel error other
		error: error other
		cancel: cancel error other
		empty: error other
	`, make: func(in *input) run { return of(in.one().DoOnTerminate(failsToo)) }},
}

func (in *input) skipped(err error, v any) {
	if v == nil {
		v = "null"
	}
	in.note("skipped ", v, " ", err)
}

func (in *input) going(f flux.Flux[int]) run      { return of(f.OnErrorContinue(in.skipped)) }
func (in *input) goingMono(m mono.Mono[int]) run  { return of(m.OnErrorContinue(in.skipped)) }
func (in *input) positive(v int) bool             { return in.fn(v) > 0 }
func (in *input) positiveTry(v int) (bool, error) { v, err := in.try(v); return v > 0, err }
func (in *input) nextTry(v int) error             { _, err := in.try(v); return err }
func (in *input) pair(v int) []int                { return []int{in.fn(v), 10 * v} }
func (in *input) call(v int) mono.Mono[int] {
	return mono.FromCallable(func() (int, error) { return in.fn(v), nil })
}
func (in *input) sumTry(a, b int) (int, error) { b, err := in.try(b); return a + b, err }

// third is a publisher that fails for the third element in the situation that is to.
func (in *input) thirdFails(v int) flux.Flux[int] {
	in.fn(1)
	if v == 3 && in.how == panicked {
		return flux.Error[int](errBoom).Hide()
	}
	return flux.Just(1)
}

type forms = map[string]func(in *input) run

// What goes on under OnErrorContinue, and that the Try forms, and those with a context, are no
// different.
var continued = []feature{
	{name: "continue, map", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 skipped 3 boom 4 5 done
	`, make: func(in *input) run { return in.going(in.src().Map(in.fn)) }, forms: forms{
		"TryMap": func(in *input) run { return in.going(in.src().TryMap(in.try)) },
		"TryMapContext": func(in *input) run {
			return in.going(in.src().TryMapContext(func(_ context.Context, v int) (int, error) { return in.try(v) }))
		},
		"TryMapContext that panics": func(in *input) run {
			return in.going(in.src().TryMapContext(func(_ context.Context, v int) (int, error) { return in.fn(v), nil }))
		},
	}},
	{name: "continue, filter", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 skipped 3 boom 4 5 done
	`, make: func(in *input) run { return in.going(in.src().Filter(in.positive)) }, forms: forms{
		"TryFilter": func(in *input) run { return in.going(in.src().TryFilter(in.positiveTry)) },
		"TryFilterContext": func(in *input) run {
			return in.going(in.src().TryFilterContext(func(_ context.Context, v int) (bool, error) { return in.positiveTry(v) }))
		},
	}},
	{name: "continue, doOnNext", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 skipped 3 boom 4 5 done
	`, make: func(in *input) run { return in.going(in.src().DoOnNext(func(v int) { in.fn(v) })) }, forms: forms{
		"TryDoOnNext": func(in *input) run { return in.going(in.src().TryDoOnNext(in.nextTry)) },
		"TryDoOnNextContext": func(in *input) run {
			return in.going(in.src().TryDoOnNextContext(func(_ context.Context, v int) error { return in.nextTry(v) }))
		},
	}},
	{name: "continue, mapOptional", want: `
		plain: 1 3 5 done
		ones: 1 3 5 done
		error: 1 3 error boom
		cancel: 1 3 cancel
		empty: done
		panic: 1 skipped 3 boom 5 done
	`, make: func(in *input) run {
		return in.going(in.src().MapOptional(func(v int) (int, bool) { return v, !even(in.fn(v)) }))
	}, forms: forms{
		"TryMapOptional": func(in *input) run {
			return in.going(in.src().TryMapOptional(func(v int) (int, bool, error) { v, err := in.try(v); return v, !even(v), err }))
		},
	}},
	{name: "continue, handle", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 skipped 3 boom 4 5 done
	`, make: func(in *input) run {
		return in.going(in.src().Handle(func(v int, sink *flux.SyncSink[int]) { sink.Next(in.fn(v)) }))
	}},
	{name: "continue, handle, error", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 skipped 3 boom 4 5 done
	`, make: func(in *input) run {
		return in.going(in.src().Handle(func(v int, sink *flux.SyncSink[int]) {
			if v, err := in.try(v); err != nil {
				sink.Error(err)
			} else {
				sink.Next(v)
			}
		}))
	}},
	{name: "continue, scan", want: `
		plain: 1 3 6 10 15 done
		ones: 1 3 6 10 15 done
		error: 1 3 6 error boom
		cancel: 1 3 cancel
		empty: done
		panic: 1 3 cancel error boom
	`, make: func(in *input) run { return in.going(in.src().Scan(in.sum)) }, forms: forms{
		"TryScan": func(in *input) run { return in.going(in.src().TryScan(in.sumTry)) },
	}},
	{name: "continue, scanWith", want: `
		plain: 10 11 13 16 20 25 done
		ones: 10 11 13 16 20 25 done
		error: 10 11 13 16 error boom
		cancel: 10 11 cancel
		empty: 10 done
		panic: 10 11 13 cancel error boom
	`, make: func(in *input) run { return in.going(in.src().ScanWith(ten, in.sum)) }, forms: forms{
		"TryScanWith": func(in *input) run {
			return in.going(in.src().TryScanWith(func() (int, error) { return 10, nil }, in.sumTry))
		},
		"TryScanSeed": func(in *input) run { return in.going(in.src().TryScanSeed(10, in.sumTry)) },
	}},
	{name: "continue, flatMapSlice", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 skipped 3 boom 4 40 5 50 done
	`, make: func(in *input) run { return in.going(in.src().FlatMapSlice(in.pair)) }, forms: forms{
		"TryFlatMapSlice": func(in *input) run {
			return in.going(in.src().TryFlatMapSlice(func(v int) ([]int, error) { _, err := in.try(v); return []int{v, 10 * v}, err }))
		},
	}},
	{name: "continue, concatMapSlice", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 skipped 3 boom 4 40 5 50 done
	`, make: func(in *input) run { return in.going(in.src().ConcatMapSlice(in.pair)) }},
	{name: "continue, flatMap", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 skipped 3 boom 4 40 5 50 done
	`, make: func(in *input) run { return in.going(in.src().FlatMap(in.tens)) }, forms: forms{
		"TryFlatMap": func(in *input) run {
			return in.going(in.src().TryFlatMap(func(v int) (flux.Flux[int], error) { _, err := in.try(v); return flux.Just(v, 10*v), err }))
		},
	}},
	{name: "continue, flatMap, callable", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 skipped 3 boom 4 5 done
	`, make: func(in *input) run { return in.going(in.src().FlatMap(in.call)) }},
	{name: "continue, flatMap, inner", want: `
		plain: 1 1 1 1 1 done
		ones: 1 1 1 1 1 done
		error: 1 1 1 error boom
		cancel: 1 1 cancel
		empty: done
		panic: 1 1 skipped null boom 1 1 done
	`, make: func(in *input) run { return in.going(in.src().FlatMap(in.thirdFails)) }},
	{name: "continue, flatMap, inner map", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 skipped 3 boom 30 4 40 5 50 done
	`, make: func(in *input) run {
		return in.going(in.src().FlatMap(func(v int) flux.Flux[int] { return flux.Just(v, 10*v).Map(in.fn) }))
	}},
	{name: "continue, concatMap", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 skipped 3 boom 4 40 5 50 done
	`, make: func(in *input) run { return in.going(in.src().ConcatMap(in.tens, flux.Prefetch(32))) }},
	{name: "continue, concatMap, one at a time", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 skipped 3 boom 4 40 5 50 done
	`, make: func(in *input) run { return in.going(in.src().ConcatMap(in.tens, flux.Prefetch(0))) }},
	{name: "continue, concatMap, callable", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 skipped 3 boom 4 5 done
	`, make: func(in *input) run { return in.going(in.src().ConcatMap(in.call, flux.Prefetch(32))) }},
	{name: "continue, concatMap, inner", want: `
		plain: 1 1 1 1 1 done
		ones: 1 1 1 1 1 done
		error: 1 1 1 error boom
		cancel: 1 1 cancel
		empty: done
		panic: 1 1 skipped null boom 1 1 done
	`, make: func(in *input) run { return in.going(in.src().ConcatMap(in.thirdFails, flux.Prefetch(32))) }},
	{name: "continue, flatMapSequential", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 cancel error boom
	`, make: func(in *input) run { return in.going(in.src().FlatMapSequential(in.tens)) }},
	{name: "continue, switchMap", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 cancel error boom
	`, make: func(in *input) run { return in.going(in.src().SwitchMap(in.tens)) }},
	{name: "continue, delayUntil", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 skipped null boom 4 5 done
	`, here: `
		panic: 1 2 cancel error boom
	`, why: "DelayUntil is not on the list of OnErrorContinue", make: func(in *input) run {
		return in.going(in.src().DelayUntil(func(v int) mono.Mono[int] { in.fn(v); return mono.Empty[int]() }))
	}},
	{name: "continue, delayUntil, trigger", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 skipped null boom 4 5 done
	`, here: `
		panic: 1 2 cancel error boom
	`, why: "DelayUntil is not on the list of OnErrorContinue", make: func(in *input) run { return in.going(in.src().DelayUntil(in.thirdFails)) }},
	{name: "continue, filterWhen", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 4 5 error boom
	`, make: func(in *input) run {
		return in.going(in.src().FilterWhen(func(v int) mono.Mono[bool] { return mono.Just(in.positive(v)) }))
	}},
	{name: "continue, distinct", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run { return in.going(in.src().Distinct(in.fn)) }},
	{name: "continue, distinctUntilChanged", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run { return in.going(in.src().DistinctUntilChanged(in.fn)) }},
	{name: "continue, takeWhile", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run { return in.going(in.src().TakeWhile(in.positive)) }},
	{name: "continue, takeUntil", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 3 cancel error boom
	`, make: func(in *input) run {
		return in.going(in.src().TakeUntil(func(v int) bool { return in.fn(v) > 9 }))
	}},
	{name: "continue, skipWhile", want: `
		plain: 4 5 done
		ones: 4 5 done
		error: error boom
		cancel: 4 5 cancel
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run {
		return in.going(in.src().SkipWhile(func(v int) bool { return in.fn(v) < 4 }))
	}},
	{name: "continue, doOnEach", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run {
		return in.going(in.src().DoOnEach(func(_ context.Context, s reactor.Signal[int]) {
			if v, ok := s.Value(); ok {
				in.fn(v)
			}
		}))
	}},
	{name: "continue, reduce", want: `
		plain: 15 done
		ones: 15 done
		error: error boom
		cancel: 15 done
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run { return in.goingMono(in.src().Reduce(in.sum)) }, forms: forms{
		"TryReduce": func(in *input) run { return in.goingMono(in.src().TryReduce(in.sumTry)) },
	}},
	{name: "continue, fold", want: `
		plain: 25 done
		ones: 25 done
		error: error boom
		cancel: 25 done
		empty: 10 done
		panic: cancel error boom
	`, make: func(in *input) run { return in.goingMono(in.src().FoldWith(ten, in.sum)) }, forms: forms{
		"TryFold":     func(in *input) run { return in.goingMono(in.src().TryFold(10, in.sumTry)) },
		"TryFoldWith": func(in *input) run { return in.goingMono(in.src().TryFoldWith(ten, in.sumTry)) },
	}},
	{name: "continue, collectInto", want: `
		plain: 5 done
		ones: 5 done
		error: error boom
		cancel: 5 done
		empty: 0 done
		panic: cancel error boom
	`, make: func(in *input) run {
		return in.goingMono(in.src().CollectInto(newList, func(l *[]int, v int) { appendTo(l, in.fn(v)) }).Map(func(l *[]int) int { return len(*l) }))
	}},
	{name: "continue, index", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run {
		return in.going(in.src().MapIndexed(func(_, v int) int { return in.fn(v) }))
	}},
	{name: "continue, groupBy", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 skipped null boom skipped null boom error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel skipped null boom skipped null boom error boom
	`, make: func(in *input) run {
		return in.going(in.src().GroupBy(func(v int) int { return in.fn(v) % 2 }).FlatMap(func(g group) flux.Flux[int] { return g.Flux }))
	}},
	{name: "continue, expand", want: `
		plain: 1 2 3 4 5 10 20 30 40 50 done
		ones: 1 2 3 4 5 10 20 30 40 50 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 3 cancel error boom
	`, make: func(in *input) run { return in.going(in.src().Expand(in.tenfoldOnce)) }},
	{name: "continue, bufferUntil", want: `
		plain: 2 2 1 done
		ones: 2 2 1 done
		error: 2 error boom
		cancel: 2 2 cancel
		empty: done
		panic: 2 cancel error boom
	`, make: func(in *input) run {
		return in.going(in.src().BufferUntil(func(v int) bool { return even(in.fn(v)) }).Map(func(b []int) int { return len(b) }))
	}},
	{name: "continue, publishOn", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 skipped 3 boom 4 5 done
	`, make: func(in *input) run { return in.going(in.src().PublishOn(in.clock).Map(in.fn)) }},
	{name: "continue, rails", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 skipped 3 boom 4 5 done
	`, make: func(in *input) run { return in.going(in.rails().Map(in.fn).Sequential()) }, forms: forms{
		"TryMap": func(in *input) run { return in.going(in.rails().TryMap(in.try).Sequential()) },
	}},
	{name: "continue, stop", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run { return in.going(in.src().Map(in.fn).OnErrorStop()) }, forms: forms{
		"TryMap": func(in *input) run { return in.going(in.src().TryMap(in.try).OnErrorStop()) },
	}},
	{name: "continue, mono map", want: `
		plain: 3 done
		ones: 3 done
		error: error boom
		cancel: 3 done
		empty: done
		panic: skipped 3 boom done
	`, make: func(in *input) run { return in.goingMono(in.one().Map(in.fn)) }, forms: forms{
		"TryMap": func(in *input) run { return in.goingMono(in.one().TryMap(in.try)) },
		"TryMapContext": func(in *input) run {
			return in.goingMono(in.one().TryMapContext(func(_ context.Context, v int) (int, error) { return in.try(v) }))
		},
	}},
	{name: "continue, mono filter", want: `
		plain: 3 done
		ones: 3 done
		error: error boom
		cancel: 3 done
		empty: done
		panic: skipped 3 boom done
	`, make: func(in *input) run { return in.goingMono(in.one().Filter(in.positive)) }, forms: forms{
		"TryFilter": func(in *input) run { return in.goingMono(in.one().TryFilter(in.positiveTry)) },
	}},
	{name: "continue, mono flatMap", want: `
		plain: 3 done
		ones: 3 done
		error: error boom
		cancel: 3 done
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run {
		return in.goingMono(in.one().FlatMap(func(v int) mono.Mono[int] { return mono.Just(in.fn(v)) }))
	}},
	{name: "continue, mono doOnNext", want: `
		plain: 3 done
		ones: 3 done
		error: error boom
		cancel: 3 done
		empty: done
		panic: skipped 3 boom done
	`, make: func(in *input) run { return in.goingMono(in.one().DoOnNext(func(v int) { in.fn(v) })) }, forms: forms{
		"TryDoOnNext": func(in *input) run { return in.goingMono(in.one().TryDoOnNext(in.nextTry)) },
	}},
	{name: "continue, its function panics", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error other
	`, make: func(in *input) run {
		return of(in.src().Map(in.fn).OnErrorContinue(func(error, any) { panic(errOther) }))
	}, forms: forms{
		"TryMap": func(in *input) run {
			return of(in.src().TryMap(in.try).OnErrorContinue(func(error, any) { panic(errOther) }))
		},
	}},
	{name: "continue, some errors", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run {
		return of(in.src().Map(in.fn).OnErrorContinue(in.skipped, flux.WhenIs(errOther)))
	}, forms: forms{
		"TryMap": func(in *input) run {
			return of(in.src().TryMap(in.try).OnErrorContinue(in.skipped, flux.WhenIs(errOther)))
		},
	}},
}
