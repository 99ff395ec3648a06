package protocol

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/handed"
)

// foreign is a publisher from outside. Signals that break the rules do not reach the
// stages of this module: a second OnSubscribe is cancelled and reported, signals before
// the first one or after the end are dropped, nil errors are replaced, and a publisher
// that panics in Subscribe or in Request fails (§1.9, §1.7, §3.16). Signals that a
// publisher sends within a Request that is made within an element follow that element.
type foreign[T any] struct {
	Op
	src reactor.Publisher[T]
}

func (f *foreign[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := Strict(ctx, s)
	sub := &foreignSubscriber[T]{down: down}
	sub.told.init(ctx, signals(down))
	failure.Guard(func() { f.src.Subscribe(ctx, sub) }, sub.told.broken)
}

// foreignSubscriber is what the foreign publisher sees. A publisher that obeys the
// rules calls it serially; nothing here protects against a publisher that does not.
type foreignSubscriber[T any] struct {
	Inner // the publisher may be a wrapper around one of ours: no second strict edge
	told  foreignSignals
	down  reactor.Subscriber[T]

	// Touched by the publisher's signals only.
	later []T // elements that came within another
	next  int // of later, the first that waits
}

func (s *foreignSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.told.OnSubscribe(up) }

func (s *foreignSubscriber[T]) OnNext(v T) {
	switch {
	case s.told.isWithin():
		s.later = append(s.later, v)
		return
	case !s.told.enter():
		reactor.DropNext(s.told.ctx, v)
		return
	}
	for deliverForeign(s, v) {
		if len(s.later) == 0 {
			s.told.leave()
			return
		}
		v = takeLater(s) // what came within an element follows it
	}
}

// deliverForeign delivers v. It and the two below are functions, since a method is compiled twice for each type of element.
func deliverForeign[T any](s *foreignSubscriber[T], v T) (clean bool) {
	defer func() {
		if !clean {
			foreignCrash(s, failure.Recovered(recover()), v)
		}
	}()
	s.down.OnNext(v)
	return true
}

// takeLater takes the first element that waits out.
func takeLater[T any](s *foreignSubscriber[T]) T {
	var none T
	v := s.later[s.next]
	s.later[s.next] = none
	if s.next++; s.next == len(s.later) {
		s.later, s.next = s.later[:0], 0
	}
	return v
}

// foreignCrash ends the stream because v, the element on its way, has failed with err.
func foreignCrash[T any](s *foreignSubscriber[T], err error, v T) {
	failure.InTurn(
		s.told.abort,
		func() {
			for len(s.later) > 0 {
				reactor.Discard(s.told.ctx, takeLater(s))
			}
		},
		func() { Crash(s.told.ctx, s.told.signals, err, v) },
	)
}

func (s *foreignSubscriber[T]) OnError(err error) { s.told.OnError(err) }

func (s *foreignSubscriber[T]) OnComplete() { s.told.OnComplete() }

// foreignSignals is the part of a foreignSubscriber that has nothing to do with
// the type of the elements.
type foreignSignals struct {
	ctx     context.Context
	signals Signals              // downstream
	up      reactor.Subscription // set by OnSubscribe
	done    bool                 // after a terminal signal of the publisher

	// Touched by the publisher's signals only.
	within bool     // an element is on its way
	end    *halfEnd // a terminal signal that came while an element was on its way, or nil

	// A Request or Subscribe that panics ends the stream, on whatever goroutine: at once or, while
	// an element or the subscription is on its way, after that has arrived.
	failure   atomic.Pointer[error] // that panic
	begun     atomic.Uint32         // who has handed a subscription down: foreignFresh and the others
	state     atomic.Int32          // bits
	over      atomic.Bool           // the end was sent, or is about to be, by whoever has set this
	cancelled atomic.Bool           // downstream has cancelled: an error that is the end of the context is not reported any more
}

// The bits of foreignSignals.state.
const (
	foreignBusy        = 1 << iota // an element is on its way
	foreignFailed                  // Request or Subscribe has panicked
	foreignIntroducing             // downstream is getting its subscription
)

// The states of foreignSignals.begun.
const (
	foreignFresh  = iota
	foreignBegun  // a signal of the publisher
	foreignBroken // Subscribe, which has failed
)

func (s *foreignSignals) init(ctx context.Context, down Signals) { s.ctx, s.signals = ctx, down }

// enter begins the journey of an element, unless the stream has not begun, has ended, or has failed.
func (s *foreignSignals) enter() bool {
	if s.done || s.up == nil {
		return false
	}
	if !s.state.CompareAndSwap(0, foreignBusy) && !s.enterIntroducing() {
		return false
	}
	chaos.Yield()
	s.within = true
	return true
}

// enterIntroducing is enter for an element that comes while downstream is getting its subscription, on another goroutine perhaps, where
// that may be over at any moment.
func (s *foreignSignals) enterIntroducing() bool {
	for {
		state := s.state.Load()
		if state&^foreignIntroducing != 0 {
			return false
		}
		chaos.Yield()
		if s.state.CompareAndSwap(state, state|foreignBusy) {
			return true
		}
	}
}

// isWithin reports, to an element that comes now, whether another element is on its
// way.
func (s *foreignSignals) isWithin() bool { return s.within && !s.done }

// leave ends the journey of an element, and the stream if an end has come meanwhile.
func (s *foreignSignals) leave() {
	s.within = false
	chaos.Yield()
	if s.state.And(^foreignBusy)&(foreignFailed|foreignIntroducing) == foreignFailed {
		defer s.tell() // also if the end of the publisher ends the goroutine
	}
	if end := s.end; end != nil {
		s.end = nil // else the error would hang on a subscription that somebody keeps
		s.finish(end.err)
	}
}

// abort ends the stream because it has failed: nothing more comes from the publisher, and the
// caller sends the error downstream.
func (s *foreignSignals) abort() {
	s.within, s.done = false, true
	s.over.Store(true)
	failure.InTurn(func() { safeCancel(s.ctx, s.up) }, s.leave) // downstream gets none of the errors that leave finds
}

// fail ends the stream because Request or Subscribe has panicked. Any goroutine.
func (s *foreignSignals) fail(up reactor.Subscription, err error) {
	defer s.failed(err) // also if the cancellation ends the goroutine
	safeCancel(s.ctx, up)
}

func (s *foreignSignals) failed(err error) {
	if s.over.Load() || !s.failure.CompareAndSwap(nil, &err) {
		reactor.DropError(s.ctx, err)
		return
	}
	chaos.Yield()
	if s.state.Or(foreignFailed)&(foreignBusy|foreignIntroducing) == 0 {
		s.tell()
	}
}

// tell sends the failure down. Of those that keep it back, the last one calls it.
func (s *foreignSignals) tell() {
	if err := *s.failure.Load(); s.over.CompareAndSwap(false, true) {
		s.signals.OnError(err)
	} else {
		reactor.DropError(s.ctx, err)
	}
}

func (s *foreignSignals) OnSubscribe(up reactor.Subscription) {
	if s.up != nil || s.done {
		defer reactor.DropError(s.ctx, failure.SecondSubscription()) // also if the cancellation ends the goroutine
		if up != nil {
			safeCancel(s.ctx, up)
		}
		return
	}
	if up == nil {
		s.OnError(reactor.Failure("subscribe", reactor.ErrProtocol, "§2.13: OnSubscribe(nil)"))
		return
	}
	s.up = up
	s.state.Or(foreignIntroducing)
	if !s.begun.CompareAndSwap(foreignFresh, foreignBegun) {
		s.done = true // Subscribe has failed, and said so
		safeCancel(s.ctx, up)
		return
	}
	defer s.introduced() // also if downstream ends the goroutine
	s.signals.OnSubscribe(foreignSubscription{s, up})
}

// introduced is called when downstream has its subscription.
func (s *foreignSignals) introduced() {
	chaos.Yield()
	if s.state.And(^foreignIntroducing)&(foreignFailed|foreignBusy) == foreignFailed {
		s.tell()
	}
}

func (s *foreignSignals) OnComplete() {
	if s.done {
		return
	}
	if s.up == nil && s.begun.Load() == foreignFresh {
		s.OnError(reactor.Failure("subscribe", reactor.ErrProtocol, "§1.9: OnComplete before OnSubscribe"))
		return
	}
	s.done = true
	s.finish(nil)
}

func (s *foreignSignals) OnError(err error) {
	err = handed.Seen(reactor.NonNil(err))
	if s.done {
		belated.Drop(s.ctx, err)
		return
	}
	s.done = true
	if s.up == nil {
		if !s.begun.CompareAndSwap(foreignFresh, foreignBegun) {
			belated.Drop(s.ctx, err)
			return
		}
		defer s.finish(err) // also if downstream ends the goroutine
		s.signals.OnSubscribe(Empty)
		return
	}
	s.finish(err)
}

// broken ends the stream because Subscribe has failed. A subscription that Subscribe has handed
// down before is cancelled: it may be that of another publisher, of which the foreign one is made,
// and which knows nothing of the failure and may be sending on another goroutine.
func (s *foreignSignals) broken(err error) {
	switch {
	case s.begun.CompareAndSwap(foreignFresh, foreignBroken):
		s.over.Store(true)
		defer s.signals.OnError(err) // also if downstream ends the goroutine
		s.signals.OnSubscribe(Empty)
	case s.over.Load():
		belated.Drop(s.ctx, err)
	default:
		s.fail(s.subscription(), err)
	}
}

// subscription returns the subscription of the publisher. The caller knows that there was one, or
// that an end came without one.
func (s *foreignSignals) subscription() reactor.Subscription {
	if s.up == nil {
		return Empty
	}
	return s.up
}

// finish sends the end of the publisher: an error, or nil for completion. Within an element,
// leave sends it.
func (s *foreignSignals) finish(err error) {
	switch {
	case s.within:
		s.end = endWith(err)
	case err != nil && s.cancelled.Load() && belated.IsEnd(s.ctx, err):
	case s.over.CompareAndSwap(false, true):
		Finish(s.signals, err)
	case err != nil:
		belated.Drop(s.ctx, err)
	}
}

// foreignSubscription keeps panics of a foreign Request or Cancel from our
// state (§3.15, §3.16): the one ends the stream, the other is reported.
type foreignSubscription struct {
	signals *foreignSignals
	up      reactor.Subscription
}

func (s foreignSubscription) Request(n int64) {
	failure.Guard(func() { s.up.Request(n) }, func(err error) { s.signals.fail(s.up, err) })
}

func (s foreignSubscription) Cancel() {
	s.signals.cancelled.Store(true)
	safeCancel(s.signals.ctx, s.up)
}

func safeCancel(ctx context.Context, up reactor.Subscription) {
	failure.Guard(up.Cancel, func(err error) { reactor.DropError(ctx, err) })
}
