package schedulers_test

// A random program is a scheduler, workers of it, what clients and tasks do with them, and how it ends. This file says what is known of
// one, and plays it. What it is made of:
//
//   - programs_kinds_test.go: the schedulers, and what each of them promises
//   - programs_foreign_test.go: what is somebody else's: an executor, a decorator, a meter
//   - programs_tasks_test.go: what clients submit, and what tasks do
//   - programs_ends_test.go: how tasks, workers and schedulers are disposed
//   - programs_books_test.go: what must hold while it runs
//   - programs_balance_test.go: what must hold when it is over
//
// What all random programs have in common is in internal/testkit/programs.

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/schedulers"
)

var background = context.Background()

// program is one of them. What must hold whatever happens is checked on books that tasks and clients keep: a task that was accepted runs
// once, unless somebody has taken it back; one that was refused never runs; tasks of a lane run one at a time, in the order of their times;
// none is early; contexts end when they have to and not before; figures are those of the books; nothing is left.
type program struct {
	*programs.Program
	what string

	s        schedulers.Scheduler
	traits   traits
	pool     executors.Service    // that s stands on, or nil
	source   schedulers.Scheduler // that s is a SingleWorker of, or nil
	meter    *tally
	ttl      time.Duration
	withdraw []func()

	lanes programs.Book[lane] // the first one is that of direct tasks
	books programs.Book[task]

	seq, running       atomic.Int64
	runs, wrapped      atomic.Int64 // wrapped: through the hook
	told, failed       atomic.Int64 // told: errors, to the handler
	refusedByDecorator atomic.Int64
	toldByDecorator    atomic.Int64

	mu      sync.Mutex
	forced  []*task       // who has disposed the scheduler by force, nil for a client; mu
	forcing time.Duration // when that was over the first time, else 0; mu
	closing time.Duration // when a disposal of any kind has begun, else 0; mu
	drops   bool          // with DropDelayed; mu
	foreign bool          // the pool was shut down by somebody else; mu
}

// lane is a worker, or the scheduler itself.
type lane struct {
	id       int
	w        schedulers.Worker // nil for the scheduler; immutable
	running  atomic.Int64
	by       []*task       // who has disposed it, nil for a client; mu of the program
	disposed time.Duration // when that was over the first time, else 0; mu of the program
	tasks    []*task       // mu of the program
}

// task is what is known of a task.
type task struct {
	id      int
	lane    *lane
	method  string
	does    string
	length  time.Duration
	due     time.Duration // since the start
	delayed bool
	series  bool
	period  time.Duration
	rounds  int64 // a series does it in that run
	stops   bool  // on a failure

	began     int64 // before the submission; immutable
	submitted bool  // the submission has returned; mu of the program
	returned  int64 // when; mu of the program
	accepted  bool  // mu of the program
	refused   error // mu of the program
	handle    schedulers.Disposable
	by        []*task         // who has disposed it, nil for a client; mu of the program
	disposed  time.Duration   // when that was over the first time, else 0; mu of the program
	ctx       context.Context // mu of the program

	starts, ends, fails atomic.Int64
}

// now is the time since the start, which is never 0.
func (p *program) now() time.Duration { return p.Now() + 1 }

// newLane lets there be a worker, or the scheduler itself.
func (p *program) newLane(w schedulers.Worker) {
	l := &lane{w: w}
	p.lanes.Enter(l, func(n int) { l.id = n })
}

// step is one of a client.
func (p *program) step(r *rand.Rand) {
	switch r.IntN(12) {
	case 0:
		p.dispose(p.books.Some(r), nil)
	case 1:
		p.disposeLane(p.lanes.Some(r), nil)
	case 2, 3:
		p.newLane(p.s.NewWorker())
	case 4, 5:
		time.Sleep(programs.Milliseconds(r, 0, 9))
	case 6:
		p.stats()
	default:
		p.submit(r)
	}
}

// play runs the program in a bubble, and returns what is wrong.
func (p *program) play(t *testing.T) []string {
	p.open(t)
	programs.Crowd{Clients: 4, Steps: 15, Step: p.step, Ends: 2, Within: 60 * time.Millisecond, End: p.end}.Play(p.Rand, p.Seed, p.Number)
	p.goesOn()
	lanes := p.lanes.All()
	for _, l := range lanes {
		if p.Rand.IntN(2) == 0 {
			p.disposeLane(l, nil)
		}
	}
	if p.Rand.IntN(2) == 0 {
		p.rests()
	}
	p.endsAtLast()
	for _, l := range lanes {
		p.disposeLane(l, nil)
	}
	for _, undo := range slices.Backward(p.withdraw) {
		undo()
	}
	time.Sleep(time.Minute)
	synctest.Wait()
	p.check()
	return p.Wrong(p)
}

// TestStressSchedulers runs random programs: REACTOR_WORKERS says how many, REACTOR_WORKERS_NUMBER which one of REACTOR_WORKERS_SEED.
func TestStressSchedulers(t *testing.T) {
	programs.InBubbles(t, "REACTOR_WORKERS", synctest.Test, func(t *testing.T, p *programs.Program) []string {
		return (&program{Program: p}).play(t)
	})
}
