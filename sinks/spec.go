package sinks

import (
	"time"

	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/schedulers"
)

// Empty returns a sink without elements.
func Empty[T any]() *EmptySink[T] { return safe.Empty[T]() }

// One returns a sink for at most one element.
func One[T any]() *OneSink[T] { return safe.One[T]() }

// Many begins the choice of a sink for any number of elements.
func Many() ManySpec { return safe.Many() }

// Unsafe begins the choice of a sink that does not check for overlapping emissions: the
// caller must make one emission at a time, as operators and subscribers do by the rules of
// the protocol. Overlapping emissions may lose elements or corrupt the sink.
func Unsafe() Spec { return Spec{unguarded: true} }

// Spec begins the choice of a sink; see [Unsafe].
type Spec struct{ unguarded bool }

var safe Spec

func (s Spec) guard() *guard {
	if s.unguarded {
		return nil
	}
	return &guard{}
}

// Empty returns a sink without elements.
func (s Spec) Empty[T any]() *EmptySink[T] {
	return &EmptySink[T]{promise: &promise[T]{}, guard: s.guard()}
}

// One returns a sink for at most one element.
func (s Spec) One[T any]() *OneSink[T] {
	return &OneSink[T]{promise: &promise[T]{}, guard: s.guard()}
}

// Many begins the choice of a sink for any number of elements.
func (s Spec) Many() ManySpec { return ManySpec{s} }

func many[T any](s Spec, c core[T]) *ManySink[T] {
	g := s.guard()
	if g != nil {
		g.line = c.line()
		if c, ok := c.(interface{ producedBy(*guard) }); ok {
			c.producedBy(g)
		}
	}
	return &ManySink[T]{core: c, guard: g}
}

// ManySpec chooses among the sinks for any number of elements.
type ManySpec struct{ spec Spec }

// Unicast is for sinks with one subscriber; another one is refused with
// reactor.ErrIllegalState.
func (m ManySpec) Unicast() UnicastSpec { return UnicastSpec(m) }

// Multicast is for sinks with any number of subscribers; each gets the elements that come
// while it is subscribed.
func (m ManySpec) Multicast() MulticastSpec { return MulticastSpec(m) }

// Replay is for sinks with any number of subscribers; each also gets elements that came
// before it subscribed.
func (m ManySpec) Replay() ReplaySpec { return ReplaySpec(m) }

// UnicastSpec chooses among the sinks with one subscriber.
type UnicastSpec struct{ spec Spec }

// OnBackpressureBuffer returns a sink that keeps the elements that its subscriber has not
// requested, also before there is a subscriber: without bound, or up to [Capacity]. Beyond
// that an emission fails with FailOverflow, or with FailZeroSubscriber if there is no
// subscriber. The end comes behind the elements that wait. When the subscriber cancels, the
// elements that wait are discarded, and emissions fail with FailCancelled.
func (u UnicastSpec) OnBackpressureBuffer[T any](opts ...UnicastOption) *ManySink[T] {
	var c unicastConfig
	for _, o := range argument.Options("sink", opts) {
		o.applyUnicast(&c)
	}
	return many(u.spec, newUnicastBuffer[T](c.capacity, c.onEnd))
}

// OnBackpressureError returns a sink that keeps nothing. An emission without demand fails
// with FailOverflow. Every emission, also of the end, fails with FailZeroSubscriber before
// there is a subscriber, and with FailCancelled after the subscriber has cancelled.
func (u UnicastSpec) OnBackpressureError[T any]() *ManySink[T] {
	return many(u.spec, newUnicastError[T]())
}

// UnicastOption is an option of [UnicastSpec.OnBackpressureBuffer]: [Capacity] or [OnEnd].
type UnicastOption interface{ applyUnicast(*unicastConfig) }

type unicastConfig struct {
	capacity int // 0: no bound
	onEnd    func()
}

// CapacityOption is how many elements may wait.
type CapacityOption int

// Capacity limits the elements that wait to n > 0.
func Capacity(n int) CapacityOption {
	argument.Positive("sink", "capacity", n)
	return CapacityOption(n)
}

func (o CapacityOption) applyUnicast(c *unicastConfig) { c.capacity = int(o) }

// OnEndOption is the function that is called at the end of a sink.
type OnEndOption func()

// OnEnd makes the sink call fn once, when it is completed, failed or cancelled, on the
// goroutine that does so. A panic of fn is reported as a dropped error.
func OnEnd(fn func()) OnEndOption {
	argument.NotNil("sink", "function given to OnEnd", fn)
	return fn
}

func (o OnEndOption) applyUnicast(c *unicastConfig) { c.onEnd = o }

// MulticastSpec chooses among the sinks whose subscribers get the elements that come while
// they are subscribed.
type MulticastSpec struct{ spec Spec }

// OnBackpressureBuffer returns a sink that goes at the pace of its slowest subscriber. Up
// to 256 elements wait for that subscriber, or as many as [Capacity] says, rounded up to a
// power of two that is 1 or at least 8. As many wait before the first subscriber comes, and
// that subscriber gets them. Beyond that an emission fails with FailOverflow, or with
// FailZeroSubscriber if there is no subscriber. Completion comes behind the elements that
// wait; an error comes at once, and they are discarded.
//
// When its last subscriber has cancelled, the sink has ended, unless [AutoCancel] says
// otherwise: the elements that wait are discarded, and so are elements that are emitted
// after that, although their emissions succeed; new subscribers get the end only. But if no
// element was emitted before, such an emission fails with FailCancelled.
func (m MulticastSpec) OnBackpressureBuffer[T any](opts ...MulticastOption) *ManySink[T] {
	c := multicastConfigOf(opts)
	return many(m.spec, newMulticastBuffer[T](c.capacity, c.autoCancel))
}

