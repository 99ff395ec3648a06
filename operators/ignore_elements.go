package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
)

// IgnoreElements discards every element of src and passes its end on.
//
//	src:  1 --- 2 --- 3 |
//	      IgnoreElements()
//	out:  ------------- |
//
// All of src is requested at once, whatever the demand. Errors and cancellation pass
// through, on the goroutine of src.
func IgnoreElements[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return ignored[T, T]("ignoreElements", src)
}

// Then is [IgnoreElements] with a result of any element type, because only the end of
// src counts.
//
//	src:  1 --- 2 --- 3 |
//	      Then()
//	out:  ------------- |
func Then[T any](src reactor.Publisher[T]) reactor.Publisher[struct{}] {
	return ignored[T, struct{}]("then", src)
}

// ignored is the end of src as a stream of any type.
func ignored[T, R any](op string, src reactor.Publisher[T]) reactor.Publisher[R] {
	return &ignoreElementsPublisher[T, R]{src: protocol.Trust(op, src)}
}

type ignoreElementsPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
}

func (p *ignoreElementsPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	p.src.Subscribe(ctx, &ignoreElementsSubscriber[T, R]{
		down:    protocol.Strict(ctx, s),
		discard: reactor.DiscardHookFor[T](ctx),
	})
}

// Computable reports whether its source is: see [direct.Is].
func (p *ignoreElementsPublisher[T, R]) Computable() direct.Way { return whole(isComputable(p.src)) }

// Direct implements direct.Source.
func (p *ignoreElementsPublisher[T, R]) Direct(ctx context.Context) (none R, _ bool, _ error) {
	v, ok, err := computed(ctx, p.src)
	if ok {
		abandon(ctx, v)
	}
	return none, false, passed[T, R](err, p)
}

func (p *ignoreElementsPublisher[T, R]) behind(src reactor.Publisher[T]) reactor.Publisher[R] {
	return &ignoreElementsPublisher[T, R]{src: src}
}

type ignoreElementsSubscriber[T, R any] struct {
	protocol.Inner
	down    reactor.Subscriber[R]
	up      reactor.Subscription
	discard func(any)
}

func (s *ignoreElementsSubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	defer up.Request(reactor.Unbounded) // also if downstream ends the goroutine
	s.down.OnSubscribe(s)
}

func (s *ignoreElementsSubscriber[T, R]) OnNext(v T) {
	if s.discard != nil {
		s.discard(v)
	}
}

// Push implements protocol.Pusher.
func (s *ignoreElementsSubscriber[T, R]) Push() func(T) {
	if s.discard == nil {
		return func(T) {}
	}
	return s.OnNext
}

func (s *ignoreElementsSubscriber[T, R]) OnError(err error) { s.down.OnError(err) }

func (s *ignoreElementsSubscriber[T, R]) OnComplete() { s.down.OnComplete() }

// Request does nothing: everything was requested.
func (s *ignoreElementsSubscriber[T, R]) Request(int64) {}

func (s *ignoreElementsSubscriber[T, R]) Cancel() { s.up.Cancel() }
