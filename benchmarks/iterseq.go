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
		for v := range src {
			if !yield(fn(v)) {
				return
			}
		}
	}
}

//go:noinline
func seqFilter[T any](src iter.Seq[T], keep func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for v := range src {
			if keep(v) && !yield(v) {
				return
			}
		}
	}
}

//go:noinline
func seqFlat[T, R any](src iter.Seq[T], fn func(T) iter.Seq[R]) iter.Seq[R] {
	return func(yield func(R) bool) {
		for v := range src {
			for r := range fn(v) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

func seqSum(src iter.Seq[int]) int {
	sum := 0
	for v := range src {
		sum += v
	}
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

func seqOnceUser() int {
	got := 0
	for u := range seqFlat(seqMap(seqOf(someone), verified), func(u *user) iter.Seq[*user] { return seqOf(saved(u)) }) {
		got = u.id
	}
	return got
}

//go:noinline
func seqOf[T any](v T) iter.Seq[T] { return func(yield func(T) bool) { yield(v) } }

//go:noinline
func seqTake[T any](src iter.Seq[T], n int) iter.Seq[T] {
	return func(yield func(T) bool) {
		left := n
		if left == 0 {
			return
		}
		for v := range src {
			if left--; !yield(v) || left == 0 {
				return
			}
		}
	}
}

//go:noinline
func seqConcatOf[T any](all ...iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, src := range all {
			for v := range src {
				if !yield(v) {
					return
				}
			}
		}
	}
}

//go:noinline
func seqZipOf[A, B, R any](a iter.Seq[A], b iter.Seq[B], fn func(A, B) R) iter.Seq[R] {
	return func(yield func(R) bool) {
		next, stop := iter.Pull(b)
		defer stop()
		for v := range a {
			w, ok := next()
			if !ok || !yield(fn(v, w)) {
				return
			}
		}
	}
}

func seqMapFilterTake() int {
	return seqSum(seqTake(seqFilter(seqMap(seqRange(0, 2*Size), plusOne), even), Size/2))
}

// seqMapFilterDeferred is what a range over a sequence needs of retry, fallback and doFinally where nothing fails: a defer.
func seqMapFilterDeferred() int {
	sum := 0
	func() {
		defer same(0)
		sum = seqSum(seqFilter(seqMap(seqRange(0, Size), plusOne), even))
	}()
	return sum
}

func seqCasts(n int) int {
	s := seqMap(seqRange(0, Size), widen)
	for range n / 2 {
		s = seqMap(seqMap(s, narrow), widen)
	}
	sum := int64(0)
	for v := range s {
		sum += v
	}
	return int(sum)
}

func seqSingles() int {
	return seqSum(seqFlat(seqRange(0, Singles), func(i int) iter.Seq[int] { return seqRange(i, 1) }))
}

func seqZip() int { return seqSum(seqZipOf(seqRange(0, Size), seqRange(0, Size), plus)) }

func seqConcat() int {
	all := make([]iter.Seq[int], Sources)
	for i := range all {
		all[i] = seqRange(i*Size/Sources, Size/Sources)
	}
	return seqSum(seqConcatOf(all...))
}
