package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// MapOptional emits the result of fn(v) for every v for which there is one.
//
//	src:  1 --- 2 --- 3 --- 4 |
//	      MapOptional(even: 10n, odd: nothing)
//	out:  ----- 20 -------- 40 |
//
// Demand passes through; for each element without a result one more is requested.
// Such an element counts as consumed by fn and is not discarded. A panic of fn cancels
// src and ends the stream; for functions that fail in the ordinary way there is
// [TryMapOptional]. fn runs on the goroutine of src.
func MapOptional[T, R any](src reactor.Publisher[T], fn func(T) (R, bool)) reactor.Publisher[R] {
	protocol.NotNil("mapOptional", "mapper", fn)
	return &mapOptionalPublisher[T, R]{src: protocol.Trust("mapOptional", src), fn: fn}
}

type mapOptionalPublisher[T, R any] struct {
	protocol.Op
	src      reactor.Publisher[T]
	fn       func(T) (R, bool)
	discards bool // elements without a result are to be discarded
}

func (p *mapOptionalPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	if cont := protocol.Continuing(ctx); cont != nil {
		var skipped func(any)
		if p.discards {
			skipped = reactor.DiscardHookFor[T](ctx)
		}
		step := func(v T) (R, bool, error) { r, ok := p.fn(v); return r, ok, nil }
		subscribeContinuing(ctx, cont, p.src, s, step, skipped)
		return
	}
	sub := &mapOptionalSubscriber[T, R]{fn: p.fn}
	sub.down = initSieve(ctx, &sub.sieve, s)
	if !p.discards {
		sub.discard = nil
	}
	p.src.Subscribe(ctx, sub)
}

type mapOptionalSubscriber[T, R any] struct {
	sieve // discard is nil also if elements without a result are not to be discarded
	down  reactor.Subscriber[R]
	fn    func(T) (R, bool)
}

func (s *mapOptionalSubscriber[T, R]) OnNext(v T) {
	if r, ok := s.fn(v); ok {
		s.down.OnNext(r)
		return
	}
	reject(&s.sieve, v)
}

// Push implements protocol.Pusher.
func (s *mapOptionalSubscriber[T, R]) Push() func(T) {
	fn, next := s.fn, protocol.Push(s.down)
	return func(v T) {
		if r, ok := fn(v); ok {
			next(r)
			return
		}
		reject(&s.sieve, v)
	}
}
