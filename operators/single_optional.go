package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
)

// SingleOptional emits fn(v, true) for the element of src, which sends at most one, and
// fn of the zero value and false if src is empty: so the result always has one element.
//
//	src:  ------- |
//	      SingleOptional((v, ok) => ok)
//	out:  ------- false |
//
// The first request asks src for its element. An error of src passes, a panic of fn ends
// the stream. fn runs on the goroutine of src.
func SingleOptional[T, R any](src reactor.Publisher[T], fn func(v T, ok bool) R) reactor.Publisher[R] {
	argument.Given("singleOptional", "function", fn != nil)
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

// Computable reports whether its source is: see [direct.Is].
func (p *singleOptionalPublisher[T, R]) Computable() direct.Way { return whole(isComputable(p.src)) }

// Direct implements direct.Source.
func (p *singleOptionalPublisher[T, R]) Direct(ctx context.Context) (r R, ok bool, err error) {
	v, ok, err := computed(ctx, p.src)
	if err != nil {
		return r, false, passed[T, R](err, p)
	}
	done := false
	defer func() {
		if !done && ok {
			abandon(ctx, v)
		}
	}()
	r = p.fn(v, ok)
	done = true
	return r, true, nil
}

func (p *singleOptionalPublisher[T, R]) behind(src reactor.Publisher[T]) reactor.Publisher[R] {
	return &singleOptionalPublisher[T, R]{src: src, fn: p.fn}
}
