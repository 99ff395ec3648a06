package mono

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// Filter keeps the element if keep reports true; otherwise the result is empty.
//
// See [operators.Filter] for demand, errors and the goroutine.
func (m Mono[T]) Filter[M Self[T]](keep func(T) bool) M {
	return wrap[M](operators.Filter(m.Source(), keep))
}

// TryFilter keeps the element if keep reports true; its error ends the stream.
//
// See [operators.TryFilter] for demand, errors and the goroutine.
func (m Mono[T]) TryFilter[M Self[T]](keep func(T) (bool, error)) M {
	return wrap[M](operators.TryFilter(m.Source(), keep))
}

// TryFilterContext emits the elements for which keep(ctx, v), which may wait, reports
// true and discards the others.
//
//	src:  1 --- 2 --- 3 |
//	      TryFilterContext(isKnown)
//	out:  ---- 1 -------- 3 |
//
// As [Mono.TryMapContext]; for an element that is discarded one more is requested. See
// [operators.TryFilterContext].
func (m Mono[T]) TryFilterContext[M Self[T]](keep func(context.Context, T) (bool, error)) M {
	return wrap[M](operators.TryFilterContext(m.Source(), keep))
}

// FilterWhen keeps the element if the publisher that test returns emits true
// first.
//
// See [operators.FilterWhen] for errors and the goroutine.
func (m Mono[T]) FilterWhen[P reactor.Publisher[bool], M Self[T]](test func(T) P) M {
	notNil("filterWhen", "test", test == nil)
	return wrap[M](operators.FilterWhenMono(m.Source(), func(v T) reactor.Publisher[bool] { return test(v) }))
}
