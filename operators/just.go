package operators

import (
	"context"
	"unsafe"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/single"
)

// Just emits v and completes.
//
//	      Just(7)
//	out:  7 |
//
// v is emitted at the first request, on the goroutine that requests. Operators
// such as [FlatMap] take v without subscribing.
func Just[T any](v T) reactor.Publisher[T] {
	if isReference(v) {
		return justReference[T]{value: v}
	}
	return &justPublisher[T]{value: v}
}

type justPublisher[T any] struct {
	protocol.Op
	value T
}

func (p *justPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	subscribeJust(ctx, p.value, s)
}

// Call implements direct.Callable.
func (p *justPublisher[T]) Call(context.Context) (T, bool, error) { return p.value, true, nil }

// IsCallable is the method of direct.CallMark, which a hiddenJust must not have.
func (p *justPublisher[T]) IsCallable() {}

// Computable is that of direct.Mark, as IsCallable.
func (p *justPublisher[T]) Computable() direct.Way { return direct.InPlace }

// Direct implements direct.Source.
func (p *justPublisher[T]) Direct(context.Context) (T, bool, error) { return p.value, true, nil }

// justReference is justPublisher for values that an interface holds directly: it takes no
// allocation. (Any other value would take a slower allocation than that of a pointer to it.)
// Publishers that are only a function are of this kind, too.
type justReference[T any] struct {
	protocol.Op
	direct.CallMark
	value T
}

func (p justReference[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	subscribeJust(ctx, p.value, s)
}

// Computable is that of a justPublisher.
func (p justReference[T]) Computable() direct.Way { return direct.InPlace }

// Call implements direct.Callable.
func (p justReference[T]) Call(context.Context) (T, bool, error) { return p.value, true, nil }

// Direct implements direct.Source.
func (p justReference[T]) Direct(context.Context) (T, bool, error) { return p.value, true, nil }

func subscribeJust[T any](ctx context.Context, v T, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	down.OnSubscribe(single.NewScalar(ctx, down, v))
}

// constant returns the element of a publisher that Just has made.
func constant[T any](p reactor.Publisher[T]) (v T, is bool) {
	switch j := p.(type) {
	case *justPublisher[T]:
		return j.value, true
	case justReference[T]:
		return j.value, true
	}
	return v, false
}

// isReference reports whether v is a pointer, a map, a channel or a function: an interface holds it as it is, and of
// anything else its address. The compiler knows that for each form of T, and leaves one of the two branches of who asks,
// but for a comparison where T is as large as a pointer. A number that is the very address counts as a reference, too,
// and does no harm.
func isReference[T any](v T) bool {
	if unsafe.Sizeof(v) != unsafe.Sizeof(uintptr(0)) {
		return false
	}
	held := any(v)
	return (*[2]uintptr)(unsafe.Pointer(&held))[1] == *(*uintptr)(unsafe.Pointer(&v))
}
