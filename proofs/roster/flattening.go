package roster

import (
	"iter"
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// hidden is one element from a publisher that can't be asked for it at once.
func hidden[T any](v T) Publisher[T] { return operators.Hide(operators.Just(v)) }

// list and sequence are one element, as what flatMapSlice and its relatives take.
func list[T any](v T) []T             { return []T{v} }
func sequence[T any](v T) iter.Seq[T] { return slices.Values([]T{v}) }

// chained is one element from a chain of functions, which can be computed.
func chained[T any](v T) Publisher[T] {
	return operators.Map(operators.Just(v), func(v T) T { return v })
}

// flattening are the stages with a publisher per element.
func flattening[T any]() []Stage[T] {
	return []Stage[T]{
		plain("flatMap scalar", whole, func(src Publisher[T]) Publisher[T] { return operators.FlatMap(src, operators.Just[T]) }),
		plain("flatMap synchronous", whole, func(src Publisher[T]) Publisher[T] {
			return operators.FlatMap(src, func(v T) Publisher[T] { return operators.ConcatWith(operators.Just(v)) })
		}),
		plain("flatMap one at a time", whole, func(src Publisher[T]) Publisher[T] {
			return operators.FlatMap(src, hidden[T], operators.Concurrency(1))
		}),
		plain("flatMap two at a time", whole, func(src Publisher[T]) Publisher[T] {
			return operators.FlatMap(src, hidden[T], operators.Concurrency(2), operators.DelayErrors())
		}),
		plain("concatMap scalar", whole, func(src Publisher[T]) Publisher[T] { return operators.ConcatMap(src, operators.Just[T]) }),
		plain("flatMap chained", whole, func(src Publisher[T]) Publisher[T] { return operators.FlatMap(src, chained[T]) }),
		plain("concatMap chained", whole, func(src Publisher[T]) Publisher[T] { return operators.ConcatMap(src, chained[T]) }),
		plain("concatMap", whole, func(src Publisher[T]) Publisher[T] { return operators.ConcatMap(src, hidden[T]) }),
		plain("concatMap one by one", whole, func(src Publisher[T]) Publisher[T] {
			return operators.ConcatMap(src, hidden[T], operators.Prefetch(0))
		}),
		plain("concatMap by one", whole, func(src Publisher[T]) Publisher[T] {
			return operators.ConcatMap(src, hidden[T], operators.Prefetch(1), operators.DelayErrors())
		}),
		plain("concatMap to the boundary", whole, func(src Publisher[T]) Publisher[T] {
			return operators.ConcatMap(src, hidden[T], operators.Prefetch(2), operators.DelayErrorsToBoundary())
		}),
		plain("flatMapSequential scalar", whole, func(src Publisher[T]) Publisher[T] {
			return operators.FlatMapSequential(src, operators.Just[T])
		}),
		plain("flatMapSequential", whole, func(src Publisher[T]) Publisher[T] {
			return operators.FlatMapSequential(src, hidden[T], operators.Concurrency(2))
		}),
		plain("flatMapSequential delaying errors", whole, func(src Publisher[T]) Publisher[T] {
			return operators.FlatMapSequential(src, hidden[T], operators.DelayErrors())
		}),
		plain("switchMap scalar", partial, func(src Publisher[T]) Publisher[T] { return operators.SwitchMap(src, operators.Just[T]) }).inTurn(),
		plain("switchMap", partial, func(src Publisher[T]) Publisher[T] { return operators.SwitchMap(src, hidden[T]) }).inTurn(),
		plain("switchMap queued", partial, func(src Publisher[T]) Publisher[T] {
			return operators.SwitchMap(src, hidden[T], operators.Prefetch(2))
		}).inTurn(),
		calling("exhaustMap", partial, func(call func(), src Publisher[T]) Publisher[T] {
			return operators.ExhaustMap(src, func(v T) Publisher[T] { call(); return hidden(v) })
		}),
		plain("exhaustMap scalar", partial, func(src Publisher[T]) Publisher[T] { return operators.ExhaustMap(src, operators.Just[T]) }),
		plain("exhaustMap delaying errors", partial, func(src Publisher[T]) Publisher[T] {
			return operators.ExhaustMap(src, hidden[T], operators.DelayErrors())
		}),
		plain("flatMapSignal", partial, func(src Publisher[T]) Publisher[T] {
			return operators.FlatMapSignal(src, hidden[T], operators.Error[T], operators.Empty[T])
		}),
		plain("flatMapSlice", whole, func(src Publisher[T]) Publisher[T] { return operators.FlatMapSlice(src, list[T]) }),
		plain("flatMapSlice and more", partial, func(src Publisher[T]) Publisher[T] {
			return operators.FlatMapSlice(src, func(v T) []T { return []T{*new(T), v, *new(T)} })
		}),
		plain("flatMapSlice nothing", swallow, func(src Publisher[T]) Publisher[T] {
			return operators.FlatMapSlice(src, func(T) []T { return nil }, operators.Prefetch(1))
		}).keeping("the function has it"),
		plain("tryFlatMap", whole, func(src Publisher[T]) Publisher[T] {
			return operators.TryFlatMap(src, func(v T) (Publisher[T], error) { return operators.Just(v), nil })
		}),
		plain("tryFlatMapSlice", whole, func(src Publisher[T]) Publisher[T] {
			return operators.TryFlatMapSlice(src, func(v T) ([]T, error) { return list(v), nil }, operators.Prefetch(2))
		}),
		plain("flatMapSeq", swallow, func(src Publisher[T]) Publisher[T] { return operators.FlatMapSeq(src, sequence[T]) }),
		plain("flatMapSeq2", swallow, func(src Publisher[T]) Publisher[T] {
			return operators.FlatMapSeq2(src, func(v T) iter.Seq2[T, error] {
				return func(yield func(T, error) bool) { yield(v, nil) }
			})
		}),
		plain("concatMapSlice", whole, func(src Publisher[T]) Publisher[T] { return operators.ConcatMapSlice(src, list[T]) }),
		plain("concatMapSeq", swallow, func(src Publisher[T]) Publisher[T] { return operators.ConcatMapSeq(src, sequence[T]) }),
		plain("expand", whole, func(src Publisher[T]) Publisher[T] {
			return operators.Expand(src, func(T) Publisher[T] { return operators.Empty[T]() })
		}).telling(),
		plain("expand asynchronous", partial, func(src Publisher[T]) Publisher[T] {
			return operators.Expand(src, func(T) Publisher[T] { return operators.Hide(operators.Empty[T]()) })
		}).telling(),
		plain("expandDeep", partial, func(src Publisher[T]) Publisher[T] {
			return operators.ExpandDeep(src, func(T) Publisher[T] { return operators.Hide(operators.Empty[T]()) })
		}),
		plain("switchOnFirst", whole, func(src Publisher[T]) Publisher[T] {
			return operators.SwitchOnFirst(src, func(_ reactor.Signal[T], all Publisher[T]) Publisher[T] { return all })
		}).inTurn(),
		plain("switchOnFirst to another", partial, func(src Publisher[T]) Publisher[T] {
			return operators.SwitchOnFirst(src, func(_ reactor.Signal[T], all Publisher[T]) Publisher[T] { return operators.Take(all, 2) })
		}),
		plain("switchOnFirst keeping the source", partial, func(src Publisher[T]) Publisher[T] {
			return operators.SwitchOnFirst(src, func(_ reactor.Signal[T], all Publisher[T]) Publisher[T] { return all }, operators.KeepSource())
		}),
	}
}

// merging are the stages that take their turn with other sources.
func merging[T any]() []Stage[T] {
	equal := func(T, T) int { return 0 }
	return []Stage[T]{
		plain("mergeSequential", whole, func(src Publisher[T]) Publisher[T] {
			return operators.MergeSequential([]Publisher[T]{operators.Hide(operators.Empty[T]()), src})
		}).cancellingAll(),
		plain("mergeSequential delaying errors", whole, func(src Publisher[T]) Publisher[T] {
			return operators.MergeSequential([]Publisher[T]{src, operators.Hide(operators.Empty[T]())}, operators.DelayErrors())
		}),
		plain("mergeComparing", whole, func(src Publisher[T]) Publisher[T] {
			return operators.MergeComparingWith(src, operators.Hide(operators.Empty[T]()), equal)
		}).cancellingAll(),
		plain("mergeComparing by one", whole, func(src Publisher[T]) Publisher[T] {
			return operators.MergeComparingWith(src, operators.Empty[T](), equal, operators.Prefetch(1))
		}).cancellingAll(),
		plain("mergePriority", whole, func(src Publisher[T]) Publisher[T] {
			return operators.MergePriority(equal, []Publisher[T]{operators.Hide(operators.Empty[T]()), src, operators.Empty[T]()})
		}).cancellingAll(),
		plain("merge delaying errors", whole, func(src Publisher[T]) Publisher[T] {
			return operators.MergeSlice([]Publisher[T]{src, operators.Hide(operators.Empty[T]())}, operators.DelayErrors())
		}),
		plain("combineLatest of three", whole, func(src Publisher[T]) Publisher[T] {
			return operators.CombineLatest3(operators.Just(0), hidden(1), src, func(_, _ int, v T) T { return v })
		}).cancellingAll(),
		plain("zip of three", partial, func(src Publisher[T]) Publisher[T] {
			return operators.Zip3(src, operators.Range(0, 4), operators.Hide(operators.Range(0, 3)), func(v T, _, _ int) T { return v }, operators.Prefetch(1))
		}).cancellingAll(),
		plain("groupJoin", Traits{Overruns: true}, func(src Publisher[T]) Publisher[T] {
			forever := operators.Never[int]()
			return operators.GroupJoin(src, operators.Hide(operators.Empty[int]()),
				func(T) Publisher[int] { return forever }, func(int) Publisher[int] { return forever },
				func(v T, _ Publisher[int]) T { return v })
		}).cancellingAll().failing(reactor.ErrOverflow),
	}
}
