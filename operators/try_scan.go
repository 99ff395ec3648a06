package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// TryScan is [Scan] with a function that may fail: its first error cancels src,
// discards the element and becomes the end of the stream; so does a panic.
//
//	src:  1 --- 2 --- 3 |
//	      TryScan(sum up to 5)
//	out:  1 --- 3 --- #
//
// Demand passes through one for one. fn runs on the goroutine of src.
func TryScan[T any](src reactor.Publisher[T], fn func(acc, v T) (T, error)) reactor.Publisher[T] {
	protocol.NotNil("tryScan", "function", fn)
	return &tryScanPublisher[T]{src: protocol.Trust("tryScan", src), fn: fn}
}

type tryScanPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(acc, v T) (T, error)
}

func (p *tryScanPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &tryScanSubscriber[T]{fn: p.fn}
	sub.down = protocol.Strict(ctx, s)
	sub.Ctx, sub.Down = ctx, sub.down
	p.src.Subscribe(ctx, sub)
}

type tryScanSubscriber[T any] struct {
	protocol.Link
	down reactor.Subscriber[T]
	fn   func(acc, v T) (T, error)
	acc  T    // signals of upstream
	any  bool // there is an acc; signals of upstream
}

func (s *tryScanSubscriber[T]) OnNext(v T) {
	if r, ok := s.add(v); ok {
		s.down.OnNext(r)
	}
}

// Push implements protocol.Pusher.
func (s *tryScanSubscriber[T]) Push() func(T) {
	next := protocol.Push(s.down)
	return func(v T) {
		if r, ok := s.add(v); ok {
			next(r)
		}
	}
}

// add accumulates v, or reports false: the stream has ended, now or before.
func (s *tryScanSubscriber[T]) add(v T) (r T, ok bool) {
	if s.Done {
		reactor.DropNext(s.Ctx, v)
		return r, false
	}
	r = v
	if s.any {
		var err error
		if r, err = s.fn(s.acc, v); err != nil {
			s.Fail(err, v)
			return r, false
		}
	}
	s.acc, s.any = r, true
	return r, true
}
