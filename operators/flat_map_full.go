package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/stall"
)

// flatMapFull finds out that as many inner publishers run as may, and that none has ended so far. If
// they are endless, the source is never asked again. It is used where the program has not set the
// number, and so may not know of the limit.
type flatMapFull struct {
	suspect atomic.Pointer[fullSuspect] // nil: not reached; nobody: an inner publisher has ended, or the stage has
}

var nobody = &fullSuspect{}

// reached is called when all places are taken. Signals of upstream only.
func (f *flatMapFull) reached(op string, ctx context.Context) {
	if f.suspect.Load() != nil {
		return
	}
	s := &fullSuspect{op: op, ctx: ctx, since: time.Now()}
	s.remove = stall.Add(s)
	chaos.Yield()
	if !f.suspect.CompareAndSwap(nil, s) {
		s.remove()
	}
}

// left says that an inner publisher has ended, or that all is over. Anybody may call it.
func (f *flatMapFull) left() {
	if f.suspect.Load() == nobody {
		return
	}
	chaos.Yield()
	if s := f.suspect.Swap(nobody); s != nil && s != nobody {
		s.remove()
	}
}

type fullSuspect struct {
	op     string
	ctx    context.Context
	since  time.Time
	remove func()
}

// Progress implements stall.Suspect: as soon as something moves, this is no suspect any more.
func (s *fullSuspect) Progress() (int64, bool) { return 0, true }

// Since implements stall.Suspect.
func (s *fullSuspect) Since() time.Time { return s.since }

// Report implements stall.Suspect.
func (s *fullSuspect) Report(_ context.Context, d time.Duration) bool {
	reactor.DropError(s.ctx, reactor.Failure(s.op, reactor.ErrStalled,
		"%d of %d inner publishers run and none has ended for %v, so no further element is requested; "+
			"end them with Take or TakeUntilOther, allow more with Concurrency, or replace them with SwitchMap",
		defaultConcurrency(), defaultConcurrency(), d.Round(time.Second)))
	return true
}
