// Soak runs many pipelines at once for a long time, each with a hop, a flatMap to work on a pool
// that blocks, a timeout and a retry, and looks whether anything grows: memory, goroutines, the
// time that a hop takes. Each pipeline fails now and then, and falls silent now and then, so that
// all of it is at work. It prints a line for each window of time and, at the end, one for each
// claim: ok or short.
//
//	soak                 10,000 pipelines for 30 minutes
//	soak -for 2m         for a short time
package main

import (
	"fmt"
	"io"
	"time"

	"github.com/goreactor/reactor/internal/testkit/cli"
)

type options struct {
	long      time.Duration
	pipelines int
	period    time.Duration
	windows   int
}

func main() { cli.Main("soak", parse, run) }

// parse reads the arguments. What is wrong with them it says in one line; -h lists them.
func parse(args []string) (o options, err error) {
	flags := cli.Flags("soak")
	flags.DurationVar(&o.long, "for", 30*time.Minute, "how long all of it takes")
	flags.IntVar(&o.pipelines, "pipelines", 10_000, "how many run at once")
	flags.DurationVar(&o.period, "period", 500*time.Millisecond, "time between two elements of a pipeline")
	flags.IntVar(&o.windows, "windows", 30, "how many windows the time is cut into; the first fifth is left out")
	switch err = cli.Parse(flags, args); {
	case err != nil:
		return o, err
	case o.pipelines < 1:
		return o, fmt.Errorf("-pipelines must be at least 1, not %d", o.pipelines)
	case o.windows < 10:
		return o, fmt.Errorf("-windows must be at least 10, not %d", o.windows)
	case o.period <= 0:
		return o, fmt.Errorf("-period must be positive, not %v", o.period)
	case o.long/time.Duration(o.windows)/2 < o.period: // the product may be too large
		return o, fmt.Errorf("-for must be at least two periods of %v for each of %d windows, not %v", o.period, o.windows, o.long)
	}
	return o, nil
}

// run soaks, and judges what it has seen.
func run(o options, out io.Writer) error {
	s, err := start(o)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d pipelines for %v, an element each %v\n", o.pipelines, o.long, o.period)
	windows := s.watch(o, out)
	left, err := s.end()
	if err != nil {
		return err
	}
	short := 0
	for _, c := range judge(windows, o, left) {
		word := "ok"
		if !c.ok {
			word = "short"
			short++
		}
		fmt.Fprintf(out, "%-5s %s\n", word, c.text)
	}
	if short > 0 {
		return fmt.Errorf("%d claims are short", short)
	}
	return nil
}
