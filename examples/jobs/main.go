// Command jobs runs jobs on triggers and tasks on pools, and shows them in a table
// that changes while they run.
//
//	go run ./examples/jobs [-for 30s] [-every 250ms] [-plain]
//
// There are jobs on cron expressions, at fixed rates and with fixed delays; one that
// takes longer than its period, in each way of dealing with that; one that fails;
// and four small pools under more load than they can take, one for each rejection
// policy. Ctrl-C ends it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "jobs:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("jobs", flag.ContinueOnError)
	duration := flags.Duration("for", 30*time.Second, "how long to run")
	every := flags.Duration("every", 250*time.Millisecond, "how often the table is drawn")
	plain := flags.Bool("plain", !isTerminal(out), "draw the table once, at the end")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if *duration <= 0 || *every <= 0 {
		return fmt.Errorf("-for and -every must be positive, got %v and %v", *duration, *every)
	}
	ctx, cancel := context.WithTimeout(ctx, *duration)
	defer cancel()

	jobs, err := startJobs()
	if err != nil {
		return err
	}
	load, err := startLoad(ctx)
	if err != nil {
		return err
	}
	t := table{out: out, jobs: jobs, load: load}
	if *plain {
		fmt.Fprintf(out, "running for %v, or until Ctrl-C\n\n", *duration)
	}
	draw := time.NewTicker(*every)
	defer draw.Stop()
	for ctx.Err() == nil {
		select {
		case <-draw.C:
			if !*plain {
				t.redraw()
			}
		case <-ctx.Done():
		}
	}

	// The last drawing comes after the end of everything, so that the figures
	// add up.
	t.remember()
	limit, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err = errors.Join(load.stop(limit), jobs.stop())
	if *plain {
		t.draw()
	} else {
		t.redraw()
	}
	return err
}

// isTerminal reports whether out is one.
func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
