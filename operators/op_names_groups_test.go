package operators_test

import (
	"time"

	"github.com/goreactor/reactor/operators"
)

func groupingRows() []named {
	w := f1[ints, int]
	open := func() ints { return operators.Hide(operators.Just(1)) }
	asIs := self[ints]
	even := func(a, b int) bool { return a == b }
	return []named{
		{"BufferInto newContainer", "bufferInto", func(src ints, die func()) any {
			return operators.BufferInto(src, 2, f0[*int](die), func(*int, int) bool { return true })
		}},
		{"BufferInto add", "bufferInto", func(src ints, die func()) any {
			return operators.BufferInto(src, 2, func() *int { return new(int) }, f2[*int, int, bool](die))
		}},
		{"BufferUntil", "bufferUntil", func(src ints, die func()) any { return operators.BufferUntil(src, f1[int, bool](die)) }},
		{"BufferWhile", "bufferWhile", func(src ints, die func()) any { return operators.BufferWhile(src, f1[int, bool](die)) }},
		{"BufferUntilChanged", "bufferUntilChanged", func(src ints, die func()) any { return operators.BufferUntilChanged(src, f1[int, int](die)) }},
		{"BufferUntilChangedFunc key", "bufferUntilChanged", func(src ints, die func()) any {
			return operators.BufferUntilChangedFunc(src, f1[int, int](die), even)
		}},
		{"BufferUntilChangedFunc equal", "bufferUntilChanged", func(src ints, die func()) any {
			return operators.BufferUntilChangedFunc(src, self[int], f2[int, int, bool](die))
		}},
		{"BufferWhen", "bufferWhen", func(src ints, die func()) any { return operators.BufferWhen(src, open(), toPub[int](die)) }},
		{"Window", "window", func(src ints, die func()) any { return operators.Window(src, 2, w(die)) }},
		{"Window overlapping", "window", func(src ints, die func()) any { return operators.Window(src, 2, w(die), operators.Stride(1)) }},
		{"Window with gaps", "window", func(src ints, die func()) any { return operators.Window(src, 1, w(die), operators.Stride(2)) }},
		{"WindowFor", "windowFor", func(src ints, die func()) any { return operators.WindowFor(src, time.Hour, w(die)) }},
		{"WindowOther", "windowOther", func(src ints, die func()) any { return operators.WindowOther(src, operators.Never[int](), w(die)) }},
		{"WindowTimeout", "windowTimeout", func(src ints, die func()) any { return operators.WindowTimeout(src, 2, time.Hour, w(die)) }},
		{"WindowTimeout fair", "windowTimeout", func(src ints, die func()) any {
			return operators.WindowTimeout(src, 2, time.Hour, w(die), operators.FairBackpressure())
		}},
		{"WindowUntil last", "windowUntil", func(src ints, die func()) any { return operators.WindowUntil(src, f1[int, bool](die), asIs) }},
		{"WindowUntil window", "windowUntil", func(src ints, die func()) any { return operators.WindowUntil(src, yes, w(die)) }},
		{"WindowWhile keep", "windowWhile", func(src ints, die func()) any { return operators.WindowWhile(src, f1[int, bool](die), asIs) }},
		{"WindowWhile window", "windowWhile", func(src ints, die func()) any { return operators.WindowWhile(src, yes, w(die)) }},
		{"WindowUntilChanged key", "windowUntilChanged", func(src ints, die func()) any {
			return operators.WindowUntilChanged(src, f1[int, int](die), asIs)
		}},
		{"WindowUntilChanged window", "windowUntilChanged", func(src ints, die func()) any {
			return operators.WindowUntilChanged(src, self[int], w(die))
		}},
		{"WindowUntilChangedFunc key", "windowUntilChanged", func(src ints, die func()) any {
			return operators.WindowUntilChangedFunc(src, f1[int, int](die), even, asIs)
		}},
		{"WindowUntilChangedFunc equal", "windowUntilChanged", func(src ints, die func()) any {
			return operators.WindowUntilChangedFunc(src, self[int], f2[int, int, bool](die), asIs)
		}},
		{"WindowUntilChangedFunc window", "windowUntilChanged", func(src ints, die func()) any {
			return operators.WindowUntilChangedFunc(src, self[int], even, w(die))
		}},
		{"WindowWhen closing", "windowWhen", func(src ints, die func()) any { return operators.WindowWhen(src, open(), toPub[int](die), asIs) }},
		{"WindowWhen window", "windowWhen", func(src ints, die func()) any { return operators.WindowWhen(src, open(), never, w(die)) }},
		{"GroupBy key", "groupBy", func(src ints, die func()) any {
			return operators.GroupBy(src, f1[int, int](die), func(_ int, g ints) ints { return g })
		}},
		{"GroupBy group", "groupBy", func(src ints, die func()) any { return operators.GroupBy(src, self[int], f2[int, ints, int](die)) }},
		{"GroupByMap key", "groupBy", func(src ints, die func()) any {
			return operators.GroupByMap(src, f1[int, int](die), self[int], func(_ int, g ints) ints { return g })
		}},
		{"GroupByMap value", "groupBy", func(src ints, die func()) any {
			return operators.GroupByMap(src, self[int], f1[int, int](die), func(_ int, g ints) ints { return g })
		}},
		{"GroupByMap group", "groupBy", func(src ints, die func()) any {
			return operators.GroupByMap(src, self[int], self[int], f2[int, ints, int](die))
		}},
		{"SampleFirst", "sampleFirst", func(src ints, die func()) any { return operators.SampleFirst(src, toPub[int](die)) }},
		{"SampleTimeout", "sampleTimeout", func(src ints, die func()) any { return operators.SampleTimeout(src, toPub[int](die)) }},
		{"ParallelGroups", "groups", func(src ints, die func()) any { return operators.ParallelGroups(par(src), f2[int, ints, int](die)) }},
		{"ParallelRails", "", nil}, // calls its function where the chain is put together, for each rail
		{"ParallelReduce", "parallelReduce", func(src ints, die func()) any {
			return operators.ParallelReduce(par(operators.Range(1, 9)), f2[int, int, int](die))
		}},
		{"ParallelOrdered", "ordered", func(src ints, die func()) any {
			return operators.ParallelOrdered(par(operators.Range(1, 9)), f2[int, int, int](die))
		}},
		{"ParallelSorted", "sorted", func(src ints, die func()) any {
			return operators.ParallelSorted(par(operators.Range(1, 9)), f2[int, int, int](die))
		}},
	}
}
