package benchmarks

import "sync"

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
