package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// SwitchOnFirstOption configures [SwitchOnFirst]: [KeepSource].
type SwitchOnFirstOption interface{ applySwitchOnFirst(*switchOnFirstConfig) }

type switchOnFirstConfig struct {
	keepSource bool
}

// KeepSourceOption is what [KeepSource] returns.
type KeepSourceOption bool

// KeepSource lets the source run on when the result has completed: the subscriber of the source
// gets the rest. A source without a subscriber is not cancelled either: its first element, and an
// error behind it, wait for a later subscriber; if none comes, the element is not discarded and
// the error is not reported as dropped. So the function had better use the source.
func KeepSource() KeepSourceOption { return true }

func (k KeepSourceOption) applySwitchOnFirst(c *switchOnFirstConfig) { c.keepSource = bool(k) }

// SwitchOnFirst lets the first signal of src decide what to do with the stream: fn gets that
// signal and all of src, the first signal included, and returns the publisher whose elements
// are emitted.
//
//	src:  1 - 2 - 3 |
//	      SwitchOnFirst((first, all) => all times first)
//	out:  1 - 2 - 3 |
//
// src is asked for one element when it is subscribed. all can be subscribed once, by the
// publisher that fn returns; it sends the first element on the first request, and then what
// is requested beyond that element. If the first signal is the end of src, all ends with it
// too. Demand goes to the publisher that fn has returned.
//
// When that publisher ends, src is cancelled, and the subscriber of all gets
// reactor.ErrCancelled; with [KeepSource] that happens only if the publisher has failed. An
// error of src goes to the subscriber of all. A panic of fn, or a nil publisher, cancels src
// and ends the stream. Cancellation cancels the publisher of fn and src. A first element that
// was never requested is discarded. fn runs on the goroutine of src; the first element goes
// down on that of the request.
func SwitchOnFirst[T, R any](
	src reactor.Publisher[T], fn func(first reactor.Signal[T], all reactor.Publisher[T]) reactor.Publisher[R],
	opts ...SwitchOnFirstOption,
) reactor.Publisher[R] {
	argument.Given("switchOnFirst", "function", fn != nil)
	p := &switchOnFirstPublisher[T, R]{src: protocol.Trust("switchOnFirst", src), fn: fn}
	for _, o := range argument.Options("switchOnFirst", opts) {
		o.applySwitchOnFirst(&p.switchOnFirstConfig)
	}
	return p
}

type switchOnFirstPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(reactor.Signal[T], reactor.Publisher[T]) reactor.Publisher[R]
	switchOnFirstConfig
}

func (p *switchOnFirstPublisher[T, R]) Subscribe(ctx context.Context, sub reactor.Subscriber[R]) {
	s := &switchOnFirstSubscriber[T, R]{ctx: ctx, fn: p.fn, discard: reactor.DiscardHookFor[T](ctx)}
	s.all.stage = s
	s.all.out.Hold()
	s.result.stage, s.result.down, s.result.keepSource = s, protocol.Strict(ctx, sub), p.keepSource
	p.src.Subscribe(ctx, s)
}

// switchOnFirstSubscriber receives the signals of the source.
type switchOnFirstSubscriber[T, R any] struct {
	protocol.Inner
	ctx     context.Context
	fn      func(reactor.Signal[T], reactor.Publisher[T]) reactor.Publisher[R]
	discard func(any)            // nil if nobody wants what is discarded
	up      reactor.Subscription // set by OnSubscribe
	decided bool                 // the first signal has come; touched by the signals of upstream only
	done    atomic.Bool          // the source has ended
	closed  atomic.Bool          // nobody wants the source any more
	all     switchOnFirstAll[T, R]
	result  switchOnFirstResult[T, R]
}

func (s *switchOnFirstSubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	defer func() { // also if downstream ends the goroutine
		if !s.closed.Load() {
			up.Request(1)
		}
	}()
	s.result.down.OnSubscribe(&s.result)
}

