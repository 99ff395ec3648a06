package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/single"
)

// Last emits the last element. If src is empty, the stream fails with
// reactor.ErrNoElements.
//
//	src:  a --- b --- c |
//	      Last()
//	out:  ------------- c |
//
// Demand on src is unbounded. The other elements are discarded.
func Last[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return &lastPublisher[T]{src: protocol.Trust("last", src)}
}

// LastOr is [Last], but emits fallback if src is empty.
func LastOr[T any](src reactor.Publisher[T], fallback T) reactor.Publisher[T] {
	return &lastPublisher[T]{src: protocol.Trust("last", src), fallback: fallback, hasFallback: true}
}

type lastPublisher[T any] struct {
	protocol.Op
	src         reactor.Publisher[T]
	fallback    T
	hasFallback bool
}

func (p *lastPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &lastSubscriber[T]{p: p}
	sub.Init(ctx, s)
	sub.kept.Init(ctx)
	p.src.Subscribe(ctx, sub)
}

// Computable reports whether its source is, or can be asked where it is computed: see [direct.Is].
func (p *lastPublisher[T]) Computable() direct.Way {
	return whole(isPulled(p.src) || isComputable(p.src))
}

// Direct implements direct.Source.
func (p *lastPublisher[T]) Direct(ctx context.Context) (none T, ok bool, err error) {
	if isPulled(p.src) {
		return computePulled(ctx, p)
	}
	v, ok, err := computed(ctx, p.src) // the only one
	switch of, is := err.(*instead[T]); {
	case is:
		rest := &lastPublisher[T]{src: of.src, fallback: p.fallback, hasFallback: p.hasFallback}
		if isPulled(of.src) {
			return computePulled(ctx, rest)
		}
		return none, false, &instead[T]{rest}
	case ok || err != nil:
		return v, ok, err
	case p.hasFallback:
		return p.fallback, true, nil
	}
	return none, false, reactor.Failure("last", reactor.ErrNoElements, "the source is empty")
}

type lastSubscriber[T any] struct {
	single.Aggregate[T]
	p    *lastPublisher[T]
	kept pending.Buffer[T] // at most one
}

func (s *lastSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	s.Slot.Down.OnSubscribe(s)
}

func (s *lastSubscriber[T]) OnNext(v T) {
	if older, ok := s.kept.Replace(v); ok && s.kept.Discard != nil {
		s.kept.Discard(older)
	}
}

func (s *lastSubscriber[T]) OnError(err error) {
	s.kept.End()
	s.Aggregate.OnError(err)
}

func (s *lastSubscriber[T]) OnComplete() {
	if v, ok := s.kept.Pop(); ok {
		s.Result(v)
	} else if s.p.hasFallback {
		s.Result(s.p.fallback)
	} else if !s.Done {
		s.Done = true
		s.Slot.Fail(reactor.Failure("last", reactor.ErrNoElements, "the source is empty"))
	}
}

func (s *lastSubscriber[T]) Cancel() {
	defer s.kept.Close() // also if a function that hears of it ends the goroutine
	s.Aggregate.Cancel()
}
