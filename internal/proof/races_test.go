package proof

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/ledger"
	"github.com/goreactor/reactor/internal/racetest"
	"github.com/goreactor/reactor/internal/roster"
	"github.com/goreactor/reactor/reactortest"
)

type element = *ledger.Element

var errBoom = errors.New("boom")

// scene is one round of a race.
type scene struct {
	books *ledger.Ledger
	make  func() element
	src   *puppet[element]
	down  *watcher
	clock *reactortest.VirtualTime
}

func (s *scene) next(n int) {
	for range n {
		if up := s.src.last(); up == nil || !up.next(s.make) {
			return
		}
	}
}

// before sends an element, if others may follow.
func (s *scene) before() {
	if !s.src.single {
		s.next(1)
	}
}

func (s *scene) end(err error) {
	if up := s.src.last(); up != nil {
		up.end(err)
	}
}

// side is one side of a race.
type side struct {
	name string
	do   func(*scene)
}

// The sides of a race. Those of upstream are one goroutine's, as §1.3 demands.
var (
	upstream = []side{
		{"next", func(s *scene) { s.next(3) }},
		{"complete", func(s *scene) { s.before(); s.end(nil) }},
		{"error", func(s *scene) { s.before(); s.end(errBoom) }},
	}
	downstream = []side{
		{"request", func(s *scene) { s.down.request(1); s.down.request(2) }},
		{"cancel", func(s *scene) { s.down.cancel() }},
	}
)

// hooks are those of the ledger, without the zero elements and the signals without
// an element that some stages add.
func (s *scene) hooks() reactor.Hooks {
	quiet := func(context.Context, error) {}
	return reactor.Hooks{
		ErrorDropped: quiet,
		Discard: func(_ context.Context, v any) {
			if !added(v) {
				s.books.Discarded(v)
			}
		},
		NextDropped: func(_ context.Context, v any) {
			if !added(v) {
				s.books.Dropped(v)
			}
		},
	}
}

func (s *scene) delivered(v any) {
	if !added(v) {
		s.books.Delivered(v)
	}
}

func added(v any) bool {
	switch v := v.(type) {
	case element:
		return v == nil
	case reactor.Signal[element]:
		return v.Kind() != reactor.KindNext
	}
	return false
}

// rounds is how often each pair meets for each stage in an ordinary run.
const rounds = 40

// TestRaces lets every pair of signals meet at every stage, while time passes. After
// each round every element has ended exactly once, the rules were kept, and no task
// is left behind.
func TestRaces(t *testing.T) {
	for _, stage := range roster.Stages[element]() {
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			for i, a := range slices.Concat(upstream, downstream) {
				// Those of downstream may meet themselves and each other too.
				for _, b := range downstream[max(0, i-len(upstream)):] {
					t.Run(a.name+"-"+b.name, func(t *testing.T) {
						n := 0
						racetest.Repeat(racetest.Iterations(rounds), func(race func(...func())) {
							n++
							if !t.Failed() {
								raceOnce(t, stage, n, race, a.do, b.do)
							}
						})
					})
				}
			}
		})
	}
}

func raceOnce(t *testing.T, stage roster.Stage[element], n int, race func(...func()), a, b func(*scene)) {
	s := &scene{books: ledger.New(t), src: &puppet[element]{single: stage.Single}, clock: reactortest.NewVirtualTime()}
	s.make = s.books.Produce
	if stage.Swallows {
		s.make = func() element { return &ledger.Element{} }
	}
	demand := []int64{0, 1, 3, reactor.Unbounded}[n%4]
	s.down = &watcher{demand: demand, onNext: s.delivered}
	stage.Build(s.clock, s.src).Subscribe(reactor.WithHooks(context.Background(), s.hooks()), s.down)
	s.clock.AdvanceBy(10 * time.Microsecond) // subscribes where that takes a task
	if n%3 == 0 {
		s.next(2)
	}
	timer := func() {
		for range 3 {
			s.clock.AdvanceBy(time.Microsecond)
		}
	}
	if stage.Timed {
		race(func() { a(s) }, func() { b(s) }, timer)
	} else {
		race(func() { a(s) }, func() { b(s) })
	}
	s.clock.AdvanceBy(10 * time.Microsecond) // every timer of the roster is shorter
	s.down.cancel()
	s.clock.AdvanceBy(time.Hour)
	_, ended, faults, _ := s.down.state()
	assert.Empty(t, faults)
	for _, up := range s.src.subs {
		assert.Zero(t, up.bad.Load(), "§3.9: a request that is not positive")
		if !up.ended && !stage.Hot {
			assert.Positive(t, up.cancels.Load(), "the source is cancelled (ended below: %v)", ended)
		}
	}
	assert.Zero(t, s.clock.Pending(), "tasks left behind")
	s.books.Check()
}
