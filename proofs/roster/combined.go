package roster

import (
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// failing are the stages that deal with failures.
func failing[T any]() []Stage[T] {
	return []Stage[T]{
		plain("onErrorReturn", whole, func(src Publisher[T]) Publisher[T] { return operators.OnErrorReturn(src, *new(T)) }).telling(),
		plain("onErrorResume", whole, func(src Publisher[T]) Publisher[T] {
			return operators.OnErrorResume(src, func(error) Publisher[T] { return operators.Empty[T]() })
		}).inTurn().telling(),
		plain("onErrorComplete", whole, func(src Publisher[T]) Publisher[T] { return operators.OnErrorComplete(src) }).telling(),
		plain("onErrorMap", whole, func(src Publisher[T]) Publisher[T] {
			return operators.OnErrorMap(src, func(err error) error { return err })
		}).telling(),
		plain("onErrorContinue", whole, func(src Publisher[T]) Publisher[T] {
			return operators.OnErrorContinue(operators.Map(src, same[T]), func(error, any) {})
		}).inTurn().telling(),
		plain("onErrorStop", whole, operators.OnErrorStop[T]).telling(),
		plain("retry", whole, func(src Publisher[T]) Publisher[T] { return operators.Retry(src, operators.Times(2)) }).inTurn().telling(),
		plain("retryWhen", whole, func(src Publisher[T]) Publisher[T] { return operators.RetryWhen(src, operators.RetryMax(2)) }).inTurn().telling(),
		onScheduler("retryWhen backoff", whole, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.RetryWhen(src, operators.RetryBackoff(2, 1000).On(s))
		}).inTurn().telling(),
		plain("retryWhen with a companion", whole, func(src Publisher[T]) Publisher[T] {
			return operators.RetryWhen(src, operators.RetryFrom(func(failures Publisher[operators.RetrySignal]) Publisher[operators.RetrySignal] {
				return operators.Take(failures, 2)
			}))
		}).inTurn(),
		plain("repeat", partial, func(src Publisher[T]) Publisher[T] { return operators.Repeat(src, operators.Times(1)) }).inTurn().telling(),
		plain("repeatWhen", partial, func(src Publisher[T]) Publisher[T] { return operators.RepeatWhen(src, operators.RepeatTimes(1)) }).inTurn().telling(),
		plain("repeatWhen with a companion", partial, func(src Publisher[T]) Publisher[T] {
			return operators.RepeatWhen(src, operators.RepeatFrom(func(completions Publisher[int64]) Publisher[int64] {
				return operators.Take(completions, 2)
			}))
		}).inTurn(),
	}
}

// joining are the stages with further sources.
func joining[T any]() []Stage[T] {
	return []Stage[T]{
		plain("concatWith", whole, func(src Publisher[T]) Publisher[T] { return operators.ConcatWith(src, operators.Empty[T]()) }).inTurn().telling(),
		plain("concatDelayError", whole, func(src Publisher[T]) Publisher[T] {
			return operators.ConcatDelayError(operators.Empty[T](), src, operators.Hide(operators.Empty[T]()))
		}).inTurn().telling(),
		plain("startWith", whole, func(src Publisher[T]) Publisher[T] {
			return operators.StartWith(src, operators.Hide(operators.Empty[T]()))
		}).inTurn().telling(),
		plain("defaultIfEmpty", whole, func(src Publisher[T]) Publisher[T] { return operators.DefaultIfEmpty(src, *new(T)) }).telling(),
		plain("switchIfEmpty", whole, func(src Publisher[T]) Publisher[T] { return operators.SwitchIfEmpty(src, operators.Empty[T]()) }).inTurn().telling(),
		plain("mergeWith", whole, func(src Publisher[T]) Publisher[T] {
			return operators.MergeWith(src, operators.Hide(operators.Empty[T]()))
		}).cancellingAll(),
		plain("firstWithSignal", whole, func(src Publisher[T]) Publisher[T] { return operators.FirstWithSignal(operators.Never[T](), src) }).inTurn(),
		plain("firstWithValue", whole, func(src Publisher[T]) Publisher[T] { return operators.FirstWithValue(operators.Empty[T](), src) }).inTurn().failing(reactor.ErrNoElements),
		plain("or", whole, func(src Publisher[T]) Publisher[T] { return operators.Or(src, operators.Never[T]()) }).inTurn(),
		plain("zipWith", partial, func(src Publisher[T]) Publisher[T] {
			return operators.ZipWith(src, operators.Hide(operators.Range(0, 3)), func(v T, _ int) T { return v })
		}).cancellingAll(),
		plain("zip with itself", swallow, func(src Publisher[T]) Publisher[T] {
			return operators.ZipWith(src, src, func(v, _ T) T { return v })
		}).cancellingAll(),
		plain("zipWithSlice", partial, func(src Publisher[T]) Publisher[T] {
			return operators.ZipWithSlice(src, []int{1, 2}, func(v T, _ int) T { return v })
		}).telling(),
		plain("zipWithSeq", partial, func(src Publisher[T]) Publisher[T] {
			return operators.ZipWithSeq(src, slices.Values([]int{1, 2}), func(v T, _ int) T { return v })
		}),
		plain("zip with a scalar", partial, func(src Publisher[T]) Publisher[T] {
			return operators.ZipWith(src, operators.Just(0), func(v T, _ int) T { return v })
		}).cancellingAll(),
		plain("combineLatest", whole, func(src Publisher[T]) Publisher[T] {
			return operators.CombineLatest2(operators.Just(0), src, func(_ int, v T) T { return v })
		}).cancellingAll(),
		plain("withLatestFrom", whole, func(src Publisher[T]) Publisher[T] {
			return operators.WithLatestFrom(src, operators.Just(0), func(v T, _ int) T { return v })
		}),
		plain("withLatestFrom nothing", partial, func(src Publisher[T]) Publisher[T] {
			return operators.WithLatestFrom(src, operators.Never[int](), func(v T, _ int) T { return v })
		}),
		plain("join", Traits{Swallows: false, Overruns: true}, func(src Publisher[T]) Publisher[T] {
			forever := operators.Never[int]()
			return operators.Join(src, operators.Just(0),
				func(T) Publisher[int] { return forever }, func(int) Publisher[int] { return forever },
				func(v T, _ int) T { return v })
		}).cancellingAll().failing(reactor.ErrOverflow),
		plain("thenMany", partial, func(src Publisher[T]) Publisher[int] { return operators.ThenMany(src, operators.Range(0, 2)) }).inTurn(),
		plain("then", partial, operators.Then[T]),
	}
}

