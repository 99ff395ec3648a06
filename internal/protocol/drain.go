package protocol

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
)

// Drainer is a stage whose work is done by a [Drain].
type Drainer interface {
	// DrainPass does what can be done now. It runs on one goroutine at a time
	// and is run again whenever work was announced while it ran.
	DrainPass()
	// DrainCrashed is called, instead of the rest of a pass, when the pass panicked or
	// ended its goroutine: something downstream of the stage failed with err. The stage
	// marks itself cancelled, cancels upstream and passes err down; passes go on
	// afterwards so that what still arrives is discarded. stage is the stage itself: a
	// part that it embeds, such as a [LoopSender], may implement this method and needs
	// it.
	DrainCrashed(stage Drainer, err error)
}

// Quiet is embedded by a [Drainer] whose passes send no elements: they subscribe, request or
// discard. What such a pass calls has guards of its own, as functions of the user have, see
// [failure.Apply]: the pass does not panic, and a Goexit that goes by was reported before. A stage
// that calls a function in the middle of a pass is [Fallible] instead.
type Quiet struct{}

// DrainCrashed implements [Drainer].
func (q Quiet) DrainCrashed(stage Drainer, err error) {
	if _, ok := stage.(Fallible); ok {
		new(LoopSender[struct{}]).DrainCrashed(stage, err)
		return
	}
	if !errors.Is(err, reactor.ErrGoexit) {
		reactor.DropError(context.Background(), err)
	}
}

// Drain is the work-in-progress state of a queue-drain loop: nobody drains; somebody
// drains; or somebody drains and must look once more, because work was announced
// meanwhile. The goroutine that moves it away from idle drains for everybody. Zero
// value: idle.
//
// When one side is faster than the other, an announcement mostly finds the third state
// already; it then costs a load and writes nothing, so that the cache line stays
// shared.
type Drain struct {
	state atomic.Uint32
}

const (
	drainIdle = iota
	drainBusy
	drainAgain // busy, and work was announced
)

// Run announces work and drains unless somebody else does.
func (d *Drain) Run(o Drainer) {
	if d.Announce() {
		d.Loop(o)
	}
}

// Announce records that there is work and reports whether the caller has become
// the one who must do it, by calling [Drain.Loop], here or on a worker.
func (d *Drain) Announce() bool {
	chaos.Yield()
	// A call that sees drainAgain comes before the owner's return to drainBusy, and
	// a pass comes after that.
	return d.state.Load() != drainAgain && d.announce()
}

func (d *Drain) announce() bool {
	for {
		switch d.state.Load() {
		case drainIdle:
			if d.state.CompareAndSwap(drainIdle, drainBusy) {
				return true
			}
		case drainBusy:
			if d.state.CompareAndSwap(drainBusy, drainAgain) {
				return false
			}
		default:
			return false
		}
		chaos.Yield()
	}
}

// TryEnter takes the drain if nobody has it, for a fast path that bypasses the queue.
// It reports false if somebody has it. The caller marks the call downstream (see the
// package comment on panics) and then calls Leave.
func (d *Drain) TryEnter() bool {
	return d.state.Load() == drainIdle && d.state.CompareAndSwap(drainIdle, drainBusy)
}

// Leave gives up what TryEnter took, draining first if work was announced.
func (d *Drain) Leave(o Drainer) {
	chaos.Yield()
	if !d.state.CompareAndSwap(drainBusy, drainIdle) {
		d.again(o)
	}
}

//go:noinline
func (d *Drain) again(o Drainer) {
	d.state.Store(drainBusy)
	d.Loop(o)
}

// Fell is called by the guard around the code between TryEnter and Leave, with what the guard
// has recovered: the stage crashes, and the drain is left.
func (d *Drain) Fell(o Drainer, r any) {
	defer d.Leave(o) // also if that ends the goroutine again
	crashed(o, failure.Recovered(r))
}

// Active reports whether somebody drains.
func (d *Drain) Active() bool { return d.state.Load() != drainIdle }

// Pending reports to the owner whether work was announced that no pass has begun to do.
func (d *Drain) Pending() bool { return d.state.Load() == drainAgain }

// release gives the drain up, or reports false because work was announced: then
// the caller still has it and must make another pass.
func (d *Drain) release() bool {
	chaos.Yield()
	if d.state.CompareAndSwap(drainBusy, drainIdle) {
		return true
	}
	d.state.Store(drainBusy)
	return false
}

// crashed calls DrainCrashed, and calls it once more if that call ends the goroutine: then a
// function has heard of the cancellation upstream, and downstream has not got the error. A
// [Fallible] sends the error in any case.
func crashed(o Drainer, err error) {
	times := 2
	if _, tells := o.(Fallible); tells {
		times = 1
	}
	failure.Persist(times, func(int) bool { o.DrainCrashed(o, err); return false })
}

// Loop drains. The caller owns the drain: Announce or TryEnter reported true.
func (d *Drain) Loop(o Drainer) {
	clean := false
	defer func() {
		if clean {
			return
		}
		// Still the owner: nobody else gets in before release.
		defer d.Loop(o) // also if that ends the goroutine again
		crashed(o, failure.Recovered(recover()))
	}()
	for {
		o.DrainPass()
		if d.release() {
			break
		}
	}
	clean = true
}
