package mono

import (
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

// FilterWhen keeps the element if the publisher that test returns emits true
// first.
//
// See [operators.FilterWhen] for errors and the goroutine.
func (m Mono[T]) FilterWhen[P reactor.Publisher[bool], M Self[T]](test func(T) P) M {
	notNil("filterWhen", "test", test == nil)
	return wrap[M](operators.FilterWhenMono(m.Source(), func(v T) reactor.Publisher[bool] { return test(v) }))
}
