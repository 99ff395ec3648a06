package vectors_test

import (
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/proofs/vectors"
)

const errThird = vectors.Boom("third")

func features() []feature {
	return slices.Concat(split(), railed, accumulated, flattened, used, peeked, createdBy, kept, retried, hooks, continued, deviatingAlways)
}

func (in *input) mark(how reactor.SignalKind) { in.note("finally ", how) }

func (in *input) latest() flux.Flux[int64] { return in.interval(3).Take(4) }

func (in *input) both(a int, b int64) string { return text(in.fn(a)) + ":" + text(b) }

// The deviations, and what is near them, in all situations.
var deviatingAlways = []feature{
	{name: "retryWhen, seen from above", want: `
		plain: 1 2 3 4 5 done finally onComplete
		ones: 1 2 3 4 5 done finally onComplete
		error: 1 2 3 1 2 3 finally onError error retryExhausted finally onError
		cancel: 1 2 cancel finally cancel
		empty: done finally onComplete
		panic: 1 2 cancel finally cancel 1 2 cancel finally cancel error retryExhausted
	`, here: `
		error: 1 2 3 finally onError 1 2 3 error retryExhausted finally onError
	`, why: "a round is over before the next one begins", make: func(in *input) run {
		return of(in.src().DoFinally(in.mark).Map(in.fn).RetryWhen(flux.RetryMax(1)))
	}},
	{name: "repeatWhen, seen from above", want: `
		plain: 1 2 3 4 5 1 2 3 4 5 finally onComplete done finally onComplete
		ones: 1 2 3 4 5 1 2 3 4 5 finally onComplete done finally onComplete
		error: 1 2 3 error boom finally onError
		cancel: 1 2 cancel finally cancel
		empty: finally onComplete done finally onComplete
		panic: 1 2 cancel finally cancel error boom
	`, make: func(in *input) run {
		return of(in.src().DoFinally(in.mark).Map(in.fn).RepeatWhen(flux.RepeatFrom(taking[int64](1))))
	}},
	{name: "repeatWhenEmpty, seen from above", want: `
		plain: cancel finally cancel 3 done
		ones: cancel finally cancel 3 done
		error: error boom finally onError
		cancel: cancel finally cancel 3 done
		empty: finally onComplete done finally onComplete
		panic: cancel finally cancel error boom
	`, make: func(in *input) run {
		return of(in.one().DoFinally(in.mark).Map(in.fn).RepeatWhenEmpty(mono.RepeatFrom(func(c reactor.Publisher[int64]) flux.Flux[int64] {
			return flux.From(c).Take(1)
		})))
	}},
	{name: "combineLatest, prefetch 1, timed", want: `
		plain: 1:0 2:0 2:1 3:1 4:1 4:2 5:2 5:3 done
		ones: 1:0 2:0 2:1 3:1 4:1 4:2 5:2 5:3 done
		error: 1:0 2:0 2:1 3:1 error boom
		cancel: 1:0 2:0 cancel
		empty: done
		panic: 1:0 2:0 2:1 cancel error boom
	`, make: func(in *input) run {
		return of(flux.CombineLatest[int, int64](in.timed(), in.latest(), in.both, flux.Prefetch(1)))
	}},
	{name: "combineLatest", want: `
		plain: 1:0 2:0 2:1 3:1 4:1 4:2 5:2 5:3 done
		ones: 1:0 2:0 2:1 3:1 4:1 4:2 5:2 5:3 done
		error: 1:0 2:0 2:1 3:1 error boom
		cancel: 1:0 2:0 cancel
		empty: done
		panic: 1:0 2:0 2:1 cancel error boom
	`, make: func(in *input) run { return of(flux.CombineLatest[int, int64](in.timed(), in.latest(), in.both)) }},
	{name: "withLatestFrom", want: `
		plain: 2:0 3:1 4:1 5:2 done
		ones: 2:0 3:1 4:1 5:2 done
		error: 2:0 3:1 error boom
		cancel: 2:0 3:1 cancel
		empty: done
		panic: 2:0 cancel error boom
	`, make: func(in *input) run { return of(in.timed().WithLatestFrom(in.latest(), in.both)) }},
	{name: "concatMap, prefetch 1", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 cancel error boom
	`, make: func(in *input) run { return of(in.src().ConcatMap(in.hiddenTens, flux.Prefetch(1))) }},
	{name: "concatMap, prefetch 2", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 cancel error boom
	`, make: func(in *input) run { return of(in.src().ConcatMap(in.hiddenTens, flux.Prefetch(2))) }},
	{name: "concatMap, prefetch 3", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 cancel error boom
	`, make: func(in *input) run { return of(in.src().ConcatMap(in.hiddenTens, flux.Prefetch(3))) }},
	{name: "concatMap, default", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 cancel error boom
	`, make: func(in *input) run { return of(in.src().ConcatMap(in.hiddenTens)) }},
}
