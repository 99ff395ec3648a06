package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// SampleFirst emits an element and discards those that come before the publisher
// that fn returns for it emits or completes.
//
//	src:  1 - 2 - 3 - 4 - 5 - 6 |
//	      SampleFirst(v => done after 7 steps)
//	out:  1 --------- 4 ------- |
//
// It asks src for everything. An element that comes without demand is discarded as well, and the
// next element for which there is demand is emitted: so a slow downstream samples less often.
// (Reactor emits such an element regardless of demand.) An error of a publisher of fn, or a panic
// of fn, cancels src and ends the stream. fn runs after the element was delivered. Elements come on
// the goroutine of src.
func SampleFirst[T, U any](src reactor.Publisher[T], fn func(T) reactor.Publisher[U]) reactor.Publisher[T] {
	argument.Given("sampleFirst", "function", fn != nil)
	return &sampleFirstPublisher[T]{
		src:  protocol.Trust("sampleFirst", src),
		each: func(v T) trigger { return onSignal(protocol.Trust("sampleFirst", fn(v))) },
	}
}

// SampleFirstFor emits an element and discards those that come within d after it.
//
//	src:  1 - 2 - 3 - 4 - 5 - 6 |
//	      SampleFirstFor(7 steps)
//	out:  1 --------- 4 ------- |
//
// Timers are those of schedulers.Parallel() unless [On] names another scheduler; if
// they are refused, the stream fails with reactor.ErrRejected. See [SampleFirst]
// for the rest.
func SampleFirstFor[T any](src reactor.Publisher[T], d time.Duration, opts ...SchedulerOption) reactor.Publisher[T] {
	argument.Positive("sampleFirst", "duration", d)
	t := afterDelay("sampleFirst", d, timerOf("sampleFirst", opts))
	return &sampleFirstPublisher[T]{src: protocol.Trust("sampleFirst", src), each: func(T) trigger { return t }}
}

type sampleFirstPublisher[T any] struct {
	protocol.Op
	src  reactor.Publisher[T]
	each triggerFor[T]
}

func (p *sampleFirstPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := &sampleFirstSubscriber[T]{ctx: ctx, each: p.each, discard: reactor.DiscardHookFor[T](ctx)}
	s.down = protocol.Strict(ctx, sub)
	s.out.Down = s.down
	defer p.src.Subscribe(ctx, s) // also if downstream ends the goroutine
	s.out.Down.OnSubscribe(s)
}

type sampleFirstSubscriber[T any] struct {
	protocol.Inner
	ctx     context.Context
	each    triggerFor[T]
	discard func(any) // nil if nobody wants what is discarded
	down    reactor.Subscriber[T]
	out     protocol.Half     // a trigger may fail at any time
	link    protocol.Deferred // to src; decides who ends the stream
	wait    protocol.Handle
	demand  atomic.Int64 // open demand of downstream
	closed  atomic.Bool  // elements are discarded; set by src's signals, cleared by the trigger
	turn    int64        // number of the trigger; touched by src's signals
}

func (s *sampleFirstSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	if s.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (s *sampleFirstSubscriber[T]) OnNext(v T) {
	if s.closed.Load() || s.link.IsCancelled() || s.demand.Load() == 0 {
		s.drop(v)
		return
	}
	s.closed.Store(true)
	if !s.out.Deliver(s.down, v) {
		s.drop(v)
		return
	}
	demand.Produced(&s.demand, 1)
	if !s.link.IsCancelled() {
		s.turn++
		s.start(v)
	}
}

// start closes the gate until the trigger of v goes off.
func (s *sampleFirstSubscriber[T]) start(v T) {
	clean := false
	defer func() {
		if !clean {
			// v has been delivered: its failure is not the guard's that emitted it.
			s.failed(s.turn, reactor.OperatorError(s.ctx, failure.Recovered(recover()), v))
		}
	}()
	s.each(v)(s.ctx, s, s.turn, &s.wait)
	clean = true
}

func (s *sampleFirstSubscriber[T]) OnError(err error) {
	s.link.Close()
	defer s.sourceEnded(err) // also if a function that hears of what follows ends the goroutine
	s.wait.Dispose()
}

func (s *sampleFirstSubscriber[T]) OnComplete() {
	s.link.Close()
	defer s.sourceEnded(nil) // also if a function that hears of what follows ends the goroutine
	s.wait.Dispose()
}

// sourceEnded passes the end of src on.
func (s *sampleFirstSubscriber[T]) sourceEnded(err error) {
	if unheard := s.out.SourceEnd(err); unheard != nil {
		reactor.DropError(s.ctx, unheard)
	}
}

// Request adds to the demand of downstream.
func (s *sampleFirstSubscriber[T]) Request(n int64) { demand.Add(&s.demand, n) }

// Cancel stops src and the trigger.
func (s *sampleFirstSubscriber[T]) Cancel() {
	defer s.wait.Dispose() // also if a function that hears of the first ends the goroutine
	s.link.Cancel()
}

func (s *sampleFirstSubscriber[T]) fired(int64) { s.closed.Store(false) }

func (s *sampleFirstSubscriber[T]) failed(_ int64, err error) {
	ended := false
	defer func() {
		if !ended {
			reactor.DropError(s.ctx, err)
		}
	}()
	s.link.CancelAnd(func() {
		ended = true // also if who is told ends the goroutine
		ended = s.out.End(err)
	})
}

func (s *sampleFirstSubscriber[T]) drop(v T) {
	if s.discard != nil {
		s.discard(v)
	}
}
