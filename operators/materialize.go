package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// SignalOf is satisfied by reactor.Signal[T] alone.
type SignalOf[T any] interface{ reactor.Signal[T] }

// Materialize emits every signal of src, the end included, as an element, and then
// completes.
//
//	src:  1 ------- 2 ------- #
//	      Materialize()
//	out:  next(1) - next(2) - error(#) |
//
// Demand passes through; the signal of the end needs demand as well and waits for it.
// The result never fails, except when something goes wrong further down. Signals are
// emitted on the goroutine of src; the last one may be emitted on the goroutine of a
// request. [Dematerialize] is the way back.
func Materialize[T any, S SignalOf[T]](src reactor.Publisher[T]) reactor.Publisher[S] {
	return &materializePublisher[T, S]{src: protocol.Trust("materialize", src)}
}

type materializePublisher[T any, S SignalOf[T]] struct {
	protocol.Op
	src reactor.Publisher[T]
}

func (p *materializePublisher[T, S]) Subscribe(ctx context.Context, s reactor.Subscriber[S]) {
	p.src.Subscribe(ctx, &materializeSubscriber[T, S]{ctx: ctx, down: protocol.Strict(ctx, s)})
}

type materializeSubscriber[T any, S SignalOf[T]] struct {
	protocol.Inner
	ctx     context.Context
	down    reactor.Subscriber[S]
	arbiter protocol.Arbiter // the subscription handed down: to src, then to its end

	// Touched by the signals of upstream only.
	up   reactor.Subscription
	sent int64
	call protocol.Calling // inside down.OnNext
	done bool

	spent atomic.Bool // the last signal was emitted
}

func (s *materializeSubscriber[T, S]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.arbiter.Set(up)
	s.down.OnSubscribe(&s.arbiter)
}

func (s *materializeSubscriber[T, S]) OnNext(v T) {
	if s.done {
		reactor.DropNext(s.ctx, v)
		return
	}
	s.sent++
	s.call.Deliver(s.down, S(reactor.NextSignal(v)))
}

// Push implements protocol.Pusher.
func (s *materializeSubscriber[T, S]) Push() func(T) {
	next := protocol.Push(s.down)
	return func(v T) {
		if s.done {
			reactor.DropNext(s.ctx, v)
			return
		}
		s.sent++
		s.call.Next(next, S(reactor.NextSignal(v)))
	}
}

func (s *materializeSubscriber[T, S]) OnError(err error) {
	switch {
	case s.call.Failed():
		s.done = true
		s.down.OnError(err)
	case s.done:
		reactor.DropError(s.ctx, err)
	default:
		s.end(reactor.ErrorSignal[T](err))
	}
}

func (s *materializeSubscriber[T, S]) OnComplete() {
	if !s.done {
		s.end(reactor.CompleteSignal[T]())
	}
}

// end emits the last signal as soon as there is demand.
func (s *materializeSubscriber[T, S]) end(last reactor.Signal[T]) {
	s.done = true
	if s.arbiter.Next(s.sent) {
		s.arbiter.Set(&lastSignal[S]{
			fallbackValue: fallbackValue[S]{ctx: s.ctx, down: s.down, value: S(last), ended: s.up, spent: &s.spent},
			arbiter:       &s.arbiter,
		})
	} else if err := last.Err(); err != nil {
		belated.Drop(s.ctx, err)
	}
}

// lastSignal is a fallbackValue without a completion behind it if downstream cancels within it.
type lastSignal[S any] struct {
	fallbackValue[S]
	arbiter *protocol.Arbiter
}

// Request emits the signal, the first time.
func (l *lastSignal[S]) Request(int64) {
	if !l.spent.Swap(true) && protocol.Emit(l.ctx, l.down, pending.Take(&l.value)) && !l.arbiter.IsCancelled() {
		l.down.OnComplete()
	}
}

// Cancel gives the signal up; an error in it is reported as dropped.
func (l *lastSignal[S]) Cancel() {
	defer func() { // also if a function that hears of the cancellation ends the goroutine
		if l.spent.Swap(true) {
			return
		}
		if last, ok := any(pending.Take(&l.value)).(interface{ Err() error }); ok && last.Err() != nil {
			belated.Drop(l.ctx, last.Err())
		}
	}()
	l.ended.Cancel()
}
