package operators

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// flattener is an operator that turns each number into a publisher.
type flattener func(src reactor.Publisher[int], fn func(int) elements) elements

// flattenScene is one run of a flattener: its source and its inner publishers are
// moved by hand.
type flattenScene struct {
	l      *ledger.Ledger
	ctx    context.Context
	p      *probe.Probe[element]
	src    *puppet[int]
	inners []*puppet[element] // by the number that stands for them

	sent      int     // numbers sent; touched by the signals of src only
	delivered []int64 // elements sent by each inner publisher; its signals only
	ended     []bool  // its signals only
}

const flattenInners = 3

func newFlattenScene(t testing.TB, demand int64, stage flattener) *flattenScene {
	s := &flattenScene{
		l:         ledger.New(t),
		src:       &puppet[int]{},
		delivered: make([]int64, flattenInners),
		ended:     make([]bool, flattenInners),
	}
	for range flattenInners {
		s.inners = append(s.inners, &puppet[element]{})
	}
	s.p = ledgerProbe(s.l, demand)
	s.ctx = s.l.Context(reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}}))
	stage(s.src, func(n int) elements { return s.inners[n] }).Subscribe(s.ctx, s.p)
	return s
}

// outer sends the next number, if it is asked for.
func (s *flattenScene) outer() {
	up := s.src.last()
	if s.sent < flattenInners && int64(s.sent) < up.requested.Load() && up.cancels.Load() == 0 {
		s.sent++
		up.OnNext(s.sent - 1)
	}
}

// inner sends up to n elements of the i-th inner publisher, if they are asked for.
func (s *flattenScene) inner(i, n int) {
	if s.inners[i].count() == 0 || s.ended[i] {
		return
	}
	up := s.inners[i].last()
	for range n {
		if s.delivered[i] < up.requested.Load() {
			s.delivered[i]++
			up.OnNext(s.l.Produce())
		}
	}
}

func (s *flattenScene) end(i int, err error) {
	if s.inners[i].count() == 0 || s.ended[i] {
		return
	}
	s.ended[i] = true
	if up := s.inners[i].last(); err != nil {
		up.OnError(err)
	} else {
		up.OnComplete()
	}
}

// raceFlattener runs signals of the source, of two inner publishers and of downstream
// against one another, four at a time, in all combinations. Afterwards each element
// must have ended exactly once, and the rules must have been kept; when the stream has
// ended or was cancelled, nothing upstream may be left running.
func raceFlattener(t *testing.T, rounds int, stage flattener) {
	t.Helper()
	type move struct {
		name string
		do   func(s *flattenScene)
	}
	sources := []move{
		{"next", func(s *flattenScene) { s.outer() }},
		{"next and complete", func(s *flattenScene) { s.outer(); s.src.last().OnComplete() }},
		{"error", func(s *flattenScene) { s.src.last().OnError(errBoom) }},
	}
	firsts := []move{
		{"next", func(s *flattenScene) { s.inner(0, 2) }},
		{"complete", func(s *flattenScene) { s.inner(0, 1); s.end(0, nil) }},
		{"error", func(s *flattenScene) { s.inner(0, 1); s.end(0, errOther) }},
	}
	seconds := []move{
		{"next", func(s *flattenScene) { s.inner(1, 2) }},
		{"complete", func(s *flattenScene) { s.inner(1, 1); s.end(1, nil) }},
	}
	downs := []move{
		{"request", func(s *flattenScene) { s.p.Request(1); s.p.Request(2) }},
		{"cancel", func(s *flattenScene) { s.p.Cancel() }},
	}
	for _, a := range sources {
		for _, b := range firsts {
			for _, c := range seconds {
				for _, d := range downs {
					t.Run(a.name+"/"+b.name+"/"+c.name+"/"+d.name, func(t *testing.T) {
						round := 0
						racetest.Repeat(racetest.Iterations(rounds), func(race func(...func())) {
							if t.Failed() {
								return
							}
							round++
							demand := int64(round % 3)
							if demand == 2 {
								demand = reactor.Unbounded
							}
							s := newFlattenScene(t, demand, stage)
							s.outer()
							s.outer()
							if round%2 == 0 {
								s.inner(0, 1)
								s.inner(1, 1)
							}
							race(func() { a.do(s) }, func() { b.do(s) }, func() { c.do(s) }, func() { d.do(s) })
							s.settle(t, b.name == "error" || a.name == "error", d.name == "cancel")
						})
					})
				}
			}
		}
	}
}

// settle lets a scene end and checks it.
func (s *flattenScene) settle(t *testing.T, fails, cancelled bool) {
	t.Helper()
	if !cancelled {
		// All that is left can now come to its end.
		s.p.Request(reactor.Unbounded)
		for s.sent < flattenInners && s.src.last().cancels.Load() == 0 && s.sentBefore() {
			s.outer()
			s.finishInners()
		}
		s.src.last().OnComplete()
		for range flattenInners {
			s.finishInners()
		}
		assert.True(t, s.p.Over(), "ended")
		if fails {
			// A regular end is possible only if the failing publisher was never subscribed.
			if s.p.Failure() == nil {
				for i, ended := range s.ended {
					assert.True(t, ended || s.inners[i].count() == 0)
				}
			}
		}
	}
	s.p.Cancel()
	s.l.Check()
	s.p.Faultless(t)
}

// sentBefore reports whether the source may still send.
func (s *flattenScene) sentBefore() bool { return int64(s.sent) < s.src.last().requested.Load() }

func (s *flattenScene) finishInners() {
	for i := range s.inners {
		s.inner(i, 1)
		s.end(i, nil)
	}
}

// perInner returns the numbers of the elements that are ≥ from and < to, in the order
// in which they came.
func perInner(all []int, from, to int) []int {
	return slices.DeleteFunc(slices.Clone(all), func(v int) bool { return v < from || v >= to })
}

// allPuppets is a function to hand-moved publishers, made as they are needed.
type allPuppets[T any] struct{ made []*puppet[T] }

func (a *allPuppets[T]) fn(int) reactor.Publisher[T] {
	p := &puppet[T]{}
	a.made = append(a.made, p)
	return p
}

func (a *allPuppets[T]) at(i int) *puppetSubscription[T] { return a.made[i].last() }

func requirePanics(t *testing.T, text string, fn func()) {
	t.Helper()
	defer func() {
		t.Helper()
		require.Contains(t, recover(), text)
	}()
	fn()
}
