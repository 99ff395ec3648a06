package benchmarks

import (
	"github.com/samber/lo"
	"github.com/samber/ro"
)

// samber/ro. The terminal is Subscribe with an observer, which blocks until a
// synchronous source has ended; where another goroutine is involved, Wait does.

func roSum(o ro.Observable[int]) int {
	sum := 0
	o.Subscribe(ro.NewObserver(
		func(v int) { sum += v },
		func(err error) { panic(err) },
		func() {},
	)).Wait()
	return sum
}

func roInt(v int64) int { return int(v) }

func roMapFilter() int {
	return roSum(ro.Pipe2(
		ro.Range(0, int64(Size)),
		ro.Map(func(v int64) int { return plusOne(int(v)) }),
		ro.Filter(even),
	))
}

func roHop() int {
	return roSum(ro.Pipe2(ro.Range(0, int64(Size)), ro.Map(roInt), ro.ObserveOn[int](256)))
}

func roFlatMap() int {
	return roSum(ro.Pipe1(
		ro.Range(0, int64(Inner)),
		ro.FlatMap(func(i int64) ro.Observable[int] { return ro.Map(roInt)(ro.Range(i, i+int64(Inner))) }),
	))
}

func roOnce() int {
	got, err := ro.Collect(ro.Pipe2(
		ro.Just(6),
		ro.Map(plusOne),
		ro.FlatMap(func(v int) ro.Observable[int] { return ro.Just(double(v)) }),
	))
	if err != nil {
		panic(err)
	}
	return got[0]
}

func roInts(start, n int) ro.Observable[int] {
	return ro.Map(roInt)(ro.Range(int64(start), int64(start+n)))
}

// roTwoThreads subscribes on one goroutine and observes on another.
func roTwoThreads() int {
	return roSum(ro.Pipe2(roInts(0, Size), ro.SubscribeOn[int](256), ro.ObserveOn[int](256)))
}

func roSingles() int {
	return roSum(ro.Pipe1(ro.Range(0, int64(Singles)), ro.FlatMap(func(i int64) ro.Observable[int] { return ro.Just(int(i)) })))
}

func roConcatMap() int {
	return roSum(ro.Pipe2(
		ro.Range(0, int64(Inner)),
		ro.Map(func(i int64) ro.Observable[int] { return roInts(int(i), Inner) }),
		ro.ConcatAll[int](),
	))
}

func roZip() int {
	return roSum(ro.Pipe1(
		ro.Zip2(ro.Range(0, int64(Size)), ro.Range(0, int64(Size))),
		ro.Map(func(pair lo.Tuple2[int64, int64]) int { return plus(int(pair.A), int(pair.B)) }),
	))
}

func roParts(each func(ro.Observable[int]) ro.Observable[int]) []ro.Observable[int] {
	parts := make([]ro.Observable[int], Sources)
	for i := range parts {
		parts[i] = each(roInts(i*Size/Sources, Size/Sources))
	}
	return parts
}

func roMerge() int { return roSum(ro.Merge(roParts(ro.SubscribeOn[int](chanRoom))...)) }

func roConcat() int {
	return roSum(ro.Concat(roParts(func(o ro.Observable[int]) ro.Observable[int] { return o })...))
}

func roGroups() int {
	return roSum(ro.Pipe2(
		roInts(0, Size),
		ro.GroupBy(key),
		ro.MergeMap(func(group ro.Observable[int]) ro.Observable[int] { return ro.Map(roInt)(ro.Count[int]()(group)) }),
	))
}

func roHot() int {
	subject := ro.NewPublishSubject[int]()
	sums := make([]int, Audience)
	for i := range sums {
		subject.Subscribe(ro.NewObserver(func(v int) { sums[i] += v }, func(err error) { panic(err) }, func() {}))
	}
	for v := range emitted() {
		subject.Next(v)
	}
	subject.Complete()
	return total(sums)
}
