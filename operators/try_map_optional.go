package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// TryMapOptional emits the result of fn(v) for every v for which there is one.
//
//	src:  1 --- 2 --- x --- 4 |
//	      TryMapOptional(even: 10n, odd: nothing, else: error)
//	out:  ----- 20 -- #
//
// Demand passes through; for each element without a result one more is requested.
// Such an element counts as consumed by fn and is not discarded. The first error of fn
// cancels src, discards v and becomes the end of the stream; so does a panic. fn runs
// on the goroutine of src.
func TryMapOptional[T, R any](src reactor.Publisher[T], fn func(T) (R, bool, error)) reactor.Publisher[R] {
	protocol.NotNil("tryMapOptional", "mapper", fn)
	return &tryMapOptionalPublisher[T, R]{src: protocol.Trust("tryMapOptional", src), fn: fn}
}

type tryMapOptionalPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) (R, bool, error)
}

func (p *tryMapOptionalPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	if cont := protocol.Continuing(ctx); cont != nil {
		subscribeContinuing(ctx, cont, p.src, s, p.fn, nil)
		return
	}
	sub := &tryMapOptionalSubscriber[T, R]{fn: p.fn}
	sub.down = initSieve(ctx, &sub.sieve, s)
	p.src.Subscribe(ctx, sub)
}

type tryMapOptionalSubscriber[T, R any] struct {
	sieve
	down reactor.Subscriber[R]
	fn   func(T) (R, bool, error)
}

func (s *tryMapOptionalSubscriber[T, R]) OnNext(v T) {
	if s.Done {
		reactor.DropNext(s.Ctx, v)
		return
	}
	r, ok, err := s.fn(v)
	switch {
	case err != nil:
		s.Fail(err, v)
	case ok:
		s.down.OnNext(r)
	default:
		s.demand.replace()
	}
}

// Push implements protocol.Pusher.
func (s *tryMapOptionalSubscriber[T, R]) Push() func(T) {
	fn, next := s.fn, protocol.Push(s.down)
	return func(v T) {
		if s.Done {
			reactor.DropNext(s.Ctx, v)
			return
		}
		r, ok, err := fn(v)
		switch {
		case err != nil:
			s.Fail(err, v)
		case ok:
			next(r)
		default:
			s.demand.replace()
		}
	}
}
