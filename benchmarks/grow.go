package benchmarks

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/goreactor/reactor"
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
	// Cost returns nanoseconds for each thing at a size.
	Cost func(size int) float64
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

// perThing is the time since begin for each of n.
func perThing(begin time.Time, n int) float64 { return float64(time.Since(begin)) / float64(n) }

// costOfSubscribers lets size subscribers come, and go in the order in which they came.
func costOfSubscribers(size int) float64 {
	rounds := max(1, 100_000/size)
	begin := time.Now()
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
	return perThing(begin, rounds*size)
}

// costOfContext ends the context of size subscribers of a sink.
func costOfContext(size int) float64 {
	rounds := max(1, 10_000/size)
	var took time.Duration
	for range rounds {
		ctx, cancel := context.WithCancel(context.Background())
		f := flux.From(sinks.Many().Multicast().DirectAllOrNothing[int]())
		var ended sync.WaitGroup
		ended.Add(size)
		for range size {
			f.SubscribeFunc(ctx, func(int) {}, flux.OnError(func(error) { ended.Done() }))
		}
		begin := time.Now()
		cancel()
		ended.Wait()
		took += time.Since(begin)
	}
	return float64(took) / float64(rounds*size)
}

// costOfSlots runs empty tasks on size slots.
func costOfSlots(size int) float64 {
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
	begin := time.Now()
	done.Add(Tasks)
	for range Tasks {
		fail(s.Execute(task))
	}
	done.Wait()
	took := perThing(begin, Tasks)
	for _, w := range workers {
		w.Dispose()
	}
	return took
}

// costOfSources merges size sources in order.
func costOfSources(size int) float64 {
	each := max(1, Size/size)
	parts := make([]reactor.Publisher[int], size)
	for i := range parts {
		parts[i] = flux.Range(0, each).Map(func(v int) int { return v*size + i })
	}
	begin := time.Now()
	at := 0
	err := flux.MergeComparing(func(a, b int) int { return a - b }, parts).ForEach(context.Background(), func(v int) {
		if v != at {
			panic("out of order")
		}
		at++
	})
	fail(err)
	return perThing(begin, each*size)
}

// costOfIdleInners has size inners that do nothing, and measures elements that come through
// others.
func costOfIdleInners(size int) float64 {
	n := Size / 10
	var begin time.Time
	sum := 0
	err := flux.Range(0, size+n).FlatMap(func(i int) flux.Flux[int] {
		if i < size {
			return flux.Never[int]()
		}
		if i == size {
			begin = time.Now()
		}
		return flux.Just(i).Hide()
	}, flux.Concurrency(size+1)).Take(n).ForEach(context.Background(), func(int) { sum++ })
	fail(err)
	if sum != n {
		panic("elements are missing")
	}
	return perThing(begin, n)
}

// costOfKeys counts the elements of size groups.
func costOfKeys(size int) float64 {
	n := max(Size, 2*size)
	total := 0
	begin := time.Now()
	err := flux.Range(0, n).GroupBy(func(v int) int { return v % size }).FlatMap(func(g flux.GroupedFlux[int, int]) mono.Mono[int] {
		return g.Count()
	}, flux.Concurrency(size)).ForEach(context.Background(), func(count int) { total += count })
	fail(err)
	if total != n {
		panic("elements are missing")
	}
	return perThing(begin, n)
}
