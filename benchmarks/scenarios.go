package benchmarks

// Size is the number of elements of one run of the long workloads.
const Size = 1_000_000

// Inner is the number of inner streams of P4a, and of the elements of each.
const Inner = 1_000

// Run does a workload once and returns its result, which is checked.
type Run func() int

// Workload is one piece of work that every competitor does.
type Workload struct {
	ID       string
	Title    string
	Elements int // that one run handles; figures are per element
	Want     int // result of a run
	Runs     []Competitor
	Target   Target
}

// Competitor is one way to do a workload.
type Competitor struct {
	Name string
	Run  Run
}

// The names of the competitors.
const (
	Hand      = "hand"
	IterSeq   = "iter.Seq"
	Channel   = "channel"
	Ro        = "samber/ro"
	RxGo      = "RxGo"
	ReactorGo = "reactor-go"
	Library   = "this library"
)

// Target is what the library is to reach in a workload. Zero fields are no
// target.
type Target struct {
	Against string   // competitor
	Ratio   float64  // at most, library to competitor
	PerElem float64  // at most, nanoseconds per element
	Allocs  *float64 // at most, per run of a workload of one element; per element otherwise
}

// Difference is a figure that two workloads give together: what each step more
// costs.
type Difference struct {
	ID, Title string
	Few, Many string // ids of the workloads
	Steps     int    // how many more steps Many has
	Names     []string
	Target    Target
}

// Differences returns all of them.
func Differences() []Difference {
	return []Difference{{
		ID: "P2", Title: "each further map", Few: mapsFew, Many: mapsMany, Steps: 8,
		Names:  []string{Hand, IterSeq, Channel, Library},
		Target: Target{Against: IterSeq, Ratio: 1.1},
	}}
}

func plusOne(v int) int { return v + 1 }
func even(v int) bool   { return v%2 == 0 }

// Workloads returns all of them.
func Workloads() []Workload {
	sumTo := func(n int) int { return n * (n - 1) / 2 } // of 0 … n-1
	return []Workload{
		{
			ID: "P1", Title: "range → map → filter → sum, one goroutine", Elements: Size,
			Want:   sumEven(Size),
			Runs:   []Competitor{{Hand, handMapFilter}, {IterSeq, seqMapFilter}, {Channel, chanMapFilter}, {Ro, roMapFilter}, {RxGo, rxMapFilter}, {ReactorGo, rgMapFilter}, {Library, libMapFilter}},
			Target: Target{Against: IterSeq, Ratio: 1.0, Allocs: new(0.0)},
		},
		{
			ID: "P1 (ctx)", Title: "P1 under a context that can end", Elements: Size,
			Want:   sumEven(Size),
			Runs:   []Competitor{{IterSeq, seqMapFilter}, {Library, libMapFilterCtx}},
			Target: Target{Allocs: new(0.0)},
		},
		{
			ID: mapsFew, Title: "range → 1 map → sum", Elements: Size,
			Want: sumTo(Size) + 1*Size,
			Runs: maps(1),
		},
		{
			ID: mapsMany, Title: "range → 9 maps → sum", Elements: Size,
			Want: sumTo(Size) + 9*Size,
			Runs: maps(9),
		},
		{
			ID: "P3", Title: "one publishOn hop", Elements: Size,
			Want:   sumTo(Size),
			Runs:   []Competitor{{Hand, handHop}, {Channel, chanHop}, {Ro, roHop}, {Library, libHop}},
			Target: Target{Against: Channel, Ratio: 0.4, Allocs: new(0.0)},
		},
		{
			ID: "P4a", Title: "flatMap 1,000 × 1,000, synchronous", Elements: Inner * Inner,
			Want:   Inner * (sumTo(Inner) + sumTo(Inner)),
			Runs:   []Competitor{{Hand, handFlatMap}, {IterSeq, seqFlatMap}, {Channel, chanFlatMap}, {Ro, roFlatMap}, {RxGo, rxFlatMap}, {Library, libFlatMap}},
			Target: Target{Against: IterSeq, Ratio: 2},
		},
		{
			ID: "P7", Title: "just → map → flatMap → block, a whole life", Elements: 1,
			Want:   14,
			Runs:   []Competitor{{Hand, handOnce}, {IterSeq, seqOnce}, {Channel, chanOnce}, {Ro, roOnce}, {RxGo, rxOnce}, {ReactorGo, rgOnce}, {Library, libOnce}},
			Target: Target{PerElem: 150, Allocs: new(5.0)},
		},
		{
			ID: "X1", Title: "read an Observable of RxGo", Elements: Size,
			Want:   sumTo(Size),
			Runs:   []Competitor{{RxGo, rxRead}, {Library, bridgeRead}},
			Target: Target{Against: RxGo, Ratio: 1 / 0.7},
		},
		{
			ID: "X1 (ctx)", Title: "X1 beside a loop that can be left", Elements: Size,
			Want:   sumTo(Size),
			Runs:   []Competitor{{RxGo, rxReadCtx}, {Library, bridgeRead}},
			Target: Target{Against: RxGo, Ratio: 1 / 0.7},
		},
		{
			ID: "X2", Title: "send to an observer of RxGo", Elements: Size,
			Want:   sumTo(Size),
			Runs:   []Competitor{{RxGo, rxSend}, {Library, bridgeSend}},
			Target: Target{Against: RxGo, Ratio: 1 / 0.7},
		},
	}
}

// The workloads that P2 is the difference of.
const (
	mapsFew  = "P2 (1)"
	mapsMany = "P2 (9)"
)

func maps(n int) []Competitor {
	return []Competitor{
		{Hand, func() int { return handMaps(n) }},
		{IterSeq, func() int { return seqMaps(n) }},
		{Channel, func() int { return chanMaps(n) }},
		{Library, func() int { return libMaps(n) }},
	}
}

func sumEven(n int) int {
	sum := 0
	for i := range n {
		if v := plusOne(i); even(v) {
			sum += v
		}
	}
	return sum
}
