package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// SampleTimeout emits an element if the publisher that fn returns for it emits or
// completes before the next element comes; otherwise it is discarded. Others call
// that debounce.
//
//	src:  1 - 2 - 3 --------- 4 - 5 |
//	      SampleTimeout(v => done after 5 steps)
//	out:  ------------- 3 ------- 5 |
//
// It asks src for everything; without demand for an element the stream fails with
// reactor.ErrOverflow. When src completes, its last element is emitted at once. An
// error of src or of such a publisher, or a panic of fn, ends the stream. At most
// one of the publishers is subscribed at a time. Elements come on their goroutine.
func SampleTimeout[T, U any](src reactor.Publisher[T], fn func(T) reactor.Publisher[U], opts ...SampleTimeoutOption) reactor.Publisher[T] {
	protocol.NotNil("sampleTimeout", "function", fn)
	p := &sampleTimeoutPublisher[T]{
		src:    protocol.Trust("sampleTimeout", src),
		each:   func(v T) trigger { return onSignal(protocol.Trust("sampleTimeout", fn(v))) },
		config: sampleTimeoutConfig{concurrency: sampleTimeoutConcurrency},
	}
	for _, o := range opts {
		o.applySampleTimeout(&p.config)
	}
	protocol.Positive("sampleTimeout", "concurrency", p.config.concurrency)
	return p
}

// SampleTimeoutOption is an option of [SampleTimeout]: [Concurrency], which is how
// many elements that are due are expected to wait for a slow subscriber at a time.
type SampleTimeoutOption interface{ applySampleTimeout(*sampleTimeoutConfig) }

type sampleTimeoutConfig struct{ concurrency int }

const sampleTimeoutConcurrency = 32

func (o ConcurrencyOption) applySampleTimeout(c *sampleTimeoutConfig) { c.concurrency = int(o) }

// SampleTimeoutFor emits an element if none comes within d after it; otherwise it
// is discarded.
//
//	src:  1 - 2 - 3 --------- 4 - 5 |
//	      SampleTimeoutFor(5 steps)
//	out:  ------------- 3 ------- 5 |
//
// Timers are those of schedulers.Parallel() unless [On] names another scheduler; if
// they are refused, the stream fails with reactor.ErrRejected. See [SampleTimeout]
// for the rest.
func SampleTimeoutFor[T any](src reactor.Publisher[T], d time.Duration, opts ...SchedulerOption) reactor.Publisher[T] {
	protocol.Positive("sampleTimeout", "duration", d)
	t := afterDelay("sampleTimeout", d, timerOf("sampleTimeout", opts))
	return &sampleTimeoutPublisher[T]{
		src:    protocol.Trust("sampleTimeout", src),
		each:   func(T) trigger { return t },
		config: sampleTimeoutConfig{concurrency: sampleTimeoutConcurrency},
	}
}

type sampleTimeoutPublisher[T any] struct {
	protocol.Op
	src    reactor.Publisher[T]
	each   triggerFor[T]
	config sampleTimeoutConfig
}

func (p *sampleTimeoutPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := &sampleTimeoutSubscriber[T]{
		ctx:     ctx,
		down:    protocol.Strict(ctx, sub),
		each:    p.each,
		discard: reactor.DiscardHookFor[T](ctx),
		quiet:   queue.NewMPSC[T](p.config.concurrency),
	}
	s.down.OnSubscribe(s)
	p.src.Subscribe(ctx, s)
}

// debounced is an element that waits for its trigger.
type debounced[T any] struct {
	id    int64
	value T
}

type sampleTimeoutSubscriber[T any] struct {
	protocol.Inner
	ctx     context.Context
	down    reactor.Subscriber[T]
	each    triggerFor[T]
	discard func(any)         // nil if nobody wants what is discarded
	link    protocol.Deferred // to src
	wait    protocol.Handle
	quiet   *queue.MPSC[T] // elements that no other followed in time

	// latest is the element that waits for its trigger, nil if none. Whoever
	// takes it out owns it: its trigger, or src with the next element or its end.
	latest atomic.Pointer[debounced[T]]
	turn   int64 // number of the element; touched by src's signals

	demand    atomic.Int64 // open demand of downstream
	done      atomic.Bool  // src has completed
	failures  protocol.Failures
	cancelled atomic.Bool
	drain     protocol.Drain

	// What follows belongs to the owner of drain.
	over bool // terminal signal sent, failed downstream, or cancelled
	hand protocol.Hand[T]
}

