package flux_test

import (
	"context"
	"fmt"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
)

// lists makes windows printable.
func lists[T any](windows flux.Flux[flux.Flux[T]]) flux.Flux[[]T] {
	return windows.ConcatMap(func(w flux.Flux[T]) mono.Mono[[]T] { return w.CollectSlice() })
}

func ExampleFlux_Window() {
	fmt.Println(lists(flux.Range(1, 5).Window(2)).Collect(context.Background()))
	fmt.Println(lists(flux.Range(1, 5).Window(2, flux.Stride(1))).Collect(context.Background()))
	// Output:
	// [[1 2] [3 4] [5]] <nil>
	// [[1 2] [2 3] [3 4] [4 5] [5]] <nil>
}

func ExampleFlux_Discarded() {
	cancelled := func() { fmt.Println("source cancelled") }
	windows := flux.Never[int]().StartWithValues(1).DoOnCancel(cancelled).Window(2)
	// The filter discards the window, for which alone the source still runs.
	_ = windows.Take(1).Filter(func(flux.Flux[int]) bool { return false }).Run(context.Background())
	// Output: source cancelled
}

func ExampleFlux_Window_sums() {
	sums := flux.Range(1, 6).Window(3).ConcatMap(func(w flux.Flux[int]) mono.Mono[int] {
		return w.Reduce(func(a, b int) int { return a + b })
	})
	fmt.Println(sums.Collect(context.Background()))
	// Output: [6 15] <nil>
}

func ExampleFlux_WindowOther() {
	clock := reactortest.NewVirtualTime()
	lists(flux.Interval(time.Second, flux.On(clock)).Take(5).
		WindowOther(flux.Interval(2500*time.Millisecond, flux.On(clock)))).
		DoOnNext(func(v []int64) { fmt.Println(v) }).
		Subscribe(context.Background(), askForAll[[]int64]{})
	clock.AdvanceBy(time.Minute)
	// Output:
	// [0 1]
	// [2 3]
	// [4]
}

func ExampleFlux_WindowFor() {
	clock := reactortest.NewVirtualTime()
	flux.Interval(time.Second, flux.On(clock)).Take(5).
		WindowFor(2500*time.Millisecond, flux.On(clock)).
		ConcatMap(func(w flux.Flux[int64]) mono.Mono[int] { return w.Count() }).
		DoOnNext(func(n int) { fmt.Println(n) }).
		Subscribe(context.Background(), askForAll[int]{})
	clock.AdvanceBy(time.Minute)
	// Output:
	// 2
	// 2
	// 1
}

func ExampleFlux_WindowFor_openEvery() {
	clock := reactortest.NewVirtualTime()
	lists(flux.Interval(time.Second, flux.On(clock)).Take(6).
		WindowFor(1500*time.Millisecond, flux.OpenEvery(3*time.Second), flux.On(clock))).
		DoOnNext(func(v []int64) { fmt.Println(v) }).
		Subscribe(context.Background(), askForAll[[]int64]{})
	clock.AdvanceBy(time.Minute)
	// Output:
	// [0]
	// [2 3]
	// [5]
}

func ExampleFlux_WindowWhen() {
	clock := reactortest.NewVirtualTime()
	after := func(d time.Duration) mono.Mono[int64] { return mono.Delay(d, flux.On(clock)) }
	lists(flux.Interval(time.Second, flux.On(clock)).Take(6).
		WindowWhen(
			flux.Just(500*time.Millisecond, 3500*time.Millisecond).FlatMap(func(d time.Duration) mono.Mono[int64] { return after(d) }).ConcatWith(flux.Never[int64]()),
			func(int64) mono.Mono[int64] { return after(2 * time.Second) },
		)).
		DoOnNext(func(v []int64) { fmt.Println(v) }).
		Subscribe(context.Background(), askForAll[[]int64]{})
	clock.AdvanceBy(time.Minute)
	// Output:
	// [0 1]
	// [3 4]
}

func ExampleFlux_WindowUntil() {
	endsSentence := func(word string) bool { return word[len(word)-1] == '.' }
	words := flux.Just("I", "came.", "I", "saw.", "I")
	fmt.Println(lists(words.WindowUntil(endsSentence)).Collect(context.Background()))
	// Output: [[I came.] [I saw.] [I]] <nil>
}

func ExampleFlux_WindowUntil_cutBefore() {
	isHeading := func(line string) bool { return line[0] == '#' }
	lines := flux.Just("# one", "a", "b", "# two", "c")
	fmt.Println(lists(lines.WindowUntil(isHeading, flux.CutBefore())).Collect(context.Background()))
	// Output: [[] [# one a b] [# two c]] <nil>
}

func ExampleFlux_WindowWhile() {
	isDigit := func(c rune) bool { return c >= '0' && c <= '9' }
	number := func(digits flux.Flux[rune]) mono.Mono[int] {
		return digits.Fold(0, func(n int, c rune) int { return 10*n + int(c-'0') })
	}
	fmt.Println(flux.FromSlice([]rune("12,345")).WindowWhile(isDigit).ConcatMap(number).Collect(context.Background()))
	// Output: [12 345] <nil>
}

func ExampleFlux_WindowUntilChanged() {
	firstLetter := func(w string) byte { return w[0] }
	words := flux.Just("ant", "ape", "bee", "asp")
	fmt.Println(lists(words.WindowUntilChanged(firstLetter)).Collect(context.Background()))
	// Output: [[ant ape] [bee] [asp]] <nil>
}

func ExampleFlux_WindowUntilChangedFunc() {
	same := func(v int) int { return v }
	close := func(a, b int) bool { return b-a <= 2 }
	fmt.Println(lists(flux.Just(1, 2, 4, 9, 10).WindowUntilChangedFunc(same, close)).Collect(context.Background()))
	// Output: [[1 2 4] [9 10]] <nil>
}

func ExampleFlux_WindowTimeout() {
	clock := reactortest.NewVirtualTime()
	times := flux.Just(100, 200, 300, 400, 3000).FlatMap(func(ms int) mono.Mono[int] {
		return mono.Delay(time.Duration(ms)*time.Millisecond, flux.On(clock)).Map(func(int64) int { return ms })
	})
	lists(times.WindowTimeout(3, time.Second, flux.FairBackpressure(), flux.On(clock))).
		DoOnNext(func(v []int) { fmt.Println(v) }).
		Subscribe(context.Background(), askForAll[[]int]{})
	clock.AdvanceBy(time.Minute)
	// Output:
	// [100 200 300]
	// [400]
	// []
	// [3000]
}
