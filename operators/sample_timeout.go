package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/paired"
	"github.com/goreactor/reactor/schedulers"
)

// SampleTimeout emits an element if the publisher that fn returns for it emits or
// completes before the next element comes, and discards it otherwise: debouncing.
//
//	src:  1 - 2 - 3 --------- 4 - 5 |
//	      SampleTimeout(v => done after 5 steps)
//	out:  ------------- 3 ------- 5 |
//
// It asks src for everything; without demand for an element the stream fails with
// reactor.ErrOverflow. When src completes, its last element is emitted at once. An
// error of src or of a publisher of fn, or a panic of fn, ends the stream. At most one
// of these publishers is subscribed at a time. An element comes on the goroutine of its
// publisher.
func SampleTimeout[T, U any](src reactor.Publisher[T], fn func(T) reactor.Publisher[U], opts ...SampleTimeoutOption) reactor.Publisher[T] {
	argument.Given("sampleTimeout", "function", fn != nil)
	p := &sampleTimeoutPublisher[T]{
		src:    protocol.Trust("sampleTimeout", src),
		each:   func(v T) trigger { return onSignal(protocol.Trust("sampleTimeout", fn(v))) },
		config: sampleTimeoutConfig{concurrency: sampleTimeoutConcurrency},
	}
	for _, o := range argument.Options("sampleTimeout", opts) {
		o.applySampleTimeout(&p.config)
	}
	argument.Positive("sampleTimeout", "concurrency", p.config.concurrency)
	return p
}

// SampleTimeoutOption is an option of [SampleTimeout]: [Concurrency], which here says
// how many due elements are expected to wait for a slow subscriber at a time.
type SampleTimeoutOption interface{ applySampleTimeout(*sampleTimeoutConfig) }

type sampleTimeoutConfig struct{ concurrency int }

const sampleTimeoutConcurrency = 32

func (o ConcurrencyOption) applySampleTimeout(c *sampleTimeoutConfig) { c.concurrency = int(o) }

// SampleTimeoutFor emits an element if no other element comes within d after it, and
// discards it otherwise: debouncing.
//
//	src:  1 - 2 - 3 --------- 4 - 5 |
//	      SampleTimeoutFor(5 steps)
//	out:  ------------- 3 ------- 5 |
//
// Timers are those of schedulers.Parallel() unless [On] names another scheduler; if
// they are refused, the stream fails with reactor.ErrRejected. See [SampleTimeout]
// for the rest.
func SampleTimeoutFor[T any](src reactor.Publisher[T], d time.Duration, opts ...SchedulerOption) reactor.Publisher[T] {
	argument.Positive("sampleTimeout", "duration", d)
	timer := timerOf("sampleTimeout", opts)
	t := afterDelay("sampleTimeout", d, timer)
	return &sampleTimeoutPublisher[T]{
		src:    protocol.Trust("sampleTimeout", src),
		each:   func(T) trigger { return t },
		after:  d,
		timer:  timer,
		config: sampleTimeoutConfig{concurrency: sampleTimeoutConcurrency},
	}
}

type sampleTimeoutPublisher[T any] struct {
	protocol.Op
	src    reactor.Publisher[T]
	each   triggerFor[T]
	after  time.Duration        // what each waits for, if timer is set
	timer  schedulers.Scheduler // nil if each is a publisher's
	config sampleTimeoutConfig
}

func (p *sampleTimeoutPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := &sampleTimeoutSubscriber[T]{each: p.each, quiet: queue.NewMPSC[*debounced[T]](min(p.config.concurrency, queue.MaxRing))}
	s.Attach(&s.Out, ctx, sub, s)
	if canLag(p.timer) {
		s.lag = newSlidingTimer("sampleTimeout", ctx, p.timer, p.after, s, &s.waits, &s.Other)
	}
	defer p.src.Subscribe(ctx, s) // also if downstream ends the goroutine
	s.Out.Begin()
}

// debounced is an element that waits for its trigger.
type debounced[T any] struct {
	id    int64
	value T
}

type sampleTimeoutSubscriber[T any] struct {
	protocol.Inner
	paired.Stage // the other one is the trigger of the latest element
	protocol.Sender[T]
	each  triggerFor[T]
	lag   *slidingTimer              // in the place of each, where that is a time; nil otherwise
	quiet *queue.MPSC[*debounced[T]] // elements that no other followed in time
	sent  int64                      // number of the newest of them that was emitted; owner of Out

	// latest is the element that waits for its trigger, or nil. The goroutine that
	// takes it out owns it: that of its trigger, or that of src with the next element
	// or its end.
	latest atomic.Pointer[debounced[T]]
	turn   int64 // number of the element, an even one; touched by src's signals
	// waits is the number of the element that lag waits for, or that and one if it has not to wait any more.
	waits atomic.Int64
	// moving counts the triggers that have taken their element out and are about to put it into
	// quiet. The stream does not end meanwhile: src may complete, and such an element was due
	// before.
	moving atomic.Int32
}

