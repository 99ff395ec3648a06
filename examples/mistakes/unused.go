package main

import (
	"context"
	"fmt"
	"io"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

// notSubscribed describes what shall happen, and leaves it at that.
func notSubscribed(_ context.Context, out io.Writer) error {
	flux.Range(1, 3).DoOnNext(func(n int) { fmt.Fprintln(out, n) })
	return nil
}

// resultIgnored takes Filter for something that changes the stream.
func resultIgnored(ctx context.Context, out io.Writer) error {
	numbers := flux.Range(1, 4)
	numbers.Filter(func(n int) bool { return n%2 == 0 })
	return numbers.ForEach(ctx, func(n int) { fmt.Fprintln(out, n) })
}

// errorSwallowed reads half of a stream and takes it for the whole.
func errorSwallowed(ctx context.Context, out io.Writer) error {
	lines := flux.Just("a", "b").ConcatWith(flux.Error[string](reactor.ErrCleanup))
	for line := range lines.All(ctx) {
		fmt.Fprintln(out, line)
	}
	return nil
}

// panicInMap divides by zero: the stream ends with an error that has the stack.
func panicInMap(ctx context.Context, out io.Writer) error {
	return flux.Range(0, 5).
		Map(func(n int) int { return 6 / (n - 3) }).
		ForEach(ctx, func(n int) { fmt.Fprintln(out, n) })
}
