package books

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// joins are stages with several children: sources side by side or one after the other, what is subscribed for each
// element, and signals for what cuts, ends or begins.
var joins = []*stage{
	{name: "concat", kids: 2, build: func(u use) publisher { return operators.Concat(u.kid(0), u.kid(1)) }},
	{name: "concatDelayError", kids: 2, build: func(u use) publisher { return operators.ConcatDelayError(u.kid(0), u.kid(1)) }},
	{name: "startWith", kids: 2, build: func(u use) publisher { return operators.StartWith(u.kid(0), u.kid(1)) }},
	{name: "merge", kids: 2, build: func(u use) publisher { return operators.Merge(u.kid(0), u.kid(1)) }},
	{name: "merge delaying errors", kids: 3, build: func(u use) publisher {
		return operators.MergeSlice([]publisher{u.kid(0), u.kid(1), u.kid(2)}, operators.DelayErrors(), operators.Prefetch(1+u.arg))
	}},
	{name: "mergeSequential", kids: 2, build: func(u use) publisher {
		return operators.MergeSequential([]publisher{u.kid(0), u.kid(1)})
	}},
	{name: "mergeSequential delaying errors", kids: 2, forgets: delayedInTurn, build: func(u use) publisher {
		return operators.MergeSequential([]publisher{u.kid(0), u.kid(1)}, operators.DelayErrors())
	}},
	{name: "mergeComparing", kids: 2, build: func(u use) publisher {
		return operators.MergeComparingWith(u.kid(0), u.kid(1), func(a, b element) int { u.call(); return number(a) - number(b) },
			operators.Prefetch(1+u.arg))
	}},
	{name: "mergePriority", kids: 2, build: func(u use) publisher {
		return operators.MergePriority(func(a, b element) int { return number(b) - number(a) }, []publisher{u.kid(0), u.kid(1)}, operators.DelayErrors())
	}},
	{name: "zip", kids: 2, build: func(u use) publisher {
		return operators.ConcatMapSlice(operators.Zip2(u.kid(0), u.kid(1), u.pair, operators.Prefetch(1+u.arg)), flat)
	}},
	{name: "mono zip", kids: 2, build: func(u use) publisher {
		return operators.ConcatMapSlice(operators.MonoZip2(operators.Next(u.kid(0)), operators.Next(u.kid(1)), u.pair), flat)
	}},
	{name: "mono zip delaying errors", kids: 2, build: func(u use) publisher {
		return operators.ConcatMapSlice(operators.MonoZip2(operators.Next(u.kid(0)), operators.Next(u.kid(1)), u.pair, operators.DelayErrors()), flat)
	}},
	{name: "combineLatest", kids: 2, build: func(u use) publisher {
		return converted(operators.CombineLatest2(u.signals(0), u.signals(1), func(a, _ int) int { u.call(); return a }),
			func(int) element { return u.produce() })
	}},
	{name: "withLatestFrom", kids: 2, build: func(u use) publisher {
		return operators.WithLatestFrom(u.kid(0), u.signals(1), func(v element, _ int) element { return u.through(v) })
	}},
	{name: "firstWithSignal", kids: 2, build: func(u use) publisher { return operators.FirstWithSignal(u.kid(0), u.kid(1)) }},
	{name: "firstWithValue", kids: 2, forgets: withoutValue, build: func(u use) publisher { return operators.FirstWithValue(u.kid(0), u.kid(1)) }},
	{name: "switchIfEmpty", kids: 2, build: func(u use) publisher { return operators.SwitchIfEmpty(u.kid(0), u.kid(1)) }},
	{name: "thenMany", kids: 2, build: func(u use) publisher { return operators.ThenMany(u.kid(0), u.kid(1)) }},
	{name: "onErrorResume", kids: 2, build: func(u use) publisher {
		return operators.OnErrorResume(u.kid(0), func(error) publisher { return u.kid(1) }, operators.WhenError(u.handles))
	}},
	{name: "timeoutFallback", kids: 2, build: func(u use) publisher {
		return operators.TimeoutFallback(u.kid(0), tick, u.kid(1), u.on())
	}},
	{name: "usingWhen", kids: 1, build: func(u use) publisher {
		cleanup := func(r *resource) reactor.Publisher[int64] {
			r.release()
			u.call()
			return operators.Delay(tick, u.on())
		}
		return operators.UsingWhen(u.acquired(), func(*resource) publisher { u.call(); return u.kid(0) },
			operators.AsyncCleanup[*resource, int64]{Complete: cleanup})
	}},
	{name: "mono usingWhen", kids: 1, build: func(u use) publisher {
		return operators.MonoUsingWhen(u.acquired(), func(*resource) publisher { u.call(); return operators.Next(u.kid(0)) },
			operators.AsyncCleanup[*resource, int64]{Complete: func(r *resource) reactor.Publisher[int64] {
				r.release()
				u.call()
				return operators.Delay(tick, u.on())
			}})
	}},
	{name: "sequenceEqual", kids: 2, build: func(u use) publisher {
		equal := operators.SequenceEqualFunc(u.signals(0), u.signals(1), func(int, int) bool { u.call(); return true }, operators.Prefetch(1+u.arg))
		return converted(equal, func(bool) element { return u.produce() })
	}},
	{name: "takeUntilOther", kids: 2, build: func(u use) publisher { return operators.TakeUntilOther(u.kid(0), u.signals(1)) }},
	{name: "skipUntilOther", kids: 2, build: func(u use) publisher { return operators.SkipUntilOther(u.kid(0), u.signals(1)) }},
	{name: "delaySubscription", kids: 2, build: func(u use) publisher { return operators.DelaySubscription(u.kid(0), u.signals(1)) }},
	{name: "sample", kids: 2, build: func(u use) publisher { return operators.Sample(u.kid(0), u.signals(1)) }},
	{name: "sampleTimeout", kids: 2, build: func(u use) publisher {
		return operators.SampleTimeout(u.kid(0), func(v element) reactor.Publisher[int] { u.call(); return u.signals(1) })
	}},
	{name: "timeoutWhen", kids: 2, build: func(u use) publisher {
		return operators.TimeoutWhen(u.kid(0), operators.Never[int](), func(element) reactor.Publisher[int] { u.call(); return u.signals(1) })
	}},
	{name: "delayUntil", kids: 2, build: func(u use) publisher {
		return operators.DelayUntil(u.kid(0), func(v element) reactor.Publisher[int] { u.call(v); return u.signals(1) })
	}},
	{name: "filterWhen", kids: 2, build: func(u use) publisher {
		return operators.FilterWhen(u.kid(0), func(v element) reactor.Publisher[bool] {
			u.call(v)
			return converted(u.signals(1), func(n int) bool { return n%3 != 0 })
		}, operators.Prefetch(1+u.arg))
	}},
	{name: "repeatWhen", kids: 2, build: func(u use) publisher {
		return operators.RepeatWhen(u.kid(0), operators.RepeatFrom(func(completions reactor.Publisher[int64]) reactor.Publisher[int64] {
			u.call()
			return operators.ZipWith(completions, operators.Take(u.signals(1), 2), func(n int64, _ int) int64 { return n })
		}))
	}},
	{name: "flatMap", kids: 2, build: func(u use) publisher {
		return operators.FlatMap(u.kid(0), u.inner(1), operators.Concurrency(1+u.arg))
	}},
	{name: "flatMap delaying errors", kids: 2, build: func(u use) publisher {
		return operators.FlatMap(u.kid(0), u.inner(1), operators.Concurrency(1+u.arg), operators.DelayErrors())
	}},
	{name: "concatMap", kids: 2, build: func(u use) publisher {
		return operators.ConcatMap(u.kid(0), u.inner(1), operators.Prefetch(u.arg))
	}},
	{name: "concatMap delaying errors", kids: 2, forgets: delayedInTurn, build: func(u use) publisher {
		return operators.ConcatMap(u.kid(0), u.inner(1), operators.Prefetch(u.arg), operators.DelayErrors())
	}},
	{name: "concatMap to the boundary", kids: 2, forgets: delayedInTurn, build: func(u use) publisher {
		return operators.ConcatMap(u.kid(0), u.inner(1), operators.Prefetch(1+u.arg), operators.DelayErrorsToBoundary())
	}},
	{name: "flatMapSequential", kids: 2, build: func(u use) publisher {
		return operators.FlatMapSequential(u.kid(0), u.inner(1), operators.Concurrency(1+u.arg))
	}},
	{name: "switchMap", kids: 2, build: func(u use) publisher { return operators.SwitchMap(u.kid(0), u.inner(1)) }},
	{name: "switchMap ahead", kids: 2, build: func(u use) publisher {
		return operators.SwitchMap(u.kid(0), u.inner(1), operators.Prefetch(1+u.arg), operators.DelayErrors())
	}},
	{name: "switchOnNext", kids: 2, build: func(u use) publisher {
		return operators.SwitchOnNext(u.publishers())
	}},
	{name: "switchOnNext ahead", kids: 2, build: func(u use) publisher {
		return operators.SwitchOnNext(u.publishers(), operators.Prefetch(1+u.arg))
	}},
	{name: "exhaustMap", kids: 2, build: func(u use) publisher {
		return operators.ExhaustMap(u.kid(0), u.inner(1), operators.Prefetch(1+u.arg))
	}},
	{name: "exhaustMap delaying errors", kids: 2, build: func(u use) publisher {
		return operators.ExhaustMap(u.kid(0), u.inner(1), operators.DelayErrors())
	}},
	{name: "mono flatMap", kids: 2, build: func(u use) publisher {
		return operators.MonoFlatMap(operators.Next(u.kid(0)), func(v element) publisher { return operators.Next(u.inner(1)(v)) })
	}},
	{name: "mono flatMapMany", kids: 2, build: func(u use) publisher {
		return operators.MonoFlatMapMany(operators.Next(u.kid(0)), u.inner(1))
	}},
	{name: "expand", kids: 2, build: func(u use) publisher { return operators.Expand(u.kid(0), u.children) }},
	{name: "expandDeep", kids: 2, build: func(u use) publisher { return operators.ExpandDeep(u.kid(0), u.children) }},
}

