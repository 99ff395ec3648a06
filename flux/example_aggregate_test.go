package flux_test

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/goreactor/reactor/flux"
)

func ExampleFlux_Reduce() {
	longest := flux.Just("tea", "marmalade", "milk").Reduce(func(a, b string) string {
		if len(b) > len(a) {
			return b
		}
		return a
	})
	fmt.Println(longest.Block(context.Background()))
	// Output: marmalade <nil>
}

func ExampleFlux_TryReduce() {
	product := func(a, b int8) (int8, error) {
		if p := int(a) * int(b); p == int(int8(p)) {
			return int8(p), nil
		}
		return 0, fmt.Errorf("%d · %d is too much", a, b)
	}
	fmt.Println(flux.Just[int8](4, 5, 6).TryReduce(product).Block(context.Background()))
	fmt.Println(flux.Just[int8](4, 5, 7).TryReduce(product).Block(context.Background()))
	// Output:
	// 120 <nil>
	// 0 20 · 7 is too much
}

func ExampleFlux_TryFold() {
	total := func(sum int, text string) (int, error) {
		n, err := strconv.Atoi(text)
		return sum + n, err
	}
	fmt.Println(flux.Just("1", "2", "39").TryFold(0, total).Block(context.Background()))
	fmt.Println(flux.Just("1", "two").TryFold(0, total).Block(context.Background()))
	// Output:
	// 42 <nil>
	// 0 strconv.Atoi: parsing "two": invalid syntax
}

// A line that is there twice ends the count.
func ExampleFlux_TryFoldWith() {
	lines := flux.Just("tea", "milk", "tea").TryFoldWith(
		func() map[string]bool { return map[string]bool{} },
		func(seen map[string]bool, line string) (map[string]bool, error) {
			if seen[line] {
				return nil, fmt.Errorf("%q is there twice", line)
			}
			seen[line] = true
			return seen, nil
		},
	)
	fmt.Println(lines.Block(context.Background()))
	// Output: map[] "tea" is there twice
}

func ExampleFlux_Fold() {
	letters := flux.Just("tea", "milk", "jam").Fold(0, func(n int, s string) int { return n + len(s) })
	fmt.Println(letters.Block(context.Background()))
	// Output: 10 <nil>
}

// The seed is made anew for each subscription, so a map may be one.
func ExampleFlux_FoldWith() {
	tally := flux.Just("a", "b", "a").FoldWith(
		func() map[string]int { return map[string]int{} },
		func(m map[string]int, s string) map[string]int { m[s]++; return m },
	)
	fmt.Println(tally.Block(context.Background()))
	fmt.Println(tally.Block(context.Background()))
	// Output:
	// map[a:2 b:1] <nil>
	// map[a:2 b:1] <nil>
}

func ExampleFlux_CollectInto() {
	text := flux.Just("b", "c").CollectInto(
		func() *strings.Builder { return &strings.Builder{} },
		func(b *strings.Builder, s string) { b.WriteString(s) },
	)
	fmt.Println(text.Map((*strings.Builder).String).Block(context.Background()))
	// Output: bc <nil>
}

func ExampleFlux_CollectSlice() {
	all := flux.Range(1, 3).CollectSlice()
	fmt.Println(all.Map(func(s []int) int { return len(s) }).Block(context.Background()))
	// Output: 3 <nil>
}

func ExampleFlux_CollectSorted() {
	fmt.Println(flux.Just(3, 1, 2).CollectSorted(cmp.Compare[int]).Block(context.Background()))
	// Output: [1 2 3] <nil>
}

func initial(s string) string { return s[:1] }

func ExampleFlux_CollectMap() {
	fmt.Println(flux.Just("ant", "bee", "auk").CollectMap(initial).Block(context.Background()))
	// Output: map[a:auk b:bee] <nil>
}

func ExampleFlux_CollectMapOf() {
	lengths := flux.Just("ant", "bear").CollectMapOf(initial, func(s string) int { return len(s) })
	fmt.Println(lengths.Block(context.Background()))
	// Output: map[a:3 b:4] <nil>
}

func ExampleFlux_CollectMultimap() {
	fmt.Println(flux.Just("ant", "bee", "auk").CollectMultimap(initial).Block(context.Background()))
	// Output: map[a:[ant auk] b:[bee]] <nil>
}

func ExampleFlux_CollectMultimapOf() {
	lengths := flux.Just("ant", "bee", "aphid").CollectMultimapOf(initial, func(s string) int { return len(s) })
	fmt.Println(lengths.Block(context.Background()))
	// Output: map[a:[3 5] b:[3]] <nil>
}

func ExampleFlux_Count() {
	fmt.Println(flux.Range(1, 100).Filter(even).Count().Block(context.Background()))
	// Output: 50 <nil>
}