func (s *sampleTimeoutSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	if s.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (s *sampleTimeoutSubscriber[T]) OnNext(v T) {
	if s.link.IsCancelled() {
		s.drop(v)
		return
	}
	s.supersede(false)
	s.wait.Clear(s.turn)
	s.turn++
	start := s.each(v)
	s.latest.Store(&debounced[T]{s.turn, v})
	start(s.ctx, s, s.turn, &s.wait)
	if s.link.IsCancelled() {
		s.supersede(false) // v may have come too late for the end
	}
}

// supersede takes the latest element back from its trigger and discards it, or
// lets it be emitted.
func (s *sampleTimeoutSubscriber[T]) supersede(emit bool) {
	switch d := s.latest.Swap(nil); {
	case d == nil:
	case emit:
		s.quiet.Offer(d.value)
	default:
		s.drop(d.value)
	}
}

func (s *sampleTimeoutSubscriber[T]) OnError(err error) {
	s.link.Cancel() // not Close: stages above that are not done with the error hear of it first
	s.wait.Dispose()
	s.supersede(false)
	s.fail(err)
}

func (s *sampleTimeoutSubscriber[T]) OnComplete() {
	s.wait.Dispose()
	s.supersede(true)
	s.done.Store(true)
	s.drain.Run(s)
}

// Request adds to the demand of downstream.
func (s *sampleTimeoutSubscriber[T]) Request(n int64) { protocol.AddDemand(&s.demand, n) }

// Cancel stops src and the trigger.
func (s *sampleTimeoutSubscriber[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	s.stop()
	s.drain.Run(s)
}

func (s *sampleTimeoutSubscriber[T]) stop() {
	s.link.Cancel()
	s.wait.Dispose()
}

func (s *sampleTimeoutSubscriber[T]) fired(id int64) {
	if d := s.latest.Load(); d != nil && d.id == id && s.latest.CompareAndSwap(d, nil) {
		s.quiet.Offer(d.value)
		s.drain.Run(s)
	}
}

func (s *sampleTimeoutSubscriber[T]) failed(id int64, err error) {
	if d := s.latest.Load(); d == nil || d.id != id {
		reactor.DropError(s.ctx, err)
		return
	}
	s.fail(err)
}

// fail ends the stream, of whichever side the failure is.
func (s *sampleTimeoutSubscriber[T]) fail(err error) {
	if s.cancelled.Load() || !s.failures.Add(err) {
		reactor.DropError(s.ctx, err)
		return
	}
	s.drain.Run(s)
}

// DrainPass emits what is due, or the end.
func (s *sampleTimeoutSubscriber[T]) DrainPass() {
	for !s.ended() {
		v, ok := s.quiet.Poll()
		switch {
		case !ok:
			return
		case s.demand.Load() > 0:
			s.hand.Hold(v)
			s.down.OnNext(v)
			s.hand.LetGo()
			protocol.Produced(&s.demand, 1)
		default:
			s.drop(v)
			s.failures.Add(reactor.OperatorError(s.ctx, reactor.Failure("sampleTimeout", reactor.ErrOverflow, "no demand for the element"), v))
		}
	}
}

// ended reports whether nothing more is to be delivered. It is what ends the
// stream: with the terminal signal, or because of a cancellation.
func (s *sampleTimeoutSubscriber[T]) ended() bool {
	switch {
	case s.over:
		s.dropAll()
	case s.cancelled.Load():
		s.release()
	case s.failures.Any() || s.done.Load() && s.quiet.IsEmpty():
		err := s.failures.Terminate()
		if s.done.Load() {
			s.link.Close()
		}
		s.stop()
		s.release()
		protocol.Finish(s.down, err)
	default:
		return false
	}
	return true
}

// DrainCrashed ends the stream because downstream failed.
func (s *sampleTimeoutSubscriber[T]) DrainCrashed(err error) {
	over := s.over
	s.cancelled.Store(true)
	s.stop()
	s.release()
	s.hand.Crash(s.ctx, s.down, over, err)
}

func (s *sampleTimeoutSubscriber[T]) release() {
	s.over = true
	s.dropAll()
}

// dropAll discards the latest element and those that are due.
func (s *sampleTimeoutSubscriber[T]) dropAll() {
	s.supersede(false)
	for v, ok := s.quiet.Poll(); ok; v, ok = s.quiet.Poll() {
		s.drop(v)
	}
}

func (s *sampleTimeoutSubscriber[T]) drop(v T) {
	if s.discard != nil {
		s.discard(v)
	}
}
