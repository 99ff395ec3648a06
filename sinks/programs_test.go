package sinks_test

// A random program is a sink, who emits and who subscribes. This file says what is known of one, and plays it. What it is made of:
//
//   - programs_kinds_test.go: the sinks
//   - programs_emissions_test.go: what is emitted, and how
//   - programs_subscribers_test.go: who subscribes, and what they do with elements
//   - programs_books_test.go: what must hold when all have done their part
//   - programs_replay_test.go: the same of what is replayed
//
// What all random programs have in common is in internal/testkit/programs.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/sinks"
)

// program is one of them. What must hold whatever happens is checked on books that emitters and subscribers keep: an element that was
// accepted reaches everyone whom it is promised to, or whoever has to hear of it hears that it was discarded; one that was refused reaches
// nobody; all get the same order; what is replayed is what is kept; and everyone hears of the end.
type program struct {
	*programs.Program
	kind    string
	sink    side
	many    *sinks.ManySink[int] // nil for the other two
	auto    bool                 // the sink ends with its last subscriber
	history int                  // replay: how many, 0 for all
	ttl     time.Duration        // replay: how long, -1 for ever
	ctx     context.Context      // with hooks that keep books

	inner     atomic.Int64 // emissions from within deliveries that are left
	ticks     atomic.Int64
	emissions programs.Book[emission]
	subs      programs.Book[subscriber]

	mu        sync.Mutex
	discarded map[int]int // mu
	dropped   map[int]int // mu
	errs      []error     // mu
}

// emission is what is known of an emission.
type emission struct {
	what        reactor.SignalKind
	v           int        // from 1 on
	by          *rand.Rand // the source of the emitter, nil within a delivery
	how         string
	begun, over int64            // ticks; over 0: it has not returned; mu of the program
	at          time.Duration    // since the start
	result      sinks.EmitResult // mu of the program
}

// subscriber is what is known of a subscriber.
type subscriber struct {
	*probe.Probe[int]
	p           *program
	id          int
	does        string
	when        int // at which element
	seen        int
	begun, over int64         // ticks of the subscription; over 0: it has not returned; mu of the program
	at          time.Duration // since the start
	initial     int64
	cancelled   atomic.Int64 // tick before it, 0 if it was not
	failed      atomic.Bool  // it has panicked, or ended the goroutine
	r           *rand.Rand
}

// tick returns the next moment: what has a smaller one came before.
func (p *program) tick() int64 { return p.ticks.Add(1) }

// step is one of a client.
func (p *program) step(r *rand.Rand) {
	switch r.IntN(12) {
	case 0:
		p.subscribe(r, false)
	case 1, 2:
		if s := p.some(r); s != nil {
			n := programs.Pick(r, 1, 2, 5, probe.All)
			racetest.Aside(func() { s.Request(n) })
		}
	case 3:
		if s := p.some(r); s != nil && r.IntN(3) == 0 {
			racetest.Aside(s.cancel)
		}
	case 4:
		time.Sleep(programs.Milliseconds(r, 0, 3))
	case 5:
		if n := p.sink.CurrentSubscriberCount(); n < 0 || n > len(p.subs.All()) {
			p.Fail("%d subscribers are counted", n)
		}
	default:
		racetest.Aside(func() { p.emit(r, r) }) // a subscriber may end the goroutine
	}
}

// hooks has what is discarded and dropped noted, until undo is called.
func (p *program) hooks() (undo func()) {
	p.discarded, p.dropped = map[int]int{}, map[int]int{}
	count := func(m map[int]int) func(context.Context, any) {
		return func(_ context.Context, v any) {
			p.mu.Lock()
			defer p.mu.Unlock()
			m[v.(int)]++
		}
	}
	hooks := reactor.Hooks{
		Discard:     count(p.discarded),
		NextDropped: count(p.dropped),
		ErrorDropped: func(_ context.Context, err error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.errs = append(p.errs, err)
		},
	}
	p.ctx = reactor.WithHooks(context.Background(), hooks)
	return reactor.SetHooks("sinks", hooks)
}

// play runs the program in a bubble, and returns what is wrong.
func (p *program) play() []string {
	defer p.hooks()()
	p.inner.Store(10)
	p.open()
	for range p.Rand.IntN(3) {
		p.subscribe(p.Rand, p.Rand.IntN(2) == 0)
	}
	programs.Crowd{Clients: 3, Steps: 25, Step: p.step, Ends: 1, Within: 20 * time.Millisecond, End: func(*rand.Rand) {}}.Play(p.Rand, p.Seed, p.Number)
	synctest.Wait()
	// Everybody asks for the rest. Those who fail meanwhile may emit.
	for range 3 {
		for _, s := range p.subs.All() {
			racetest.Aside(func() { s.Request(probe.All) })
		}
	}
	p.subscribe(p.Rand, true) // who comes late gets what is kept
	synctest.Wait()
	p.check()
	return p.Wrong(p)
}

// String describes the program.
func (p *program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %d: %s", p.Number, p.kind)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.emissions.All() {
		fmt.Fprintf(&b, "\n  emission %v %d by %p, %s, ticks %d to %d at %v: %v; discarded %d, dropped %d", e.what, e.v, e.by, e.how, e.begun, e.over, e.at, e.result, p.discarded[e.v], p.dropped[e.v])
	}
	for _, s := range p.subs.All() {
		fmt.Fprintf(&b, "\n  subscriber %d %s at %d, asks %d, ticks %d to %d at %v, cancelled %d, failed %t, got %v, over %t %v", s.id, s.does, s.when, s.initial, s.begun, s.over, s.at, s.cancelled.Load(), s.failed.Load(), s.Got(), s.Over(), s.Failure())
	}
	fmt.Fprintf(&b, "\n  errors: %v", p.errs)
	return b.String()
}

// TestStressSinks runs random programs: REACTOR_SINKS says how many, REACTOR_SINKS_NUMBER which one of REACTOR_SINKS_SEED.
func TestStressSinks(t *testing.T) {
	programs.InBubbles(t, "REACTOR_SINKS", reactortest.Bubble, func(_ *testing.T, p *programs.Program) []string {
		return (&program{Program: p}).play()
	})
}
