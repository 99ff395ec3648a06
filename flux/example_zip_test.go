package flux_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

func ExampleZip() {
	names := flux.Just("ant", "bee", "cat")
	label := func(n int, name string) string { return fmt.Sprint(n, ":", name) }
	fmt.Println(flux.Zip(flux.Range(1, 10), names, label).Collect(context.Background()))
	// Output: [1:ant 2:bee 3:cat] <nil>
}

func ExampleZip3() {
	date := func(y, m, d int) string { return fmt.Sprintf("%d-%02d-%02d", y, m, d) }
	fmt.Println(flux.Zip3(flux.Just(2024, 2025), flux.Just(2, 12), flux.Just(29, 31), date).Collect(context.Background()))
	// Output: [2024-02-29 2025-12-31] <nil>
}

func ExampleZip4() {
	r := func(n int) flux.Flux[int] { return flux.Range(n, 2) }
	join := func(a, b, c, d int) string { return fmt.Sprint(a, b, c, d) }
	fmt.Println(flux.Zip4(r(1), r(2), r(3), r(4), join).Collect(context.Background()))
	// Output: [1 2 3 4 2 3 4 5] <nil>
}

func ExampleZip5() {
	r := func(n int) flux.Flux[int] { return flux.Range(n, 2) }
	sum := func(a, b, c, d, e int) int { return a + b + c + d + e }
	fmt.Println(flux.Zip5(r(1), r(2), r(3), r(4), r(5), sum).Collect(context.Background()))
	// Output: [15 20] <nil>
}

func ExampleZip6() {
	r := func(n int) flux.Flux[int] { return flux.Range(n, 2) }
	sum := func(a, b, c, d, e, f int) int { return a + b + c + d + e + f }
	fmt.Println(flux.Zip6(r(1), r(2), r(3), r(4), r(5), r(6), sum).Collect(context.Background()))
	// Output: [21 27] <nil>
}

func ExampleZip7() {
	r := func(n int) flux.Flux[int] { return flux.Range(n, 2) }
	sum := func(a, b, c, d, e, f, g int) int { return a + b + c + d + e + f + g }
	fmt.Println(flux.Zip7(r(1), r(2), r(3), r(4), r(5), r(6), r(7), sum).Collect(context.Background()))
	// Output: [28 35] <nil>
}

func ExampleZip8() {
	r := func(n int) flux.Flux[int] { return flux.Range(n, 2) }
	sum := func(a, b, c, d, e, f, g, h int) int { return a + b + c + d + e + f + g + h }
	fmt.Println(flux.Zip8(r(1), r(2), r(3), r(4), r(5), r(6), r(7), r(8), sum).Collect(context.Background()))
	// Output: [36 44] <nil>
}

func ExampleZipSlice() {
	columns := []reactor.Publisher[int]{flux.Just(1, 2), flux.Just(10, 20), flux.Just(100, 200)}
	fmt.Println(flux.ZipSlice(columns, slices.Max[[]int]).Collect(context.Background()))
	// Output: [100 200] <nil>
}

func ExampleZipSeq() {
	columns := func(yield func(flux.Flux[int]) bool) {
		for n := 1; n < 4 && yield(flux.Range(n, 2)); n++ {
		}
	}
	fmt.Println(flux.ZipSeq[int](columns, slices.Clone[[]int]).Collect(context.Background()))
	// Output: [[1 2 3] [2 3 4]] <nil>
}

func ExampleFlux_ZipWith() {
	prices := flux.Just(3, 5)
	line := func(name string, price int) string { return fmt.Sprint(name, " costs ", price) }
	lines, err := flux.Just("tea", "bun").ZipWith(prices, line).Collect(context.Background())
	fmt.Printf("%q %v\n", lines, err)
	// Output: ["tea costs 3" "bun costs 5"] <nil>
}

func ExampleFlux_ZipWithSlice() {
	repeat := func(s string, n int) string { return strings.Repeat(s, n) }
	fmt.Println(flux.Just("a", "b", "c").ZipWithSlice([]int{3, 1}, repeat).Collect(context.Background()))
	// Output: [aaa b] <nil>
}

func ExampleFlux_ZipWithSeq() {
	numbers := func(yield func(int) bool) {
		for n := 1; yield(n); n++ {
		}
	}
	line := func(text string, n int) string { return fmt.Sprint(n, ". ", text) }
	fmt.Println(flux.Just("one", "two").ZipWithSeq(numbers, line).Collect(context.Background()))
	// Output: [1. one 2. two] <nil>
}
