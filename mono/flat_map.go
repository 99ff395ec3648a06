package mono

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// FlatMap goes on with the Mono that fn returns for the element.
//
// See [operators.MonoFlatMap] for demand, errors, cancellation and the goroutines.
func (m Mono[T]) FlatMap[R any](fn func(T) Mono[R]) Mono[R] {
	notNil("flatMap", "mapper", fn == nil)
	return Mono[R]{operators.MonoFlatMap(m.Source(), func(v T) reactor.Publisher[R] { return fn(v).Source() })}
}
