package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
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
	elementwise.SubscribeEnding(ctx, elementwise.Ends, p, p.src, s)
}

type tryScanState[T any] struct {
	elementwise.Ending
	scanState[T]
}

func (p *tryScanPublisher[T]) Step(s *tryScanState[T], next func(T)) func(T) {
	fn := p.fn
	return func(v T) {
		if s.Dropped(v) {
			return
		}
		r := v
		if s.any {
			var err error
			if r, err = fn(s.acc, v); err != nil {
				s.Fail(err, v)
				return
			}
		}
		s.acc, s.any = r, true
		next(r)
	}
}
