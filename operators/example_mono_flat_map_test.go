package operators_test

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

func ExampleMonoFlatMapTo() {
	name := func(id int) mono.Mono[string] { return mono.Just(fmt.Sprint("user ", id)) }
	fmt.Println(operators.Block(context.Background(), operators.MonoFlatMapTo(operators.Just(7), name)))
	// Output: user 7 <nil>
}
