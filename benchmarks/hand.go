package benchmarks

import "runtime"

// By hand: the one loop that does the job. The functions are values that the
// compiler can't see through, as a library gets them.

//go:noinline
func handLoop(n int, fn func(int) int, keep func(int) bool) int {
	sum := 0
	for i := range n {
		if v := fn(i); keep(v) {
			sum += v
		}
	}
	return sum
}

func handMapFilter() int { return handLoop(Size, plusOne, even) }

func handMaps(n int) int {
	fns := make([]func(int) int, n)
	for i := range fns {
		fns[i] = plusOne
	}
	return handAll(Size, fns)
}

//go:noinline
func handAll(n int, fns []func(int) int) int {
	sum := 0
	for v := range n {
		for _, fn := range fns {
			v = fn(v)
		}
		sum += v
	}
	return sum
}

// handHop hands batches of 256 over to another goroutine and recycles them.
func handHop() int {
	full, empty := make(chan []int, 4), make(chan []int, 4)
	for range cap(empty) {
		empty <- make([]int, 0, 256)
	}
	go func() {
		batch := <-empty
		for i := range Size {
			if len(batch) == cap(batch) {
				full <- batch
				batch = (<-empty)[:0]
			}
			batch = append(batch, i)
		}
		full <- batch
		close(full)
	}()
	sum := 0
	for batch := range full {
		for _, v := range batch {
			sum += v
		}
		empty <- batch
	}
	return sum
}

//go:noinline
func handNested(n int, fn func(int) int) int {
	sum := 0
	for i := range n {
		for j := range n {
			sum += fn(i) + j
		}
	}
	return sum
}

func handFlatMap() int { return handNested(Inner, func(i int) int { return i }) }

//go:noinline
func handApply(v int, fn, then func(int) int) *int {
	r := then(fn(v))
	return &r
}

func handOnce() int {
	r := handApply(6, plusOne, double)
	runtime.KeepAlive(r)
	return *r
}

func double(v int) int { return 2 * v }
