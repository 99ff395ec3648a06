package flux_test

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/schedulers"
)

func ExampleFlux_PublishOn() {
	err := flux.Range(1, 3).
		PublishOn(schedulers.Parallel()).
		Map(func(v int) int { return v * v }). // on one worker of the scheduler
		ForEach(context.Background(), func(v int) { fmt.Println(v) })
	fmt.Println(err)
	// Output:
	// 1
	// 4
	// 9
	// <nil>
}

func ExampleFlux_SubscribeOn() {
	slow := flux.Range(1, 2).
		Map(func(v int) string { return fmt.Sprint("row ", v) }) // may block: it has a worker of its own
	rows, err := slow.SubscribeOn(schedulers.BoundedElastic()).Collect(context.Background())
	fmt.Println(rows, err)
	// Output: [row 1 row 2] <nil>
}

func ExampleFlux_CancelOn() {
	v, err := flux.Range(1, 3).CancelOn(schedulers.BoundedElastic()).Collect(context.Background())
	fmt.Println(v, err)
	// Output: [1 2 3] <nil>
}
