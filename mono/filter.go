package mono

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// Filter keeps the element if keep reports true; otherwise the result is empty.
//
// Demand passes through; for each discarded element one more is requested. A panic of keep
// cancels m and ends the stream. keep runs on the goroutine of m.
func (m Mono[T]) Filter[M Self[T]](keep func(T) bool) M {
	return wrap[M](operators.Filter(m.Source(), keep))
}

// TryFilter keeps the element if keep reports true; its error ends the stream.
//
// As [Mono.Filter], but the first error of keep cancels m, discards the element and becomes the
// end of the stream.
func (m Mono[T]) TryFilter[M Self[T]](keep func(T) (bool, error)) M {
	return wrap[M](operators.TryFilter(m.Source(), keep))
}

// TryFilterContext emits the elements for which keep(ctx, v), which may wait, reports true and
// discards the others.
//
// As [Mono.TryMapContext]; for an element that is discarded one more is requested.
func (m Mono[T]) TryFilterContext[M Self[T]](keep func(context.Context, T) (bool, error)) M {
	return wrap[M](operators.TryFilterContext(m.Source(), keep))
}

// FilterWhen keeps the element if the publisher that test returns emits true first.
//
// One test runs at a time, in the order of m; it is cancelled after its first element. Elements
// are requested ahead, 256 at a time unless [Prefetch] says otherwise. A failing test or m
// fails the stream once everything before it was decided. A panic of test counts as a failing
// test.
func (m Mono[T]) FilterWhen[P reactor.Publisher[bool], M Self[T]](test func(T) P) M {
	argument.Given("filterWhen", "test", test != nil)
	return wrap[M](operators.FilterWhenMono(m.Source(), func(v T) reactor.Publisher[bool] { return test(v) }))
}
