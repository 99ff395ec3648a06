package operators_test

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func ExampleMonoFlatMapMany() {
	upTo := func(n int) reactor.Publisher[int] { return operators.Range(1, n) }
	fmt.Println(operators.Collect(context.Background(), operators.MonoFlatMapMany(operators.Just(3), upTo)))
	// Output: [1 2 3] <nil>
}
