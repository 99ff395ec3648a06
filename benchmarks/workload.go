package benchmarks

import (
	"cmp"
	"strconv"
)

// How large the workloads are; the tests make them smaller.
var (
	Size         = 1_000_000 // elements of one run of the long workloads, a multiple of 8
	Inner        = 1_000     // inner streams of P4a and P4c, and elements of each
	Singles      = 100_000   // inner streams of one element in P4b
	Sleepers     = 2_000     // inner streams of P5, each of which sleeps for 1 ms
	Tasks        = 100_000   // that one run of S1 submits, a multiple of 8
	SleepTasks   = 10_000    // of 1 ms, in S4
	DelayedTasks = 1_000_000 // in S3; a tenth of them fires
	Crowd        = 100_000   // subscribers who come and go
)

const (
	Awake        = 256 // of the inner streams of P5 at a time
	Keys         = 100 // groups of P8
	Sources      = 4   // of merge and concat
	Audience     = 8   // subscribers of P9, whose figures are per delivery
	SleepWorkers = 200 // of S4
)

// emitted is the number of elements of P9.
func emitted() int { return Size / Audience }

// Run does a workload once and returns its result, which is checked.
type Run func() int

// Unit says what a figure is.
type Unit string

// The units of figures.
const (
	PerElement   Unit = "ns"  // nanoseconds for each element
	Milliseconds Unit = "ms"  // for one run
	Nanoseconds  Unit = "ns " // taken by the workload itself
	Bytes        Unit = "B"   // taken by the workload itself
	Goroutines   Unit = "goroutines"
)

// Workload is one piece of work that every competitor does.
type Workload struct {
	ID       string
	Title    string
	Elements int // that one run handles; figures are per element
	Unit     Unit
	Want     int // result of a run
	Runs     []Competitor
	Targets  []Target
	// BehindJVM says why the targets of the row are all that is claimed, and it may be slower than
	// Reactor on the JVM.
	BehindJVM string
}

// Competitor is one way to do a workload: a Run that is timed from outside, or a Sample
// that takes the figure itself.
type Competitor struct {
	Name   string
	Run    Run
	Sample func() (float64, error)
	Life   Life   // of this library: what the run is made of
	Unlike string // what this one does not do that the others do; it is shown, and nothing is claimed beside it
}

// The names of the competitors.
const (
	Hand      = "hand"
	IterSeq   = "iter.Seq"
	Channel   = "channel"
	GoFunc    = "go func"
	AfterFunc = "AfterFunc"
	Ro        = "samber/ro"
	RxGo      = "RxGo"
	ReactorGo = "reactor-go"
	Ants      = "ants"
	Pond      = "pond"
	Conc      = "conc"
	JVM       = "Reactor (JVM)"
	ForkJoin  = "ForkJoinPool"
	Threads   = "ThreadPoolExecutor"
	Scheduled = "ScheduledThreadPoolExecutor"
	Library   = "this library"
)

// Peers are the other libraries for Go: on no row is one of them to be faster.
var Peers = []string{Ro, RxGo, ReactorGo, Ants, Pond, Conc}

// OnJVM are those that benchmarks/jvm measures. It calls a workload by its id, and those of
// the JDK by that and their name.
var OnJVM = []string{ForkJoin, Threads, Scheduled, JVM}

// Target is one thing that the library is to reach in a workload. The zero fields say
// nothing. A target against a competitor that was not measured is left open.
type Target struct {
	Against          string  // competitor
	Ratio            float64 // at most: time of the library to that of the competitor
	CPU              float64 // at most: the same of the processor time
	Max              Limit   // at most: the figure
	Allocs           Limit   // allocations of a run
	AllocsPerElement Limit
}

// Limit is a number that may be 0.
type Limit struct {
	Set bool
	N   float64
}

// AtMost is the Limit n.
func AtMost(n float64) Limit { return Limit{true, n} }

// Difference is a figure that two workloads give together: what each step more
// costs.
type Difference struct {
	ID, Title string
	Few, Many string // ids of the workloads
	Steps     int    // how many more steps Many has
	Names     []string
	Targets   []Target
}

// beside is the target of at most ratio times the time of a competitor.
func beside(name string, ratio float64) Target { return Target{Against: name, Ratio: ratio} }

// atMost is the target of a figure.
func atMost(figure float64) Target { return Target{Max: AtMost(figure)} }

// noAllocs is the target of no allocation per element: a run allocates its stages.
var noAllocs = Target{AllocsPerElement: AtMost(0)}

// sumTo is the sum of 0 … n-1.
func sumTo(n int) int { return n * (n - 1) / 2 }

func plusOne(v int) int { return v + 1 }
func same(v int) int    { return v }
func even(v int) bool   { return v%2 == 0 }
func double(v int) int  { return 2 * v }

// widen and narrow are plusOne to another type.
func widen(v int) int64  { return int64(v) + 1 }
func narrow(v int64) int { return int(v) + 1 }

// user is an element as programs have them: a pointer to what has methods.
type user struct{ id int }

func (u *user) String() string { return "user " + strconv.Itoa(u.id) }

var someone = &user{14}

func verified(u *user) *user { return u }
func saved(u *user) *user    { return u }

func plus(a, b int) int { return a + b }

// key is the group of an element in P8.
func key(v int) int { return v % Keys }

func sumEven(n int) int {
	sum := 0
	for i := range n {
		if v := plusOne(i); even(v) {
			sum += v
		}
	}
	return sum
}

// Workloads returns all of them, in the order of the table.
func Workloads() []Workload {
	var all []Workload
	for _, list := range [][]Workload{chains(), flattening(), combining(), hot(), scheduling(), memory(), bridges()} {
		all = append(all, list...)
	}
	for i := range all {
		all[i].Unit = cmp.Or(all[i].Unit, PerElement)
	}
	return all
}