func (u use) pair(a, b element) []element {
	u.call(a, b)
	return []element{a, b}
}

// publishers are the second child, once for each element of the first one, which has ended then: what is discarded is a publisher.
func (u use) publishers() reactor.Publisher[publisher] {
	return converted(operators.Map(u.kid(0), u.through), func(v element) publisher {
		u.books.delivered(v)
		return u.kid(1)
	})
}

// children are those of an element for Expand, which has sent it. There is an end to them also where the numbers of two
// elements more always have one that has children, and where it is nobody's, as a first value of scanWith is, which is not counted.
func (u use) children(v element) publisher {
	if u.call(); v != nil && number(v)%4 == 0 && u.more() {
		return operators.Take(u.kid(1), 2)
	}
	return operators.Empty[element]()
}

// acquired makes a resource that has to be released, on its way too.
func (u use) acquired() reactor.Publisher[*resource] {
	p := operators.FromFunc(func(context.Context) (*resource, error) {
		if err := u.try(); err != nil {
			return nil, err
		}
		return u.books.open("a resource of " + u.name()), nil
	})
	switch u.arg % 3 {
	case 0:
		return operators.Hide(p)
	case 1:
		return operators.SubscribeOn(p, u.scheduler)
	}
	return p
}

// number is what elements are compared by; some stages make a nil one.
func number(v element) int {
	if v == nil {
		return 0
	}
	return v.Number
}
