package vectors_test

import (
	"cmp"
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

func (in *input) rails() flux.ParallelFlux[int] { return in.src().Parallel(2) }

func (in *input) compare(a, b int) int { return cmp.Compare(in.fn(a), in.fn(b)) }
func (in *input) sum(a, b int) int     { return a + in.fn(b) }

// tens is v and ten times v.
func (in *input) tens(v int) flux.Flux[int] { return flux.Just(in.fn(v), 10*v) }

func (in *input) hiddenTens(v int) flux.Flux[int] { return in.tens(v).Hide() }

type rail struct {
	index int
	flux.Flux[int]
}

func asRail(i int, f flux.Flux[int]) rail { return rail{i, f} }

func (in *input) railed(r rail) flux.Flux[string] {
	return r.Map(func(v int) string { return text(r.index) + ":" + text(in.fn(v)) })
}

// marking returns a function that leaves a mark and then calls the function of the program.
func (in *input) marking(line string) func() {
	return func() {
		in.note(line)
		in.fn(3)
	}
}

var railed = []feature{
	{name: "rails", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run { return of(in.rails().Map(in.fn).Sequential()) },
		forms: map[string]func(in *input) run{
			"TryMap": func(in *input) run { return of(in.rails().TryMap(in.try).Sequential()) },
			"TryMapContext": func(in *input) run {
				return of(in.rails().TryMapContext(func(_ context.Context, v int) (int, error) { return in.try(v) }).Sequential())
			},
		}},
	{name: "rails, three", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run { return of(in.src().Parallel(3).Map(in.fn).Sequential()) }},
	{name: "rails, prefetch 1", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run {
		return of(in.src().Parallel(2, flux.Prefetch(1)).Map(in.fn).Sequential(flux.Prefetch(1)))
	}},
	{name: "rails, runOn", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run { return of(in.rails().RunOn(in.clock).Map(in.fn).Sequential()) }},
	{name: "rails, runOn, prefetch 1", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run {
		return of(in.rails().RunOn(in.clock, flux.Prefetch(1)).Map(in.fn).Sequential(flux.Prefetch(1)))
	}},
	{name: "rails, filter", want: `
		plain: 1 2 4 5 done
		ones: 1 2 4 5 done
		error: 1 2 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run {
		return of(in.rails().Filter(func(v int) bool { return noThird(in.fn(v)) }).Sequential())
	}},
	{name: "rails, flatMap", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 cancel error boom
	`, make: func(in *input) run { return of(in.rails().FlatMap(in.tens).Sequential()) }},
	{name: "rails, flatMap hidden", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 cancel error boom
	`, make: func(in *input) run { return of(in.rails().FlatMap(in.hiddenTens).Sequential()) }},
	{name: "rails, concatMap", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 cancel error boom
	`, make: func(in *input) run {
		return of(in.rails().TransformGroups(func(r flux.Flux[int]) flux.Flux[int] { return r.ConcatMap(in.tens, flux.Prefetch(32)) }).Sequential())
	}},
	{name: "rails, concatMap delayed errors", want: `
		plain: 1 10 2 20 3 30 4 40 5 50 done
		ones: 1 10 2 20 3 30 4 40 5 50 done
		error: 1 10 2 20 3 30 error boom
		cancel: 1 10 cancel
		empty: done
		panic: 1 10 2 20 cancel error boom
	`, make: func(in *input) run {
		return of(in.rails().TransformGroups(func(r flux.Flux[int]) flux.Flux[int] {
			return r.ConcatMap(in.tens, flux.Prefetch(32), flux.DelayErrors())
		}).Sequential())
	}},
	{name: "rails, reduce", want: `
		plain: 15 done
		ones: 15 done
		error: error boom
		cancel: 15 done
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run { return of(in.rails().Reduce(in.sum)) }},
	{name: "rails, reduceWith", want: `
		plain: 109 106 done
		ones: 109 106 done
		error: error boom
		cancel: 109 106
		empty: 100 100 done
		panic: cancel error boom
	`, make: func(in *input) run {
		return of(in.rails().ReduceWith(func() int { return 100 }, in.sum).Sequential())
	}},
	{name: "rails, reduceWith, seed", want: `
		plain: 112 109 done
		ones: 112 109 done
		error: error boom
		cancel: 112 109
		empty: 103 103 done
		panic: error boom
	`, here: `
		panic: error boom dropped boom
	`, why: "each rail calls the function, and each has its failure", make: func(in *input) run {
		return of(in.rails().ReduceWith(func() int { return 100 + in.fn(3) }, add).Sequential())
	}},
	{name: "rails, collect", want: `
		plain: [1 3 5] [2 4] done
		ones: [1 3 5] [2 4] done
		error: error boom
		cancel: [1 3 5] [2 4]
		empty: [] [] done
		panic: cancel error boom
	`, make: func(in *input) run {
		return of(in.rails().Collect(newList, func(l *[]int, v int) { *l = append(*l, in.fn(v)) }).Sequential())
	}},
	{name: "rails, collect, container", want: `
		plain: [1 3 5] [2 4] done
		ones: [1 3 5] [2 4] done
		error: error boom
		cancel: [1 3 5] [2 4]
		empty: [] [] done
		panic: error boom
	`, here: `
		panic: error boom dropped boom
	`, why: "each rail calls the function, and each has its failure", make: func(in *input) run {
		return of(in.rails().Collect(in.container, func(l *[]int, v int) { *l = append(*l, v) }).Sequential())
	}},
	{name: "rails, sorted", want: `
		plain: -5 -4 -3 -2 -1 done
		ones: -5 -4 -3 -2 -1 done
		error: error boom
		cancel: -5 -4
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run {
		return of(in.rails().Map(func(v int) int { return -in.fn(v) }).Sorted(cmp.Compare))
	}},
	{name: "rails, sorted, comparison", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: error boom
		cancel: 1 2
		empty: done
		panic: error boom
	`, make: func(in *input) run { return of(in.rails().Sorted(in.compare)) }},
	{name: "rails, collectSorted", want: `
		plain: [-5 -4 -3 -2 -1] done
		ones: [-5 -4 -3 -2 -1] done
		error: error boom
		cancel: [-5 -4 -3 -2 -1] done
		empty: [] done
		panic: cancel error boom
	`, make: func(in *input) run {
		return of(in.rails().Map(func(v int) int { return -in.fn(v) }).CollectSorted(cmp.Compare))
	}},
	{name: "rails, ordered", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error composite:boom,boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 cancel 2 open
	`, here: `
		panic: 1 2 4 5 error boom
	`, why: "a rail that is cancelled is left out; the original cancels the source, and the others wait for ever", make: func(in *input) run { return of(in.rails().Map(in.fn).Ordered(cmp.Compare)) }},
	{name: "rails, ordered, comparison", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error composite:boom,boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 cancel error boom
	`, make: func(in *input) run { return of(in.rails().Ordered(in.compare)) }},
	{name: "rails, ordered, prefetch 1", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error composite:boom,boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 cancel 2 open
	`, here: `
		panic: 1 2 4 5 error boom
	`, why: "a rail that is cancelled is left out, and its element replaced; the original cancels the source, and the others wait for ever", make: func(in *input) run {
		return of(in.src().Parallel(2, flux.Prefetch(1)).Map(in.fn).Ordered(cmp.Compare, flux.Prefetch(1)))
	}},
	{name: "rails, groups", want: `
		plain: 0:1 1:2 0:3 1:4 0:5 done
		ones: 0:1 1:2 0:3 1:4 0:5 done
		error: 0:1 1:2 0:3 error boom dropped boom
		cancel: 0:1 1:2 cancel
		empty: done
		panic: 0:1 1:2 cancel error boom
	`, here: `
		error: 0:1 1:2 0:3 error boom
	`, why: "each rail has the same error, and the second one is not reported", make: func(in *input) run { return of(in.rails().Groups(asRail).FlatMap(in.railed)) }},
	{name: "rails, groups one at a time", want: `
		plain: 0:1 0:2 0:3 0:4 0:5 done
		ones: 0:1 0:2 0:3 0:4 0:5 done
		error: 0:1 0:2 0:3 error boom dropped nullValue
		cancel: 0:1 0:2 cancel
		empty: done
		panic: 0:1 0:2 cancel error boom
	`, here: `
		error: 0:1 0:2 0:3 error boom
		panic: 0:1 0:2 error boom cancel
	`, why: "a rail that nobody has subscribed to is left out; the original stops at it with a NullPointerException", make: func(in *input) run {
		return of(in.rails().Groups(asRail).ConcatMap(in.railed, flux.Prefetch(32)))
	}},
	{name: "rails, groups, one of each", want: `
		plain: 0:1 cancel open
		ones: 0:1 cancel open
		error: 0:1 cancel open
		cancel: 0:1 cancel open
		empty: done
		panic: 0:1 cancel open
	`, here: `
		plain: 0:1 1:2 cancel done
		ones: 0:1 1:2 cancel done
		error: 0:1 1:2 cancel done
		cancel: 0:1 1:2 cancel
		panic: 0:1 1:2 cancel done
	`, why: "a rail that is cancelled is left out; the original cancels the source, and the others wait for ever", make: func(in *input) run {
		return of(in.rails().Groups(asRail).FlatMap(func(r rail) flux.Flux[string] { return in.railed(r).Take(1) }))
	}},
	{name: "rails, groups, one cancelled", want: `
		plain: 1 cancel open
		ones: 1 cancel open
		error: 1 cancel open
		cancel: 1 cancel open
		empty: done
		panic: 1 cancel open
	`, here: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		panic: 1 2 cancel error boom
	`, why: "a rail that is cancelled is left out; the original cancels the source, and the others wait for ever", make: func(in *input) run {
		return of(in.rails().Groups(asRail).FlatMap(func(r rail) flux.Flux[int] {
			if r.index == 0 {
				return r.Map(in.fn).Take(1)
			}
			return r.Map(in.fn)
		}))
	}},
	{name: "rails, groups never", want: `
		plain: g g done
		ones: g g done
		error: g g done dropped nullValue
		cancel: g g
		empty: g g done dropped nullValue
	`, here: `
		error: g g done
		empty: g g done
	`, why: "a rail that nobody has subscribed to is left out; the original stops at it with a NullPointerException", make: func(in *input) run {
		return of(in.rails().Groups(func(int, flux.Flux[int]) string { return "g" }))
	}},
	{name: "rails, transformGroups", want: `
		plain: 1 2 3 cancel open
		ones: 1 2 3 cancel open
		error: 1 2 3 cancel open
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, here: `
		plain: 1 2 3 4 cancel done
		ones: 1 2 3 4 cancel done
		error: 1 2 3 error boom
	`, why: "a rail that is cancelled is left out; the original cancels the source, and the others wait for ever", make: func(in *input) run {
		return of(in.rails().TransformGroups(func(r flux.Flux[int]) flux.Flux[int] { return r.Map(in.fn).Take(2) }).Sequential())
	}},
	{name: "rails, transformGroups, late error", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 -1 -1 done
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel -1 open
	`, here: `
		panic: 1 2 -1 4 5 done
	`, why: "a rail that is cancelled is left out; the original cancels the source, and the others wait for ever", make: func(in *input) run {
		return of(in.rails().TransformGroups(func(r flux.Flux[int]) flux.Flux[int] { return r.Map(in.fn).OnErrorReturn(-1) }).Sequential())
	}},
	{name: "rails, transform", want: `
		plain: 2 4 6 8 10 done
		ones: 2 4 6 8 10 done
		error: 2 4 6 error boom
		cancel: 2 4 cancel
		empty: done
		panic: 2 4 cancel error boom
	`, make: func(in *input) run {
		return of(in.rails().Transform(func(p flux.ParallelFlux[int]) flux.ParallelFlux[int] {
			return p.Map(func(v int) int { return 2 * in.fn(v) })
		}).Sequential())
	}},
	{name: "rails, as", want: `
		plain: 15 done
		ones: 15 done
		error: error boom
		cancel: 15 done
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run {
		return in.rails().As(func(p flux.ParallelFlux[int]) run { return of(p.Reduce(in.sum)) })
	}},
	{name: "rails, then", want: `
		plain: done
		ones: done
		error: error boom
		cancel: done
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run { return of(in.rails().Map(in.fn).Then()) }},
	{name: "rails, from", want: `
		plain: 1 2 3 4 5 7 8 done
		ones: 1 2 3 4 5 7 8 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: 7 8 done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run {
		return of(flux.ParallelFrom[int](in.src(), flux.Just(7, 8)).Map(in.fn).Sequential())
	}},
	{name: "rails, name", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel error boom
	`, make: func(in *input) run {
		return of(in.rails().Name("n").Tag("a", "b").Map(in.fn).Sequential())
	}},
	{name: "rails, doOnNext", want: `
		plain: see1 1 see2 2 see3 3 see4 4 see5 5 done
		ones: see1 1 see2 2 see3 3 see4 4 see5 5 done
		error: see1 1 see2 2 see3 3 error boom
		cancel: see1 1 see2 2 cancel
		empty: done
		panic: see1 1 see2 2 cancel error boom
	`, make: func(in *input) run {
		return of(in.rails().DoOnNext(func(v int) { in.note("see", in.fn(v)) }).Sequential())
	}},
	{name: "rails, doOnEach", want: `
		plain: onNext 1 onNext 2 onNext 3 onNext 4 onNext 5 onComplete onComplete done
		ones: onNext 1 onNext 2 onNext 3 onNext 4 onNext 5 onComplete onComplete done
		error: onNext 1 onNext 2 onNext 3 onError error boom onError
		cancel: onNext 1 onNext 2 cancel
		empty: onComplete onComplete done
		panic: onNext 1 onNext 2 onNext cancel onError error boom
	`, here: `
		error: onNext 1 onNext 2 onNext 3 onError error boom
		panic: onNext 1 onNext 2 onNext onError cancel error boom
	`, why: "the other rails are cancelled before they hear of the error", make: func(in *input) run {
		return of(in.rails().DoOnEach(func(_ context.Context, s reactor.Signal[int]) {
			in.note(s.Kind())
			if v, ok := s.Value(); ok {
				in.fn(v)
			}
		}).Sequential())
	}},
	{name: "rails, doOnSubscribe", want: `
		plain: sub sub 1 2 3 4 5 done
		ones: sub sub 1 2 3 4 5 done
		error: sub sub 1 2 3 error boom
		cancel: sub sub 1 2 cancel
		empty: sub sub done
		panic: cancel error boom
	`, here: `
		panic: error boom cancel dropped boom
	`, why: "each rail fails, and the source is cancelled when all have", make: func(in *input) run {
		return of(in.rails().DoOnSubscribe(func(reactor.Subscription) { in.fn(3); in.note("sub") }).Sequential())
	}},
	{name: "rails, doOnRequest", want: `
		plain: req256 req256 1 2 3 4 5 done
		ones: req256 req256 1 2 3 4 5 done
		error: req256 req256 1 2 3 error boom
		cancel: req256 req256 1 2 cancel
		empty: req256 req256 done
		panic: 1 2 3 4 5 done
	`, here: `
		panic: dropped boom dropped boom 1 2 3 4 5 done
	`, why: "nothing is lost silently", make: func(in *input) run {
		return of(in.rails().DoOnRequest(func(n int64) { in.fn(3); in.note("req", n) }).Sequential())
	}},
	{name: "rails, doOnCancel", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 c c error boom
		cancel: 1 2 c cancel c
		empty: done
		panic: 1 2 3 4 5 done
	`, here: `
		error: 1 2 3 c error boom
		cancel: 1 2 c c cancel
	`, why: "a rail that has failed is not cancelled, and the source is when all rails are", make: func(in *input) run { return of(in.rails().DoOnCancel(in.marking("c")).Sequential()) }},
	{name: "rails, doOnCancel, taken", want: `
		plain: 1 2 c cancel c done
		ones: 1 2 c cancel c done
		error: 1 2 c cancel c done
		cancel: 1 2 c cancel c done
		empty: done
		panic: 1 2 c cancel c done
	`, here: `
		plain: 1 2 c c cancel done
		ones: 1 2 c c cancel done
		error: 1 2 c c cancel done
		cancel: 1 2 c c cancel
		panic: 1 2 c dropped boom c dropped boom cancel done
	`, why: "the source is cancelled when all rails are, and the end does not come after the cancellation", make: func(in *input) run {
		return of(in.rails().DoOnCancel(in.marking("c")).Sequential().Take(2))
	}},
	{name: "rails, doOnComplete", want: `
		plain: 1 2 3 4 5 rail rail done
		ones: 1 2 3 4 5 rail rail done
		error: 1 2 3 error boom
		cancel: 1 2 cancel
		empty: rail rail done
		panic: 1 2 3 4 5 rail error boom rail
	`, here: `
		panic: 1 2 3 4 5 rail error boom
	`, why: "the other rails are cancelled before they hear of the error", make: func(in *input) run {
		return of(in.rails().DoOnComplete(in.marking("rail")).Sequential())
	}},
	{name: "rails, doOnError", want: `
		plain: 1 2 3 4 5 done
		ones: 1 2 3 4 5 done
		error: 1 2 3 rail boom error boom rail boom
		cancel: 1 2 cancel
		empty: done
		panic: 1 2 cancel rail boom error boom
	`, here: `
		error: 1 2 3 rail boom error boom
		panic: 1 2 rail boom cancel error boom
	`, why: "the other rails are cancelled before they hear of the error", make: func(in *input) run {
		return of(in.rails().Map(in.fn).DoOnError(func(err error) { in.note("rail ", err) }).Sequential())
	}},
	{name: "rails, doOnTerminate", want: `
		plain: 1 2 3 4 5 rail rail done
		ones: 1 2 3 4 5 rail rail done
		error: 1 2 3 rail error boom rail
		cancel: 1 2 cancel
		empty: rail rail done
		panic: 1 2 3 4 5 rail rail error boom rail rail
	`, here: `
		error: 1 2 3 rail error boom
		panic: 1 2 3 4 5 rail rail error boom
	`, why: "the other rails are cancelled before they hear of the error", make: func(in *input) run {
		return of(in.rails().DoOnTerminate(in.marking("rail")).Sequential())
	}},
	{name: "rails, doAfterTerminate", want: `
		plain: 1 2 3 4 5 rail done rail
		ones: 1 2 3 4 5 rail done rail
		error: 1 2 3 error boom rail rail
		cancel: 1 2 cancel
		empty: rail done rail
		panic: 1 2 3 4 5 rail dropped boom done rail dropped boom
	`, here: `
		error: 1 2 3 error boom rail
	`, why: "the other rails are cancelled before they hear of the error", make: func(in *input) run {
		return of(in.rails().DoAfterTerminate(in.marking("rail")).Sequential())
	}},
}
