package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// TryFilter emits the elements for which keep reports true and discards the
// others.
//
//	src:  a.txt --- b --- c.txt |
//	      TryFilter(isFile)
//	out:  a.txt ----- #
//
// As [Filter], but the first error of keep cancels src, discards the element and
// becomes the end of the stream.
func TryFilter[T any](src reactor.Publisher[T], keep func(T) (bool, error)) reactor.Publisher[T] {
	protocol.NotNil("tryFilter", "predicate", keep)
	return &tryFilterPublisher[T]{src: protocol.Trust("tryFilter", src), keep: keep}
}

type tryFilterPublisher[T any] struct {
	protocol.Op
	src  reactor.Publisher[T]
	keep func(T) (bool, error)
}

func (p *tryFilterPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	if cont := protocol.Continuing(ctx); cont != nil {
		step := func(v T) (T, bool, error) {
			keep, err := p.keep(v)
			return v, keep, err
		}
		subscribeContinuing(ctx, cont, p.src, s, step, reactor.DiscardHookFor[T](ctx))
		return
	}
	sub := &tryFilterSubscriber[T]{keep: p.keep}
	sub.down = initSieve(ctx, &sub.sieve, s)
	p.src.Subscribe(ctx, sub)
}

type tryFilterSubscriber[T any] struct {
	sieve
	down reactor.Subscriber[T]
	keep func(T) (bool, error)
}

func (s *tryFilterSubscriber[T]) OnNext(v T) {
	if s.Done {
		reactor.DropNext(s.Ctx, v)
		return
	}
	keep, err := s.keep(v)
	switch {
	case err != nil:
		s.Fail(err, v)
	case keep:
		s.down.OnNext(v)
	default:
		reject(&s.sieve, v)
	}
}
