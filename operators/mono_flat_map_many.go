package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
)

// MonoFlatMapMany emits the elements, any number of them, of the publisher that fn
// returns for the element of src; src sends at most one.
//
//	src:  --- 3 |
//	      MonoFlatMapMany(n => Range(0, n))
//	out:  --- 0 - 1 - 2 |
//
// The element of src is requested at subscription; demand goes unchanged to the publisher
// that fn returns. Publishers that are callable, such as [Just], are not subscribed to. A
// panic of fn, or a nil publisher, ends the stream, as does an error of src or of that
// publisher. An empty src gives an empty stream. Cancellation goes to both. fn runs on
// the goroutine of src; elements come on the goroutine of the publisher.
func MonoFlatMapMany[T, R any](src reactor.Publisher[T], fn func(T) reactor.Publisher[R]) reactor.Publisher[R] {
	argument.Given("flatMapMany", "mapper", fn != nil)
	return &monoFlatMapManyPublisher[T, R]{src: protocol.Trust("flatMapMany", src), fn: fn}
}

type monoFlatMapManyPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) reactor.Publisher[R]
}

func (p *monoFlatMapManyPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	if flatMapScalar("flatMapMany", ctx, p.src, p.fn, s, nil) {
		return
	}
	p.src.Subscribe(ctx, &monoFlatMapManySubscriber[T, R]{ctx: ctx, down: protocol.Strict(ctx, s), fn: p.fn})
}

// Computable reports whether its source is: see [direct.Is].
func (p *monoFlatMapManyPublisher[T, R]) Computable() direct.Way { return whole(isComputable(p.src)) }

// Direct implements direct.Source.
func (p *monoFlatMapManyPublisher[T, R]) Direct(ctx context.Context) (r R, ok bool, err error) {
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
	src := protocol.Trust("flatMapMany", p.fn(v))
	done = true
	return second(ctx, src)
}

func (p *monoFlatMapManyPublisher[T, R]) behind(src reactor.Publisher[T]) reactor.Publisher[R] {
	return &monoFlatMapManyPublisher[T, R]{src: src, fn: p.fn}
}

// monoFlatMapManySubscriber never emits by itself: from the element on the second
// publisher decides.
type monoFlatMapManySubscriber[T, R any] struct {
	protocol.Inner
	ctx  context.Context
	down reactor.Subscriber[R]
	fn   func(T) reactor.Publisher[R]
	up   reactor.Subscription
	link protocol.Deferred // to the second publisher, which gets all the demand
	done bool              // the second publisher decides, or the stream has ended; signals of upstream only
}

func (s *monoFlatMapManySubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	defer up.Request(reactor.Unbounded) // also if downstream ends the goroutine
	s.down.OnSubscribe(s)
}

func (s *monoFlatMapManySubscriber[T, R]) OnNext(v T) {
	if s.done {
		reactor.DropNext(s.ctx, v)
		return
	}
	src := protocol.Trust("flatMapMany", s.fn(v))
	c, ok := direct.AsCallable[R](src)
	if !ok {
		s.done = true
		src.Subscribe(s.ctx, monoFlatMapManyInner[R]{down: s.down, link: &s.link})
		return
	}
	r, ok, err := c.Call(s.ctx)
	s.done = true
	switch {
	case err != nil:
		defer s.down.OnError(reactor.OperatorError(s.ctx, err, v)) // also if a function that hears of what follows ends the goroutine
		s.up.Cancel()
	case ok:
		s.link.Set(single.NewScalar(s.ctx, s.down, r))
	default:
		s.down.OnComplete()
	}
}

func (s *monoFlatMapManySubscriber[T, R]) OnError(err error) {
	if s.done {
		reactor.DropError(s.ctx, err)
		return
	}
	s.done = true
	s.down.OnError(err)
}

func (s *monoFlatMapManySubscriber[T, R]) OnComplete() {
	if !s.done {
		s.done = true
		s.down.OnComplete()
	}
}

// Request asks the second publisher, when it is there.
func (s *monoFlatMapManySubscriber[T, R]) Request(n int64) { s.link.Request(n) }

// Cancel cancels whichever is running.
func (s *monoFlatMapManySubscriber[T, R]) Cancel() {
	defer s.link.Cancel() // also if a function that hears of the first ends the goroutine
	s.up.Cancel()
}

// monoFlatMapManyInner is subscribed to the second publisher.
type monoFlatMapManyInner[R any] struct {
	protocol.Inner
	down reactor.Subscriber[R]
	link *protocol.Deferred
}

func (s monoFlatMapManyInner[R]) OnSubscribe(up reactor.Subscription) { s.link.Set(up) }

func (s monoFlatMapManyInner[R]) OnNext(r R) { s.down.OnNext(r) }

// Push implements protocol.Pusher.
func (s monoFlatMapManyInner[R]) Push() func(R) { return protocol.Push(s.down) }

func (s monoFlatMapManyInner[R]) OnError(err error) { s.down.OnError(err) }

func (s monoFlatMapManyInner[R]) OnComplete() { s.down.OnComplete() }