// gathering are the stages that make one element of all.
func gathering[T any]() []Stage[T] {
	return []Stage[T]{
		plain("collect", partial, operators.CollectSlice[T]),
		plain("sort", Traits{Whole: true, AtEnd: true}, func(src Publisher[T]) Publisher[T] { return operators.Sort(src, func(_, _ T) int { return 0 }) }),
		plain("reduce", swallow, func(src Publisher[T]) Publisher[T] { return operators.Reduce(src, func(_, v T) T { return v }) }).keeping("the function has it"),
		plain("fold", swallow, func(src Publisher[T]) Publisher[int] {
			return operators.Fold(src, func() int { return 0 }, func(n int, _ T) int { return n + 1 })
		}).keeping("the function has it"),
		plain("tryReduce", swallow, func(src Publisher[T]) Publisher[T] {
			return operators.TryReduce(src, func(_, v T) (T, error) { return v, nil })
		}).keeping("the function has it"),
		plain("tryFold", swallow, func(src Publisher[T]) Publisher[int] {
			return operators.TryFold(src, func() int { return 0 }, func(n int, _ T) (int, error) { return n + 1, nil })
		}).keeping("the function has it"),
		plain("count", partial, operators.Count[T]),
		plain("allMatch", swallow, func(src Publisher[T]) Publisher[bool] { return operators.AllMatch(src, yes[T]) }),
		plain("anyMatch", swallow, func(src Publisher[T]) Publisher[bool] { return operators.AnyMatch(src, no[T]) }),
		plain("hasElements", partial, operators.HasElements[T]),
	}
}

