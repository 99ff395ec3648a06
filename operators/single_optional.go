package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// SingleOptional emits fn(v, true) for the element of src, which sends at most one, and
// fn of the zero value and false if src is empty: there is always one element.
//
//	src:  ------- |
//	      SingleOptional((v, ok) => ok)
//	out:  ------- false |
//
// The first request asks src for its element. An error of src passes, a panic of fn ends
// the stream. fn runs on the goroutine of src.
func SingleOptional[T, R any](src reactor.Publisher[T], fn func(v T, ok bool) R) reactor.Publisher[R] {
	argument.NotNil("singleOptional", "function", fn)
	return &singleOptionalPublisher[T, R]{src: protocol.Trust("singleOptional", src), fn: func(v T, ok bool) R { return fn(v, ok) }}
}

type singleOptionalPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(v T, ok bool) R
}

func (p *singleOptionalPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	sub := &monoOutcome[T, R]{result: p.fn}
	sub.Ctx, sub.Down = ctx, protocol.Strict(ctx, s)
	p.src.Subscribe(ctx, sub)
}
