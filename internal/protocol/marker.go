package protocol

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
)

// Inner marks the subscribers of this module: they obey the protocol, so nobody
// checks them. Embed it.
type Inner struct{}

func (Inner) inner() {}

// Op marks the publishers of this module: they obey the protocol and guard
// what they start. Embed it.
type Op struct{}

func (Op) op() {}

type trustedSubscriber interface{ inner() }

type trustedPublisher interface{ op() }

// wrapper is a publisher that only stands for another one, such as flux.Flux.
type wrapper[T any] = interface {
	Source() reactor.Publisher[T]
}

// Strict returns the subscriber that an operator emits to: s itself if it
// belongs to this module, else s behind the checks of the specification and the
// watch over ctx. A nil s panics (§1.9).
func Strict[T any](ctx context.Context, s reactor.Subscriber[T]) reactor.Subscriber[T] {
	if _, ok := s.(trustedSubscriber); ok {
		return s
	}
	return newStrict(ctx, s)
}

// checkSubscribe panics if one of the arguments of Subscribe is nil.
func checkSubscribe(ctx context.Context, s any) {
	argument.NotNil("subscribe: §1.9", "subscriber", s)
	if ctx == nil {
		panic("reactor: subscribe: the context is nil")
	}
}

// Trust returns the publisher that an operator subscribes to: what p stands for
// if it is a Flux or a Mono, p itself if it belongs to this module, else p behind
// checks. A nil p panics, naming the operator.
func Trust[T any](op string, p reactor.Publisher[T]) reactor.Publisher[T] {
	switch q := p.(type) {
	case trustedPublisher: // by far the most frequent, and the cheapest to find out
		return p
	case wrapper[T]:
		return q.Source()
	}
	argument.NotNil(op, "publisher", p)
	return &foreign[T]{src: p}
}

// TrustAll is [Trust] for a list of publishers, which it copies. Its panic says which
// publisher is nil.
func TrustAll[T any](op string, ps []reactor.Publisher[T]) []reactor.Publisher[T] {
	out := make([]reactor.Publisher[T], len(ps))
	for i, p := range ps {
		if p == nil {
			argument.NotNil(op, fmt.Sprintf("publisher at index %d", i), p)
		}
		out[i] = Trust(op, p)
	}
	return out
}
