package benchmarks

import (
	"sync"
	"time"
)

// Pipelines of goroutines connected by channels with room for 256 elements.

const chanRoom = 256

func chanRange(start, n int) <-chan int {
	out := make(chan int, min(n, chanRoom))
	go func() {
		defer close(out)
		for i := start; i < start+n; i++ {
			out <- i
		}
	}()
	return out
}

func chanMap(in <-chan int, fn func(int) int) <-chan int {
	out := make(chan int, chanRoom)
	go func() {
		defer close(out)
		for v := range in {
			out <- fn(v)
		}
	}()
	return out
}

func chanFilter(in <-chan int, keep func(int) bool) <-chan int {
	out := make(chan int, chanRoom)
	go func() {
		defer close(out)
		for v := range in {
			if keep(v) {
				out <- v
			}
		}
	}()
	return out
}

func chanSum(in <-chan int) int {
	sum := 0
	for v := range in {
		sum += v
	}
	return sum
}

func chanMapFilter() int { return chanSum(chanFilter(chanMap(chanRange(0, Size), plusOne), even)) }

func chanMaps(n int) int {
	c := chanRange(0, Size)
	for range n {
		c = chanMap(c, plusOne)
	}
	return chanSum(c)
}

func chanHop() int { return chanSum(chanRange(0, Size)) }

// chanFlatMap has one goroutine for each inner stream, 256 at a time, all of which
// send to one channel.
func chanFlatMap() int {
	out := make(chan int, chanRoom)
	go func() {
		defer close(out)
		var wg sync.WaitGroup
		slots := make(chan struct{}, chanRoom)
		for i := range Inner {
			slots <- struct{}{}
			wg.Go(func() {
				for j := i; j < i+Inner; j++ {
					out <- j
				}
				<-slots
			})
		}
		wg.Wait()
	}()
	return chanSum(out)
}

func chanOnce() int {
	out := make(chan int, 1)
	go func() { out <- double(plusOne(6)) }()
	return <-out
}

func chanOnceUser() int {
	out := make(chan *user, 1)
	go func() { out <- saved(verified(someone)) }()
	return (<-out).id
}

// chanSingles has a goroutine for each inner stream, 256 at a time.
func chanSingles() int {
	out := make(chan int, chanRoom)
	go func() {
		defer close(out)
		var wg sync.WaitGroup
		slots := make(chan struct{}, chanRoom)
		for i := range Singles {
			slots <- struct{}{}
			wg.Go(func() { out <- i; <-slots })
		}
		wg.Wait()
	}()
	return chanSum(out)
}

func chanZip() int {
	a, b := chanRange(0, Size), chanRange(0, Size)
	sum := 0
	for v := range a {
		sum += plus(v, <-b)
	}
	return sum
}

// chanMerge has a goroutine for each source, all of which send to one channel.
func chanMerge() int {
	out := make(chan int, chanRoom)
	var wg sync.WaitGroup
	for i := range Sources {
		wg.Go(func() {
			for j := range Size / Sources {
				out <- i*Size/Sources + j
			}
		})
	}
	go func() { wg.Wait(); close(out) }()
	return chanSum(out)
}

// chanGroups has a goroutine for each group, which counts.
func chanGroups() int {
	counts := make(chan int, Keys)
	groups := map[int]chan int{}
	for v := range Size {
		k := key(v)
		group := groups[k]
		if group == nil {
			group = make(chan int, chanRoom)
			groups[k] = group
			go func() {
				n := 0
				for range group {
					n++
				}
				counts <- n
			}()
		}
		group <- v
	}
	for _, group := range groups {
		close(group)
	}
	sum := 0
	for range groups {
		sum += <-counts
	}
	return sum
}

// chanHot has a goroutine for each subscriber, with a channel of its own.
func chanHot() int {
	to := make([]chan int, Audience)
	sums := make([]int, Audience)
	var wg sync.WaitGroup
	for i := range to {
		to[i] = make(chan int, chanRoom)
		wg.Go(func() { sums[i] = chanSum(to[i]) })
	}
	for v := range emitted() {
		for _, c := range to {
			c <- v
		}
	}
	for _, c := range to {
		close(c)
	}
	wg.Wait()
	return total(sums)
}

// goSleepers has 256 goroutines that take the work in turn.
func goSleepers() int {
	work, out := make(chan int), make(chan int, Awake)
	var wg sync.WaitGroup
	for range Awake {
		wg.Go(func() {
			for v := range work {
				time.Sleep(time.Millisecond)
				out <- v
			}
		})
	}
	go func() {
		for v := range Sleepers {
			work <- v
		}
		close(work)
		wg.Wait()
		close(out)
	}()
	return chanSum(out)
}
