package benchmarks

// Chains on one goroutine, and over a hop.

// The workloads that P2 is the difference of.
const (
	mapsFew     = "P2 (1)"
	mapsMany    = "P2 (9)"
	castMapFew  = "P2 (1, other type)"
	castMapMany = "P2 (9, other type)"
)

// Differences returns all of them.
func Differences() []Difference {
	names := []string{Hand, IterSeq, Channel, Ro, RxGo, ReactorGo, JVM, Library}
	return []Difference{
		{
			ID: "P2", Title: "each further map", Few: mapsFew, Many: mapsMany, Steps: 8,
			Names: names, Targets: []Target{beside(IterSeq, 0.7)},
		},
		{
			ID: "P2b", Title: "each further map to another type", Few: castMapFew, Many: castMapMany, Steps: 8,
			Names: names, Targets: []Target{beside(IterSeq, 1.1)},
		},
	}
}

func chains() []Workload {
	ctx := func(id, title string, l Life, ratio float64) Workload {
		return Workload{
			ID: id, Title: title, Elements: Size, Want: sumEven(Size),
			Runs:    []Competitor{{Name: IterSeq, Run: seqMapFilter}, library(l, Size)},
			Targets: []Target{beside(IterSeq, ratio), noAllocs},
		}
	}
	return []Workload{
		{
			ID: "P1", Title: "range → map → filter → sum, one goroutine", Elements: Size, Want: sumEven(Size),
			Runs: []Competitor{
				{Name: Hand, Run: handMapFilter}, {Name: IterSeq, Run: seqMapFilter}, {Name: Channel, Run: chanMapFilter},
				{Name: Ro, Run: roMapFilter}, {Name: RxGo, Run: rxMapFilter}, {Name: ReactorGo, Run: rgMapFilter}, library(libMapFilter(), Size),
			},
			Targets: []Target{beside(IterSeq, 1.0), noAllocs},
		},
		ctx("P1c ForEach", "P1 under a context that can end", libMapFilterCtx(), 1.0),
		ctx("P1c Block", "the same, Reduce and Block", libMapFilterReduce(), 1.0),
		ctx("P1c SubscribeFunc", "the same, SubscribeFunc", libMapFilterSubscribe(), 1.2),
		ctx("P1c Fold", "the same, Fold and Block", libMapFilterFold(), 1.2),
		ctx("P1c All", "the same, range over All", libMapFilterAll(), 1.25),
		{
			ID: "P1c Take", Title: "the same with a Take that ends it", Elements: Size, Want: sumEven(Size),
			Runs:    []Competitor{{Name: IterSeq, Run: seqMapFilterTake}, library(libMapFilterTake(), Size)},
			Targets: []Target{beside(IterSeq, 1.2), noAllocs},
		},
		{
			ID: "P1c guarded", Title: "the same with retry, a fallback and a function behind the end", Elements: Size, Want: sumEven(Size),
			Runs:    []Competitor{{Name: IterSeq, Run: seqMapFilterDeferred}, library(libMapFilterGuarded(), Size)},
			Targets: []Target{beside(IterSeq, 1.2), noAllocs},
		},
		{ID: mapsFew, Title: "range → 1 map → sum", Elements: Size, Want: sumTo(Size) + 1*Size, Runs: maps(1)},
		{ID: mapsMany, Title: "range → 9 maps → sum", Elements: Size, Want: sumTo(Size) + 9*Size, Runs: maps(9)},
		{ID: castMapFew, Title: "range → 1 map to another type → sum", Elements: Size, Want: sumTo(Size) + 1*Size, Runs: casts(1)},
		{ID: castMapMany, Title: "range → 9 maps to another type → sum", Elements: Size, Want: sumTo(Size) + 9*Size, Runs: casts(9)},
		{
			ID: "P3", Title: "one publishOn hop", Elements: Size, Want: sumTo(Size),
			Runs: []Competitor{
				{Name: Hand, Run: handHop}, {Name: Channel, Run: chanHop}, {Name: Ro, Run: roHop}, {Name: RxGo, Run: rxHop},
				library(libHop(), Size),
			},
			Targets: []Target{beside(Channel, 0.4), noAllocs},
		},
		{
			ID: "P3 mapped", Title: "the same after a map, under a context that can end", Elements: Size, Want: sumTo(Size),
			Runs:    []Competitor{{Name: Channel, Run: chanHop}, library(libHopMapped(), Size)},
			Targets: []Target{beside(Channel, 0.4), noAllocs},
		},
		{
			ID: "P3b", Title: "subscribeOn and publishOn: two goroutines", Elements: Size, Want: sumTo(Size),
			Runs: []Competitor{
				{Name: Hand, Run: handHop}, {Name: Channel, Run: chanHop}, {Name: Ro, Run: roTwoThreads}, {Name: RxGo, Run: rxHop},
				library(libTwoThreads(), Size),
			},
			Targets: []Target{beside(Channel, 0.4), noAllocs},
		},
		{
			ID: "P7", Title: "just → map → flatMap → block, a whole life", Elements: 1, Want: 14,
			Runs: []Competitor{
				{Name: Hand, Run: handOnce}, {Name: IterSeq, Run: seqOnce}, {Name: Channel, Run: chanOnce}, {Name: Ro, Run: roOnce},
				{Name: RxGo, Run: rxOnce}, {Name: ReactorGo, Run: rgOnce}, library(libOnce(), 1),
			},
			Targets: []Target{beside(JVM, 0.95), {Allocs: AtMost(4)}},
		},
		{
			ID: "P7 user", Title: "P7 of a pointer that has methods, under a context that can end", Elements: 1, Want: 14,
			Runs: []Competitor{
				{Name: Hand, Run: handOnceUser}, {Name: IterSeq, Run: seqOnceUser}, {Name: Channel, Run: chanOnceUser},
				{Name: Ro, Run: roOnceUser}, {Name: RxGo, Run: rxOnceUser}, {Name: ReactorGo, Run: rgOnceUser}, library(libOnceUser(), 1),
			},
			Targets: []Target{beside(JVM, 0.95), {Allocs: AtMost(4)}},
		},
		{
			ID: "P7 load", Title: "the same from a function that takes the context, to another one", Elements: 1, Want: 14,
			Runs:    []Competitor{{Name: Hand, Run: handLoads}, library(libLoads(), 1)},
			Targets: []Target{{Allocs: AtMost(5)}},
		},
	}
}

func maps(n int) []Competitor {
	return []Competitor{
		{Name: Hand, Run: func() int { return handMaps(n) }},
		{Name: IterSeq, Run: func() int { return seqMaps(n) }},
		{Name: Channel, Run: func() int { return chanMaps(n) }},
		{Name: Ro, Run: func() int { return roMaps(n) }},
		{Name: RxGo, Run: func() int { return rxMaps(n) }},
		{Name: ReactorGo, Run: func() int { return rgMaps(n) }},
		library(libMaps(n), Size),
	}
}

// casts are maps between two types in turn.
func casts(n int) []Competitor {
	return []Competitor{
		{Name: Hand, Run: func() int { return handCasts(n) }},
		{Name: IterSeq, Run: func() int { return seqCasts(n) }},
		{Name: Ro, Run: func() int { return roCasts(n) }},
		library(libCasts(n), Size),
	}
}
