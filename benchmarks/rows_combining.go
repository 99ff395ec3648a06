package benchmarks

// Several sources.

func combining() []Workload {
	merged := func(id, title string, l Life, ratio float64) Workload {
		return Workload{
			ID: id, Title: title, Elements: Size, Want: sumTo(Size),
			Runs: []Competitor{
				{Name: Hand, Run: handMerge}, {Name: Channel, Run: chanMerge}, {Name: Ro, Run: roMerge}, {Name: RxGo, Run: rxMerge}, library(l, Size),
			},
			Targets: []Target{beside(Channel, ratio)},
		}
	}
	return []Workload{
		{
			ID: "P6a", Title: "zip of two ranges", Elements: Size, Want: 2 * sumTo(Size),
			Runs: []Competitor{
				{Name: Hand, Run: handZip}, {Name: IterSeq, Run: seqZip}, {Name: Channel, Run: chanZip}, {Name: Ro, Run: roZip}, {Name: RxGo, Run: rxZip},
				library(libZip(), Size),
			},
			Targets: []Target{atMost(20)},
		},
		merged("P6b parallel", "merge of 4, each on its own worker", libMergeParallel(), 0.4),
		merged("P6b elastic", "the same on bounded elastic", libMergeElastic(), 0.6),
		merged("P6b hidden", "the same, sources that say nothing of themselves", libMergeHidden(), 1.0),
		merged("P6b mapped", "each after a map, on bounded elastic, under a context that can end", libMergeMapped(), 1.0),
		{
			ID: "P6c", Title: "concat of 4 ranges", Elements: Size, Want: sumTo(Size),
			Runs: []Competitor{
				{Name: Hand, Run: handConcat}, {Name: IterSeq, Run: seqConcat}, {Name: Ro, Run: roConcat}, {Name: RxGo, Run: rxConcat},
				library(libConcat(), Size),
			},
			Targets: []Target{atMost(5)},
		},
	}
}
