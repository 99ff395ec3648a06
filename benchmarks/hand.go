package benchmarks

import (
	"context"
	"runtime"
	"sync"
)

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

//go:noinline
func handFollow(u *user, fn, then func(*user) *user) *user { return then(fn(u)) }

func handOnceUser() int { return handFollow(someone, verified, saved).id }

//go:noinline
func load(ctx context.Context) (*user, error) { return someone, ctx.Err() }

//go:noinline
func handLoad(ctx context.Context, from func(context.Context) (*user, error), fn, then func(*user) *user) *user {
	u, err := from(ctx)
	if err != nil {
		panic(err)
	}
	return then(fn(u))
}

func handLoads() int { return handLoad(asked, load, verified, saved).id }

//go:noinline
func handOnes(n int, fn func(int) *int) int {
	sum := 0
	for i := range n {
		sum += *fn(i)
	}
	return sum
}

// handSingles makes one object for each element.
func handSingles() int { return handOnes(Singles, func(i int) *int { return &i }) }

//go:noinline
func handCalls(ctx context.Context, n int, load func(context.Context, int) (int, error), then func(int) int) int {
	sum := 0
	for i := range n {
		v, err := load(ctx, i)
		if err != nil {
			panic(err)
		}
		sum += then(v)
	}
	return sum
}

func handLoaded() int {
	return handCalls(context.Background(), Singles, func(_ context.Context, i int) (int, error) { return i, nil }, plusOne)
}

//go:noinline
func handPairs(n int, fn func(a, b int) int) int {
	sum := 0
	for i := range n {
		sum += fn(i, i)
	}
	return sum
}

func handZip() int { return handPairs(Size, plus) }

//go:noinline
func handParts(parts, n int, to func(int)) {
	for i := range parts {
		for j := range n / parts {
			to(i*n/parts + j)
		}
	}
}

func handConcat() int {
	sum := 0
	handParts(Sources, Size, func(v int) { sum += v })
	return sum
}

// handMerge has a goroutine for each source, which hands batches of 256 over to one
// that adds them.
func handMerge() int {
	full, empty := make(chan []int, 4*Sources), make(chan []int, 4*Sources)
	for range cap(empty) {
		empty <- make([]int, 0, 256)
	}
	var sources sync.WaitGroup
	for i := range Sources {
		sources.Go(func() {
			batch := (<-empty)[:0]
			for j := range Size / Sources {
				if len(batch) == cap(batch) {
					full <- batch
					batch = (<-empty)[:0]
				}
				batch = append(batch, i*Size/Sources+j)
			}
			full <- batch
		})
	}
	go func() { sources.Wait(); close(full) }()
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
func handCount(n int, keyOf func(int) int) map[int]*int {
	counts := map[int]*int{}
	for v := range n {
		k := keyOf(v)
		count := counts[k]
		if count == nil {
			count = new(int)
			counts[k] = count
		}
		*count++
	}
	return counts
}

func handGroups() int {
	total := 0
	for _, count := range handCount(Size, key) {
		total += *count
	}
	return total
}

//go:noinline
func handEach(n int, to []func(int)) {
	for v := range n {
		for _, fn := range to {
			fn(v)
		}
	}
}

func handHot() int {
	sums := make([]int, Audience)
	to := make([]func(int), Audience)
	for i := range to {
		to[i] = func(v int) { sums[i] += v }
	}
	handEach(emitted(), to)
	return total(sums)
}

func total(sums []int) int {
	sum := 0
	for _, v := range sums {
		sum += v
	}
	return sum
}

//go:noinline
func handChanging(n int, to []func(int64) int, back []func(int) int64) int {
	sum := int64(0)
	for i := range n {
		v := back[0](i)
		for j, fn := range to {
			v = back[j+1](fn(v))
		}
		sum += v
	}
	return int(sum)
}

func handCasts(n int) int {
	to := make([]func(int64) int, n/2)
	back := make([]func(int) int64, n/2+1)
	for i := range to {
		to[i] = narrow
	}
	for i := range back {
		back[i] = widen
	}
	return handChanging(Size, to, back)
}

// handCrowd keeps subscribers in a map under a lock.
func handCrowd() int {
	var mu sync.Mutex
	crowd := map[int]func(int){}
	for i := range Crowd {
		mu.Lock()
		crowd[i] = func(int) {}
		mu.Unlock()
	}
	for i := range Crowd {
		mu.Lock()
		delete(crowd, i)
		mu.Unlock()
	}
	return Crowd - len(crowd)
}
