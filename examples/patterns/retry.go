package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/goreactor/reactor/mono"
)

var retry = pattern{
	slug:     "retry",
	title:    "Retry with back-off",
	what:     "A call fails twice and is tried again, after a pause that doubles.",
	gained:   "The policy is a value, with a limit, jitter and a filter for errors, to be shared by all calls of a program. The error after the last attempt says how many there were, and has the last one inside.",
	stay:     "There is one such call in the program, and its loop is ten lines that everybody can read.",
	channels: retryChannels,
	streams:  retryStreams,
}

func retryChannels(ctx context.Context, out io.Writer) error {
	attempts := 0
	call := func() error {
		if attempts++; attempts < 3 {
			return errNotFound
		}
		return nil
	}
	pause := 10 * time.Millisecond
	for {
		err := call()
		if err == nil {
			fmt.Fprintln(out, "done after", attempts, "attempts")
			return nil
		}
		if attempts > 5 {
			return fmt.Errorf("after %d attempts: %w", attempts, err)
		}
		select {
		case <-time.After(pause):
			pause *= 2
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func retryStreams(ctx context.Context, out io.Writer) error {
	attempts := 0
	err := mono.FromRunnable[string](func() error {
		if attempts++; attempts < 3 {
			return errNotFound
		}
		return nil
	}).
		RetryWhen(mono.RetryBackoff(5, 10*time.Millisecond)).
		Run(ctx)
	fmt.Fprintln(out, "done after", attempts, "attempts")
	return err
}
