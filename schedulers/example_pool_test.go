package schedulers_test

import (
	"context"
	"fmt"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/schedulers"
)

func ExampleFromScheduledPool() {
	pool, err := executors.NewScheduledPool(4, executors.WithName("timers"))
	if err != nil {
		fmt.Println(err)
		return
	}
	s := schedulers.FromScheduledPool(pool)
	w := s.NewWorker() // a lane: its tasks don't overlap
	done := make(chan struct{})
	_, err = w.ScheduleAfter(func(context.Context) { close(done) }, time.Millisecond)
	fmt.Println(err)
	<-done
	fmt.Println(s.DisposeGracefully(context.Background()), pool.IsTerminated())
	// Output:
	// <nil>
	// <nil> true
}
