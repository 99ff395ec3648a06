package stages

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

type element = *ledger.Element

var errBoom = errors.New("boom")

// scene is one round of a race.
type scene struct {
	books *ledger.Ledger
	make  func() element
	src   *puppet[element]
	down  *watcher
	clock *hands
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
	from origin
	do   func(*scene)
}

// origin is where a signal comes from.
type origin int

const (
	above origin = iota
	below
	timed
)

// The sides of a race.
var sides = []side{
	{"next", above, func(s *scene) { s.next(3) }},
	{"complete", above, func(s *scene) { s.before(); s.end(nil) }},
	{"error", above, func(s *scene) { s.before(); s.end(errBoom) }},
	{"request", below, func(s *scene) { s.down.request(1); s.down.request(2) }},
	{"cancel", below, func(s *scene) { s.down.cancel() }},
	{"timer", timed, func(s *scene) { s.clock.tick(0) }},
}

// pair is two signals that may meet, or why they do not.
type pair struct {
	name   string
	a, b   side
	reason string // empty if they do
}

// pairsOf returns every pair of sides, once, for a stage.
func pairsOf(traits roster.Traits) (list []pair) {
	for i, a := range sides {
		for _, b := range sides[i:] {
			p := pair{name: a.name + "-" + b.name, a: a, b: b}
			switch {
			case b.from == timed && !traits.Timed:
				p.reason = "it has no timer"
			case a.from == above && b.from == above:
				p.reason = "signals of one source never overlap (§1.3)"
			case a.from == timed:
				p.b.do = func(s *scene) { s.clock.tick(1) } // the other hand
			}
			list = append(list, p)
		}
	}
	return list
}

// hands is a clock, or one of two that can be moved at the same time: then the tasks of one
// worker are on one of them, those of different workers on either.
type hands struct {
	clocks []*reactortest.VirtualTime // immutable
	turn   atomic.Uint32              // of workers and of tasks without one
}

func newHands(apart bool) *hands {
	h := &hands{clocks: []*reactortest.VirtualTime{reactortest.NewVirtualTime()}}
	if apart {
		h.clocks = append(h.clocks, reactortest.NewVirtualTime())
	}
	return h
}

func (h *hands) one() *reactortest.VirtualTime {
	if len(h.clocks) == 1 {
		return h.clocks[0]
	}
	return h.clocks[h.turn.Add(1)%2]
}

// tick moves one of the clocks past every timer of the roster.
func (h *hands) tick(i int) {
	for range 3 {
		h.clocks[i].AdvanceBy(time.Microsecond)
	}
}

// pass moves all clocks.
func (h *hands) pass(d time.Duration) {
	for _, c := range h.clocks {
		c.AdvanceBy(d)
	}
}

func (h *hands) pending() (n int) {
	for _, c := range h.clocks {
		n += c.Pending()
	}
	return n
}

func (h *hands) Execute(task schedulers.Task) error { return h.one().Execute(task) }
func (h *hands) Schedule(task schedulers.Task) (schedulers.Disposable, error) {
	return h.one().Schedule(task)
}
func (h *hands) ScheduleAfter(task schedulers.Task, delay time.Duration) (schedulers.Disposable, error) {
	return h.one().ScheduleAfter(task, delay)
}
func (h *hands) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	return h.one().SchedulePeriodically(task, initial, period, opts...)
}
func (h *hands) NewWorker() schedulers.Worker { return h.one().NewWorker() }
func (h *hands) Now() time.Time               { return h.clocks[0].Now() }
func (h *hands) Dispose() {
	for _, c := range h.clocks {
		c.Dispose()
	}
}
func (h *hands) IsDisposed() bool        { return h.clocks[0].IsDisposed() }
func (h *hands) Stats() schedulers.Stats { return h.clocks[0].Stats() }
func (h *hands) DisposeGracefully(ctx context.Context, opts ...schedulers.DisposeOption) error {
	var errs []error
	for _, c := range h.clocks {
		errs = append(errs, c.DisposeGracefully(ctx, opts...))
	}
	return errors.Join(errs...)
}

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

// partVariable is such as 2/3: of three processes that share the stages, this is the second.
const partVariable = "REACTOR_RACE_PART"

// ours reports whether the i-th stage is one of those that this process is to do.
func ours(t *testing.T) func(i int) bool {
	text := os.Getenv(partVariable)
	if text == "" {
		return func(int) bool { return true }
	}
	var part, of int
	if _, err := fmt.Sscanf(text, "%d/%d", &part, &of); err != nil || part < 1 || part > of {
		t.Fatalf("%s=%q is not a part such as 2/3", partVariable, text)
	}
	return func(i int) bool { return i%of == part-1 }
}

