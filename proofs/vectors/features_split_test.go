package vectors_test

import (
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

type windows = flux.Flux[flux.Flux[int]]

// tagged is what is in which window, and where it ends.
func tagged(in *input, ws windows) run {
	return of(ws.Index().FlatMap(func(w reactor.Indexed[flux.Flux[int]]) flux.Flux[string] {
		return w.Value.Map(func(v int) string { return text(w.Index) + ":" + text(in.fn(v)) }).ConcatWithValues(text(w.Index) + "|")
	}))
}

func collected(f flux.Flux[int]) mono.Mono[[]int] { return f.CollectSlice() }

// uses are the ways to use windows; split makes them of the source.
func uses(name string, split func(in *input) windows, want map[string]feature) (all []feature) {
	for _, use := range []struct {
		name string
		make func(in *input, ws windows) run
	}{
		{"", tagged},
		{", late", func(in *input, ws windows) run {
			return of(ws.DelayElements(millis(5), in.on()).ConcatMap(func(w flux.Flux[int]) mono.Mono[[]int] {
				return w.Map(in.fn).CollectSlice()
			}, flux.Prefetch(32)))
		}},
		{", twice", func(in *input, ws windows) run {
			return of(ws.ConcatMap(func(w flux.Flux[int]) flux.Flux[int] {
				return w.Map(in.fn).ConcatWith(w.OnErrorReturn(-1))
			}, flux.Prefetch(32)))
		}},
		{", never", func(_ *input, ws windows) run {
			return of(ws.Map(func(flux.Flux[int]) string { return "w" }))
		}},
		{", cancelled at once", func(in *input, ws windows) run {
			return of(ws.FlatMap(func(w flux.Flux[int]) flux.Flux[int] { return w.Map(in.fn).Take(0) }))
		}},
		{", one of each", func(in *input, ws windows) run {
			return of(ws.FlatMap(func(w flux.Flux[int]) flux.Flux[int] { return w.Map(in.fn).Take(1) }))
		}},
	} {
		f := want[use.name]
		f.name, f.make = name+use.name, func(in *input) run { return use.make(in, split(in)) }
		all = append(all, f)
	}
	return all
}

func even(v int) bool    { return v%2 == 0 }
func noThird(v int) bool { return v%3 != 0 }
func half(v int) int     { return v / 2 }
func odd(v int) int      { return v % 2 }

type group = flux.GroupedFlux[int, int]

func keyedBy(f func(group, int) string) func(group) flux.Flux[string] {
	return func(g group) flux.Flux[string] { return g.Map(func(v int) string { return f(g, v) }) }
}

func named(g group, v int) string { return text(g.Key()) + ":" + text(v) }

// The vectors compare most of these with Verbatim; here is what they do without.
func split() []feature {
	return slices.Concat(
		uses("window", func(in *input) windows { return in.src().Window(2) }, map[string]feature{
			"": {want: `
				plain: 0:1 0:2 0| 1:3 1:4 1| 2:5 2| done
				ones: 0:1 0:2 0| 1:3 1:4 1| 2:5 2| done
				error: 0:1 0:2 0| 1:3 error boom dropped boom
				cancel: 0:1 0:2 cancel
				empty: done
				panic: 0:1 0:2 0| cancel error boom
			`},
			", late": {want: `
				plain: [1 2] [3 4] [5] done
				ones: [1 2] [3 4] [5] done
				error: [1 2] error boom
				cancel: [1 2] [3 4] cancel
				empty: done
				panic: [1 2] cancel error boom
			`},
			", twice": {want: `
				plain: 1 2 -1 3 4 -1 5 -1 done
				ones: 1 2 -1 3 4 -1 5 -1 done
				error: 1 2 -1 3 error boom dropped boom
				cancel: 1 2 cancel
				empty: done
				panic: 1 2 -1 cancel error boom
			`},
			", never": {want: `
				plain: w w w done
				ones: w w w done
				error: w w error boom
				cancel: w w cancel
				empty: done
			`},
			", cancelled at once": {want: `
				plain: done
				ones: done
				error: error boom
				cancel: done
				empty: done
			`},
			", one of each": {want: `
				plain: 1 3 5 done
				ones: 1 3 5 done
				error: 1 3 error boom
				cancel: 1 3 cancel
				empty: done
				panic: 1 cancel error boom
			`},
		}),
		uses("window with gaps", func(in *input) windows { return in.src().Window(1, flux.Stride(2)) }, map[string]feature{
			"": {want: `
				plain: 0:1 0| 1:3 1| 2:5 2| done
				ones: 0:1 0| 1:3 1| 2:5 2| done
				error: 0:1 0| 1:3 1| error boom
				cancel: 0:1 0| cancel
				empty: done
				panic: 0:1 0| cancel error boom
			`},
			", late": {want: `
				plain: [1] [3] [5] done
				ones: [1] [3] [5] done
				error: [1] error boom
				cancel: [1] [3] cancel
				empty: done
				panic: [1] cancel error boom
			`},
			", twice": {want: `
				plain: 1 -1 3 -1 5 -1 done
				ones: 1 -1 3 -1 5 -1 done
				error: 1 -1 3 -1 error boom
				cancel: 1 -1 cancel
				empty: done
				panic: 1 -1 cancel error boom
			`},
			", never": {want: `
				plain: w w w done
				ones: w w w done
				error: w w error boom
				cancel: w w cancel
				empty: done
			`},
			", cancelled at once": {want: `
				plain: done
				ones: done
				error: error boom
				cancel: done
				empty: done
			`},
			", one of each": {want: `
				plain: 1 3 5 done
				ones: 1 3 5 done
				error: 1 3 error boom
				cancel: 1 3 cancel
				empty: done
				panic: 1 cancel error boom
			`},
		}),
		uses("window that overlaps", func(in *input) windows { return in.src().Window(3, flux.Stride(2)) }, map[string]feature{
			"": {want: `
				plain: 0:1 0:2 0:3 1:3 0| 1:4 1:5 2:5 1| 2| done
				ones: 0:1 0:2 0:3 1:3 0| 1:4 1:5 2:5 1| 2| done
				error: 0:1 0:2 0:3 1:3 0| error boom
				cancel: 0:1 0:2 cancel
				empty: done
				panic: 0:1 0:2 cancel error boom
			`},
			", late": {want: `
				plain: [1 2 3] [3 4 5] [5] done
				ones: [1 2 3] [3 4 5] [5] done
				error: error boom
				cancel: [1 2 3] [3 4 5]
				empty: done
				panic: error boom
			`, here: `
				panic: cancel error boom
			`, why: "a cancelled stream of windows leaves the source running to its end"},
			", twice": {want: `
				plain: 1 2 3 -1 3 4 5 -1 5 -1 done
				ones: 1 2 3 -1 3 4 5 -1 5 -1 done
				error: 1 2 3 -1 3 error boom
				cancel: 1 2 cancel
				empty: done
				panic: 1 2 error boom cancel
			`},
			", never": {want: `
				plain: w w w done
				ones: w w w done
				error: w w error boom
				cancel: w w cancel
				empty: done
			`},
			", cancelled at once": {want: `
				plain: done
				ones: done
				error: error boom
				cancel: done
				empty: done
			`},
			", one of each": {want: `
				plain: 1 3 5 done
				ones: 1 3 5 done
				error: 1 3 error boom
				cancel: 1 3 cancel
				empty: done
				panic: 1 cancel error boom
			`},
		}),
		uses("windowUntil", func(in *input) windows { return in.src().WindowUntil(even) }, map[string]feature{
			"": {want: `
				plain: 0:1 0:2 0| 1:3 1:4 1| 2:5 2| done
				ones: 0:1 0:2 0| 1:3 1:4 1| 2:5 2| done
				error: 0:1 0:2 0| 1:3 error boom dropped boom
				cancel: 0:1 0:2 cancel
				empty: done
				panic: 0:1 0:2 0| cancel error boom
			`},
			", late": {want: `
				plain: [1 2] [3 4] [5] done
				ones: [1 2] [3 4] [5] done
				error: error boom
				cancel: [1 2] [3 4]
				empty: done
				panic: [1 2] error boom
			`},
			", twice": {want: `
				plain: 1 2 open
				ones: 1 2 open
				error: 1 2 error boom
				cancel: 1 2 cancel
				empty: done
				panic: 1 2 open
			`, here: `
				plain: 1 2 -1 3 4 -1 5 -1 done
				ones: 1 2 -1 3 4 -1 5 -1 done
				error: 1 2 -1 3 error boom dropped boom
				panic: 1 2 -1 cancel error boom
			`, why: "a second subscriber is refused with an error; the original sends it without a subscription, and what waits for that stands still"},
			", never": {want: `
				plain: w w w done
				ones: w w w done
				error: w w error boom
				cancel: w w cancel
				empty: done
			`},
			", cancelled at once": {want: `
				plain: done
				ones: done
				error: error boom
				cancel: done
				empty: done
			`},
			", one of each": {want: `
				plain: 1 3 5 done
				ones: 1 3 5 done
				error: 1 3 error boom
				cancel: 1 3 cancel
				empty: done
				panic: 1 cancel error boom
			`},
		}),
		uses("windowUntil, cut before", func(in *input) windows { return in.src().WindowUntil(even, flux.CutBefore()) }, map[string]feature{
			"": {want: `
				plain: 0:1 0| 1:2 1:3 1| 2:4 2:5 2| done
				ones: 0:1 0| 1:2 1:3 1| 2:4 2:5 2| done
				error: 0:1 0| 1:2 1:3 error boom dropped boom
				cancel: 0:1 0| cancel
				empty: done
				panic: 0:1 0| 1:2 cancel error boom
			`},
			", late": {want: `
				plain: [1] [2 3] [4 5] done
				ones: [1] [2 3] [4 5] done
				error: error boom
				cancel: [1] [2 3]
				empty: done
				panic: [1] error boom
			`},
			", twice": {want: `
				plain: 1 open
				ones: 1 open
				error: 1 error boom
				cancel: 1 open
				empty: done
				panic: 1 open
			`, here: `
				plain: 1 -1 2 3 -1 4 5 -1 done
				ones: 1 -1 2 3 -1 4 5 -1 done
				error: 1 -1 2 3 error boom dropped boom
				cancel: 1 -1 cancel
				panic: 1 -1 2 cancel error boom
			`, why: "a second subscriber is refused with an error; the original sends it without a subscription, and what waits for that stands still"},
			", never": {want: `
				plain: w w w done
				ones: w w w done
				error: w w error boom
				cancel: w w cancel
				empty: done
			`},
			", cancelled at once": {want: `
				plain: done
				ones: done
				error: error boom
				cancel: done
				empty: done
			`},
			", one of each": {want: `
				plain: 1 2 4 done
				ones: 1 2 4 done
				error: 1 2 error boom
				cancel: 1 2
				empty: done
				panic: 1 2 4 done
			`, here: `
				cancel: 1 2 cancel
			`, why: "a cancelled stream of windows leaves the source running to its end"},
		}),
		uses("windowWhile", func(in *input) windows { return in.src().WindowWhile(noThird) }, map[string]feature{
			"": {want: `
				plain: 0:1 0:2 0| 1:4 1:5 1| done
				ones: 0:1 0:2 0| 1:4 1:5 1| done
				error: 0:1 0:2 0| error boom
				cancel: 0:1 0:2 cancel
				empty: done
				panic: 0:1 0:2 0| 1:4 1:5 1| done
			`},
			", late": {want: `
				plain: [1 2] [4 5] done
				ones: [1 2] [4 5] done
				error: error boom
				cancel: [1 2] [4 5]
				empty: done
				panic: [1 2] [4 5] done
			`},
			", twice": {want: `
				plain: 1 2 open
				ones: 1 2 open
				error: 1 2 error boom
				cancel: 1 2 cancel
				empty: done
				panic: 1 2 open
			`, here: `
				plain: 1 2 -1 4 5 -1 done
				ones: 1 2 -1 4 5 -1 done
				error: 1 2 -1 error boom
				panic: 1 2 -1 4 5 -1 done
			`, why: "a second subscriber is refused with an error; the original sends it without a subscription, and what waits for that stands still"},
			", never": {want: `
				plain: w w done
				ones: w w done
				error: w error boom
				cancel: w w
				empty: done
			`},
			", cancelled at once": {want: `
				plain: done
				ones: done
				error: error boom
				cancel: done
				empty: done
			`},
			", one of each": {want: `
				plain: 1 4 done
				ones: 1 4 done
				error: 1 error boom
				cancel: 1 4 cancel
				empty: done
				panic: 1 4 done
			`},
		}),
		uses("windowUntilChanged", func(in *input) windows { return in.src().WindowUntilChanged(half) }, map[string]feature{
			"": {want: `
				plain: 0:1 0| 1:2 1:3 1| 2:4 2:5 2| done
				ones: 0:1 0| 1:2 1:3 1| 2:4 2:5 2| done
				error: 0:1 0| 1:2 1:3 error boom dropped boom
				cancel: 0:1 0| cancel
				empty: done
				panic: 0:1 0| 1:2 cancel error boom
			`},
			", late": {want: `
				plain: [1] [2 3] [4 5] done
				ones: [1] [2 3] [4 5] done
				error: error boom
				cancel: [1] [2 3]
				empty: done
				panic: [1] error boom
			`},
			", twice": {want: `
				plain: 1 open
				ones: 1 open
				error: 1 error boom
				cancel: 1 open
				empty: done
				panic: 1 open
			`, here: `
				plain: 1 -1 2 3 -1 4 5 -1 done
				ones: 1 -1 2 3 -1 4 5 -1 done
				error: 1 -1 2 3 error boom dropped boom
				cancel: 1 -1 cancel
				panic: 1 -1 2 cancel error boom
			`, why: "a second subscriber is refused with an error; the original sends it without a subscription, and what waits for that stands still"},
			", never": {want: `
				plain: w w w done
				ones: w w w done
				error: w w error boom
				cancel: w w cancel
				empty: done
			`},
			", cancelled at once": {want: `
				plain: done
				ones: done
				error: error boom
				cancel: done
				empty: done
			`},
			", one of each": {want: `
				plain: 1 2 4 done
				ones: 1 2 4 done
				error: 1 2 error boom
				cancel: 1 2
				empty: done
				panic: 1 2 4 done
			`, here: `
				cancel: 1 2 cancel
			`, why: "a cancelled stream of windows leaves the source running to its end"},
		}),
		uses("windowOther", func(in *input) windows { return in.timed().WindowOther(in.interval(5)) }, map[string]feature{
			"": {want: `
				plain: 0:1 0:2 0| 1:3 1:4 1| 2:5 2| done
				ones: 0:1 0:2 0| 1:3 1:4 1| 2:5 2| done
				error: 0:1 0:2 0| 1:3 error boom dropped boom
				cancel: 0:1 0:2 cancel
				empty: 0| done
				panic: 0:1 0:2 0| cancel error boom
			`},
			", late": {want: `
				plain: [1 2] [3 4] [5] done
				ones: [1 2] [3 4] [5] done
				error: [1 2] error boom
				cancel: [1 2] [3 4] cancel
				empty: [] done
				panic: [1 2] cancel error boom
			`},
			", twice": {want: `
				plain: 1 2 -1 3 4 -1 5 -1 done
				ones: 1 2 -1 3 4 -1 5 -1 done
				error: 1 2 -1 3 error boom dropped boom
				cancel: 1 2 cancel
				empty: -1 done
				panic: 1 2 -1 cancel error boom
			`},
			", never": {want: `
				plain: w w w done
				ones: w w w done
				error: w w error boom
				cancel: w w cancel
				empty: w done
			`},
			", cancelled at once": {want: `
				plain: done
				ones: done
				error: error boom
				cancel: done
				empty: done
			`},
			", one of each": {want: `
				plain: 1 3 5 done
				ones: 1 3 5 done
				error: 1 3 error boom
				cancel: 1 3 cancel
				empty: done
				panic: 1 cancel error boom
			`},
		}),
		uses("windowFor", func(in *input) windows { return in.timed().WindowFor(millis(5), in.on()) }, map[string]feature{
			"": {want: `
				plain: 0:1 0:2 0| 1:3 1:4 1| 2:5 2| done
				ones: 0:1 0:2 0| 1:3 1:4 1| 2:5 2| done
				error: 0:1 0:2 0| 1:3 error boom dropped boom
				cancel: 0:1 0:2 cancel
				empty: 0| done
				panic: 0:1 0:2 0| cancel error boom
			`},
			", late": {want: `
				plain: [1 2] [3 4] [5] done
				ones: [1 2] [3 4] [5] done
				error: [1 2] error boom
				cancel: [1 2] [3 4] cancel
				empty: [] done
				panic: [1 2] cancel error boom
			`},
			", twice": {want: `
				plain: 1 2 -1 3 4 -1 5 -1 done
				ones: 1 2 -1 3 4 -1 5 -1 done
				error: 1 2 -1 3 error boom dropped boom
				cancel: 1 2 cancel
				empty: -1 done
				panic: 1 2 -1 cancel error boom
			`},
			", never": {want: `
				plain: w w w done
				ones: w w w done
				error: w w error boom
				cancel: w w cancel
				empty: w done
			`},
			", cancelled at once": {want: `
				plain: done
				ones: done
				error: error boom
				cancel: done
				empty: done
			`},
			", one of each": {want: `
				plain: 1 3 5 done
				ones: 1 3 5 done
				error: 1 3 error boom
				cancel: 1 3 cancel
				empty: done
				panic: 1 cancel error boom
			`},
		}),
		uses("windowFor, open every", func(in *input) windows {
			return in.timed().WindowFor(millis(3), flux.OpenEvery(millis(5)), in.on())
		}, map[string]feature{
			"": {want: `
				plain: 0:1 0| 1:3 1| 2:5 2| done
				ones: 0:1 0| 1:3 1| 2:5 2| done
				error: 0:1 0| 1:3 1| error boom
				cancel: 0:1 0|
				empty: 0| done
				panic: 0:1 0| error boom
			`, here: `
				cancel: 0:1 0| cancel
				panic: 0:1 0| cancel error boom
			`, why: "a cancelled stream of windows leaves the source running to its end, and its end may come after the cancellation"},
			", late": {want: `
				plain: [1] [3] [5] done
				ones: [1] [3] [5] done
				error: [1] error boom
				cancel: [1] [3]
				empty: [] done
				panic: [1] error boom
			`, here: `
				cancel: [1] [3] cancel
				panic: [1] cancel error boom
			`, why: "a cancelled stream of windows leaves the source running to its end, and its end may come after the cancellation"},
			", twice": {want: `
				plain: 1 -1 3 -1 5 -1 done
				ones: 1 -1 3 -1 5 -1 done
				error: 1 -1 3 -1 error boom
				cancel: 1 -1
				empty: -1 done
				panic: 1 -1 error boom
			`, here: `
				cancel: 1 -1 cancel
				panic: 1 -1 cancel error boom
			`, why: "a cancelled stream of windows leaves the source running to its end, and its end may come after the cancellation"},
			", never": {want: `
				plain: w w w done
				ones: w w w done
				error: w w error boom
				cancel: w w done
				empty: w done
			`, here: `
				cancel: w w cancel
			`, why: "a cancelled stream of windows leaves the source running to its end, and its end may come after the cancellation"},
			", cancelled at once": {want: `
				plain: done
				ones: done
				error: error boom
				cancel: done
				empty: done
			`},
			", one of each": {want: `
				plain: 1 3 5 done
				ones: 1 3 5 done
				error: 1 3 error boom
				cancel: 1 3
				empty: done
				panic: 1 error boom
			`, here: `
				cancel: 1 3 cancel
				panic: 1 cancel error boom
			`, why: "a cancelled stream of windows leaves the source running to its end, and its end may come after the cancellation"},
		}),
		uses("windowWhen", func(in *input) windows {
			return in.timed().WindowWhen(in.interval(5).Take(2), func(int64) mono.Mono[int64] { return in.delay(4) })
		}, map[string]feature{
			"": {want: `
				plain: 0:3 0:4 0| 1| done late 5
				ones: 0:3 0:4 0| 1| done late 5
				error: 0:3 error boom dropped boom
				cancel: 0:3 0:4 late 5
				empty: done
				panic: error boom late 5
			`, here: `
				plain: 0:3 0:4 0| cancel 1| done
				ones: 0:3 0:4 0| cancel 1| done
				cancel: 0:3 0:4 cancel
				panic: cancel error boom
			`, why: "a cancelled stream of windows leaves the source running to its end, and so does the end of what opens windows"},
			", late": {want: `
				plain: [3 4] late 5 [] done
				ones: [3 4] late 5 [] done
				error: error boom
				cancel: [3 4] late 5 []
				empty: done
				panic: error boom late 5
			`, here: `
				plain: [3 4] cancel [] done
				ones: [3 4] cancel [] done
				cancel: [3 4] cancel []
				panic: cancel error boom
			`, why: "a cancelled stream of windows leaves the source running to its end, and so does the end of what opens windows"},
			", twice": {want: `
				plain: 3 4 -1 -1 done late 5
				ones: 3 4 -1 -1 done late 5
				error: 3 error boom dropped boom
				cancel: 3 4 late 5
				empty: done
				panic: error boom late 5
			`, here: `
				plain: 3 4 -1 cancel -1 done
				ones: 3 4 -1 cancel -1 done
				cancel: 3 4 cancel
				panic: cancel error boom
			`, why: "a cancelled stream of windows leaves the source running to its end, and so does the end of what opens windows"},
			", never": {want: `
				plain: w w done late 5
				ones: w w done late 5
				error: w error boom
				cancel: w w done late 5
				empty: done
			`, here: `
				plain: w w cancel done
				ones: w w cancel done
				cancel: w w cancel
			`, why: "a cancelled stream of windows leaves the source running to its end, and so does the end of what opens windows"},
			", cancelled at once": {want: `
				plain: done late 5
				ones: done late 5
				error: error boom
				cancel: done late 5
				empty: done
			`, here: `
				plain: cancel done
				ones: cancel done
				cancel: cancel done
			`, why: "a cancelled stream of windows leaves the source running to its end, and so does the end of what opens windows"},
			", one of each": {want: `
				plain: 3 done late 5
				ones: 3 done late 5
				error: 3 error boom
				cancel: 3 done late 5
				empty: done
				panic: error boom late 5
			`, here: `
				plain: 3 cancel done
				ones: 3 cancel done
				cancel: 3 cancel done
				panic: cancel error boom
			`, why: "a cancelled stream of windows leaves the source running to its end, and so does the end of what opens windows"},
		}),
		uses("windowTimeout", func(in *input) windows { return in.timed().WindowTimeout(3, millis(5), in.on()) }, map[string]feature{
			"": {want: `
				plain: 0:1 0:2 0| 1:3 1:4 1| 2:5 2| done
				ones: 0:1 0:2 0| 1:3 1:4 1| 2:5 2| done
				error: 0:1 0:2 0| 1:3 error boom dropped boom
				cancel: 0:1 0:2 cancel
				empty: 0| done
				panic: 0:1 0:2 0| error boom cancel
			`, here: `
				panic: 0:1 0:2 0| cancel error boom
			`, why: "a cancellation takes effect at once, not at the next timeout"},
			", late": {want: `
				plain: [1 2] [3 4] [5] done
				ones: [1 2] [3 4] [5] done
				error: [1 2] error boom
				cancel: [1 2] [3 4]
				empty: [] done
				panic: [1 2] error boom cancel
			`, here: `
				cancel: [1 2] [3 4] cancel
				panic: [1 2] cancel error boom
			`, why: "a cancellation takes effect at once, not at the next timeout"},
			", twice": {want: `
				plain: 1 2 -1 3 4 -1 5 -1 done
				ones: 1 2 -1 3 4 -1 5 -1 done
				error: 1 2 -1 3 error boom dropped boom
				cancel: 1 2 cancel
				empty: -1 done
				panic: 1 2 -1 error boom cancel
			`, here: `
				panic: 1 2 -1 cancel error boom
			`, why: "a cancellation takes effect at once, not at the next timeout"},
			", never": {want: `
				plain: w w w done
				ones: w w w done
				error: w w error boom
				cancel: w w cancel
				empty: w done
			`},
			", cancelled at once": {want: `
				plain: done
				ones: done
				error: error boom
				cancel: done
				empty: done
			`},
			", one of each": {want: `
				plain: 1 3 5 done
				ones: 1 3 5 done
				error: 1 3 error boom
				cancel: 1 3 cancel
				empty: done
				panic: 1 error boom cancel
			`, here: `
				panic: 1 cancel error boom
			`, why: "a cancellation takes effect at once, not at the next timeout"},
		}),
		uses("windowTimeout, fair", func(in *input) windows {
			return in.timed().WindowTimeout(3, millis(5), flux.FairBackpressure(), in.on())
		}, map[string]feature{
			"": {want: `
				plain: 0:1 0:2 0| 1:3 1:4 1| 2:5 2| done
				ones: 0:1 0:2 0| 1:3 1:4 1| 2:5 2| done
				error: 0:1 0:2 0| 1:3 error boom dropped boom
				cancel: 0:1 0:2 cancel
				empty: 0| done
				panic: 0:1 0:2 0| cancel error boom
			`},
			", late": {want: `
				plain: [1 2] [3 4] [5] done
				ones: [1 2] [3 4] [5] done
				error: [1 2] error boom
				cancel: [1 2] [3 4] cancel
				empty: [] done
				panic: [1 2] cancel error boom
			`},
			", twice": {want: `
				plain: 1 2 -1 3 4 -1 5 -1 done
				ones: 1 2 -1 3 4 -1 5 -1 done
				error: 1 2 -1 3 error boom dropped boom
				cancel: 1 2 cancel
				empty: -1 done
				panic: 1 2 -1 cancel error boom
			`},
			", never": {want: `
				plain: w w w done
				ones: w w w done
				error: w w error boom
				cancel: w w cancel
				empty: w done
			`},
			", cancelled at once": {want: `
				plain: done
				ones: done
				error: error boom
				cancel: done
				empty: done
			`},
			", one of each": {want: `
				plain: 1 3 5 done
				ones: 1 3 5 done
				error: 1 3 error boom
				cancel: 1 3 cancel
				empty: done
				panic: 1 cancel error boom
			`},
		}),
		uses("groupBy", func(in *input) windows {
			return in.src().GroupBy(odd).Map(func(g group) flux.Flux[int] { return g.Flux })
		}, map[string]feature{
			"": {want: `
				plain: 0:1 1:2 0:3 1:4 0:5 1| 0| done
				ones: 0:1 1:2 0:3 1:4 0:5 1| 0| done
				error: 0:1 1:2 0:3 error boom dropped boom
				cancel: 0:1 1:2 cancel
				empty: done
				panic: 0:1 1:2 cancel error boom
			`},
			", late": {want: `
				plain: [1 3 5] [2 4] done
				ones: [1 3 5] [2 4] done
				error: error boom
				cancel: [1 3 5] [2 4]
				empty: done
				panic: error boom
			`},
			", twice": {want: `
				plain: 1 3 5 -1 2 4 -1 done
				ones: 1 3 5 -1 2 4 -1 done
				error: 1 3 error boom dropped boom
				cancel: 1 3
				empty: done
				panic: 1 error boom
			`, here: `
				cancel: 1 3 cancel
				panic: 1 error boom cancel
			`, why: "a cancelled stream of windows leaves the source running to its end"},
			", never": {want: `
				plain: w w done
				ones: w w done
				error: w w error boom
				cancel: w w done
				empty: done
			`, here: `
				cancel: w w
			`, why: "the end comes after the cancellation"},
			", cancelled at once": {want: `
				plain: done
				ones: done
				error: error boom
				cancel: done
				empty: done
			`},
			", one of each": {want: `
				plain: 1 2 3 4 5 done
				ones: 1 2 3 4 5 done
				error: 1 2 3 error boom
				cancel: 1 2 cancel
				empty: done
				panic: 1 2 cancel error boom
			`},
		}),
		splitFunctions,
		groups,
		buffers,
	)
}

var splitFunctions = []feature{
	{name: "windowUntil, its function", want: `
		plain: [1 2] [3 4] [5] done
		ones: [1 2] [3 4] [5] done
		error: [1 2] error boom dropped boom
		cancel: [1 2] [3 4] cancel
		empty: done
		panic: [1 2] cancel error boom
	`, make: func(in *input) run {
		return of(in.src().WindowUntil(func(v int) bool { return in.fn(v)%2 == 0 }).FlatMap(collected))
	}},
	{name: "windowWhile, its function", want: `
		plain: [1 2] [4 5] done
		ones: [1 2] [4 5] done
		error: [1 2] error boom
		cancel: [1 2] [4 5]
		empty: done
		panic: cancel error boom dropped boom
	`, make: func(in *input) run {
		return of(in.src().WindowWhile(func(v int) bool { return in.fn(v)%3 != 0 }).FlatMap(collected))
	}},
	{name: "windowUntilChanged, its function", want: `
		plain: [1] [2 3] [4 5] done
		ones: [1] [2 3] [4 5] done
		error: [1] error boom dropped boom
		cancel: [1] [2 3] cancel
		empty: done
		panic: [1] cancel error boom dropped boom
	`, make: func(in *input) run {
		return of(in.src().WindowUntilChanged(func(v int) int { return in.fn(v) / 2 }).FlatMap(collected))
	}},
	{name: "windowWhen, its function", want: `
		plain: [1] [2] [3] [4] [] done late 5
		ones: [1] [2] [3] [4] [] done late 5
		error: [1] [2] [3] error boom dropped boom
		cancel: [1] [2] late 5
		empty: [] done
		panic: [1] [2] [3] error boom late 5
	`, here: `
		plain: [1] [2] [3] cancel [4] [] done
		ones: [1] [2] [3] cancel [4] [] done
		cancel: [1] [2] cancel
		panic: [1] [2] [3] cancel error boom
	`, why: "a cancelled stream of windows leaves the source running to its end, and so does the end of what opens windows", make: func(in *input) run {
		return of(in.timed().WindowWhen(in.interval(2).Take(5), func(t int64) mono.Mono[int64] { return in.delay(in.fn(int(t))) }).FlatMap(collected))
	}},
	{name: "windowWhen, what opens fails", want: `
		plain: [2 3 4 5] [3 4 5] [5] done
		ones: [2 3 4 5] [3 4 5] [5] done
		error: error boom dropped boom
		cancel: [2 3 4 5] [3 4 5]
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run {
		open := in.interval(3).Map(func(t int64) int { return in.fn(int(t) + 2) })
		return of(in.timed().WindowWhen(open, func(int) mono.Mono[int] { return mono.Never[int]() }).FlatMap(collected))
	}},
	{name: "windowWhen, what closes fails", want: `
		plain: [2] [3 4] [5] done
		ones: [2] [3 4] [5] done
		error: [2] error boom dropped boom
		cancel: [2] [3 4]
		empty: done
		panic: cancel error boom
	`, here: `
		cancel: [2] [3 4] cancel
	`, why: "a cancelled stream of windows leaves the source running to its end, and so does the end of what opens windows", make: func(in *input) run {
		return of(in.timed().WindowWhen(in.interval(3), func(int64) mono.Mono[int] {
			return in.delay(3).Map(func(int64) int { return in.fn(3) })
		}).FlatMap(collected))
	}},
	{name: "windowOther, the other ends", want: `
		plain: [1] [2] cancel [] done
		ones: [1] [2] cancel [] done
		error: [1] [2] cancel [] done
		cancel: [1] [2] cancel
		empty: [] done
	`, make: func(in *input) run {
		return of(in.timed().WindowOther(in.interval(3).Take(2)).FlatMap(collected))
	}},
	{name: "windowOther, the other fails", want: `
		plain: [1] [2] [3 4] [5] done
		ones: [1] [2] [3 4] [5] done
		error: [1] [2] error boom dropped boom
		cancel: [1] [2] cancel
		empty: [] done
		panic: [1] cancel error boom dropped boom
	`, make: func(in *input) run {
		return of(in.timed().WindowOther(in.interval(3).Map(func(t int64) int { return in.fn(int(t) + 2) })).FlatMap(collected))
	}},
}

var groups = []feature{
	{name: "groupBy, its function", want: `
		plain: 1:1 0:2 1:3 0:4 1:5 done
		ones: 1:1 0:2 1:3 0:4 1:5 done
		error: 1:1 0:2 1:3 error boom dropped boom
		cancel: 1:1 0:2 cancel
		empty: done
		panic: 1:1 0:2 cancel error boom dropped boom
	`, make: func(in *input) run {
		return of(in.src().GroupBy(func(v int) int { return in.fn(v) % 2 }).FlatMap(keyedBy(named)))
	}},
	{name: "groupBy, prefetch 1", want: `
		plain: 1:1 0:2 1:3 0:4 1:5 done
		ones: 1:1 0:2 1:3 0:4 1:5 done
		error: 1:1 0:2 1:3 error boom dropped boom
		cancel: 1:1 0:2 cancel
		empty: done
		panic: 1:1 0:2 cancel error boom
	`, make: func(in *input) run {
		return of(in.src().GroupBy(odd, flux.Prefetch(1)).FlatMap(keyedBy(func(g group, v int) string { return named(g, in.fn(v)) })))
	}},
	{name: "groupBy, lists", want: `
		plain: [2 4] [1 3 5] done
		ones: [2 4] [1 3 5] done
		error: error boom dropped boom
		cancel: [2 4] [1 3 5]
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run {
		return of(in.src().GroupBy(odd).FlatMap(func(g group) mono.Mono[[]int] { return g.Map(in.fn).CollectSlice() }))
	}},
	{name: "groupBy, a group cancelled comes again", want: `
		plain: 1:1 0:2 1:3 0:4 1:5 done
		ones: 1:1 0:2 1:3 0:4 1:5 done
		error: 1:1 0:2 1:3 error boom
		cancel: 1:1 0:2 cancel
		empty: done
		panic: 1:1 0:2 cancel error boom
	`, make: func(in *input) run {
		return of(in.src().GroupBy(odd, flux.Prefetch(2)).FlatMap(func(g group) flux.Flux[string] {
			return g.Map(in.fn).Take(1).Map(func(v int) string { return named(g, v) })
		}))
	}},
	{name: "groupBy, one group read", want: `
		plain: 1 3 5 done
		ones: 1 3 5 done
		error: 1 3 error boom dropped boom
		cancel: 1 3
		empty: done
		panic: 1 error boom
	`, make: func(in *input) run {
		return of(in.src().GroupBy(odd).FlatMap(func(g group) flux.Flux[int] {
			if g.Key() == 1 {
				return g.Map(in.fn)
			}
			return flux.Empty[int]()
		}))
	}},
	{name: "groupBy, one at a time", want: `
		plain: 1:1 1:3 1:5 0:2 0:4 done
		ones: 1:1 1:3 1:5 0:2 0:4 done
		error: 1:1 1:3 error boom dropped boom
		cancel: 1:1 1:3
		empty: done
		panic: 1:1 error boom
	`, here: `
		cancel: 1:1 1:3 cancel
		panic: 1:1 error boom cancel
	`, why: "a cancelled stream of windows leaves the source running to its end", make: func(in *input) run {
		return of(in.src().GroupBy(odd).ConcatMap(keyedBy(func(g group, v int) string { return named(g, in.fn(v)) }), flux.Prefetch(32)))
	}},
	{name: "groupByMap", want: `
		plain: 1:10 0:20 1:30 0:40 1:50 done
		ones: 1:10 0:20 1:30 0:40 1:50 done
		error: 1:10 0:20 1:30 error boom dropped boom
		cancel: 1:10 0:20 cancel
		empty: done
		panic: 1:10 0:20 cancel error boom dropped boom
	`, make: func(in *input) run {
		return of(in.src().GroupByMap(odd, func(v int) int { return 10 * in.fn(v) }).FlatMap(keyedBy(named)))
	}},
}

// adding makes lists for BufferInto.
func adding(l *[]int, v int) bool {
	*l = append(*l, v)
	return true
}

// set adds what is not there yet.
func set(l *[]int, v int) bool {
	if slices.Contains(*l, v) {
		return false
	}
	*l = append(*l, v)
	slices.Sort(*l)
	return true
}

func (in *input) container() *[]int {
	in.fn(3)
	return newList()
}

var buffers = []feature{
	{name: "bufferTimeout", want: `
		plain: [1 2 3] [4 5] done
		ones: [1 2 3] [4 5] done
		error: [1 2 3] error boom
		cancel: [1 2 3] [4 5]
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run { return of(in.timed().Map(in.fn).BufferTimeout(3, millis(5), in.on())) }},
	{name: "bufferTimeout, one", want: `
		plain: [1] [2] [3] [4] [5] done
		ones: [1] [2] [3] [4] [5] done
		error: [1] [2] [3] error boom
		cancel: [1] [2] cancel
		empty: done
		panic: [1] [2] cancel error boom
	`, make: func(in *input) run { return of(in.timed().Map(in.fn).BufferTimeout(1, millis(5), in.on())) }},
	{name: "bufferTimeout, short", want: `
		plain: [1 2] [3 4] [5] done
		ones: [1 2] [3 4] [5] done
		error: [1 2] error boom
		cancel: [1 2] [3 4] cancel
		empty: done
		panic: [1 2] cancel error boom
	`, make: func(in *input) run { return of(in.timed().Map(in.fn).BufferTimeout(3, millis(3), in.on())) }},
	{name: "bufferTimeout, at once", want: `
		plain: [1 2] [3 4] [5] done
		ones: [1 2] [3 4] [5] done
		error: [1 2] error boom
		cancel: [1 2] [3 4] cancel
		empty: done
		panic: [1 2] cancel error boom
	`, make: func(in *input) run { return of(in.src().Map(in.fn).BufferTimeout(2, millis(5), in.on())) }},
	{name: "bufferTimeout, fair", want: `
		plain: [1 2 3] [4 5] done
		ones: [1 2 3] [4 5] done
		error: [1 2 3] error boom
		cancel: [1 2 3] [4 5] done
		empty: done
		panic: cancel [1 2] error boom
	`, here: `
		cancel: [1 2 3] [4 5]
	`, why: "what comes after the cancellation is not delivered", make: func(in *input) run {
		return of(in.timed().Map(in.fn).BufferTimeout(3, millis(5), flux.FairBackpressure(), in.on()))
	}},
	{name: "bufferTimeout, fair, short", want: `
		plain: [1 2] [3 4] [5] done
		ones: [1 2] [3 4] [5] done
		error: [1 2] [3] error boom
		cancel: [1 2] [3 4] cancel
		empty: done
		panic: [1 2] cancel error boom
	`, make: func(in *input) run {
		return of(in.timed().Map(in.fn).BufferTimeout(3, millis(3), flux.FairBackpressure(), in.on()))
	}},
	{name: "bufferTimeout, fair, at once", want: `
		plain: [1 2] [3 4] [5] done
		ones: [1 2] [3 4] [5] done
		error: [1 2] [3] error boom
		cancel: [1 2] [3 4] [5] done
		empty: done
		panic: cancel [1 2] error boom
	`, here: `
		cancel: [1 2] [3 4] cancel
		panic: [1 2] cancel error boom
	`, why: "a full buffer does not wait until the source has done all that it was asked for", make: func(in *input) run {
		return of(in.src().Map(in.fn).BufferTimeout(2, millis(5), flux.FairBackpressure(), in.on()))
	}},
	{name: "bufferTimeout, fair, slow reader", want: `
		plain: [1 2] [3 4 5] done
		ones: [1 2] [3 4 5] done
		error: [1 2] error boom
		cancel: [1 2] [3 4 5]
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run {
		return of(in.timed().Map(in.fn).BufferTimeout(3, millis(3), flux.FairBackpressure(), in.on()).ConcatMap(func(b []int) mono.Mono[[]int] {
			return mono.Just(b).DelayElement(millis(7), in.on())
		}, flux.Prefetch(0)))
	}},
	{name: "bufferInto", want: `
		plain: [1 2] [3 4] [5] done
		ones: [1 2] [3 4] [5] done
		error: [1 2] error boom
		cancel: [1 2] [3 4] cancel
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run { return of(in.src().BufferInto(2, in.container, adding)) }},
	{name: "bufferInto a set", want: `
		plain: [1 2] [0 1] [2] done
		ones: [1 2] [0 1] [2] done
		error: [1 2] error boom
		cancel: [1 2] [0 1] cancel
		empty: done
		panic: [1 2] cancel error boom
	`, make: func(in *input) run {
		return of(in.src().Map(func(v int) int { return in.fn(v) % 3 }).BufferInto(2, newList, set))
	}},
	{name: "bufferInto with gaps", want: `
		plain: [1 2] [4 5] done
		ones: [1 2] [4 5] done
		error: [1 2] error boom
		cancel: [1 2] [4 5] cancel
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run {
		return of(in.src().BufferInto(2, in.container, adding, flux.Stride(3)))
	}},
	{name: "bufferInto that overlaps", want: `
		plain: [1 2 3] [3 4 5] [5] done
		ones: [1 2 3] [3 4 5] [5] done
		error: [1 2 3] error boom
		cancel: [1 2 3] [3 4 5] cancel
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run {
		return of(in.src().BufferInto(3, in.container, adding, flux.Stride(2)))
	}},
	{name: "bufferUntil", want: `
		plain: [1 2] [3 4] [5] done
		ones: [1 2] [3 4] [5] done
		error: [1 2] error boom
		cancel: [1 2] [3 4] cancel
		empty: done
		panic: [1 2] cancel error boom
	`, make: func(in *input) run {
		return of(in.src().BufferUntil(func(v int) bool { return even(in.fn(v)) }))
	}},
	{name: "bufferUntil, cut before", want: `
		plain: [1] [2 3] [4 5] done
		ones: [1] [2 3] [4 5] done
		error: [1] error boom
		cancel: [1] [2 3] cancel
		empty: done
		panic: [1] cancel error boom
	`, make: func(in *input) run {
		return of(in.src().BufferUntil(func(v int) bool { return even(in.fn(v)) }, flux.CutBefore()))
	}},
	{name: "bufferWhile", want: `
		plain: [1 2] [4 5] done
		ones: [1 2] [4 5] done
		error: [1 2] error boom
		cancel: [1 2] [4 5]
		empty: done
		panic: cancel error boom
	`, make: func(in *input) run {
		return of(in.src().BufferWhile(func(v int) bool { return noThird(in.fn(v)) }))
	}},
	{name: "bufferUntilChanged", want: `
		plain: [1] [2 3] [4 5] done
		ones: [1] [2 3] [4 5] done
		error: [1] error boom
		cancel: [1] [2 3] cancel
		empty: done
		panic: [1] cancel error boom
	`, make: func(in *input) run {
		return of(in.src().BufferUntilChanged(func(v int) int { return half(in.fn(v)) }))
	}},
	{name: "bufferWhen", want: `
		plain: [1] [2] [3 4] [4 5] [5] done
		ones: [1] [2] [3 4] [4 5] [5] done
		error: [1] [2] error boom
		cancel: [1] [2] cancel
		empty: [] done
		panic: [1] [2] cancel error boom
	`, make: func(in *input) run {
		return of(in.timed().BufferWhen(in.interval(2).Take(5), func(t int64) mono.Mono[int64] { return in.delay(1 + in.fn(int(t))) }))
	}},
	{name: "bufferOther", want: `
		plain: [1] [2] [3 4] [5] done
		ones: [1] [2] [3 4] [5] done
		error: [1] [2] error boom
		cancel: [1] [2] cancel
		empty: done
		panic: [1] cancel error boom
	`, make: func(in *input) run {
		return of(in.timed().BufferOther(in.interval(3).Map(func(t int64) int { return in.fn(int(t) + 2) })))
	}},
	{name: "bufferFor", want: `
		plain: [1 2] [3 4] [5] done
		ones: [1 2] [3 4] [5] done
		error: [1 2] error boom
		cancel: [1 2] [3 4] cancel
		empty: done
		panic: [1 2] cancel error boom
	`, make: func(in *input) run { return of(in.timed().Map(in.fn).BufferFor(millis(5), in.on())) }},
	{name: "bufferFor, open every", want: `
		plain: [1] [3] [5] done
		ones: [1] [3] [5] done
		error: [1] [3] error boom
		cancel: [1] [3] cancel
		empty: [] done
		panic: [1] cancel error boom
	`, make: func(in *input) run {
		return of(in.timed().Map(in.fn).BufferFor(millis(3), flux.OpenEvery(millis(5)), in.on()))
	}},
}