func (s *switchOnFirstSubscriber[T, R]) OnNext(v T) {
	switch {
	case s.done.Load():
		reactor.DropNext(s.ctx, v)
	case !s.decided:
		s.decided = true
		if s.closed.Load() {
			pending.Discard(s.discard, v)
			return
		}
		s.all.first = v
		s.all.turn.Store(allHasFirst)
		chaos.Yield()
		if s.closed.Load() {
			s.all.drop() // the call that has closed it may not have seen the element
			return
		}
		s.decide(reactor.NextSignal(v))
	case s.closed.Load() || !s.all.out.Deliver(s.all.down, v):
		pending.Discard(s.discard, v)
	}
}

func (s *switchOnFirstSubscriber[T, R]) OnError(err error) {
	if s.all.out.Calling() {
		// The failure of an element on its way down: what fn has returned has failed.
		s.done.Store(true)
		s.ended(err)
		return
	}
	if s.done.Load() || s.closed.Load() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.done.Store(true)
	if s.decided {
		s.ended(err)
		return
	}
	s.all.end = err
	s.decide(reactor.ErrorSignal[T](err))
}

func (s *switchOnFirstSubscriber[T, R]) OnComplete() {
	if s.done.Load() || s.closed.Load() {
		return
	}
	s.done.Store(true)
	if s.decided {
		s.all.out.SourceEnd(nil)
		return
	}
	s.decide(reactor.CompleteSignal[T]())
}

// ended passes the failure of the source to the subscriber of the source.
func (s *switchOnFirstSubscriber[T, R]) ended(err error) {
	if unheard := s.all.out.SourceEnd(err); unheard != nil {
		reactor.DropError(s.ctx, unheard)
		return
	}
	s.all.failed.Store(&err)
	chaos.Yield()
	if s.all.lost.Load() {
		s.all.dropError()
	}
}

// decide calls the function and goes on with what it returns.
func (s *switchOnFirstSubscriber[T, R]) decide(first reactor.Signal[T]) {
	var p reactor.Publisher[R]
	failure.Guard(func() { p = protocol.Trust("switchOnFirst", s.fn(first, &s.all)) }, func(err error) {
		switch first.Kind() {
		case reactor.KindNext:
			v, _ := first.Value()
			err = reactor.OperatorError(s.ctx, err, v)
		case reactor.KindError:
			err = failure.Both(err, first.Err())
		}
		defer func() { s.result.fail(err) }() // also if a function that hears of the cancellation ends the goroutine
		s.close()
	})
	switch {
	case p == nil:
	case !s.result.link.IsCancelled():
		p.Subscribe(s.ctx, &s.result)
	case s.all.end != nil && s.all.taken.Load() != allSubscribed:
		reactor.DropError(s.ctx, s.all.end) // cancelled within fn, and nobody has got it
	}
}

// close cancels the source, unless it has ended, and ends the stream of its subscriber. It
// discards a first element that nobody has requested.
func (s *switchOnFirstSubscriber[T, R]) close() {
	if s.closed.Swap(true) {
		return
	}
	defer s.all.close() // also if a function that hears of the cancellation ends the goroutine
	if !s.done.Load() {
		s.up.Cancel()
	}
}

// switchOnFirstAll is the source as fn gets it: the publisher, and the subscription of its one
// subscriber, which is used once OnSubscribe of that subscriber has returned.
type switchOnFirstAll[T, R any] struct {
	protocol.Op
	stage *switchOnFirstSubscriber[T, R]
	down  reactor.Subscriber[T] // set with out.Down
	out   protocol.Half         // to the subscriber; held until the first element was sent
	gate  protocol.Deferred     // from the subscriber to this, when its OnSubscribe has returned
	rest  protocol.Deferred     // from this to the source, when the first element was sent
	first T                     // written before turn is set, then whoever takes the turn
	end   error                 // the failure of a source without an element; written before fn is called
	turn  atomic.Uint32         // who deals with the first element
	taken atomic.Uint32         // whether there is, or was, a subscriber
	left  atomic.Bool           // abandon was called
	open  atomic.Bool           // its OnSubscribe has returned

	failed atomic.Pointer[error] // the error of the source, for its subscriber or whoever drops it
	lost   atomic.Bool           // the first element was never sent, nor will be what comes behind it
}

// States of taken.
const (
	allFree = iota
	allSubscribed
	allGone // closed without one
)

// States of turn.
const (
	allWithoutFirst = iota // the source has ended without an element
	allHasFirst
	allSentFirst // or discarded it
)

