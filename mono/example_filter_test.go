package mono_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/goreactor/reactor/mono"
)

func ExampleMono_Map() {
	fmt.Println(mono.Just(21).Map(func(n int) int { return 2 * n }).Block(context.Background()))
	// Output: 42 <nil>
}

func ExampleMono_TryMapContext() {
	load := func(ctx context.Context, id int) (string, error) { return fmt.Sprint("user ", id), ctx.Err() }
	fmt.Println(mono.Just(7).TryMapContext(load).Block(context.Background()))
	// Output: user 7 <nil>
}

func ExampleMono_TryFilterContext() {
	exists := func(ctx context.Context, name string) (bool, error) { return name != "b", ctx.Err() }
	fmt.Println(mono.Just("a").TryFilterContext(exists).Block(context.Background()))
	// Output: a <nil>
}

func ExampleMono_TryMap() {
	fmt.Println(mono.Just("x").TryMap(strconv.Atoi).Block(context.Background()))
	// Output: 0 strconv.Atoi: parsing "x": invalid syntax
}

func ExampleMono_Filter() {
	fmt.Println(mono.Just(7).Filter(func(n int) bool { return n > 10 }).BlockOptional(context.Background()))
	// Output: 0 false <nil>
}

func ExampleMono_TryFilter() {
	m := mono.Just("").TryFilter(func(s string) (bool, error) {
		if s == "" {
			return false, errors.New("an empty name")
		}
		return true, nil
	})
	fmt.Println(m.BlockOptional(context.Background()))
	// Output:  false an empty name
}

func ExampleMono_FilterWhen() {
	allowed := func(user string) mono.Mono[bool] { return mono.Just(user != "mallory") }
	fmt.Println(mono.Just("alice").FilterWhen(allowed).BlockOptional(context.Background()))
	// Output: alice true <nil>
}
