package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/single"
)

// MonoDelayUntil emits the element v of src, which sends at most one, when the publisher
// trigger(v) has completed; the elements of that publisher are discarded.
//
//	src:         1 |
//	trigger(1):    --- x --- |
//	             MonoDelayUntil(trigger)
//	out:         ----------- 1 |
//
// src and the trigger get unbounded demand at once; the element waits for demand. An error
// of the trigger cancels src, discards the element and ends the stream; so does a panic of
// the function trigger. Cancellation cancels both publishers. The element comes on the
// goroutine of the trigger, or on the one that requests.
func MonoDelayUntil[T, U any, P reactor.Publisher[U]](src reactor.Publisher[T], trigger func(T) P) reactor.Publisher[T] {
	argument.Given("delayUntil", "trigger function", trigger != nil)
	return &monoDelayUntilPublisher[T, U]{
		src:     protocol.Trust("delayUntil", src),
		trigger: func(v T) reactor.Publisher[U] { return protocol.Trust[U]("delayUntil", trigger(v)) },
	}
}

type monoDelayUntilPublisher[T, U any] struct {
	protocol.Op
	src     reactor.Publisher[T]
	trigger func(T) reactor.Publisher[U]
}

func (p *monoDelayUntilPublisher[T, U]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &monoDelayUntil[T, U]{trigger: p.trigger}
	sub.Ctx, sub.Down = ctx, protocol.Strict(ctx, s)
	defer p.src.Subscribe(ctx, sub) // also if downstream ends the goroutine
	sub.Down.OnSubscribe(sub)
}

// Computable reports whether its source is: see [direct.Is].
func (p *monoDelayUntilPublisher[T, U]) Computable() direct.Way { return whole(isComputable(p.src)) }

// Direct implements direct.Source.
func (p *monoDelayUntilPublisher[T, U]) Direct(ctx context.Context) (none T, ok bool, err error) {
	v, ok, err := computed(ctx, p.src)
	if !ok || err != nil {
		return none, false, passed[T, T](err, p)
	}
	kept := false
	defer func() {
		if !kept {
			abandon(ctx, v)
		}
	}()
	w, ok, err := second(ctx, p.trigger(v))
	if ok {
		abandon(ctx, w)
	}
	switch of, is := err.(*instead[U]); {
	case is:
		kept = true
		return none, false, &instead[T]{&heldPublisher[T, U]{value: v, src: of.src}}
	case err != nil:
		return none, false, err
	}
	kept = true
	return v, true, nil
}

func (p *monoDelayUntilPublisher[T, U]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	return &monoDelayUntilPublisher[T, U]{src: src, trigger: p.trigger}
}

// monoDelayUntil is the subscriber of src. Its Slot takes the element over when the trigger
// has completed.
type monoDelayUntil[T, U any] struct {
	protocol.Inner
	single.Slot[T]
	trigger func(T) reactor.Publisher[U]
	up      protocol.Deferred
	wait    monoDelayUntilTrigger[T, U]
	value   T           // written before held, read by whoever takes held back
	held    atomic.Bool // the element waits for the trigger; whoever resets it owns value
	done    bool        // touched by the signals of src only
}

func (s *monoDelayUntil[T, U]) OnSubscribe(up reactor.Subscription) {
	if s.up.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (s *monoDelayUntil[T, U]) OnNext(v T) {
	if s.done {
		reactor.Discard(s.Ctx, v)
		return
	}
	// A panic of the function comes back as OnError, and v is the guard's.
	trigger := s.trigger(v)
	s.done = true
	s.value = v
	s.held.Store(true)
	if s.IsOver() {
		s.release()
		return
	}
	s.wait.main = s
	trigger.Subscribe(s.Ctx, &s.wait)
}

func (s *monoDelayUntil[T, U]) OnError(err error) {
	if s.done {
		reactor.DropError(s.Ctx, err)
		return
	}
	s.done = true
	s.Fail(err)
}

func (s *monoDelayUntil[T, U]) OnComplete() {
	if !s.done {
		s.done = true
		s.Empty()
	}
}

// Cancel cancels src and the trigger and discards the element.
func (s *monoDelayUntil[T, U]) Cancel() {
	if s.CancelOnce() {
		// Deferred: a function that hears of a cancellation may end the goroutine.
		defer s.release()
		defer s.wait.up.Cancel()
		s.up.Cancel()
	}
}

// release discards the element if it waits for the trigger.
func (s *monoDelayUntil[T, U]) release() {
	if s.held.Swap(false) {
		reactor.Discard(s.Ctx, pending.Take(&s.value))
	}
}

// monoDelayUntilTrigger is the subscriber of the trigger.
type monoDelayUntilTrigger[T, U any] struct {
	protocol.Inner
	main *monoDelayUntil[T, U]
	up   protocol.Deferred
}

func (t *monoDelayUntilTrigger[T, U]) OnSubscribe(up reactor.Subscription) {
	if t.up.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (t *monoDelayUntilTrigger[T, U]) OnNext(v U) { new(pending.Unwanted[U]).Discard(t.main.Ctx, v) }

func (t *monoDelayUntilTrigger[T, U]) OnError(err error) {
	// Deferred: a function that hears of the cancellation may end the goroutine.
	defer t.main.Fail(err)
	defer t.main.release()
	t.main.up.Cancel()
}

func (t *monoDelayUntilTrigger[T, U]) OnComplete() {
	if t.main.held.Swap(false) {
		t.main.Complete(pending.Take(&t.main.value))
	}
}
