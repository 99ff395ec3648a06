package keylock_test

// A random program is a manager, or two of them with a common store, what clients do to it, and how it ends. This file says what is known of
// one, and plays it. What it is made of:
//
//   - programs_open_test.go: the managers, their options, and how they are closed
//   - programs_foreign_test.go: what is somebody else's: a clock, a meter, a store that loses answers
//   - programs_calls_test.go: how clients call for a key
//   - programs_streams_test.go: the same with streams
//   - programs_holders_test.go: what holders do, and what must hold when they come and go
//   - programs_outcomes_test.go: what must hold of each call when all is over
//   - programs_books_test.go: what must hold of all of them together
//
// What all random programs have in common is in internal/testkit/programs.

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// program is one of them. What must hold whatever happens is checked on books that calls and holders keep: nobody shares a key, who came
// first gets it first, tokens rise, waits and leases end at their time, every call and every stream has one outcome, and in the end nothing
// is left.
type program struct {
	*programs.Program
	what string

	managers []*keylock.Manager
	stores   bool // there is a store
	ordered  bool // there is none, and no barging
	endsOut  bool // the meter ends goroutines: figures are not exact, and calls may have no outcome
	single   schedulers.Scheduler
	clock    *countedClock // nil: that of the schedulers
	meter    *tally        // nil: none
	closing  atomic.Bool

	calls programs.Book[call]

	mu     sync.Mutex
	inside map[string][]*visit // who works on a key; mu
	token  map[string]uint64   // of the last visit; mu
}

// call is what is known of a call for a key.
type call struct {
	id      int
	manager *keylock.Manager
	method  string
	key     string
	does    string
	length  time.Duration
	asked   time.Duration // when
	wait    time.Duration
	lease   time.Duration
	grace   time.Duration
	policy  keylock.Policy
	on      string
	limits  bool   // MaxWaiters was given
	within  bool   // within another hold
	outer   string // the keys of the holds it is within
	same    bool   // its key is one of them
	again   bool   // Reentrant
	opts    []keylock.CallOption
	ctx     context.Context
	r       *rand.Rand // of who holds the key, or the stream

	over      bool          // it has returned, or its stream has ended; mu of the program
	err       error         // mu of the program
	at        time.Duration // when; mu of the program
	outcomes  atomic.Int64  // ends of a stream
	cancelled atomic.Bool   // the stream
	runs      atomic.Int64
	visits    []*visit // mu of the program
	skipped   bool     // a Job that returned nil has not run
}

// visit is a hold as its holder sees it.
type visit struct {
	call     *call
	key      string
	token    uint64
	lease    keylock.Lease // zero for a stream
	stream   bool
	borrowed bool // the hold of another call
	ctx      context.Context
	from     time.Duration
	due      time.Duration // or 0
	left     bool          // mu of the program
	until    time.Duration // mu of the program
	extended atomic.Bool
	ended    atomic.Int64 // when the context ended, since the start; 0 if it has not
	cause    error
}

// step is one of a client.
func (p *program) step(r *rand.Rand) {
	switch r.IntN(8) {
	case 0:
		time.Sleep(programs.Milliseconds(r, 0, 9))
	case 1:
		p.look()
	default:
		racetest.Aside(func() { // who is ended with its goroutine is not this one
			defer func() {
				if v := recover(); v != nil {
					p.Fail("a call has panicked: %v", v)
				}
			}()
			p.ask(r, context.Background(), "", false)
		})
	}
}

// look looks at the figures, and at who holds a key.
func (p *program) look() {
	for _, m := range p.managers {
		if s := m.Stats(); s.Keys > len(keys) || s.Holders > len(keys) || s.Holders < 0 || s.Waiters < 0 || s.Late < 0 {
			p.Fail("figures: %+v", s)
		}
		for _, h := range m.Snapshot() {
			if h.Token == 0 && !p.stores || h.Age < 0 {
				p.Fail("snapshot: %+v", h)
			}
		}
	}
}

// play runs the program in a bubble, and returns what is wrong.
func (p *program) play(t *testing.T) []string {
	p.inside, p.token = map[string][]*visit{}, map[string]uint64{}
	p.single = schedulers.NewSingle("s")
	defer p.single.Dispose()
	p.open(t)
	programs.Crowd{Clients: 4, Steps: 15, Step: p.step, Ends: 1, Within: 200 * time.Millisecond, End: p.end}.Play(p.Rand, p.Seed, p.Number)
	time.Sleep(time.Minute) // what holders have begun ends
	synctest.Wait()
	p.endsAtLast()
	time.Sleep(time.Hour)
	synctest.Wait()
	p.check()
	return p.Wrong(p)
}

// TestStressLocks runs random programs: REACTOR_KEYS says how many, REACTOR_KEYS_NUMBER which one of REACTOR_KEYS_SEED.
func TestStressLocks(t *testing.T) {
	before := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	defer slog.SetDefault(before)
	programs.InBubbles(t, "REACTOR_KEYS", reactortest.Bubble, func(t *testing.T, p *programs.Program) []string {
		return (&program{Program: p}).play(t)
	})
}
