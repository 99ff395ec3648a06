package operators_test

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor/operators"
)

func ExampleZip2() {
	names := operators.FromSlice([]string{"ant", "bee"})
	label := func(n int, name string) string { return fmt.Sprint(n, ":", name) }
	fmt.Println(operators.Collect(context.Background(), operators.Zip2(operators.Range(1, 10), names, label)))
	// Output: [1:ant 2:bee] <nil>
}

func ExampleCombineLatest2() {
	size := operators.Just("small")
	colours := operators.FromSlice([]string{"red", "blue"})
	label := func(size, colour string) string { return size + " " + colour }
	fmt.Println(operators.Collect(context.Background(), operators.CombineLatest2(size, colours, label)))
	// Output: [small red small blue] <nil>
}
