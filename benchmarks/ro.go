package benchmarks

import "github.com/samber/ro"

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
		ro.Range(0, Size),
		ro.Map(func(v int64) int { return plusOne(int(v)) }),
		ro.Filter(even),
	))
}

func roHop() int {
	return roSum(ro.Pipe2(ro.Range(0, Size), ro.Map(roInt), ro.ObserveOn[int](256)))
}

func roFlatMap() int {
	return roSum(ro.Pipe1(
		ro.Range(0, Inner),
		ro.FlatMap(func(i int64) ro.Observable[int] { return ro.Map(roInt)(ro.Range(i, i+Inner)) }),
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
