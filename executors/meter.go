package executors

import "time"

// Meter makes the instruments for everything in this module that measures itself. It
// is small on purpose: a few lines connect it to the metrics library of the program.
// The returned functions are called from any goroutine and must not block; their
// panics are reported as dropped errors, see reactor.Hooks.
type Meter interface {
	// Counter returns a function that adds to a count that only rises. The
	// tags are pairs of key and value.
	Counter(name string, tags ...string) (add func(n int64))
	// Gauge returns a function that adds to a count that rises and falls.
	Gauge(name string, tags ...string) (add func(n int64))
	// Timer returns a function that records how long something took.
	Timer(name string, tags ...string) (record func(d time.Duration))
	// Remove removes the instruments of that name, with all of their tags.
	Remove(name string)
}
