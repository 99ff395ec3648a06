// Patterns runs twenty patterns of concurrent Go, each once with channels or errgroup and once
// with streams:
//
//	cd examples/patterns
//	go run .               lists them
//	go run . worker-pool   runs both sides of one
//
// The pages in docs/patterns are made of these files; a test runs both sides, compares what they
// print, and fails if a page is not what the source says.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// pattern is one task done in two ways.
type pattern struct {
	slug     string // of the page, and with underscores of the file
	title    string
	what     string // the task
	gained   string // by a stream
	stay     string // when to stay with channels
	channels side
	streams  side
}

// side does the task and writes what comes of it to out.
type side func(ctx context.Context, out io.Writer) error

var patterns = []pattern{
	workerPool, fanIn, fanOut, pipeline, rateLimit, batching, firstResult, timeoutPerItem, retry, orderedMap,
	semaphore, pubSub, ticker, gracefulStop, errorGroup, boundedQueue, broadcast, mergeSorted, debounce, toRange,
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "patterns:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	for _, p := range patterns {
		if len(args) == 0 {
			fmt.Fprintf(out, "%-20s %s\n", p.slug, p.title)
			continue
		}
		if p.slug != args[0] {
			continue
		}
		fmt.Fprintln(out, "with channels:")
		if err := p.channels(ctx, out); err != nil {
			return err
		}
		fmt.Fprintln(out, "with streams:")
		return p.streams(ctx, out)
	}
	if len(args) > 0 {
		return fmt.Errorf("there is no pattern %q; run without arguments for the list", args[0])
	}
	return nil
}