func (s *sampleTimeoutSubscriber[T]) OnNext(v T) {
	if s.Out.Closed() {
		s.Late(&s.Out, v)
		return
	}
	if s.lag != nil {
		s.wait(v)
	} else {
		s.await(v)
	}
	if s.Out.Closed() {
		s.supersede(false) // v may have come too late for the end
	}
}

// wait makes v the latest element, and has the timer wait for it.
func (s *sampleTimeoutSubscriber[T]) wait(v T) {
	s.turn += 2
	s.waits.Store(s.turn) // first: the timer asks no more for an element that nobody finds
	chaos.Yield()
	s.supersede(false)
	s.latest.Store(&debounced[T]{s.turn, v})
	chaos.Yield()
	s.lag.next(s.turn)
}

// await makes v the latest element, and starts its trigger in the place of the one before.
func (s *sampleTimeoutSubscriber[T]) await(v T) {
	s.supersede(false)
	failure.Beside(s.Out.Context(), v, func() { s.Other.Clear(s.turn) })
	s.turn += 2
	start := s.each(v)
	s.latest.Store(&debounced[T]{s.turn, v})
	start(s.Out.Context(), s, s.turn, &s.Other)
}

// supersede takes the latest element back from its trigger and discards it, or
// lets it be emitted.
func (s *sampleTimeoutSubscriber[T]) supersede(emit bool) {
	switch d := s.latest.Swap(nil); {
	case d == nil:
	case emit:
		s.quiet.Offer(d)
	default:
		s.Discard(d.value)
	}
}

func (s *sampleTimeoutSubscriber[T]) OnError(err error) {
	// Not Close: stages above that are not done with the error hear of it first.
	failure.InTurn(s.Link.Cancel, s.Other.Dispose, func() { s.supersede(false) }, func() { s.Out.Fail(err) })
}

func (s *sampleTimeoutSubscriber[T]) OnComplete() {
	// Deferred: a function that hears of a cancellation may end the goroutine.
	defer s.Out.End(nil)
	defer s.supersede(true)
	s.Other.Dispose()
}

func (s *sampleTimeoutSubscriber[T]) fired(id int64) {
	s.moving.Add(1)
	s.waits.CompareAndSwap(id, id+1)
	if d := s.latest.Load(); d != nil && d.id == id && s.latest.CompareAndSwap(d, nil) {
		chaos.Yield()
		s.quiet.Offer(d)
	}
	s.moving.Add(-1)
	s.Out.Run() // in any case: an end may have waited
}

func (s *sampleTimeoutSubscriber[T]) failed(id int64, err error) {
	s.waits.CompareAndSwap(id, id+1)
	if d := s.latest.Load(); d == nil || d.id != id {
		reactor.DropError(s.Out.Context(), err)
		return
	}
	s.Out.Fail(err)
}

// Flow implements protocol.Flow, as do the two methods below: it emits the elements
// that are due.
func (s *sampleTimeoutSubscriber[T]) Flow() {
	for s.Out.Open() {
		d, ok := s.quiet.Poll()
		if !ok {
			return
		}
		v := d.value
		switch {
		case d.id < s.sent:
			s.Discard(v) // a later one has overtaken it
		case s.Out.Demand() > 0:
			s.sent = d.id
			s.InFlight.Send(s.PushDown, v)
			s.Out.Produced(1)
		default:
			s.Discard(v)
			s.Out.Refuse(reactor.OperatorError(s.Out.Context(), reactor.Failure("sampleTimeout", reactor.ErrOverflow, "no demand for the element"), v))
		}
	}
}

// Dry reads moving first: an element that no longer counts there is in quiet.
func (s *sampleTimeoutSubscriber[T]) Dry() bool { return s.moving.Load() == 0 && s.quiet.IsEmpty() }

func (s *sampleTimeoutSubscriber[T]) Drop() {
	defer s.Out.DropFailures()
	s.waits.Store(-1) // a task of the timer that runs already sets no other one
	s.supersede(false)
	for d, ok := s.quiet.Poll(); ok; d, ok = s.quiet.Poll() {
		s.Discard(d.value)
	}
}
