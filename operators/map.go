package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Map emits fn(v) for every v.
//
//	src:  1 --- 2 --- 3 |
//	      Map(n => 10n)
//	out:  10 -- 20 -- 30 |
//
// Demand passes through one for one. A panic of fn cancels src and ends the
// stream with a *reactor.PanicError; for functions that fail in the ordinary
// way there is [TryMap]. fn runs on the goroutine of src.
func Map[T, R any](src reactor.Publisher[T], fn func(T) R) reactor.Publisher[R] {
	protocol.NotNil("map", "mapper", fn)
	src = protocol.Trust("map", src)
	if from, ok := protocol.DirectOf(src); ok {
		return &mapDirect[T, R]{mapPublisher: mapPublisher[T, R]{src: src, fn: fn}, from: from}
	}
	return &mapPublisher[T, R]{src: src, fn: fn}
}

type mapPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) R
}

func (p *mapPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	if cont := protocol.Continuing(ctx); cont != nil {
		step := func(v T) (R, bool, error) { return p.fn(v), true, nil }
		subscribeContinuing(ctx, cont, p.src, s, step, nil)
		return
	}
	p.src.Subscribe(ctx, &mapSubscriber[T, R]{down: protocol.Strict(ctx, s), fn: p.fn})
}

// mapDirect is map behind a source that can be computed.
type mapDirect[T, R any] struct {
	protocol.DirectMark
	mapPublisher[T, R]
	from protocol.Direct[T]
}

// Direct implements protocol.Direct.
func (p *mapDirect[T, R]) Direct(ctx context.Context) (r R, ok bool, err error) {
	v, ok, err := p.from.Direct(ctx)
	if !ok || err != nil {
		return r, false, err
	}
	return p.fn(v), true, nil
}

// mapSubscriber never ends by itself, so it needs neither upstream's
// subscription nor a flag that it has ended.
type mapSubscriber[T, R any] struct {
	protocol.Inner
	down reactor.Subscriber[R]
	fn   func(T) R
}

func (s *mapSubscriber[T, R]) OnSubscribe(up reactor.Subscription) { s.down.OnSubscribe(up) }

func (s *mapSubscriber[T, R]) OnNext(v T) { s.down.OnNext(s.fn(v)) }

// Push implements protocol.Pusher.
func (s *mapSubscriber[T, R]) Push() func(T) {
	fn, next := s.fn, protocol.Push(s.down)
	return func(v T) { next(fn(v)) }
}

func (s *mapSubscriber[T, R]) OnError(err error) { s.down.OnError(err) }

func (s *mapSubscriber[T, R]) OnComplete() { s.down.OnComplete() }
