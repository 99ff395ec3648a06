package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/elementwise"
)

// TryFilter emits the elements for which keep reports true and discards the
// others.
//
//	src:  a.txt --- b --- c.txt |
//	      TryFilter(isFile)
//	out:  a.txt ----- #
//
// Everything else is as with [Filter]; the first error of keep cancels src, discards
// the element and becomes the end of the stream.
func TryFilter[T any](src reactor.Publisher[T], keep func(T) (bool, error)) reactor.Publisher[T] {
	argument.Given("tryFilter", "predicate", keep != nil)
	return &tryFilterPublisher[T]{src: protocol.Trust("tryFilter", src), keep: keep}
}

type tryFilterPublisher[T any] struct {
	protocol.Op
	src  reactor.Publisher[T]
	keep func(T) (bool, error)
}

func (p *tryFilterPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	elementwise.Choose(ctx, elementwise.Rejects, p, p.src, s)
}

func (p *tryFilterPublisher[T]) Apply(v T) (T, bool, error) {
	keep, err := p.keep(v)
	return v, keep, err
}

// Computable reports whether its source is: see [direct.Is].
func (p *tryFilterPublisher[T]) Computable() direct.Way { return wayOf(p.src) }

// Direct implements direct.Source.
func (p *tryFilterPublisher[T]) Direct(ctx context.Context) (T, bool, error) {
	return computeStage(ctx, elementwise.Rejects, p.src, p)
}

// pulled: see isPulled.
func (p *tryFilterPublisher[T]) pulled() bool { return isPulled(p.src) }

func (p *tryFilterPublisher[T]) behind(src reactor.Publisher[T]) reactor.Publisher[T] {
	return &tryFilterPublisher[T]{src: src, keep: p.keep}
}
