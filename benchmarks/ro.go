package benchmarks

import (
	"time"

	"github.com/samber/lo"
	"github.com/samber/ro"
)

// samber/ro. The terminal is Subscribe with an observer, which blocks until a
// synchronous source has ended; where another goroutine is involved, Wait does.

func roSum[T int | int64](o ro.Observable[T]) int {
	sum := T(0)
	o.Subscribe(ro.NewObserver(
		func(v T) { sum += v },
		func(err error) { panic(err) },
		func() {},
	)).Wait()
	return int(sum)
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

func roOnceUser() int {
	got, err := ro.Collect(ro.Pipe2(
		ro.Just(someone),
		ro.Map(verified),
		ro.FlatMap(func(u *user) ro.Observable[*user] { return ro.Just(saved(u)) }),
	))
	if err != nil {
		panic(err)
	}
	return got[0].id
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

func roMaps(n int) int {
	o := ro.Map(func(v int64) int { return plusOne(int(v)) })(ro.Range(0, int64(Size)))
	for range n - 1 {
		o = ro.Map(plusOne)(o)
	}
	return roSum(o)
}

func roCasts(n int) int {
	o := ro.Map(func(v int64) int64 { return widen(int(v)) })(ro.Range(0, int64(Size)))
	for range n / 2 {
		o = ro.Map(widen)(ro.Map(narrow)(o))
	}
	return roSum(o)
}

// roSleepers has a goroutine for each inner stream: MergeMap has no limit.
func roSleepers() int {
	return roSum(ro.Pipe1(ro.Range(0, int64(Sleepers)), ro.MergeMap(func(v int64) ro.Observable[int] {
		return ro.Future(func() (int, error) {
			time.Sleep(time.Millisecond)
			return int(v), nil
		})
	})))
}

// roPublish is a connectable Observable.
func roPublish() int {
	source := ro.Connectable(roInts(0, emitted()))
	sums := make([]int, Audience)
	for i := range sums {
		source.Subscribe(ro.NewObserver(func(v int) { sums[i] += v }, func(err error) { panic(err) }, func() {}))
	}
	source.Connect().Wait()
	return total(sums)
}

func roCrowd() int {
	subject := ro.NewPublishSubject[int]()
	ends := make([]ro.Subscription, Crowd)
	for i := range ends {
		ends[i] = subject.Subscribe(ro.NewObserver(func(int) {}, func(error) {}, func() {}))
	}
	for _, end := range ends {
		end.Unsubscribe()
	}
	return Crowd
}
