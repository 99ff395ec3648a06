package flux_test

import (
	"context"
	"fmt"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/flux"
)

func ExampleCron() {
	seconds := flux.Cron("* * * * * *", flux.InZone(time.UTC)).Take(2)
	_ = seconds.ForEach(context.Background(), func(at time.Time) { fmt.Println(at.Nanosecond()) })
	// Output:
	// 0
	// 0
}

func ExampleInZone() {
	amsterdam, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		fmt.Println(err)
		return
	}
	at, _, err := flux.Cron("* * * * * *", flux.InZone(amsterdam)).Next().BlockOptional(context.Background())
	fmt.Println(at.Location(), err)
	// Output: Europe/Amsterdam <nil>
}

func ExampleOnTrigger() {
	ticks := flux.OnTrigger(executors.NewPeriodic(0, time.Millisecond)).Take(3)
	n, err := ticks.Count().Block(context.Background())
	fmt.Println(n, err)
	// Output: 3 <nil>
}