// grouping are the stages that emit publishers; they are flattened again.
func grouping[T any]() []Stage[T] {
	return []Stage[T]{
		plain("parallel", partial, func(src Publisher[T]) Publisher[T] { return operators.ParallelSequential(operators.Parallel(src, 2)) }),
		onScheduler("parallel runOn", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.ParallelSequential(operators.ParallelRunOn(operators.Parallel(src, 2), s))
		}),
		plain("groupBy", partial, perSubscription(func(src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.GroupBy(src, fewKeys[T](), func(_ int, g Publisher[T]) Publisher[T] { return g }))
		})),
		plain("groupBy, group after group", partial, perSubscription(func(src Publisher[T]) Publisher[T] {
			groups := operators.GroupBy(src, countdown[T](), func(_ int, g Publisher[T]) Publisher[T] { return g })
			return operators.ConcatMap(groups, func(g Publisher[T]) Publisher[T] { return operators.Take(g, 1) })
		})),
		plain("window", partial, func(src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.Window(src, 2, same[Publisher[T]]))
		}),
		plain("window in order", partial, func(src Publisher[T]) Publisher[T] {
			return operators.ConcatMap(operators.Window(src, 2, same[Publisher[T]]), same[Publisher[T]])
		}),
		plain("window, the latest", partial, func(src Publisher[T]) Publisher[T] {
			return operators.SwitchMap(operators.Window(src, 2, same[Publisher[T]]), same[Publisher[T]])
		}),
		plain("window skipping", partial, func(src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.Window(src, 1, same[Publisher[T]], operators.Stride(2)))
		}),
		plain("window left out", partial, perSubscription(func(src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.Filter(operators.Window(src, 2, same[Publisher[T]]), everyOther[Publisher[T]]()))
		})),
		plain("windowUntil", partial, perSubscription(func(src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.WindowUntil(src, everyOther[T](), same[Publisher[T]]))
		})),
		onScheduler("window behind a hop", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.PublishOn(operators.Window(src, 2, same[Publisher[T]]), s))
		}),
		onScheduler("windowFor", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.WindowFor(src, 1000, same[Publisher[T]], operators.On(s)))
		}),
		onScheduler("windowTimeout", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.WindowTimeout(src, 2, 1000, same[Publisher[T]], operators.On(s)))
		}),
		plain("parallel groups", partial, func(src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.ParallelGroups(operators.Parallel(src, 2), func(_ int, p Publisher[T]) Publisher[T] { return p }))
		}).cancellingAll(),
		plain("parallel rails", partial, func(src Publisher[T]) Publisher[T] {
			return operators.ParallelSequential(operators.ParallelRails(operators.Parallel(src, 2, operators.Prefetch(1)), operators.Hide[T]))
		}),
		plain("parallel reduce", Traits{Swallows: true, Lingers: true}, func(src Publisher[T]) Publisher[T] {
			return operators.ParallelReduce(operators.Parallel(src, 2), func(_, v T) T { return v })
		}).keeping("the function has it"),
		plain("parallel ordered", partial, func(src Publisher[T]) Publisher[T] {
			return operators.ParallelOrdered(operators.Parallel(src, 2), func(_, _ T) int { return 0 })
		}),
		plain("parallel sorted", Traits{Lingers: true}, func(src Publisher[T]) Publisher[T] {
			return operators.ParallelSorted(operators.Parallel(src, 2), func(_, _ T) int { return 0 })
		}),
	}
}

// buffering are the stages that emit slices.
func buffering[T any]() []Stage[T] {
	return []Stage[T]{
		plain("buffer", partial, func(src Publisher[T]) Publisher[[]T] { return operators.Buffer(src, 2) }),
		plain("buffer skipping", partial, func(src Publisher[T]) Publisher[[]T] { return operators.Buffer(src, 1, operators.Stride(2)) }),
		plain("buffer overlapping", swallow, func(src Publisher[T]) Publisher[[]T] { return operators.Buffer(src, 2, operators.Stride(1)) }).overlapping(),
		plain("bufferAll", partial, operators.BufferAll[T]),
		plain("bufferUntil", partial, perSubscription(func(src Publisher[T]) Publisher[[]T] { return operators.BufferUntil(src, everyOther[T]()) })),
		plain("bufferUntil each", partial, func(src Publisher[T]) Publisher[[]T] { return operators.BufferUntil(src, yes[T]) }),
		plain("bufferWhile", swallow, perSubscription(func(src Publisher[T]) Publisher[[]T] { return operators.BufferWhile(src, everyOther[T]()) })),
		plain("bufferUntilChanged", Traits{Lingers: true}, perSubscription(func(src Publisher[T]) Publisher[[]T] {
			return operators.BufferUntilChanged(src, countdown[T]())
		})),
		onScheduler("bufferOther", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[[]T] {
			return operators.BufferOther(src, ticks(s))
		}).cancellingAll().failing(reactor.ErrOverflow),
		onScheduler("bufferFor", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[[]T] {
			return operators.BufferFor(src, 1000, operators.On(s))
		}).cancellingAll().failing(reactor.ErrOverflow),
		onScheduler("bufferTimeout", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[[]T] {
			return operators.BufferTimeout(src, 2, 1000, operators.On(s))
		}).failing(reactor.ErrOverflow),
		onScheduler("bufferTimeout fair", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[[]T] {
			return operators.BufferTimeout(src, 2, 1000, operators.On(s), operators.FairBackpressure())
		}),
	}
}

// ticks is a publisher that goes on for ever.
func ticks(s schedulers.Scheduler) reactor.Publisher[int64] {
	return operators.OnBackpressureDrop(operators.Interval(1000, operators.On(s)))
}
