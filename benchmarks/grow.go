package benchmarks

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/benchmarks/internal/machine"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/sinks"
)

// Growth is what one thing costs as the number of others beside it grows.
type Growth struct {
	ID    string
	Title string
	Sizes []int
	// Cost returns what each thing costs at a size.
	Cost func(size int) Spent
	// Limit returns what it may be at a size, given what it is at the first size.
	Limit func(first float64, size int) float64
	Bound string // the limit in words
}

// Growths returns all of them.
func Growths() []Growth {
	upTo := func(factor float64) func(float64, int) float64 {
		return func(first float64, _ int) float64 { return factor * first }
	}
	constant := func(ns float64) func(float64, int) float64 {
		return func(float64, int) float64 { return ns }
	}
	return []Growth{
		{
			ID: "G1", Title: "subscribe to a hot sink and leave, with as many subscribers", Sizes: []int{10, 1_000, 10_000, 100_000},
			Cost: costOfSubscribers, Limit: constant(1_000), Bound: "≤ 1 µs",
		},
		{
			ID: "G2", Title: "the end of a context with as many subscribers", Sizes: []int{10, 1_000, 10_000, 100_000},
			Cost: costOfContext, Limit: constant(2_000), Bound: "≤ 2 µs",
		},
		{
			ID: "G3", Title: "a task on bounded elastic with as many slots", Sizes: []int{20, 200, 2_000},
			Cost: costOfSlots, Limit: upTo(1.5), Bound: "≤ 1.5 × the first",
		},
		{
			ID: "G4", Title: "mergeComparing, an element, with as many sources", Sizes: []int{16, 256, 1_000},
			Cost: costOfSources, Bound: "≤ 1.5 × the first × the ratio of the logarithms",
			Limit: func(first float64, size int) float64 { return 1.5 * first * math.Log(float64(size)) / math.Log(16) },
		},
		{
			ID: "G5", Title: "flatMap, an element, beside as many inners that do nothing", Sizes: []int{64, 65_536, 1_000_000},
			Cost: costOfIdleInners, Limit: upTo(1.5), Bound: "≤ 1.5 × the first",
		},
		{
			ID: "G6", Title: "groupBy, an element, with as many keys", Sizes: []int{1_000, 100_000, 1_000_000},
			Cost: costOfKeys, Limit: upTo(2), Bound: "≤ 2 × the first",
		},
	}
}

// Spent is time for each of some things, in nanoseconds.
type Spent struct {
	Wall      float64
	Processor float64 // of the process, the collector's with it
}

// stopwatch is when something began.
type stopwatch struct {
	at   time.Time
	used time.Duration
}

func begin() stopwatch { return stopwatch{time.Now(), machine.ProcessorTime()} }

// per is the time since then for each of n.
func (w stopwatch) per(n int) Spent {
	return Spent{float64(time.Since(w.at)) / float64(n), float64(machine.ProcessorTime()-w.used) / float64(n)}
}

// costOfSubscribers lets size subscribers come, and go in the order in which they came.
func costOfSubscribers(size int) (spent Spent) {
	rounds := max(1, 100_000/size)
	watch := begin()
	for range rounds {
		f := flux.From(sinks.Many().Multicast().DirectAllOrNothing[int]())
		ends := make([]reactor.Disposable, size)
		for i := range ends {
			ends[i] = f.SubscribeFunc(context.Background(), func(int) {})
		}
		for _, end := range ends {
			end.Dispose()
		}
	}
	return watch.per(rounds * size)
}

// costOfContext ends the context of size subscribers of a sink.
func costOfContext(size int) (spent Spent) {
	rounds := max(1, 10_000/size)
	for range rounds {
		ctx, cancel := context.WithCancel(context.Background())
		f := flux.From(sinks.Many().Multicast().DirectAllOrNothing[int]())
		var ended sync.WaitGroup
		ended.Add(size)
		for range size {
			f.SubscribeFunc(ctx, func(int) {}, flux.OnError(func(error) { ended.Done() }))
		}
		watch := begin()
		cancel()
		ended.Wait()
		one := watch.per(rounds * size)
		spent.Wall += one.Wall
		spent.Processor += one.Processor
	}
	return spent
}

// costOfSlots runs empty tasks on size slots.
func costOfSlots(size int) (spent Spent) {
	s, err := schedulers.NewBoundedElastic(size, 10*Tasks, "grow")
	fail(err)
	defer s.Dispose()
	var done sync.WaitGroup
	// Every slot has a worker, so that all of them are looked at.
	workers := make([]schedulers.Worker, size)
	for i := range workers {
		workers[i] = s.NewWorker()
		done.Add(1)
		fail(workers[i].Execute(func(context.Context) { done.Done() }))
	}
	done.Wait()
	task := func(context.Context) { done.Done() }
	watch := begin()
	done.Add(Tasks)
	for range Tasks {
		fail(s.Execute(task))
	}
	done.Wait()
	spent = watch.per(Tasks)
	for _, w := range workers {
		w.Dispose()
	}
	return spent
}

// costOfSources merges size sources in order.
func costOfSources(size int) (spent Spent) {
	each := max(1, Size/size)
	parts := make([]reactor.Publisher[int], size)
	for i := range parts {
		parts[i] = flux.Range(0, each).Map(func(v int) int { return v*size + i })
	}
	watch := begin()
	at := 0
	err := flux.MergeComparing(func(a, b int) int { return a - b }, parts).ForEach(context.Background(), func(v int) {
		if v != at {
			panic("out of order")
		}
		at++
	})
	fail(err)
	return watch.per(each * size)
}

// costOfIdleInners has size inners that do nothing, and measures elements that come through
// others.
func costOfIdleInners(size int) (spent Spent) {
	n := Size / 10
	var watch stopwatch
	sum := 0
	err := flux.Range(0, size+n).FlatMap(func(i int) flux.Flux[int] {
		if i < size {
			return flux.Never[int]()
		}
		if i == size {
			watch = begin()
		}
		return flux.Just(i).Hide()
	}, flux.Concurrency(size+1)).Take(n).ForEach(context.Background(), func(int) {
		if sum++; sum == n {
			spent = watch.per(n) // without the end, which cancels all that do nothing
		}
	})
	fail(err)
	if sum != n {
		panic("elements are missing")
	}
	return spent
}

// costOfKeys counts the elements of size groups, ten or more of each.
func costOfKeys(size int) (spent Spent) {
	n := max(Size, 10*size)
	total := 0
	watch := begin()
	err := flux.Range(0, n).GroupBy(func(v int) int { return v % size }).FlatMap(func(g flux.GroupedFlux[int, int]) mono.Mono[int] {
		return g.Count()
	}, flux.Concurrency(size)).ForEach(context.Background(), func(count int) { total += count })
	fail(err)
	if total != n {
		panic("elements are missing")
	}
	return watch.per(n)
}
