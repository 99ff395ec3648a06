package operators

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/measured"
	"github.com/goreactor/reactor/schedulers"
)

// Metrics returns what [Tap] needs to measure a stream with m. Under "name." it reports
//
//	subscribed     counter of subscriptions
//	active         gauge of those that have not ended
//	requested      counter of the demand, without that for everything
//	onNext.delay   timer from each element to the next one, and to the first from the
//	               subscription
//	flow.duration  timer from the subscription to the end, with the tag status = completed,
//	               completedEmpty, error or cancelled
//
// each with the tag type = Flux, and with tags, pairs of key and value. A dot at the end of name is
// dropped. Metrics makes the instruments at once, and they stay: call it once, where the program
// begins, and use its result in any number of chains, also at the same time. The times are those of
// schedulers.Parallel(). A nil m, an empty name and a key without a value panic.
func Metrics[T any](m executors.Meter, name string, tags ...string) func(context.Context) *SignalListener[T] {
	in := measuring(m, name, "Flux", tags)
	return func(context.Context) *SignalListener[T] {
		s := &metered{instruments: in}
		l := metering[T](s)
		l.Request = s.request
		l.Next = func(T) { s.next() }
		return l
	}
}

// MonoMetrics is [Metrics] for a stream of at most one element, with the tag type = Mono: there is
// neither requested nor onNext.delay, and flow.duration ends at the element.
func MonoMetrics[T any](m executors.Meter, name string, tags ...string) func(context.Context) *SignalListener[T] {
	in := measuring(m, name, "Mono", tags)
	return func(context.Context) *SignalListener[T] {
		s := &metered{instruments: in}
		l := metering[T](s)
		l.Next = func(T) { s.end(in.completed) }
		return l
	}
}

func metering[T any](s *metered) *SignalListener[T] {
	return &SignalListener[T]{
		First: s.first, Subscription: s.subscription, Cancel: s.cancel, Complete: s.complete, Error: s.fail,
	}
}

// instruments are what the subscriptions of one listener share.
type instruments struct {
	subscribed, active, requested       func(int64)
	delay                               func(time.Duration) // nil for a Mono
	completed, empty, failed, cancelled func(time.Duration)
}

func measuring(m executors.Meter, name, kind string, tags []string) *instruments {
	argument.NotNil("metrics", "meter", m)
	if name = strings.TrimSuffix(name, "."); name == "" {
		panic("reactor: metrics: the name is empty")
	}
	if len(tags)%2 != 0 {
		panic(fmt.Sprintf("reactor: metrics: tags are pairs of key and value, got %d strings", len(tags)))
	}
	m, name = measured.Guarded(m), name+"."
	tags = append([]string{"type", kind}, tags...)
	ended := func(status string) func(time.Duration) {
		return m.Timer(name+"flow.duration", append([]string{"status", status}, tags...)...)
	}
	in := &instruments{
		subscribed: m.Counter(name+"subscribed", tags...),
		active:     m.Gauge(name+"active", tags...),
		completed:  ended("completed"),
		empty:      ended("completedEmpty"),
		failed:     ended("error"),
		cancelled:  ended("cancelled"),
	}
	if kind == "Flux" {
		in.requested = m.Counter(name+"requested", tags...)
		in.delay = m.Timer(name+"onNext.delay", tags...)
	}
	return in
}

// metered is one subscription.
type metered struct {
	*instruments
	clock stopclock     // started before anybody can cancel
	last  time.Duration // when the element before came; signals of upstream only
	some  bool          // there was an element; signals of upstream only
	over  atomic.Bool   // the end is recorded
}

func (s *metered) first() {
	s.clock = startClock(schedulers.Parallel())
}

func (s *metered) subscription() {
	s.last = s.clock.passed()
	s.subscribed(1)
	s.active(1)
}

func (s *metered) request(n int64) {
	if n != reactor.Unbounded {
		s.requested(n)
	}
}

func (s *metered) next() {
	now := s.clock.passed()
	s.delay(now - s.last)
	s.last, s.some = now, true
}

func (s *metered) complete() {
	if s.some {
		s.end(s.completed)
	} else {
		s.end(s.empty)
	}
}

func (s *metered) fail(error) { s.end(s.failed) }

func (s *metered) cancel() { s.end(s.cancelled) }

// end records the end, once: a cancellation may come at the same time.
func (s *metered) end(record func(time.Duration)) {
	if s.over.CompareAndSwap(false, true) {
		s.active(-1)
		record(s.clock.passed())
	}
}
