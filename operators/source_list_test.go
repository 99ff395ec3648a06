package operators

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// Stages that have taken the sources of the same one over are independent of one another.
func TestSourcesAreTakenOver(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		streams, want := []stream{Concat(Just(0), Just(1))}, [][]int{{0, 1}}
		for v := 2; v < 40; v++ {
			i := rng.IntN(len(streams))
			if rng.IntN(3) == 0 {
				i = len(streams) - 1
			}
			grown, others := []int{v, -v}[:1+rng.IntN(2)], []stream{Just(v), Just(-v)}
			s, w := streams[i], append([]int(nil), want[i]...)
			if rng.IntN(2) == 0 {
				s, w = ConcatWith(s, others[:len(grown)]...), append(w, grown...)
			} else {
				s, w = StartWith(s, others[:len(grown)]...), append(append([]int(nil), grown...), w...)
			}
			streams, want = append(streams, s), append(want, w)
		}
		for i, s := range streams {
			run(s).Done(t, want[i]...)
		}
	}
}

func TestSourcesAreTakenOverByManyAtATime(t *testing.T) {
	racetest.Rounds(t, 2000, func() ([]func(), func()) {
		src := ConcatWith(Concat(Just(1), Just(2)), Just(3))
		var a, b, c stream
		racers := []func(){
			func() { a = ConcatWith(src, Just(4)) },
			func() { b = ConcatWith(src, Just(5)) },
			func() { c = StartWith(src, Just(6)) },
		}
		return racers, func() {
			run(a).Done(t, 1, 2, 3, 4)
			run(b).Done(t, 1, 2, 3, 5)
			run(c).Done(t, 6, 1, 2, 3)
			run(src).Done(t, 1, 2, 3)
		}
	})
}

// A loop that adds a source in each round allocates for each source, and does not copy those before.
func TestSourcesOfALoop(t *testing.T) {
	const n = 10_000
	for name, add := range map[string]func(all stream) stream{
		"concatWith": func(all stream) stream { return ConcatWith(all, Empty[int]()) },
		"startWith":  func(all stream) stream { return StartWith(all, Empty[int]()) },
		"by turns":   func(all stream) stream { return StartWith(ConcatWith(all, Empty[int]()), Empty[int]()) },
		"mergeWith":  func(all stream) stream { return MergeWith(all, Empty[int]()) },
		"or":         func(all stream) stream { return Or(all, Empty[int]()) },
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			all := Empty[int]()
			for range n {
				all = add(all)
			}
			runtime.ReadMemStats(&after)
			run(all).Done(t)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(n*1000))
		})
	}
}
