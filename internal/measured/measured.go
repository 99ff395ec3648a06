// Package measured keeps the failures of a program's meter away from what is measured.
package measured

import (
	"context"
	"fmt"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// Meter is executors.Meter, which this package can't import.
type Meter interface {
	Counter(name string, tags ...string) (add func(n int64))
	Gauge(name string, tags ...string) (add func(n int64))
	Timer(name string, tags ...string) (record func(d time.Duration))
	Remove(name string)
}

// Guarded returns m with functions that return: what one of them panics with is reported as a dropped
// error, and missing in the figures. To make an instrument still panics, also if m makes none.
func Guarded(m Meter) Meter { return guarded{m} }

type guarded struct{ m Meter }

func (g guarded) Counter(name string, tags ...string) func(int64) {
	return instrument(g.m, "counter", name, g.m.Counter(name, tags...))
}

func (g guarded) Gauge(name string, tags ...string) func(int64) {
	return instrument(g.m, "gauge", name, g.m.Gauge(name, tags...))
}

func (g guarded) Timer(name string, tags ...string) func(time.Duration) {
	return instrument(g.m, "timer", name, g.m.Timer(name, tags...))
}

func (g guarded) Remove(name string) { call(g.m.Remove, name) }

func instrument[T any](m Meter, kind, name string, fn func(T)) func(T) {
	if fn == nil {
		panic(fmt.Sprintf("reactor: the meter %T returned no function for the %s %q", m, kind, name))
	}
	return func(v T) { call(fn, v) }
}

// call calls fn, which may end the goroutine still.
func call[T any](fn func(T), v T) {
	returned := false
	defer func() {
		if !returned {
			reactor.DropError(context.Background(), failure.RecoveredIn("meter", recover()))
		}
	}()
	fn(v)
	returned = true
}
