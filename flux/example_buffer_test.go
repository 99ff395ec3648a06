package flux_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
)

func ExampleFlux_Buffer() {
	fmt.Println(flux.Range(1, 5).Buffer(2).Collect(context.Background()))
	// Output: [[1 2] [3 4] [5]] <nil>
}

func ExampleFlux_Buffer_stride() {
	fmt.Println(flux.Range(1, 5).Buffer(2, flux.Stride(3)).Collect(context.Background()))
	fmt.Println(flux.Range(1, 4).Buffer(2, flux.Stride(1)).Collect(context.Background()))
	// Output:
	// [[1 2] [4 5]] <nil>
	// [[1 2] [2 3] [3 4] [4]] <nil>
}

func ExampleStride() {
	moving := flux.Just(1.0, 2.0, 6.0).
		Buffer(2, flux.Stride(1)).
		Filter(func(pair []float64) bool { return len(pair) == 2 }).
		Map(func(pair []float64) float64 { return (pair[0] + pair[1]) / 2 })
	fmt.Println(moving.Collect(context.Background()))
	// Output: [1.5 4] <nil>
}

func ExampleFlux_BufferAll() {
	fmt.Println(flux.Range(1, 3).BufferAll().Collect(context.Background()))
	fmt.Println(flux.Empty[int]().BufferAll().Collect(context.Background()))
	// Output:
	// [[1 2 3]] <nil>
	// [] <nil>
}

func ExampleFlux_BufferInto() {
	newSet := func() map[int]bool { return map[int]bool{} }
	add := func(set map[int]bool, v int) bool {
		known := set[v]
		set[v] = true
		return !known
	}
	fmt.Println(flux.Just(1, 2, 2, 2, 5).BufferInto(2, newSet, add).Collect(context.Background()))
	// Output: [map[1:true 2:true] map[2:true 5:true]] <nil>
}

func ExampleFlux_BufferOther() {
	clock := reactortest.NewVirtualTime()
	flux.Interval(time.Second, flux.On(clock)).
		BufferOther(flux.Interval(2500*time.Millisecond, flux.On(clock))).
		DoOnNext(func(vs []int64) { fmt.Println(vs) }).
		Subscribe(context.Background(), askForAll[[]int64]{})
	clock.AdvanceBy(6 * time.Second)
	// Output:
	// [0 1]
	// [2 3]
}

func ExampleFlux_BufferFor() {
	clock := reactortest.NewVirtualTime()
	flux.Interval(time.Second, flux.On(clock)).
		BufferFor(2500*time.Millisecond, flux.On(clock)).
		DoOnNext(func(vs []int64) { fmt.Println(vs) }).
		Subscribe(context.Background(), askForAll[[]int64]{})
	clock.AdvanceBy(6 * time.Second)
	// Output:
	// [0 1]
	// [2 3]
}

func ExampleOpenEvery() {
	clock := reactortest.NewVirtualTime()
	flux.Interval(time.Second, flux.On(clock)).
		BufferFor(2500*time.Millisecond, flux.OpenEvery(4*time.Second), flux.On(clock)).
		DoOnNext(func(vs []int64) { fmt.Println(vs) }).
		Subscribe(context.Background(), askForAll[[]int64]{})
	clock.AdvanceBy(8 * time.Second)
	// Output:
	// [0 1]
	// [3 4 5]
}

func ExampleFlux_BufferTimeout() {
	clock := reactortest.NewVirtualTime()
	flux.Interval(time.Second, flux.On(clock)).
		BufferTimeout(10, 2500*time.Millisecond, flux.On(clock)).
		DoOnNext(func(vs []int64) { fmt.Println(vs) }).
		Subscribe(context.Background(), askForAll[[]int64]{})
	clock.AdvanceBy(8 * time.Second)
	// Output:
	// [0 1 2]
	// [3 4 5]
}

func ExampleFairBackpressure() {
	rows, err := flux.Range(1, 5).
		BufferTimeout(2, time.Second, flux.FairBackpressure()).
		Collect(context.Background())
	fmt.Println(rows, err)
	// Output: [[1 2] [3 4] [5]] <nil>
}

func ExampleFlux_BufferUntil() {
	endsSentence := func(word string) bool { return strings.HasSuffix(word, ".") }
	fmt.Println(flux.Just("I", "came.", "I", "saw.", "I").BufferUntil(endsSentence).Collect(context.Background()))
	// Output: [[I came.] [I saw.] [I]] <nil>
}

func ExampleCutBefore() {
	isHeading := func(line string) bool { return strings.HasPrefix(line, "# ") }
	lines := flux.Just("# one", "a", "b", "# two", "c")
	fmt.Println(lines.BufferUntil(isHeading, flux.CutBefore()).Count().Block(context.Background()))
	// Output: 2 <nil>
}

func ExampleFlux_BufferUntilChanged() {
	initial := func(word string) byte { return word[0] }
	fmt.Println(flux.Just("ant", "ape", "bee", "auk").BufferUntilChanged(initial).Collect(context.Background()))
	// Output: [[ant ape] [bee] [auk]] <nil>
}

func ExampleFlux_BufferUntilChangedFunc() {
	word := func(w string) string { return w }
	fmt.Println(flux.Just("a", "A", "b").BufferUntilChangedFunc(word, strings.EqualFold).Collect(context.Background()))
	// Output: [[a A] [b]] <nil>
}

func ExampleFlux_BufferWhile() {
	odd := func(v int) bool { return v%2 == 1 }
	fmt.Println(flux.Just(1, 3, 4, 6, 5).BufferWhile(odd).Collect(context.Background()))
	// Output: [[1 3] [5]] <nil>
}

func ExampleFlux_BufferWhen() {
	clock := reactortest.NewVirtualTime()
	doors := flux.Interval(3*time.Second, flux.On(clock))
	flux.Interval(time.Second, flux.On(clock)).
		BufferWhen(doors, func(int64) mono.Mono[int64] { return mono.Delay(1500*time.Millisecond, flux.On(clock)) }).
		DoOnNext(func(vs []int64) { fmt.Println(vs) }).
		Subscribe(context.Background(), askForAll[[]int64]{})
	clock.AdvanceBy(8 * time.Second)
	// Output:
	// [2 3]
	// [5 6]
}
