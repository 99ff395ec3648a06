package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
)

// MonoFlatMap emits the outcome of the publisher that fn returns for the element of
// src; src and that publisher send at most one element each.
//
//	src:  --- 1 |
//	      MonoFlatMap(n => Delay(n))
//	out:  ----- 0 |
//
// Demand passes through to src; everything is requested of the publisher that fn
// returns. A publisher that is callable, such as [Just], is not subscribed to. A panic
// of fn, or a nil publisher, cancels src and ends the stream. Cancellation goes to
// whichever of the two is running. fn runs on the goroutine of src; the element comes
// on the goroutine of the publisher that fn returned.
func MonoFlatMap[T, R any](src reactor.Publisher[T], fn func(T) reactor.Publisher[R]) reactor.Publisher[R] {
	argument.Given("flatMap", "mapper", fn != nil)
	return MonoFlatMapTo(src, func(v T) itself[R] { return itself[R]{fn(v)} })
}

// MonoFlatMapTo is [MonoFlatMap] for a function that returns a stand-in for a publisher, such as a
// Mono. fn is called directly, without a function around it.
func MonoFlatMapTo[T, R any, M StandIn[R]](src reactor.Publisher[T], fn func(T) M) reactor.Publisher[R] {
	argument.Given("flatMap", "mapper", fn != nil)
	return &monoFlatMapPublisher[T, R, M]{src: protocol.Trust("flatMap", src), fn: fn}
}

// StandIn stands for a publisher, as a Flux or a Mono does.
type StandIn[T any] interface {
	// Source returns the publisher.
	Source() reactor.Publisher[T]
}

// itself stands for the publisher that it is.
type itself[T any] struct{ publisher reactor.Publisher[T] }

func (b itself[T]) Source() reactor.Publisher[T] { return b.publisher }

type monoFlatMapPublisher[T, R any, M StandIn[R]] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) M
}

func (p *monoFlatMapPublisher[T, R, M]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	p.src.Subscribe(ctx, &monoFlatMapSubscriber[T, R, M]{ctx: ctx, down: protocol.Strict(ctx, s), fn: p.fn})
}

// Computable reports whether its source is: see [direct.Is].
func (p *monoFlatMapPublisher[T, R, M]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *monoFlatMapPublisher[T, R, M]) Direct(ctx context.Context) (r R, ok bool, err error) {
	v, ok, err := computed(ctx, p.src)
	if !ok || err != nil {
		return r, false, passed[T, R](err, p)
	}
	done := false
	defer func() {
		if !done {
			abandon(ctx, v)
		}
	}()
	src := p.fn(v).Source()
	switch second := src.(type) { // the frequent ones, which need no look at tables
	case *justPublisher[R]:
		done = true
		return second.value, true, nil
	case justReference[R]:
		done = true
		return second.value, true, nil
	case funcPublisher[R]:
		if done = true; ctx.Err() != nil {
			return r, false, endOf(ctx)
		}
		return second.Direct(ctx)
	}
	src = protocol.Trust("flatMap", src)
	done = true
	r, ok, err = second(ctx, src)
	if of, is := err.(*instead[R]); is {
		err = &instead[R]{&monoFlatMapSecond[R]{src: of.src}}
	}
	return r, ok, err
}

func (p *monoFlatMapPublisher[T, R, M]) behind(src reactor.Publisher[T]) reactor.Publisher[R] {
	return &monoFlatMapPublisher[T, R, M]{src: src, fn: p.fn}
}

// monoFlatMapSecond is the second publisher of a flatMap that was computed up to it. It is
// subscribed to in any case, also for a subscriber that has cancelled meanwhile, as the stage does
// after it has called its function: what waits in that publisher for its subscriber is then given
// up.
type monoFlatMapSecond[R any] struct {
	protocol.Op
	src reactor.Publisher[R]
}

func (p *monoFlatMapSecond[R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	sub := &monoFlatMapSecondSubscriber[R]{}
	sub.ctx, sub.down = ctx, protocol.Strict(ctx, s)
	defer p.src.Subscribe(ctx, sub) // also if downstream ends the goroutine
	sub.down.OnSubscribe(sub)
}

type monoFlatMapSecondSubscriber[R any] struct{ monoFlatMapInner[R] }

func (s *monoFlatMapSecondSubscriber[R]) OnSubscribe(up reactor.Subscription) { s.link.Set(up) }

// Request asks for everything, as the stage does.
func (s *monoFlatMapSecondSubscriber[R]) Request(int64) { s.link.Request(reactor.Unbounded) }

func (s *monoFlatMapSecondSubscriber[R]) Cancel() { s.link.Cancel() }

// monoFlatMapSubscriber never emits on its own: done is set after an element has gone
// down, so that a failure of that element passes OnError.
type monoFlatMapSubscriber[T, R any, M StandIn[R]] struct {
	protocol.Inner
	ctx   context.Context
	down  reactor.Subscriber[R]
	fn    func(T) M
	up    reactor.Subscription
	done  bool // the second publisher decides, or the stream has ended; signals of upstream only
	inner monoFlatMapInner[R]
}

func (s *monoFlatMapSubscriber[T, R, M]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *monoFlatMapSubscriber[T, R, M]) OnNext(v T) {
	if s.done {
		reactor.DropNext(s.ctx, v)
		return
	}
	src := protocol.Trust("flatMap", s.fn(v).Source())
	c, ok := direct.AsCallable[R](src)
	if !ok {
		s.done = true
		s.inner.ctx, s.inner.down = s.ctx, s.down
		src.Subscribe(s.ctx, &s.inner)
		return
	}
	r, ok, err := c.Call(s.ctx)
	switch {
	case err != nil:
		s.done = true
		defer s.down.OnError(reactor.OperatorError(s.ctx, err, v)) // also if a function that hears of what follows ends the goroutine
		s.up.Cancel()
		return
	case ok:
		s.down.OnNext(r)
	}
	s.done = true
	s.down.OnComplete()
}

func (s *monoFlatMapSubscriber[T, R, M]) OnError(err error) {
	if s.done {
		reactor.DropError(s.ctx, err)
		return
	}
	s.done = true
	s.down.OnError(err)
}

func (s *monoFlatMapSubscriber[T, R, M]) OnComplete() {
	if !s.done {
		s.done = true
		s.down.OnComplete()
	}
}

func (s *monoFlatMapSubscriber[T, R, M]) Request(n int64) { s.up.Request(n) }

func (s *monoFlatMapSubscriber[T, R, M]) Cancel() {
	defer s.inner.link.Cancel() // also if a function that hears of the first ends the goroutine
	s.up.Cancel()
}

// monoFlatMapInner is subscribed to the second publisher.
type monoFlatMapInner[R any] struct {
	protocol.Inner
	ctx  context.Context
	down reactor.Subscriber[R]
	link protocol.Deferred // to the second publisher
	done bool              // its signals only
}

func (s *monoFlatMapInner[R]) OnSubscribe(up reactor.Subscription) {
	if s.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (s *monoFlatMapInner[R]) OnNext(r R) {
	if s.done {
		reactor.DropNext(s.ctx, r)
		return
	}
	s.down.OnNext(r)
	s.done = true
	s.down.OnComplete()
}

func (s *monoFlatMapInner[R]) OnError(err error) {
	if s.done {
		reactor.DropError(s.ctx, err)
		return
	}
	s.done = true
	s.down.OnError(err)
}

func (s *monoFlatMapInner[R]) OnComplete() {
	if !s.done {
		s.done = true
		s.down.OnComplete()
	}
}