// takeTurn reports whether the caller has to deal with the first element.
func (a *switchOnFirstAll[T, R]) takeTurn() bool {
	chaos.Yield()
	return a.turn.CompareAndSwap(allHasFirst, allSentFirst)
}

func (a *switchOnFirstAll[T, R]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, sub)
	s := a.stage
	switch {
	case !a.taken.CompareAndSwap(allFree, allSubscribed):
		err := a.end
		if a.taken.Load() == allSubscribed {
			err = reactor.Failure("switchOnFirst", reactor.ErrIllegalState, "the source was subscribed before")
		} else if err == nil {
			err = a.gone()
		}
		protocol.Fail(down, err)
		return
	case a.end != nil:
		protocol.Fail(down, a.end)
		return
	case s.closed.Load():
		a.drop()
		protocol.Fail(down, a.gone())
		return
	case a.turn.Load() == allWithoutFirst:
		protocol.Complete(down)
		return
	}
	a.down, a.out.Down = down, down
	defer func() { // also if downstream ends the goroutine
		a.open.Store(true)
		chaos.Yield()
		if s.closed.Load() {
			a.abandon()
		}
		a.gate.Set(a)
	}()
	down.OnSubscribe(&a.gate)
}

func (a *switchOnFirstAll[T, R]) gone() error {
	return reactor.Failure("switchOnFirst", reactor.ErrCancelled, "the result has ended before")
}

// Request sends the first element, then passes demand on.
func (a *switchOnFirstAll[T, R]) Request(n int64) {
	if !a.takeTurn() {
		a.rest.Request(n)
		return
	}
	v := a.first
	a.first = *new(T)
	sent := false
	defer func() {
		if !sent {
			defer a.dropError() // also if a function that hears of what follows ends the goroutine
			a.lost.Store(true)
			a.Cancel() // the subscriber has its error
		}
	}()
	if sent = protocol.Emit(a.stage.ctx, a.down, v); !sent {
		return
	}
	a.out.Release()
	if n != reactor.Unbounded {
		n--
	}
	if n > 0 {
		a.rest.Request(n)
	}
	a.rest.Set(a.stage.up)
}

// Cancel cancels the source, unless it has ended.
func (a *switchOnFirstAll[T, R]) Cancel() {
	s := a.stage
	if s.closed.Swap(true) {
		return
	}
	defer a.drop() // also if a function that hears of the cancellation ends the goroutine
	if !s.done.Load() {
		s.up.Cancel()
	}
}

// drop discards the first element, unless it was dealt with.
func (a *switchOnFirstAll[T, R]) drop() {
	if a.takeTurn() {
		a.dropFirst()
	}
}

// dropFirst discards the first element. The caller has taken the turn.
func (a *switchOnFirstAll[T, R]) dropFirst() {
	defer a.dropError() // also if a function that hears of the element ends the goroutine
	v := pending.Take(&a.first)
	a.lost.Store(true)
	chaos.Yield()
	pending.Discard(a.stage.discard, v)
}

// dropError reports as dropped an error of the source that waits behind an element which was not
// sent.
func (a *switchOnFirstAll[T, R]) dropError() {
	if err := a.failed.Swap(nil); err != nil {
		reactor.DropError(a.stage.ctx, *err)
	}
}

// close is called when nobody wants the source any more. If there is a subscriber, it
// learns of that.
func (a *switchOnFirstAll[T, R]) close() {
	if a.taken.CompareAndSwap(allFree, allGone) {
		a.drop()
		return
	}
	chaos.Yield()
	if a.open.Load() {
		a.abandon()
	}
}

// abandon ends the stream of the subscriber, now or when the first element is through.
func (a *switchOnFirstAll[T, R]) abandon() {
	if a.left.Swap(true) {
		return // the other one of close and Subscribe does it
	}
	ended := a.out.End(a.gone())
	if !a.takeTurn() {
		return
	}
	// The outlet was held for the element. An end of the source that waits there stood behind that, and is not told any more.
	defer func() { // also if a function that hears of the element ends the goroutine
		if ended {
			a.out.Release()
		} else {
			a.down.OnError(a.gone())
		}
	}()
	a.dropFirst()
}
