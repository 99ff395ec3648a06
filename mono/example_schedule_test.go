package mono_test

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

func ExampleMono_PublishOn() {
	m := mono.Just(6).
		PublishOn(schedulers.Parallel()).
		Map(func(v int) int { return 7 * v }) // on the scheduler
	fmt.Println(operators.Collect(context.Background(), m))
	// Output: [42] <nil>
}

func ExampleMono_SubscribeOn() {
	m := mono.Just("row").SubscribeOn(schedulers.BoundedElastic())
	fmt.Println(operators.Collect(context.Background(), m))
	// Output: [row] <nil>
}

func ExampleMono_CancelOn() {
	m := mono.Just(1).CancelOn(schedulers.BoundedElastic())
	fmt.Println(operators.Collect(context.Background(), m))
	// Output: [1] <nil>
}
