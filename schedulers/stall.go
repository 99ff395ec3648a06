package schedulers

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
	"weak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/stall"
)

// running has the slots whose loop runs, each in one of the places that the hash of the goroutine
// leads to. The pointers are weak: a slot, and what its tasks hold, can be collected.
var running [1 << placeBits]atomic.Pointer[slotRef]

const placeBits = 10

// probes is how many places there are for one hash, a cache line of them. If all are taken, the slot has no place, and
// is neither named nor watched.
const probes = 8

// unlisted is how many loops of workers that must not block have no place.
var unlisted atomic.Int32

// slotRef finds a slot unless that was collected.
type slotRef struct{ weak.Pointer[slot] }

// places returns where the slot is whose loop the calling goroutine is.
func places() *[probes]atomic.Pointer[slotRef] {
	h := uint64(goid.Current()) * 0x9e3779b97f4a7c15 >> (64 - placeBits) &^ (probes - 1)
	return (*[probes]atomic.Pointer[slotRef])(running[h:])
}

// enlist notes that the calling goroutine is the loop of s, and returns where, nil for nowhere.
func enlist(s *slot) *atomic.Pointer[slotRef] {
	at := places()
	for i := range at {
		if p := &at[i]; p.Load() == nil && p.CompareAndSwap(nil, s.ref) {
			stall.Stir()
			return p
		}
	}
	if s.id.nonBlocking {
		unlisted.Add(1)
	}
	return nil
}

// delist takes back what enlist has noted.
func delist(s *slot, place *atomic.Pointer[slotRef]) {
	switch {
	case place != nil:
		place.Store(nil)
	case s.id.nonBlocking:
		unlisted.Add(-1)
	}
}

// slotHere returns the slot whose loop the calling goroutine is, or nil.
func slotHere() *slot {
	at := places()
	for i := range at {
		if ref := at[i].Load(); ref != nil {
			if s := ref.Value(); s != nil && s.onLoop() {
				return s
			}
		}
	}
	return nil
}

func init() {
	stall.AddSource(func(yield func(stall.Suspect)) {
		for i := range running {
			if ref := running[i].Load(); ref != nil {
				if s := ref.Value(); s != nil {
					yield(s)
				}
			}
		}
	})
}

// Progress implements stall.Suspect: a slot that must not block stands still while one
// task runs, another one if tasks wait for that.
func (s *slot) Progress() (n int64, waiting bool) {
	n = s.progress.Load()
	return n, n%2 == 1 && (s.id.nonBlocking || s.behind() > 0)
}

// behind returns how many tasks wait for the one that runs.
func (s *slot) behind() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, s.accepted-s.removed-(s.progress.Load()+1)/2)
}

// Since implements stall.Suspect.
func (s *slot) Since() time.Time { return s.base }

var loopName = runtime.FuncForPC(reflect.ValueOf((*slot).loop).Pointer()).Name()

// Report implements stall.Suspect. A task that computes is no stall. Nor is a task of a worker that
// may block, unless it waits for a stream while other tasks wait behind it, which that stream may need.
func (s *slot) Report(ctx context.Context, d time.Duration) bool {
	at, waits := stall.Find(s.id.name, loopName)
	behind := s.behind()
	if !waits || !s.id.nonBlocking && (!at.Library || behind == 0) {
		return false
	}
	var text strings.Builder
	fmt.Fprintf(&text, "worker %q has waited for %v in %v", s.id.name, d.Round(time.Second), at)
	switch behind {
	case 0:
	case 1:
		text.WriteString(", and 1 task waits for that worker")
	default:
		fmt.Fprintf(&text, ", and %d tasks wait for that worker", behind)
	}
	if s.id.nonBlocking {
		text.WriteString("; it must not block: let what waits run on schedulers.BoundedElastic()")
	} else {
		text.WriteString("; if it waits for one of them neither will ever end: give the scheduler more workers, or let FlatMap wait for the stream")
	}
	reactor.DropError(ctx, reactor.Failure("schedulers", reactor.ErrStalled, "%s", text.String()))
	return true
}
