package reactortest_test

import (
	"context"
	"fmt"
	"time"

	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// A day passes at once, and what is due on the way runs in its order.
func ExampleVirtualTime() {
	clock := reactortest.NewVirtualTime()
	say := func(what string) schedulers.Task {
		return func(context.Context) { fmt.Println(clock.Now().Format("15:04"), what) }
	}
	_, _ = clock.SchedulePeriodically(say("tea"), 8*time.Hour, 9*time.Hour)
	_, _ = clock.ScheduleAfter(say("lunch"), 12*time.Hour+30*time.Minute)
	_ = clock.Execute(say("up"))
	clock.AdvanceBy(24 * time.Hour)
	// Output:
	// 00:00 up
	// 08:00 tea
	// 12:30 lunch
	// 17:00 tea
}

// Pipelines that were told no scheduler run on the clock as well.
func ExampleInstallVirtualTime() {
	clock := reactortest.InstallVirtualTime()
	defer reactortest.ResetVirtualTime()
	_, _ = schedulers.Parallel().ScheduleAfter(func(context.Context) { fmt.Println("an hour later") }, time.Hour)
	clock.AdvanceBy(time.Hour)
	// Output: an hour later
}