// TestRaces lets every pair of signals meet at every stage, while time passes. After
// each round every element has ended exactly once, the rules were kept, and no task
// is left behind. What does not meet is logged, with the reason.
func TestRaces(t *testing.T) {
	met := 0
	stages := roster.Stages[element]()
	ours := ours(t)
	for i, stage := range stages {
		if !ours(i) {
			continue
		}
		pairs := pairsOf(stage.Traits)
		assert.Len(t, pairs, len(sides)*(len(sides)+1)/2)
		apply := 0
		without := map[string][]string{} // by reason
		for _, p := range pairs {
			if p.reason == "" {
				apply++
			} else {
				without[p.reason] = append(without[p.reason], p.name)
			}
		}
		met += apply
		t.Run(stage.Name, func(t *testing.T) {
			for reason, names := range without {
				t.Logf("not %v: %s", names, reason)
			}
			for _, p := range pairs {
				if p.reason != "" {
					continue
				}
				t.Run(p.name, func(t *testing.T) {
					n := 0
					racetest.Repeat(racetest.Iterations(rounds), func(race func(...func())) {
						n++
						if t.Failed() {
							return
						}
						raceOnce(t, stage, n, race, p)
						if t.Failed() {
							t.Logf("round %d", n)
						}
					})
				})
			}
		})
	}
	t.Logf("%d stages in all; here %d pairs of signals, %d meetings of each", len(stages), met, racetest.Iterations(rounds))
}

func raceOnce(t *testing.T, stage roster.Stage[element], n int, race func(...func()), p pair) {
	timers := p.a.from == timed // and hence on both sides
	s := &scene{books: ledger.New(t), src: &puppet[element]{single: stage.Single}, clock: newHands(timers)}
	s.make = s.books.Produce
	if stage.Swallows {
		s.make = func() element { return &ledger.Element{} }
	}
	demand := []int64{0, 1, 3, reactor.Unbounded}[n%4]
	s.down = &watcher{demand: demand, onNext: s.delivered}
	stage.Build(s.clock, s.src).Subscribe(reactor.WithHooks(context.Background(), s.hooks()), s.down)
	s.clock.pass(10 * time.Microsecond) // subscribes where that takes a task
	if n%3 == 0 || timers && n%2 == 0 {
		s.next(2)
	}
	first, second, timer := func() { p.a.do(s) }, func() { p.b.do(s) }, func() { s.clock.tick(0) }
	switch {
	case !stage.Timed || p.b.from == timed:
		race(first, second)
	default:
		race(first, second, timer)
	}
	s.clock.pass(10 * time.Microsecond) // every timer of the roster is shorter
	if p.a.name != "cancel" && p.b.name != "cancel" {
		s.reached(t, stage)
	}
	s.down.cancel()
	s.clock.pass(time.Hour)
	// There are millions of rounds: a comparison costs nothing, an assertion does.
	_, ended, faults, err := s.down.state()
	if err != nil && !errors.Is(err, errBoom) && !stage.MayFailWith(err) {
		assert.Fail(t, "a failure that nobody caused", "%v", err)
	}
	if len(faults) > 0 {
		assert.Fail(t, "broken rules", "%q", faults)
	}
	for _, up := range s.src.subs {
		if n := up.bad.Load(); n != 0 {
			assert.Fail(t, "§3.9: a request that is not positive", "%d", n)
		}
		if !up.ended && !stage.Hot && up.cancels.Load() == 0 {
			assert.Fail(t, "the source is not cancelled", "ended below: %v", ended)
		}
	}
	if n := s.clock.pending(); n != 0 {
		assert.Fail(t, "tasks left behind", "%d", n)
	}
	s.books.Check()
}

// reached asserts that a signal that was due has come; nobody has cancelled.
func (s *scene) reached(t *testing.T, stage roster.Stage[element]) {
	got, ended, _, err := s.down.state()
	var sent int64
	over, failed := len(s.src.subs) > 0, false
	for _, up := range s.src.subs {
		sent += up.sent
		over, failed = over && up.ended, failed || up.failed
	}
	if over && !ended && s.down.requested == reactor.Unbounded {
		assert.Fail(t, "the source has ended, the stage has not", "%d elements of %d", len(got), sent)
	}
	if !stage.Whole || failed || err != nil || sent == 0 || len(s.src.subs) != 1 || stage.AtEnd && !over {
		return
	}
	if due := min(sent, s.down.requested); int64(len(got)) != due {
		assert.Fail(t, "elements that do not come", "%d of %d, %d requested", len(got), sent, s.down.requested)
	}
}
