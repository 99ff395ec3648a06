package mono

import "github.com/goreactor/reactor/operators"

// SwitchIfEmpty emits what other sends if m completes without an element.
//
// See [operators.SwitchIfEmpty] for demand, errors and the goroutine.
func (m Mono[T]) SwitchIfEmpty[M Self[T]](other M) M {
	return wrap[M](operators.SwitchIfEmpty(m.Source(), Mono[T](other).Source()))
}

// DefaultIfEmpty emits v if m completes without an element.
//
// See [operators.DefaultIfEmpty] for demand, errors and the goroutine.
func (m Mono[T]) DefaultIfEmpty[M Self[T]](v T) M {
	return wrap[M](operators.DefaultIfEmpty(m.Source(), v))
}
