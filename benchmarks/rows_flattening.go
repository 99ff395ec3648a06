package benchmarks

import "time"

// Streams of streams.

func flattening() []Workload {
	nested := Inner * (sumTo(Inner) + sumTo(Inner))
	return []Workload{
		{
			ID: "P4a", Title: "flatMap 1,000 × 1,000, synchronous", Elements: Inner * Inner, Want: nested,
			Runs: []Competitor{
				{Name: Hand, Run: handFlatMap}, {Name: IterSeq, Run: seqFlatMap}, {Name: Channel, Run: chanFlatMap},
				{Name: Ro, Run: roFlatMap}, {Name: RxGo, Run: rxFlatMap}, library(libFlatMap(), Inner),
			},
			Targets: []Target{beside(IterSeq, 2)},
		},
		{
			ID: "P4b just", Title: "flatMap 100,000 × flux.Just", Elements: Singles, Want: sumTo(Singles),
			Runs: []Competitor{
				{Name: Hand, Run: handSingles}, {Name: IterSeq, Run: seqSingles}, {Name: Channel, Run: chanSingles},
				{Name: Ro, Run: roSingles}, {Name: RxGo, Run: rxSingles}, library(libSingles(), Singles),
			},
			Targets: []Target{atMost(25)},
		},
		{
			ID: "P4b mono", Title: "flatMap 100,000 × mono.Just", Elements: Singles, Want: sumTo(Singles),
			Runs: []Competitor{
				{Name: Hand, Run: handSingles}, {Name: IterSeq, Run: seqSingles}, {Name: Ro, Run: roSingles}, {Name: RxGo, Run: rxSingles},
				library(libSinglesMono(), Singles),
			},
			Targets: []Target{atMost(25)},
		},
		{
			ID: "P4b general", Title: "flatMap 100,000 × a hidden stream of one", Elements: Singles, Want: sumTo(Singles),
			Runs: []Competitor{
				{Name: Hand, Run: handSingles}, {Name: IterSeq, Run: seqSingles}, {Name: Channel, Run: chanSingles}, {Name: Ro, Run: roSingles},
				{Name: RxGo, Run: rxSingles}, library(libSinglesHidden(), Singles),
			},
			Targets: []Target{atMost(150), {AllocsPerElement: AtMost(2)}},
		},
		{
			ID: "P4b load", Title: "flatMap 100,000 × a mono of a function and a map", Elements: Singles, Want: sumTo(Singles) + Singles,
			Runs:    []Competitor{{Name: Hand, Run: handLoaded}, library(libSinglesLoaded(), Singles)},
			Targets: []Target{{AllocsPerElement: AtMost(3)}},
		},
		{
			ID: "P4c load", Title: "the same with concatMap", Elements: Singles, Want: sumTo(Singles) + Singles,
			Runs:    []Competitor{{Name: Hand, Run: handLoaded}, library(libConcatMapLoaded(), Singles)},
			Targets: []Target{{AllocsPerElement: AtMost(3)}},
		},
		{
			ID: "P4c", Title: "concatMap 1,000 × 1,000, synchronous", Elements: Inner * Inner, Want: nested,
			Runs: []Competitor{
				{Name: Hand, Run: handFlatMap}, {Name: IterSeq, Run: seqFlatMap}, {Name: Ro, Run: roConcatMap},
				{Name: RxGo, Run: rxFlatMap}, // one after the other unless there is a pool
				library(libConcatMap(), Inner),
			},
			Targets: []Target{atMost(6)},
		},
		{
			ID: "P5", Title: "2,000 inners that sleep 1 ms, 256 at a time, elastic", Elements: 1, Unit: Milliseconds, Want: sumTo(Sleepers),
			Runs: []Competitor{
				{Name: GoFunc, Run: goSleepers}, {Name: Ro, Run: roSleepers, Unlike: "no limit of goroutines"}, {Name: RxGo, Run: rxSleepers},
				{Name: Library, Run: func() int { return libSleepers(time.Millisecond).Run(Sleepers) }, Life: libSleepers(0)},
			},
			Targets: []Target{{Against: GoFunc, Ratio: 1.15, CPU: 2}},
		},
		{
			ID: "P8", Title: "groupBy 100 keys, count", Elements: Size, Want: Size,
			Runs: []Competitor{
				{Name: Hand, Run: handGroups}, {Name: Channel, Run: chanGroups}, {Name: Ro, Run: roGroups}, {Name: RxGo, Run: rxGroups}, library(libGroups(), Size),
			},
			Targets: []Target{beside(JVM, 1.0), atMost(30)},
		},
	}
}
