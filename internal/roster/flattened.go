package roster

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// inOrder are the stages with a publisher per element that keep the order of the
// elements, or prefer one of them, and those that put sources into an order.
func inOrder[T any]() []Stage[T] {
	one := func(v T) Publisher[T] { return operators.Hide(operators.Just(v)) }
	level := func(_, _ T) int { return 0 }
	return []Stage[T]{
		plain("concatMap", whole, func(src Publisher[T]) Publisher[T] { return operators.ConcatMap(src, one) }),
		plain("concatMap scalar", whole, func(src Publisher[T]) Publisher[T] { return operators.ConcatMap(src, operators.Just[T]) }),
		plain("concatMap one by one", whole, func(src Publisher[T]) Publisher[T] {
			return operators.ConcatMap(src, one, operators.Prefetch(0))
		}),
		plain("concatMap delayed", whole, func(src Publisher[T]) Publisher[T] {
			return operators.ConcatMap(src, one, operators.Prefetch(2), operators.DelayErrors())
		}),
		plain("concatMap to the boundary", whole, func(src Publisher[T]) Publisher[T] {
			return operators.ConcatMap(src, one, operators.DelayErrorsToBoundary())
		}),
		plain("switchMap", partial, func(src Publisher[T]) Publisher[T] { return operators.SwitchMap(src, one) }),
		plain("switchMap queued", partial, func(src Publisher[T]) Publisher[T] {
			return operators.SwitchMap(src, one, operators.Prefetch(2))
		}),
		plain("flatMapSequential", whole, func(src Publisher[T]) Publisher[T] { return operators.FlatMapSequential(src, one) }),
		plain("flatMapSequential scalar", whole, func(src Publisher[T]) Publisher[T] {
			return operators.FlatMapSequential(src, operators.Just[T])
		}),
		plain("flatMapSequential two at a time", whole, func(src Publisher[T]) Publisher[T] {
			return operators.FlatMapSequential(src, one, operators.Concurrency(2), operators.Prefetch(1), operators.DelayErrors())
		}),
		plain("mergeSequential", whole, func(src Publisher[T]) Publisher[T] {
			return operators.MergeSequential([]Publisher[T]{operators.Hide(operators.Empty[T]()), src})
		}),
		plain("switchOnFirst", whole, func(src Publisher[T]) Publisher[T] { return operators.SwitchOnFirst(src, all[T]) }),
		plain("mergeComparing", whole, func(src Publisher[T]) Publisher[T] {
			return operators.MergeComparing(level, []Publisher[T]{src, operators.Hide(operators.Empty[T]())})
		}),
		plain("mergePriority", whole, func(src Publisher[T]) Publisher[T] {
			return operators.MergePriority(level, []Publisher[T]{operators.Empty[T](), src}, operators.Prefetch(2))
		}),
	}
}

// all goes on with the source, whatever its first signal is.
func all[T any](_ reactor.Signal[T], src Publisher[T]) Publisher[T] { return src }
