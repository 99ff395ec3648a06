package flux_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

func even(n int) bool { return n%2 == 0 }

func ExampleFlux_Filter() {
	fmt.Println(flux.Range(1, 6).Filter(even).Collect(context.Background()))
	// Output: [2 4 6] <nil>
}

func ExampleFlux_TryFilterContext() {
	exists := func(ctx context.Context, name string) (bool, error) { return name != "b", ctx.Err() }
	fmt.Println(flux.Just("a", "b", "c").TryFilterContext(exists).Collect(context.Background()))
	// Output: [a c] <nil>
}

func ExampleFlux_TryFilter() {
	f := flux.Just("a", "", "c").TryFilter(func(s string) (bool, error) {
		if s == "" {
			return false, errors.New("an empty name")
		}
		return true, nil
	})
	fmt.Println(f.Collect(context.Background()))
	// Output: [] an empty name
}

func ExampleFlux_FilterWhen() {
	allowed := func(user string) mono.Mono[bool] { // asks another service
		return mono.Just(user != "mallory")
	}
	fmt.Println(flux.Just("alice", "mallory", "bob").FilterWhen(allowed).Collect(context.Background()))
	// Output: [alice bob] <nil>
}

func ExampleFlux_Take() {
	f := flux.Range(1, 1_000_000).DoOnRequest(func(n int64) { fmt.Println("requested", n) }).Take(3)
	fmt.Println(f.Collect(context.Background()))
	// Output:
	// requested 3
	// [1 2 3] <nil>
}

func ExampleUnlimitedRequest() {
	f := flux.Range(1, 10).DoOnRequest(func(n int64) { fmt.Println("requested", n == 1<<63-1) }).Take(3, flux.UnlimitedRequest())
	fmt.Println(f.Collect(context.Background()))
	// Output:
	// requested true
	// [1 2 3] <nil>
}

func ExampleFlux_TakeLast() {
	fmt.Println(flux.Range(1, 6).TakeLast(2).Collect(context.Background()))
	// Output: [5 6] <nil>
}

func ExampleFlux_TakeWhile() {
	fmt.Println(flux.Just(2, 4, 5, 6).TakeWhile(even).Collect(context.Background()))
	// Output: [2 4] <nil>
}

func ExampleFlux_MapWhile() {
	halved := func(n int) (int, bool) { return n / 2, even(n) }
	fmt.Println(flux.Just(2, 4, 5, 6).MapWhile(halved).Collect(context.Background()))
	// Output: [1 2] <nil>
}

func ExampleFlux_TakeUntil() {
	fmt.Println(flux.Just(1, 3, 4, 5).TakeUntil(even).Collect(context.Background()))
	// Output: [1 3 4] <nil>
}

func ExampleFlux_Skip() {
	fmt.Println(flux.Range(1, 5).Skip(2).Collect(context.Background()))
	// Output: [3 4 5] <nil>
}

func ExampleFlux_SkipLast() {
	fmt.Println(flux.Range(1, 5).SkipLast(2).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleFlux_SkipWhile() {
	fmt.Println(flux.Just(2, 4, 5, 6).SkipWhile(even).Collect(context.Background()))
	// Output: [5 6] <nil>
}

func ExampleFlux_SkipUntil() {
	fmt.Println(flux.Just(1, 3, 4, 5).SkipUntil(even).Collect(context.Background()))
	// Output: [4 5] <nil>
}

func ExampleFlux_Distinct() {
	f := flux.Just("tea", "Jam", "TEA", "milk", "jam").Distinct(strings.ToLower)
	fmt.Println(f.Collect(context.Background()))
	// Output: [tea Jam milk] <nil>
}

func ExampleDistinct() {
	fmt.Println(flux.Distinct(flux.Just(1, 2, 1, 3, 2)).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

// Keeps the largest element so far and lets through what exceeds it.
func ExampleFlux_DistinctIn() {
	records := flux.Just(3, 1, 4, 1, 5, 9, 2, 6).DistinctIn(
		func() *int { return new(int) },
		func(most *int, n int) bool {
			exceeds := n > *most
			*most = max(*most, n)
			return exceeds
		},
		func(most *int) { *most = 0 },
	)
	fmt.Println(records.Collect(context.Background()))
	// Output: [3 4 5 9] <nil>
}

func ExampleFlux_DistinctUntilChanged() {
	f := flux.Just("a", "A", "b", "B", "a").DistinctUntilChanged(strings.ToLower)
	fmt.Println(f.Collect(context.Background()))
	// Output: [a b a] <nil>
}

func ExampleDistinctUntilChanged() {
	fmt.Println(flux.DistinctUntilChanged(flux.Just(1, 1, 2, 2, 1)).Collect(context.Background()))
	// Output: [1 2 1] <nil>
}

func ExampleFlux_DistinctUntilChangedFunc() {
	degrees := flux.Just(20.0, 20.3, 21.5, 21.2, 19.0)
	f := degrees.DistinctUntilChangedFunc(
		func(d float64) float64 { return d },
		func(a, b float64) bool { return a-b < 1 && b-a < 1 },
	)
	fmt.Println(f.Collect(context.Background()))
	// Output: [20 21.5 19] <nil>
}

func ExampleFlux_Sort() {
	fmt.Println(flux.Just(3, 1, 2).Sort(cmp.Compare[int]).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleFlux_ElementAt() {
	fmt.Println(flux.Just("a", "b", "c").ElementAt(1).Block(context.Background()))
	_, err := flux.Just("a", "b", "c").ElementAt(3).Block(context.Background())
	fmt.Println(err)
	// Output:
	// b <nil>
	// reactor: elementAt: index out of range: index 3, the source ended after 3 elements
}

func ExampleFlux_ElementAtOr() {
	fmt.Println(flux.Just("a", "b", "c").ElementAtOr(3, "z").Block(context.Background()))
	// Output: z <nil>
}

func ExampleFlux_Last() {
	fmt.Println(flux.Range(1, 5).Last().Block(context.Background()))
	// Output: 5 <nil>
}

func ExampleFlux_LastOr() {
	fmt.Println(flux.Empty[int]().LastOr(-1).Block(context.Background()))
	// Output: -1 <nil>
}

func ExampleFlux_AllMatch() {
	fmt.Println(flux.Just(2, 4, 6).AllMatch(even).Block(context.Background()))
	// Output: true <nil>
}

func ExampleFlux_AnyMatch() {
	fmt.Println(flux.Just(1, 3, 5).AnyMatch(even).Block(context.Background()))
	// Output: false <nil>
}

func ExampleFlux_HasElements() {
	fmt.Println(flux.Empty[int]().HasElements().Block(context.Background()))
	// Output: false <nil>
}
