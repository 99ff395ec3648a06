package protocol

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
)

// foreign is a publisher from outside. Signals that break the rules do not reach
// the stages of this module: a second OnSubscribe is cancelled and reported, what comes
// before it or after the end is dropped, nil errors are replaced, and a
// publisher that panics in Subscribe or in Request fails (§1.9, §1.7, §3.16).
type foreign[T any] struct {
	Op
	src reactor.Publisher[T]
}

func (f *foreign[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := Strict(ctx, s)
	sub := &foreignSubscriber[T]{down: down}
	sub.told.init(ctx, signals(down))
	failure.Guard(func() { f.src.Subscribe(ctx, sub) }, sub.told.OnError)
}

// foreignSubscriber is what the foreign publisher sees. A rule-abiding publisher
// calls it serially; nothing here makes up for one that does not.
type foreignSubscriber[T any] struct {
	Inner // the publisher may be a wrapper around one of ours: no second strict edge
	told  foreignSignals
	down  reactor.Subscriber[T]
}

func (s *foreignSubscriber[T]) OnSubscribe(up reactor.Subscription) { s.told.OnSubscribe(up) }

func (s *foreignSubscriber[T]) OnNext(v T) {
	if !s.told.enter() {
		reactor.DropNext(s.told.ctx, v)
		return
	}
	clean := false
	defer func() {
		if !clean {
			s.told.crash(failure.Recovered(recover()), v)
		}
	}()
	s.down.OnNext(v)
	clean = true
	s.told.leave()
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
	depth   int                  // elements on their way, one within the other; touched by the publisher's signals only

	// A Request that panics ends the stream, from whatever goroutine it comes: at once or, while
	// an element is on its way, behind it.
	failure atomic.Pointer[error]
	state   atomic.Int32
	over    atomic.Bool // whoever sets it tells the end
}

// The bits of foreignSignals.state.
const (
	foreignBusy   = 1 << iota // an element is on its way
	foreignFailed             // Request has panicked
)

func (s *foreignSignals) init(ctx context.Context, down Signals) { s.ctx, s.signals = ctx, down }

// enter begins the journey of an element, unless the stream has not begun, has ended, or has failed.
func (s *foreignSignals) enter() bool {
	if s.done || s.up == nil {
		return false
	}
	if s.depth == 0 && !s.state.CompareAndSwap(0, foreignBusy) {
		return false
	}
	chaos.Yield()
	s.depth++
	return true
}

// crash ends the stream because v, the element on its way, has failed with err.
func (s *foreignSignals) crash(err error, v any) {
	s.done = true
	s.over.Store(true)
	safeCancel(s.ctx, s.up)
	Crash(s.ctx, s.signals, err, v)
}

// leave ends it, and the stream if it has failed meanwhile.
func (s *foreignSignals) leave() {
	if s.depth--; s.depth == 0 {
		chaos.Yield()
		if s.state.And(^foreignBusy)&foreignFailed != 0 {
			s.tell()
		}
	}
}

// fail ends the stream because Request has panicked.
func (s *foreignSignals) fail(up reactor.Subscription, err error) {
	safeCancel(s.ctx, up)
	if s.over.Load() || !s.failure.CompareAndSwap(nil, &err) {
		reactor.DropError(s.ctx, err)
		return
	}
	chaos.Yield()
	if s.state.Or(foreignFailed)&foreignBusy == 0 {
		s.tell()
	}
}

func (s *foreignSignals) tell() {
	if err := *s.failure.Load(); s.over.CompareAndSwap(false, true) {
		s.signals.OnError(err)
	} else {
		reactor.DropError(s.ctx, err)
	}
}

func (s *foreignSignals) OnSubscribe(up reactor.Subscription) {
	if up == nil {
		s.OnError(reactor.Failure("subscribe", reactor.ErrProtocol, "§2.13: OnSubscribe(nil)"))
		return
	}
	if s.up != nil || s.done {
		safeCancel(s.ctx, up)
		reactor.DropError(s.ctx, failure.SecondSubscription())
		return
	}
	s.up = up
	s.signals.OnSubscribe(foreignSubscription{s, up})
}

func (s *foreignSignals) OnComplete() {
	if s.done {
		return
	}
	if s.up == nil {
		s.OnError(reactor.Failure("subscribe", reactor.ErrProtocol, "§1.9: OnComplete before OnSubscribe"))
		return
	}
	s.done = true
	if s.over.CompareAndSwap(false, true) {
		s.signals.OnComplete()
	}
}

func (s *foreignSignals) OnError(err error) {
	err = reactor.NonNil(err)
	if s.done {
		reactor.DropError(s.ctx, err)
		return
	}
	s.done = true
	if s.up == nil {
		s.signals.OnSubscribe(Empty)
	}
	if s.over.CompareAndSwap(false, true) {
		s.signals.OnError(err)
	} else {
		reactor.DropError(s.ctx, err)
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

func (s foreignSubscription) Cancel() { safeCancel(s.signals.ctx, s.up) }

func safeCancel(ctx context.Context, up reactor.Subscription) {
	failure.Guard(up.Cancel, func(err error) { reactor.DropError(ctx, err) })
}