// DirectAllOrNothing returns a sink that keeps nothing. An element goes to all subscribers;
// if one of them has not requested it, the element goes to none, and the emission fails
// with FailOverflow. Without subscribers the emission fails with FailZeroSubscriber.
func (m MulticastSpec) DirectAllOrNothing[T any]() *ManySink[T] {
	return many(m.spec, newMulticastDirect[T](true))
}

// DirectBestEffort returns a sink that keeps nothing. An element goes to those subscribers
// that have requested it. If no subscriber has, the emission fails with FailOverflow;
// without subscribers it fails with FailZeroSubscriber.
func (m MulticastSpec) DirectBestEffort[T any]() *ManySink[T] {
	return many(m.spec, newMulticastDirect[T](false))
}

// MulticastOption is an option of [MulticastSpec.OnBackpressureBuffer]: [Capacity] or
// [AutoCancel].
type MulticastOption interface{ applyMulticast(*multicastConfig) }

type multicastConfig struct {
	capacity   int
	autoCancel bool
}

func multicastConfigOf(opts []MulticastOption) multicastConfig {
	c := multicastConfig{capacity: defaultBuffer(), autoCancel: true}
	for _, o := range argument.Options("sink", opts) {
		o.applyMulticast(&c)
	}
	return c
}

func (o CapacityOption) applyMulticast(c *multicastConfig) { c.capacity = int(o) }

// AutoCancelOption is whether a sink ends when its last subscriber has cancelled.
type AutoCancelOption bool

// AutoCancel says whether a sink ends when its last subscriber has cancelled. With
// AutoCancel(false), elements that come after that wait for the next subscriber.
func AutoCancel(on bool) AutoCancelOption { return AutoCancelOption(on) }

func (o AutoCancelOption) applyMulticast(c *multicastConfig) { c.autoCancel = bool(o) }

// ReplaySpec chooses among the sinks that keep elements for later subscribers. Each
// subscriber gets the elements that are kept, and those that come, as it requests them.
// Emissions fail only after the end; subscribers get the end behind the elements. Elements
// that are not kept any more are not discarded: a subscriber may have got them.
//
// A limit applies to later subscribers, not to memory: a current subscriber gets every
// element, so all elements that a slow subscriber has not requested stay in memory, however
// many they are. Put LimitRate or OnBackpressureDrop behind the sink for subscribers that
// may be slow, or let Timeout end them.
type ReplaySpec struct{ spec Spec }

// All returns a sink that keeps everything.
func (r ReplaySpec) All[T any]() *ManySink[T] { return many(r.spec, newReplay[T](0, -1, nil)) }

// Latest returns a sink that keeps the latest element.
func (r ReplaySpec) Latest[T any]() *ManySink[T] { return many(r.spec, newReplay[T](1, -1, nil)) }

// LatestOrDefault returns a sink that keeps the latest element, which is v before the first
// one.
func (r ReplaySpec) LatestOrDefault[T any](v T) *ManySink[T] {
	c := newReplay[T](1, -1, nil)
	c.core.Emit(v)
	return many(r.spec, c)
}

// Limit returns a sink that keeps the latest elements: as many as [History] says, or those
// that are not older than [TTL]; at least one of the two options is needed. Age is checked
// when an element comes and when somebody subscribes, by the clock of schedulers.Parallel()
// or of [On]; after the end elements age no more.
func (r ReplaySpec) Limit[T any](opts ...LimitOption) *ManySink[T] {
	c := limitConfig{ttl: -1, clock: schedulers.Parallel}
	for _, o := range argument.Options("sink", opts) {
		o.applyLimit(&c)
	}
	if c.history == 0 && c.ttl < 0 {
		panic("reactor: sink: a limit needs a History or a TTL")
	}
	return many(r.spec, newReplay[T](c.history, c.ttl, c.clock))
}

// LimitOption is an option of [ReplaySpec.Limit]: [History], [TTL] or [On].
type LimitOption interface{ applyLimit(*limitConfig) }

type limitConfig struct {
	history int           // 0: all
	ttl     time.Duration // negative: for ever
	clock   func() schedulers.Scheduler
}

// HistoryOption is how many elements are kept.
type HistoryOption int

// History limits what is kept to the latest n > 0 elements. Up to a quarter of n more, at
// most 256, may stay in memory; if n is small, up to half of n, at most 4.
func History(n int) HistoryOption {
	argument.Positive("sink", "history", n)
	return HistoryOption(n)
}

func (o HistoryOption) applyLimit(c *limitConfig) { c.history = int(o) }

// TTLOption is how long elements are kept.
type TTLOption time.Duration

// TTL limits what is kept to elements that are younger than d ≥ 0.
func TTL(d time.Duration) TTLOption {
	argument.NotNegative("sink", "time to live", d)
	return TTLOption(d)
}

func (o TTLOption) applyLimit(c *limitConfig) { c.ttl = time.Duration(o) }

// SchedulerOption is the scheduler whose clock a sink uses.
type SchedulerOption struct{ scheduler schedulers.Scheduler }

// On makes a sink use the clock of s.
func On(s schedulers.Scheduler) SchedulerOption {
	argument.NotNil("sink", "scheduler", s)
	return SchedulerOption{s}
}

func (o SchedulerOption) applyLimit(c *limitConfig) {
	c.clock = func() schedulers.Scheduler { return o.scheduler }
}
