package tck

import (
	"fmt"
	"time"
)

// Option adjusts a verification. A nil one panics.
type Option func(*config)

type config struct {
	timeout time.Duration // for what must come
	quiet   time.Duration // for what must not come
	depth   int           // of the recursion between Request and OnNext
	bubbles bool
	rounds  int // of stochastic tests
}

// newConfig applies opts for the function by.
func newConfig(by string, opts []Option) config {
	c := config{timeout: 500 * time.Millisecond, quiet: 100 * time.Millisecond, depth: 1, rounds: 100}
	for _, o := range opts {
		if o == nil {
			panic("tck: " + by + ": an option is nil")
		}
		o(&c)
	}
	return c
}

// Timeout sets how long to wait for signals that must come, 500 ms if nothing else is said.
func Timeout(d time.Duration) Option {
	if d <= 0 {
		panic("tck: Timeout: " + d.String() + " is not positive")
	}
	return func(c *config) { c.timeout = d }
}

// Quiet sets how long to wait for signals that must not come, 100 ms if nothing else is said.
func Quiet(d time.Duration) Option {
	if d < 0 {
		panic("tck: Quiet: " + d.String() + " is negative")
	}
	return func(c *config) { c.quiet = d }
}

// Depth sets how deep Request and OnNext may call each other (§3.3), 1 if nothing else is said.
func Depth(n int) Option { return func(c *config) { c.depth = n } }

// Rounds sets how many times a test is repeated that finds something by chance only, 100 if
// nothing else is said; 0 skips such tests.
func Rounds(n int) Option {
	if n < 0 { // it would pass such a test without running it
		panic(fmt.Sprintf("tck: Rounds: %d is negative", n))
	}
	return func(c *config) { c.rounds = n }
}

// InBubbles runs each test in a bubble of its own, with shared schedulers of its own (see
// reactortest.Bubble). Everything that the tests start must live in the bubble: what Create is
// given to return must be made in it, and must not wait for the network or a lock. One that waits for a lock for
// ever hangs there; without InBubbles the test says so.
func InBubbles() Option { return func(c *config) { c.bubbles = true } }
