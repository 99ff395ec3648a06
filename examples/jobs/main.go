// Command jobs runs jobs on triggers and tasks on pools, and shows them in a table
// that changes while they run.
//
//	go run ./examples/jobs [-for 30s] [-every 250ms] [-plain]
//
// There are jobs on cron expressions, at fixed rates and with fixed delays; one that
// takes longer than its period, in each way of dealing with that; one that fails;
// and four small pools under more load than they can take, one for each rejection
// policy. Where there is no terminal it writes a line for what happens, and the table at
// the end. Ctrl-C ends it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
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
	window, terminal := newScreen(out)
	plain := flags.Bool("plain", !terminal, "write a line for what happens, and the table once, at the end")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	if !*plain && !terminal {
		return errors.New("-plain=false needs a terminal")
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
	t := table{jobs: jobs, load: load}
	show := t.events(out)
	last := func(page string) { fmt.Fprint(out, "\n", page) }
	if *plain {
		fmt.Fprintf(out, "running for %v, or until Ctrl-C\n\n", *duration)
	} else {
		show = func() { window.show(t.page()) }
		window.enter()
		defer window.leave() // also if something panics
		last = window.last
	}
	draw := time.NewTicker(*every)
	defer draw.Stop()
	for ctx.Err() == nil {
		select {
		case <-draw.C:
			show()
		case <-ctx.Done():
		}
	}

	// The last drawing comes after the end of everything, so that the figures
	// add up.
	t.remember()
	limit, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err = errors.Join(load.stop(limit), jobs.stop())
	last(t.page())
	return err
}
