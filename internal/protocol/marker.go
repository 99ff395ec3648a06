package protocol

import (
	"context"
	"fmt"
	"reflect"

	"github.com/goreactor/reactor"
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

// Wrapper is a publisher that only stands for another one, such as flux.Flux.
type Wrapper[T any] = interface {
	Source() reactor.Publisher[T]
}

// Strict returns the subscriber that an operator emits to: s itself if it
// belongs to this module, else s behind the checks of the specification and the
// watch over ctx. A nil s panics (§1.9).
func Strict[T any](ctx context.Context, s reactor.Subscriber[T]) reactor.Subscriber[T] {
	if _, ok := s.(trustedSubscriber); ok {
		return s
	}
	checkSubscribe(ctx, s)
	return newStrict(ctx, s)
}

// checkSubscribe panics if one of the arguments of Subscribe is nil.
func checkSubscribe(ctx context.Context, s any) {
	if isNil(s) {
		panic("reactor: subscribe: §1.9: the subscriber is nil")
	}
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
	case Wrapper[T]:
		return q.Source()
	}
	NotNil(op, "publisher", p)
	return &foreign[T]{src: p}
}

// TrustAll is [Trust] for a list, which it copies.
func TrustAll[T any](op string, ps []reactor.Publisher[T]) []reactor.Publisher[T] {
	out := make([]reactor.Publisher[T], len(ps))
	for i, p := range ps {
		out[i] = Trust(op, p)
	}
	return out
}

// isNil reports whether v is nil or an interface that holds a nil pointer,
// function, map, slice or channel.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice, reflect.Chan, reflect.Interface:
		return r.IsNil()
	}
	return false
}

// NotNil panics if fn is nil: a programmer's error at assembly. name says what
// is missing, for example "mapper". Not inlined: every operator calls it, and is
// compiled for every element type.
//
//go:noinline
func NotNil(op, name string, fn any) {
	if isNil(fn) {
		panic("reactor: " + op + ": the " + name + " is nil")
	}
}

// Positive panics unless n > 0, naming operator, parameter and value.
func Positive[N ~int | ~int64](op, name string, n N) {
	if n <= 0 {
		panic(fmt.Sprintf("reactor: %s: %s must be positive, got %v", op, name, n))
	}
}

// NotNegative panics if n < 0, naming operator, parameter and value.
func NotNegative[N ~int | ~int64](op, name string, n N) {
	if n < 0 {
		panic(fmt.Sprintf("reactor: %s: %s must not be negative, got %v", op, name, n))
	}
}

// Callable is a publisher of at most one element that can be had without
// subscribing, at once and without blocking: just, empty, error, a supplier.
// Operators that would subscribe to it may call it instead.
type Callable[T any] = interface {
	// Call returns the element and true, or false for none, or the error.
	// It may panic as a user function may.
	Call(ctx context.Context) (v T, ok bool, err error)
}
