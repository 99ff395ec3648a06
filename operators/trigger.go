package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/paired"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/schedulers"
)

// triggered is a stage that waits for triggers: timers, or the first signals of other
// publishers. Both methods may be called from any goroutine, also before the call that
// starts the trigger returns, and also after the trigger was disposed; for each trigger
// at most one of the two is called, once.
type triggered interface {
	// fired is called when the trigger with the given number has gone off.
	fired(id int64)
	// failed is called when the trigger with the given number has failed, or could not
	// be started.
	failed(id int64, err error)
}

// newest stores n, the number of a trigger that has gone off, in latest, unless latest holds a
// later number: of two triggers the older one may be reported last, if its timer could not be
// stopped in time.
func newest(latest *atomic.Int64, n int64) {
	for old := latest.Load(); n > old && !latest.CompareAndSwap(old, n); old = latest.Load() {
		chaos.Yield()
	}
}

// trigger starts a timer or a publisher that calls to when it has gone off, and makes h
// own it.
type trigger func(ctx context.Context, to triggered, id int64, h *protocol.Handle)

// triggerFor makes a trigger for an element.
type triggerFor[T any] func(v T) trigger

// afterDelay returns the trigger that goes off when d has passed.
func afterDelay(op string, d time.Duration, s schedulers.Scheduler) trigger {
	return func(ctx context.Context, to triggered, id int64, h *protocol.Handle) {
		timer, err := s.ScheduleAfter(func(context.Context) { to.fired(id) }, d)
		if err != nil {
			to.failed(id, rejected(ctx, op, err, nil))
			return
		}
		h.Set(id, timer)
	}
}

// onSignal returns the trigger that goes off at the first element or the
// completion of p.
func onSignal[U any](p reactor.Publisher[U]) trigger {
	return func(ctx context.Context, to triggered, id int64, h *protocol.Handle) {
		s := &triggerSubscriber[U]{to: to, id: id, ctx: ctx, first: true}
		h.Set(id, s)
		p.Subscribe(ctx, s)
	}
}

// onCompletion returns the trigger that goes off at the completion of p, whose
// elements are discarded.
func onCompletion[U any](p reactor.Publisher[U]) trigger {
	return func(ctx context.Context, to triggered, id int64, h *protocol.Handle) {
		s := &triggerSubscriber[U]{to: to, id: id, ctx: ctx}
		h.Set(id, s)
		p.Subscribe(ctx, s)
	}
}

// triggerSubscriber is the subscriber of another publisher that serves as a trigger. It
// is also the handle on it.
type triggerSubscriber[U any] struct {
	protocol.Inner
	to    triggered
	id    int64
	ctx   context.Context
	first bool // elements count
	done  bool // touched by the publisher's signals
	link  protocol.Deferred
}

func (s *triggerSubscriber[U]) OnSubscribe(up reactor.Subscription) {
	if s.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (s *triggerSubscriber[U]) OnNext(v U) {
	if !s.first {
		new(pending.Unwanted[U]).Discard(s.ctx, v)
		return
	}
	defer paired.Spend(s.ctx, v)
	if s.done {
		return
	}
	s.done = true
	defer s.to.fired(s.id) // also if a function that hears of what follows ends the goroutine
	s.link.Cancel()
}

func (s *triggerSubscriber[U]) OnError(err error) {
	if s.done || s.link.IsCancelled() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.done = true
	s.link.Close()
	s.to.failed(s.id, err)
}

func (s *triggerSubscriber[U]) OnComplete() {
	if !s.done {
		s.done = true
		s.link.Close()
		s.to.fired(s.id)
	}
}

// Dispose cancels the subscription.
func (s *triggerSubscriber[U]) Dispose() { s.link.Cancel() }

// IsDisposed reports whether the subscription has ended.
func (s *triggerSubscriber[U]) IsDisposed() bool { return s.link.IsCancelled() }
