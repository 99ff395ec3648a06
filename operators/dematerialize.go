package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Dematerialize turns the signals that src emits back into the stream that they
// describe: it undoes [Materialize].
//
//	src:  next(1) --- next(2) --- error(#) |
//	      Dematerialize()
//	out:  1 --------- 2 --------- #
//
// Demand passes through. The first terminal signal cancels src and ends the stream; so
// does a zero Signal, with reactor.ErrIllegalArgument. If src itself ends, the stream
// ends too.
func Dematerialize[T any](src reactor.Publisher[reactor.Signal[T]]) reactor.Publisher[T] {
	return &dematerializePublisher[T]{src: protocol.Trust("dematerialize", src)}
}

// MonoDematerialize is [Dematerialize] for a source of at most one signal: an element
// is followed by completion at once.
//
//	src:  --- next(1) |
//	      MonoDematerialize()
//	out:  --- 1 |
func MonoDematerialize[T any](src reactor.Publisher[reactor.Signal[T]]) reactor.Publisher[T] {
	return &dematerializePublisher[T]{src: protocol.Trust("dematerialize", src), single: true}
}

type dematerializePublisher[T any] struct {
	protocol.Op
	src    reactor.Publisher[reactor.Signal[T]]
	single bool
}

func (p *dematerializePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &dematerializeSubscriber[T]{single: p.single}
	sub.down = protocol.Strict(ctx, s)
	sub.Ctx, sub.Down = ctx, sub.down
	p.src.Subscribe(ctx, sub)
}

type dematerializeSubscriber[T any] struct {
	protocol.Link
	down   reactor.Subscriber[T]
	single bool
}

func (s *dematerializeSubscriber[T]) OnNext(sig reactor.Signal[T]) {
	if s.Done {
		reactor.DropNext(s.Ctx, sig)
		return
	}
	v, ok := sig.Value()
	if !ok {
		s.end(sig)
		return
	}
	s.down.OnNext(v)
	if s.single {
		s.OnComplete()
	}
}

// Push implements protocol.Pusher.
func (s *dematerializeSubscriber[T]) Push() func(reactor.Signal[T]) {
	if s.single {
		return s.OnNext
	}
	next := protocol.Push(s.down)
	return func(sig reactor.Signal[T]) {
		if v, ok := sig.Value(); ok && !s.Done {
			next(v)
			return
		}
		s.OnNext(sig)
	}
}

// end does what a signal without an element says.
func (s *dematerializeSubscriber[T]) end(sig reactor.Signal[T]) {
	switch sig.Kind() {
	case reactor.KindComplete:
		s.Finish()
	case reactor.KindError:
		defer s.OnError(sig.Err()) // also if a function that hears of it ends the goroutine
		s.Up.Cancel()
	default:
		s.Fail(reactor.Failure("dematerialize", reactor.ErrIllegalArgument, "the zero Signal is no signal"), sig)
	}
}
