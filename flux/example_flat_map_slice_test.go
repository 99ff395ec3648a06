package flux_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

func ExampleFlux_FlatMapSlice() {
	fmt.Println(flux.Just("a b", "c").FlatMapSlice(strings.Fields).Collect(context.Background()))
	// Output: [a b c] <nil>
}

func ExampleFlux_TryFlatMap() {
	upTo := func(text string) (flux.Flux[int], error) {
		n, err := strconv.Atoi(text)
		if err != nil {
			return flux.Flux[int]{}, err
		}
		return flux.Range(1, n), nil
	}
	fmt.Println(flux.Just("2", "3").TryFlatMap(upTo).Collect(context.Background()))
	fmt.Println(flux.Just("2", "many").TryFlatMap(upTo).Run(context.Background()))
	// Output:
	// [1 2 1 2 3] <nil>
	// strconv.Atoi: parsing "many": invalid syntax
}

func ExampleFlux_TryFlatMapSlice() {
	numbers := func(line string) (out []int, err error) {
		for _, word := range strings.Fields(line) {
			n, err := strconv.Atoi(word)
			if err != nil {
				return nil, err
			}
			out = append(out, n)
		}
		return out, nil
	}
	fmt.Println(flux.Just("1 2", "3").TryFlatMapSlice(numbers).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleFlux_FlatMapSeq() {
	fmt.Println(flux.Just("a b", "c").FlatMapSeq(strings.FieldsSeq).Collect(context.Background()))
	// Output: [a b c] <nil>
}

func ExampleFlux_FlatMapSeq2() {
	pages := func(name string) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			if yield(name+"/1", nil) {
				yield("", errors.New(name+"/2 is missing"))
			}
		}
	}
	err := flux.Just("a", "b").FlatMapSeq2(pages).ForEach(context.Background(), func(page string) { fmt.Println(page) })
	fmt.Println(err)
	// Output:
	// a/1
	// a/2 is missing
}

func ExampleFlux_ConcatMapSlice() {
	fmt.Println(flux.Just("a b", "c").ConcatMapSlice(strings.Fields, flux.Prefetch(2)).Collect(context.Background()))
	// Output: [a b c] <nil>
}

func ExampleFlux_ConcatMapSeq() {
	twice := func(n int) iter.Seq[int] { return slices.Values([]int{n, n}) }
	fmt.Println(flux.Range(1, 2).ConcatMapSeq(twice).Collect(context.Background()))
	// Output: [1 1 2 2] <nil>
}

func ExampleFlatMapMany() {
	size := mono.Just(3)
	fmt.Println(flux.FlatMapMany(size, func(n int) flux.Flux[int] { return flux.Range(1, n) }).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleFlux_FlatMapSignal() {
	fmt.Println(flux.Just(1, 2).FlatMapSignal(
		func(n int) mono.Mono[string] { return mono.Just(strconv.Itoa(n)) },
		func(err error) mono.Mono[string] { return mono.Just("failed: " + err.Error()) },
		func() mono.Mono[string] { return mono.Just("done") },
	).Collect(context.Background()))
	// Output: [1 2 done] <nil>
}

// files is a small tree of folders.
var files = map[string][]string{"/": {"/bin", "/etc"}, "/bin": {"/bin/ls"}, "/etc": {"/etc/hosts"}}

func list(folder string) flux.Flux[string] { return flux.FromSlice(files[folder]) }

func ExampleFlux_Expand() {
	fmt.Println(flux.Just("/").Expand(list).Collect(context.Background()))
	// Output: [/ /bin /etc /bin/ls /etc/hosts] <nil>
}

func ExampleFlux_ExpandDeep() {
	fmt.Println(flux.Just("/").ExpandDeep(list).Collect(context.Background()))
	// Output: [/ /bin /bin/ls /etc /etc/hosts] <nil>
}
