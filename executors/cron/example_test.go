package cron_test

import (
	"fmt"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/executors/cron"
)

func ExampleParse() {
	e, err := cron.Parse("0 30 9 ? * MON-FRI")
	if err != nil {
		fmt.Println(err)
		return
	}
	at := time.Date(2026, 7, 3, 12, 0, 0, 0, time.UTC) // a Friday
	for range 2 {
		at, _ = e.Next(at)
		fmt.Println(at.Format("Mon 2 Jan 15:04"))
	}
	_, err = cron.Parse("0 30 9 ? * FRI-MON")
	fmt.Println(err)
	// Output:
	// Mon 6 Jul 09:30
	// Tue 7 Jul 09:30
	// cron: "0 30 9 ? * FRI-MON": day of week: "FRI-MON" at position 11: the range must not go down
}

func ExampleMustParse() {
	e := cron.MustParse("0 0 0 13 * FRI")
	next, _ := e.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	fmt.Println(next.Format("Monday 2 January 2006"))
	// Output: Friday 13 February 2026
}

func ExampleVixie() {
	// Half past two does not exist on the 28th of March 2021 in Amsterdam.
	amsterdam, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		fmt.Println(err)
		return
	}
	from := time.Date(2021, 3, 27, 12, 0, 0, 0, amsterdam)
	spring, _ := cron.MustParse("0 30 2 * * *").Next(from)
	vixie, _ := cron.MustParse("0 30 2 * * *", cron.Vixie()).Next(from)
	fmt.Println(spring)
	fmt.Println(vixie)
	// Output:
	// 2021-03-29 02:30:00 +0200 CEST
	// 2021-03-28 03:00:00 +0200 CEST
}

// late is a job that was due at 10:01 and ended at 10:04:20.
var late = executors.TriggerContext{
	Now:           clock(10, 4, 20),
	LastScheduled: clock(10, 1, 0),
	LastStart:     clock(10, 1, 0),
	LastEnd:       clock(10, 4, 20),
}

func clock(h, m, s int) time.Time { return time.Date(2026, 1, 1, h, m, s, 0, time.UTC) }

func show(t executors.Trigger, c executors.TriggerContext) {
	next, ok := t.Next(c)
	fmt.Println(next.Format(time.TimeOnly), ok)
}

func ExampleLenient() {
	show(cron.Lenient(cron.MustParse("0 * * * * *"), time.UTC), late)
	// Output: 10:05:00 true
}

func ExampleFixed() {
	show(cron.Fixed(cron.MustParse("0 * * * * *"), time.UTC), late)
	// Output: 10:02:00 true
}

func ExampleResumeLenient() {
	t := cron.ResumeLenient(cron.MustParse("0 * * * * *"), time.UTC, clock(9, 0, 0))
	show(t, executors.TriggerContext{Now: clock(10, 0, 30)}) // in the past: at once
	show(t, late)
	// Output:
	// 09:01:00 true
	// 10:05:00 true
}

func ExampleResumeFixed() {
	t := cron.ResumeFixed(cron.MustParse("0 * * * * *"), time.UTC, clock(9, 0, 0))
	show(t, executors.TriggerContext{Now: clock(10, 0, 30)}) // in the past: at once
	show(t, late)                                            // and so on
	// Output:
	// 09:01:00 true
	// 10:02:00 true
}
