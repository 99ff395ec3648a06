package roster

import (
	"slices"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

// windowing are the stages whose windows something other than a number of elements opens and
// closes; they are flattened again.
func windowing[T any]() []Stage[T] {
	return []Stage[T]{
		onScheduler("windowOther", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.WindowOther(src, ticks(s), same[Publisher[T]]))
		}),
		onScheduler("windowOther in order", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.ConcatMap(operators.WindowOther(src, ticks(s), same[Publisher[T]]), same[Publisher[T]])
		}),
		plain("windowOther, never another", partial, func(src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.WindowOther(src, operators.Never[int](), same[Publisher[T]]))
		}),
		onScheduler("windowWhen", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.WindowWhen(src, operators.Delay(1000, operators.On(s)),
				func(int64) Publisher[int64] { return operators.Delay(1000, operators.On(s)) }, same[Publisher[T]]))
		}),
		onScheduler("windowWhen overlapping", swallow, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.WindowWhen(src, ticks(s),
				func(int64) Publisher[int64] { return operators.Delay(1500, operators.On(s)) }, same[Publisher[T]]))
		}).overlapping(),
		onScheduler("windowWhen at a time", partial, func(s schedulers.Scheduler, src Publisher[T]) Publisher[T] {
			windows := operators.WindowWhen(src, operators.Delay(1000, operators.On(s)),
				func(int64) Publisher[int64] { return operators.Never[int64]() }, same[Publisher[T]])
			return operators.ConcatMap(windows, same[Publisher[T]])
		}),
		plain("windowWhile", partial, perSubscription(func(src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.WindowWhile(src, everyOther[T](), same[Publisher[T]]))
		})),
		plain("windowWhile in order", partial, perSubscription(func(src Publisher[T]) Publisher[T] {
			return operators.ConcatMap(operators.WindowWhile(src, everyOther[T](), same[Publisher[T]]), same[Publisher[T]])
		})),
		plain("windowUntilChanged", partial, perSubscription(func(src Publisher[T]) Publisher[T] {
			return operators.MergeAll(operators.WindowUntilChanged(src, countdown[T](), same[Publisher[T]]))
		})),
		plain("windowUntilChangedFunc", partial, perSubscription(func(src Publisher[T]) Publisher[T] {
			windows := operators.WindowUntilChangedFunc(src, countdown[T](), func(a, b int) bool { return a == b }, same[Publisher[T]])
			return operators.ConcatMap(windows, same[Publisher[T]])
		})),
	}
}

// many are zips and latest elements of more sources, of which src is one.
func many[T any]() []Stage[T] {
	n := func() Publisher[int] { return operators.Hide(operators.Range(0, 3)) }
	o := func() Publisher[int] { return hidden(0) }
	zero := func() Publisher[T] { return hidden(*new(T)) }
	return []Stage[T]{
		plain("zip of two", partial, func(src Publisher[T]) Publisher[T] {
			return operators.Zip2(n(), src, func(_ int, v T) T { return v })
		}).cancellingAll(),
		plain("zip of four", partial, func(src Publisher[T]) Publisher[T] {
			return operators.Zip4(src, n(), n(), n(), func(v T, _, _, _ int) T { return v })
		}).cancellingAll(),
		plain("zip of five", partial, func(src Publisher[T]) Publisher[T] {
			return operators.Zip5(n(), src, n(), n(), n(), func(_ int, v T, _, _, _ int) T { return v })
		}).cancellingAll(),
		plain("zip of six", partial, func(src Publisher[T]) Publisher[T] {
			return operators.Zip6(n(), n(), src, n(), n(), n(), func(_, _ int, v T, _, _, _ int) T { return v })
		}).cancellingAll(),
		plain("zip of seven", partial, func(src Publisher[T]) Publisher[T] {
			return operators.Zip7(n(), n(), n(), src, n(), n(), n(), func(_, _, _ int, v T, _, _, _ int) T { return v })
		}).cancellingAll(),
		plain("zip of eight", partial, func(src Publisher[T]) Publisher[T] {
			return operators.Zip8(n(), n(), n(), n(), n(), n(), n(), src, func(_, _, _, _, _, _, _ int, v T) T { return v })
		}).cancellingAll(),
		plain("zip of a list", partial, func(src Publisher[T]) Publisher[T] {
			return operators.Zip([]Publisher[T]{zero(), src}, func(all []T) T { return all[1] })
		}).cancellingAll(),
		plain("zipSeq", partial, func(src Publisher[T]) Publisher[T] {
			return operators.ZipSeq(slices.Values([]Publisher[T]{src, zero()}), func(all []T) T { return all[0] })
		}).cancellingAll(),
		plain("combineLatest of four", whole, func(src Publisher[T]) Publisher[T] {
			return operators.CombineLatest4(o(), o(), o(), src, func(_, _, _ int, v T) T { return v })
		}).cancellingAll(),
		plain("combineLatest of five", whole, func(src Publisher[T]) Publisher[T] {
			return operators.CombineLatest5(o(), o(), o(), o(), src, func(_, _, _, _ int, v T) T { return v })
		}).cancellingAll(),
		plain("combineLatest of six", whole, func(src Publisher[T]) Publisher[T] {
			return operators.CombineLatest6(o(), o(), o(), o(), o(), src, func(_, _, _, _, _ int, v T) T { return v })
		}).cancellingAll(),
		plain("combineLatest of a list", whole, func(src Publisher[T]) Publisher[T] {
			return operators.CombineLatest([]Publisher[T]{zero(), src}, func(all []T) T { return all[1] })
		}).cancellingAll(),
		plain("mono zip of three", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoZip3(o(), src, o(), func(_ int, v T, _ int) T { return v })
		}),
		plain("mono zip of four", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoZip4(src, o(), o(), o(), func(v T, _, _, _ int) T { return v })
		}),
		plain("mono zip of five", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoZip5(o(), src, o(), o(), o(), func(_ int, v T, _, _, _ int) T { return v })
		}),
		plain("mono zip of six", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoZip6(o(), o(), src, o(), o(), o(), func(_, _ int, v T, _, _, _ int) T { return v })
		}),
		plain("mono zip of seven", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoZip7(o(), o(), o(), src, o(), o(), o(), func(_, _, _ int, v T, _, _, _ int) T { return v })
		}),
		plain("mono zip of eight", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoZip8(o(), o(), o(), o(), o(), o(), o(), src, func(_, _, _, _, _, _, _ int, v T) T { return v })
		}),
		plain("mono zip of a list", one, func(src Publisher[T]) Publisher[T] {
			return operators.MonoZip([]Publisher[T]{zero(), src}, func(all []T) T { return all[1] })
		}),
	}
}
