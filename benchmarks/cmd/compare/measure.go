package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/goreactor/reactor/benchmarks"
	"github.com/goreactor/reactor/benchmarks/internal/machine"
)

// figures are what was measured of one competitor in one workload, one of each for a
// round.
type figures struct {
	wall   []float64 // in the unit of the workload
	cpu    []float64 // processor time, in the same unit
	allocs float64   // of a run, the fewest
	bytes  float64
	runs   int    // of one measurement
	unlike string // what it does not do that the others do
}

// over returns the median of the ratios of a to b, round by round.
func over(a, b []float64) float64 {
	ratios := make([]float64, min(len(a), len(b)))
	for i := range ratios {
		ratios[i] = a[i] / b[i]
		if a[i] == b[i] { // also where there is none of something
			ratios[i] = 1
		}
	}
	return median(ratios)
}

func median(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(of))
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// spread is half the distance between the fastest and the slowest round, relative to the
// median.
func (f *figures) spread() float64 {
	if median(f.wall) == 0 {
		return 0
	}
	return (slices.Max(f.wall) - slices.Min(f.wall)) / 2 / median(f.wall)
}

// settings say how to measure.
type settings struct {
	rounds  int
	long    time.Duration // at least, each measurement
	foreign float64       // processors that others may use during a round
	repeats int           // rounds that may be thrown away because others used more
	jvm     *jvm          // nil without one
	// watch begins to look at what others use. What it returns tells how many processors that
	// were, given what children of this process have used.
	watch func() (foreign func(children time.Duration) float64)
}

// result is what was measured of a workload.
type result struct {
	benchmarks.Workload
	of       map[string]*figures
	order    []string
	repeated int     // rounds that were thrown away
	foreign  float64 // the largest foreign load of a round that counts
}

// measure runs all competitors of a workload in turn, round after round, so that a slow
// moment of the machine hits all of them. A round during which other processes had more
// than a share of the processors is repeated.
func measure(w benchmarks.Workload, s settings) (*result, error) {
	r := &result{Workload: w, of: map[string]*figures{}}
	for _, c := range w.Runs {
		r.order = append(r.order, c.Name)
		r.of[c.Name] = &figures{runs: 1, unlike: c.Unlike}
		if c.Run == nil {
			continue
		}
		if got := c.Run(); got != w.Want {
			return nil, fmt.Errorf("%s: %s yields %d, not %d", w.ID, c.Name, got, w.Want)
		}
	}
	for _, name := range benchmarks.OnJVM {
		if s.jvm == nil || !s.jvm.does(w.ID, name) {
			continue
		}
		r.order = slices.Insert(r.order, len(r.order)-1, name)
		r.of[name] = &figures{}
		if err := s.jvm.warm(w.ID, name, w.Want); err != nil {
			return nil, err
		}
	}
	for round := 0; round < s.rounds; {
		load := s.watch()
		children := time.Duration(0)
		taken := map[string]sample{}
		for _, name := range r.order {
			one, err := r.sample(name, s)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", w.ID, name, err)
			}
			taken[name] = one
			children += one.child
		}
		foreign := load(children)
		if foreign > s.foreign {
			if r.repeated == s.repeats {
				return nil, fmt.Errorf("%s: other processes use %.1f processors: too busy to measure after %d repeated rounds (-foreign, -repeats)", w.ID, foreign, r.repeated)
			}
			r.repeated++
			continue
		}
		r.foreign = max(r.foreign, foreign)
		for name, one := range taken {
			r.of[name].add(one)
		}
		round++
	}
	return r, nil
}

// sample is one measurement.
type sample struct {
	wall, cpu     float64 // in the unit of the workload
	allocs, bytes float64 // of a run
	processor     time.Duration
	child         time.Duration // of it, that of the JVM
}

func (f *figures) add(s sample) {
	f.wall = append(f.wall, s.wall)
	f.cpu = append(f.cpu, s.cpu)
	if len(f.wall) == 1 || s.allocs < f.allocs {
		f.allocs, f.bytes = s.allocs, s.bytes
	}
}

// sample measures one competitor once.
func (r *result) sample(name string, s settings) (sample, error) {
	if slices.Contains(benchmarks.OnJVM, name) {
		return s.jvm.sample(r.Workload, name, s.long)
	}
	i := slices.IndexFunc(r.Runs, func(c benchmarks.Competitor) bool { return c.Name == name })
	c, f := r.Runs[i], r.of[name]
	runtime.GC()
	if c.Run == nil {
		before := machine.ProcessorTime()
		figure, err := c.Sample()
		return sample{wall: figure, processor: machine.ProcessorTime() - before}, err
	}
	for {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		cpu, begin := machine.ProcessorTime(), time.Now()
		for range f.runs {
			c.Run()
		}
		took, used := time.Since(begin), machine.ProcessorTime()-cpu
		runtime.ReadMemStats(&after)
		if took < s.long && f.runs < 1<<30 { // too short: more runs from now on
			f.runs = grown(f.runs, took, s.long)
			continue
		}
		per := float64(f.runs) * r.scale()
		return sample{
			wall: float64(took) / per, cpu: float64(used) / per, processor: used,
			allocs: float64(after.Mallocs-before.Mallocs) / float64(f.runs),
			bytes:  float64(after.TotalAlloc-before.TotalAlloc) / float64(f.runs),
		}, nil
	}
}

// grown is how many runs take long, if runs of them took that.
func grown(runs int, took, long time.Duration) int {
	if took <= 0 {
		return runs * 100
	}
	need := int(1.2*float64(long)/float64(took)*float64(runs)) + 1
	return max(runs+1, min(need, runs*100))
}

// scale is what one nanosecond of a run is divided by.
func (r *result) scale() float64 {
	if r.Unit == benchmarks.Milliseconds {
		return 1e6
	}
	return float64(r.Elements)
}
