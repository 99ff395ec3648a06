package flux_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

func ExampleFlux_WithLatestFrom() {
	rates := flux.Just(1.5, 2)
	price := func(amount int, rate float64) float64 { return float64(amount) * rate }
	fmt.Println(flux.Just(10, 20).WithLatestFrom(rates, price).Collect(context.Background()))
	// Output: [20 40] <nil>
}

func ExampleCombineLatest() {
	size := flux.Just("small")
	label := func(size, colour string) string { return size + " " + colour }
	fmt.Println(flux.CombineLatest(size, flux.Just("red", "blue"), label).Collect(context.Background()))
	// Output: [small red small blue] <nil>
}

func ExampleCombineLatest3() {
	sum := func(a, b, c int) int { return a + b + c }
	fmt.Println(flux.CombineLatest3(flux.Just(1), flux.Just(10), flux.Just(100, 200), sum).Collect(context.Background()))
	// Output: [111 211] <nil>
}

func ExampleCombineLatest4() {
	sum := func(a, b, c, d int) int { return a + b + c + d }
	j := flux.Just[int]
	fmt.Println(flux.CombineLatest4(j(1), j(2), j(3), j(4, 5), sum).Collect(context.Background()))
	// Output: [10 11] <nil>
}

func ExampleCombineLatest5() {
	sum := func(a, b, c, d, e int) int { return a + b + c + d + e }
	j := flux.Just[int]
	fmt.Println(flux.CombineLatest5(j(1), j(2), j(3), j(4), j(5, 6), sum).Collect(context.Background()))
	// Output: [15 16] <nil>
}

func ExampleCombineLatest6() {
	sum := func(a, b, c, d, e, f int) int { return a + b + c + d + e + f }
	j := flux.Just[int]
	fmt.Println(flux.CombineLatest6(j(1), j(2), j(3), j(4), j(5), j(6, 7), sum).Collect(context.Background()))
	// Output: [21 22] <nil>
}

func ExampleCombineLatestSlice() {
	gauges := []reactor.Publisher[int]{flux.Just(3), flux.Just(5), flux.Just(1, 9)}
	fmt.Println(flux.CombineLatestSlice(gauges, slices.Max[[]int]).Collect(context.Background()))
	// Output: [5 9] <nil>
}

func ExampleFlux_Join() {
	day := func(string) mono.Mono[int64] { return mono.Delay(24 * time.Hour) }
	meet := func(a, b string) string { return a + "-" + b }
	boys, girls := flux.Just("Ali", "Ben"), flux.Just("Cleo", "Dora")
	fmt.Println(boys.Join(girls, day, day, meet).Collect(context.Background()))
	// Output: [Ali-Cleo Ben-Cleo Ali-Dora Ben-Dora] <nil>
}

func ExampleFlux_GroupJoin() {
	day := func(int) mono.Mono[int64] { return mono.Delay(24 * time.Hour) }
	sum := func(limit int, prices flux.Flux[int]) mono.Mono[int] {
		return prices.Filter(func(p int) bool { return p <= limit }).Reduce(func(a, b int) int { return a + b })
	}
	sums := flux.Just(10, 20).GroupJoin(flux.Just(5, 9, 15), day, day, sum)
	fmt.Println(flux.MergeAll[int](sums).Collect(context.Background()))
	// Output: [14 29] <nil>
}

func ExampleConcatSlice() {
	var parts []flux.Flux[int]
	for n := range 3 {
		parts = append(parts, flux.Range(10*n, 2))
	}
	fmt.Println(flux.ConcatSlice(parts).Collect(context.Background()))
	// Output: [0 1 10 11 20 21] <nil>
}
