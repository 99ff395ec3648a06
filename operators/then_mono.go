package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
)

// ThenMono discards the elements of src and, when src has completed, emits the element
// of other, which sends at most one.
//
//	src:    1 --- 2 |
//	other:            9 |
//	        ThenMono(other)
//	out:    --------- 9 |
//
// All of src and then of other is requested at once; the element waits for demand. An
// error of src passes, and other is not subscribed; nor is other subscribed after a
// cancellation. other is subscribed on the goroutine on which src completed.
func ThenMono[T, R any](src reactor.Publisher[T], other reactor.Publisher[R]) reactor.Publisher[R] {
	return &thenMonoPublisher[T, R]{
		src:   protocol.Trust("thenMono", src),
		other: protocol.Trust("thenMono", other),
	}
}

// ThenEmpty discards the elements of src and, when src has completed, those of other:
// it keeps only the end.
//
//	src:    1 --- 2 |
//	other:            8 --- 9 |
//	        ThenEmpty(other)
//	out:    ----------------- |
//
// All of src and then of other is requested at once. Errors of both pass.
func ThenEmpty[T, U any](src reactor.Publisher[T], other reactor.Publisher[U]) reactor.Publisher[struct{}] {
	return &thenMonoPublisher[T, struct{}]{
		src:   protocol.Trust("thenEmpty", src),
		other: ignored[U, struct{}]("thenEmpty", other),
	}
}

// ThenReturn discards the elements of src and, when src has completed, emits v.
//
//	src:  1 --- 2 |
//	      ThenReturn(9)
//	out:  ------- 9 |
//
// All of src is requested at once; v waits for demand. An error of src passes.
func ThenReturn[T, R any](src reactor.Publisher[T], v R) reactor.Publisher[R] {
	return ThenMono(src, Just(v))
}

type thenMonoPublisher[T, R any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	other reactor.Publisher[R]
	first bool // src is the rest of what was computed: it is subscribed to also for who has cancelled meanwhile
	begun bool // src has completed: so is other
}

func (p *thenMonoPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	main := &thenMonoSubscriber[R]{other: p.other}
	main.Ctx, main.Down = ctx, protocol.Strict(ctx, s)
	main.upstream.Request(reactor.Unbounded)
	defer func() { // also if downstream ends the goroutine
		if p.begun {
			p.other.Subscribe(ctx, main)
			return
		}
		if p.first || !main.upstream.IsCancelled() {
			p.src.Subscribe(ctx, &thenMonoFirst[T, R]{main: main, discard: reactor.DiscardHookFor[T](ctx)})
		}
	}()
	main.Down.OnSubscribe(main)
}

// Computable reports whether its source is: see [direct.Is].
func (p *thenMonoPublisher[T, R]) Computable() direct.Way { return whole(isComputable(p.src)) }

// Direct implements direct.Source.
func (p *thenMonoPublisher[T, R]) Direct(ctx context.Context) (r R, ok bool, err error) {
	v, ok, err := computed(ctx, p.src)
	switch {
	case err != nil:
		return r, false, passed[T, R](err, p)
	case ok:
		abandon(ctx, v)
	}
	r, ok, err = second(ctx, p.other)
	if of, is := err.(*instead[R]); is {
		err = &instead[R]{&thenMonoPublisher[T, R]{other: of.src, begun: true}}
	}
	return r, ok, err
}

func (p *thenMonoPublisher[T, R]) behind(src reactor.Publisher[T]) reactor.Publisher[R] {
	return &thenMonoPublisher[T, R]{src: src, other: p.other, first: true}
}

// thenMonoSubscriber is the subscriber of other. Its Slot keeps the element until there
// is demand; its Arbiter holds whichever upstream is live, with unbounded demand.
type thenMonoSubscriber[R any] struct {
	protocol.Inner
	single.Slot[R]
	upstream protocol.Arbiter
	other    reactor.Publisher[R]
	done     bool // touched by the signals of other only
}

func (s *thenMonoSubscriber[R]) OnSubscribe(up reactor.Subscription) { s.upstream.Set(up) }

func (s *thenMonoSubscriber[R]) OnNext(v R) {
	if s.done {
		reactor.Discard(s.Ctx, v)
		return
	}
	s.done = true
	s.Complete(v)
}

func (s *thenMonoSubscriber[R]) OnError(err error) {
	if s.done {
		reactor.DropError(s.Ctx, err)
		return
	}
	s.done = true
	s.Fail(err)
}

func (s *thenMonoSubscriber[R]) OnComplete() {
	if !s.done {
		s.done = true
		s.Empty()
	}
}

func (s *thenMonoSubscriber[R]) Cancel() {
	defer s.Slot.Cancel() // also if a function that hears of it ends the goroutine
	s.upstream.Cancel()
}

// thenMonoFirst is the subscriber of src.
type thenMonoFirst[T, R any] struct {
	protocol.Inner
	main    *thenMonoSubscriber[R]
	discard func(any)
}

func (s *thenMonoFirst[T, R]) OnSubscribe(up reactor.Subscription) { s.main.upstream.Set(up) }

func (s *thenMonoFirst[T, R]) OnNext(v T) {
	if s.discard != nil {
		s.discard(v)
	}
}

func (s *thenMonoFirst[T, R]) OnError(err error) { s.main.Fail(err) }

func (s *thenMonoFirst[T, R]) OnComplete() {
	if s.main.upstream.Next(0) {
		s.main.other.Subscribe(s.main.Ctx, s.main)
	}
}
