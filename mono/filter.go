package mono

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/operators"
)

// Filter keeps the element if keep reports true; otherwise the result is empty.
//
// An element that is not kept is discarded. Demand passes through. A panic of keep cancels m and
// ends the stream. keep runs on the goroutine of m.
func (m Mono[T]) Filter[M Self[T]](keep func(T) bool) M {
	return wrap[M](operators.Filter(m.Source(), keep))
}

// TryFilter keeps the element if keep reports true; its error ends the stream.
//
// Everything else is as with [Mono.Filter]; an error of keep cancels m, discards the element and
// becomes the end of the stream.
func (m Mono[T]) TryFilter[M Self[T]](keep func(T) (bool, error)) M {
	return wrap[M](operators.TryFilter(m.Source(), keep))
}

// TryFilterContext keeps the element if keep(ctx, v), which may wait, reports true; otherwise it is
// discarded, and the result is empty.
//
// Everything else is as with [Mono.TryMapContext].
func (m Mono[T]) TryFilterContext[M Self[T]](keep func(context.Context, T) (bool, error)) M {
	return wrap[M](operators.TryFilterContext(m.Source(), keep))
}

// FilterWhen keeps the element if the first element of the publisher that test returns for it is
// true.
//
// Otherwise the element is discarded, and the result is empty: that is so when the test emits false
// first or ends empty. The test is cancelled after its first element. The element of m is requested
// when downstream requests it. If the test fails, the element is discarded and the stream fails; a
// panic of test counts as a failed test.
func (m Mono[T]) FilterWhen[P reactor.Publisher[bool], M Self[T]](test func(T) P) M {
	argument.Given("filterWhen", "test", test != nil)
	return wrap[M](operators.FilterWhenMono(m.Source(), func(v T) reactor.Publisher[bool] { return test(v) }))
}
