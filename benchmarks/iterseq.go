package benchmarks

import "iter"

// Chains of iter.Seq whose stages are put together at run time, as a library puts
// them together: every stage is a function that the compiler does not inline.

//go:noinline
func seqRange(start, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := start; i < start+n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

//go:noinline
func seqMap[T, R any](src iter.Seq[T], fn func(T) R) iter.Seq[R] {
	return func(yield func(R) bool) {
		src(func(v T) bool { return yield(fn(v)) })
	}
}

//go:noinline
func seqFilter[T any](src iter.Seq[T], keep func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		src(func(v T) bool { return !keep(v) || yield(v) })
	}
}

//go:noinline
func seqFlat[T, R any](src iter.Seq[T], fn func(T) iter.Seq[R]) iter.Seq[R] {
	return func(yield func(R) bool) {
		src(func(v T) bool {
			more := true
			fn(v)(func(r R) bool {
				more = yield(r)
				return more
			})
			return more
		})
	}
}

//go:noinline
func seqEach[T any](src iter.Seq[T], fn func(T)) {
	for v := range src {
		fn(v)
	}
}

func seqSum(src iter.Seq[int]) int {
	sum := 0
	seqEach(src, func(v int) { sum += v })
	return sum
}

func seqMapFilter() int { return seqSum(seqFilter(seqMap(seqRange(0, Size), plusOne), even)) }

func seqMaps(n int) int {
	s := seqRange(0, Size)
	for range n {
		s = seqMap(s, plusOne)
	}
	return seqSum(s)
}

func seqFlatMap() int {
	return seqSum(seqFlat(seqRange(0, Inner), func(i int) iter.Seq[int] { return seqRange(i, Inner) }))
}

func seqOnce() int {
	got := 0
	for v := range seqFlat(seqMap(seqRange(6, 1), plusOne), func(v int) iter.Seq[int] { return seqRange(double(v), 1) }) {
		got = v
	}
	return got
}
