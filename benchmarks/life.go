package benchmarks

import (
	"math"
	"runtime"
	"runtime/debug"
)

// Life is a workload of this library in two parts: how a chain is assembled, and what it is from
// the subscription to the end. It is for any number of elements, so that what an element costs can
// be told from the rest.
type Life interface {
	// Run does all of it once.
	Run(n int) int
	// Count returns the allocations of each part.
	Count(few, many int) Counts
}

// Counts are allocations.
type Counts struct {
	Assembly     float64
	Subscription float64 // of all subscribers, and their ends
	Element      float64
}

// of returns the Life whose chain assemble makes and consume runs.
func of[S any](assemble func(n int) S, consume func(S) int) Life { return life[S]{assemble, consume} }

// ofTasks is of where there is nothing to assemble: run submits that many tasks.
func ofTasks(run func(n int) int) Life { return of(func(n int) int { return n }, run) }

type life[S any] struct {
	assemble func(n int) S
	consume  func(S) int
}

func (l life[S]) Run(n int) int { return l.consume(l.assemble(n)) }

// Count runs few elements and then many: what the larger number costs more is that of the elements.
// It is done on one processor, where the same is done each time, and without the collector, who
// empties pools.
func (l life[S]) Count(few, many int) Counts {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var chain S
	assembly := fewestAllocations(func() { chain = l.assemble(few) })
	runtime.KeepAlive(chain)
	small := fewestAllocations(func() { l.Run(few) })
	large := fewestAllocations(func() { l.Run(many) })
	element := hundredths((large - small) / float64(many-few))
	return Counts{Assembly: assembly, Subscription: math.Round(small - assembly - element*float64(few)), Element: element}
}

// hundredths rounds: a stage may allocate now and then, as a map does that grows.
func hundredths(v float64) float64 { return math.Round(100*v) / 100 }

// fewestAllocations returns how often fn allocates when it does so least: goroutines and
// queues that live longer than a run are made by the first, and what the rest of the program
// allocates meanwhile only adds.
func fewestAllocations(fn func()) float64 {
	const rounds = 10
	fewest := math.Inf(1)
	for range rounds {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		fn()
		runtime.ReadMemStats(&after)
		fewest = min(fewest, float64(after.Mallocs-before.Mallocs))
	}
	return fewest
}

// library is the competitor that does n elements of a Life.
func library(l Life, n int) Competitor {
	return Competitor{Name: Library, Run: func() int { return l.Run(n) }, Life: l}
}
