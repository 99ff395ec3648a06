package protocol

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
)

// puller is a source that computes its elements when asked. All methods but the
// constructor run on one goroutine at a time: the one that drains demand.
type puller interface {
	// Pull emits n elements and reports false; or, when the source ends first,
	// it sends the terminal signal and reports true. It looks at
	// [PullLoop.Cancelled], or at [PullLoop.Stops], before each element and reports true when it is set.
	// n may be reactor.Unbounded, and 0 after [PullLoop.Start].
	Pull(n int64) (over bool)
	// Crashed tells of a panic below (see the package comment): the element in flight
	// is discarded and err is sent down.
	Crashed(err error)
	// Release lets go of what the source holds. It is called once, after the
	// end, the cancellation or the crash.
	Release()
}

// PullLoop is the subscription of a [puller]: requests from anywhere, also from
// within OnNext, become one loop (§3.3: the depth of recursion is 1).
type PullLoop struct {
	demand    atomic.Int64
	cancelled atomic.Bool
	ended     bool // the end was sent; owner of the loop
	starting  bool // see Start; owner of the loop
	source    puller
	feeds     any          // see InitFeeding
	stop      *atomic.Bool // see StopAt; set before the first request
	runs      *Half        // is told of each run; nil if nobody wants to know; set before the first request
}

// Init sets the source; it is called once, before OnSubscribe.
func (p *PullLoop) Init(source puller) { p.source = source }

// InitFeeding is Init for a source whose elements involve no user function; they go
// straight to down, see [Synchronous].
func (p *PullLoop) InitFeeding(source puller, down any) { p.source, p.feeds = source, down }

// Request adds demand, and emits unless somebody does already; n > 0.
func (p *PullLoop) Request(n int64) {
	if demand.Add(&p.demand, n) == 0 {
		p.loop(n)
	}
}

// Start makes the loop call Pull with 0, for a source that computes ahead, unless somebody emits.
// It is called after OnSubscribe.
func (p *PullLoop) Start() {
	if p.demand.CompareAndSwap(0, 1) { // else whoever emits would take the 1 for demand
		p.starting = true
		p.loop(1)
	}
}

// Cancel stops the loop at the next element.
func (p *PullLoop) Cancel() {
	if p.cancelled.Swap(true) {
		return
	}
	chaos.Yield()
	// Demand that nobody serves: the loop is idle, so nobody else will let go.
	if demand.Add(&p.demand, 1) == 0 {
		p.source.Release()
	}
}

// Finish sends the end of the stream, err or completion, from within Pull. A Goexit that a guard
// further down deals with meanwhile is no failure of the source: the subscriber, such as a stage
// that goes on with the next source, has its end already.
func (p *PullLoop) Finish(down Signals, err error) {
	p.ended = true
	Finish(down, err)
}

// Ended reports to the owner of the loop whether Finish was called: no element is in flight.
func (p *PullLoop) Ended() bool { return p.ended }

// Feeds implements Synchronous: the elements of a PullLoop come from Request.
func (p *PullLoop) Feeds(down any) bool { return p.feeds != nil && p.feeds == down }

// Cancelled reports whether the loop has to stop.
func (p *PullLoop) Cancelled() bool { return p.cancelled.Load() }

// StopAt lets stop end the loop in the place of Cancel, which is not called then. A stage that is
// fed, and that has to look at stop for each element anyway, then needs no function of its own
// between the source and the stage below it.
func (p *PullLoop) StopAt(stop *atomic.Bool) { p.stop = stop }

// Stops returns the flag that says that the loop has to stop, for a source that can be fed from:
// that of [PullLoop.Cancelled], or the one that [PullLoop.StopAt] was given.
func (p *PullLoop) Stops() *atomic.Bool {
	if p.stop != nil {
		return p.stop
	}
	return &p.cancelled
}

// Attach implements [emitter].
func (p *PullLoop) Attach(h *Half) bool {
	if p.runs != nil {
		return false
	}
	p.runs = h
	return true
}

func (p *PullLoop) loop(n int64) {
	clean := false
	var run uint32
	defer func() {
		switch {
		case clean:
		case p.aside():
			p.leave(run, nil) // without recover: the panic goes on to the caller of Request
		default:
			p.leave(run, failure.Recovered(recover()))
		}
	}()
	for {
		chaos.Yield()
		if p.runs != nil {
			run = p.runs.BeginRun()
		}
		over := p.cancelled.Load() || p.pull(n)
		if over {
			// The demand stays above 0, so that no request gets in any more.
			p.cancelled.Store(true)
			p.source.Release()
			clean = true
		}
		if p.runs != nil {
			p.runs.endRun(run) // before the demand is given up: the next run may be another goroutine's
		}
		if over {
			return
		}
		if n = demand.Produced(&p.demand, n); n == 0 {
			break
		}
	}
	clean = true
}

// pull is Pull of the source. A looker is asked between the first elements.
func (p *PullLoop) pull(n int64) (over bool) {
	if p.starting {
		p.starting = false
		return p.source.Pull(0)
	}
	if p.runs == nil || !p.runs.looks {
		return p.source.Pull(n)
	}
	l := p.runs.Down.(looker)
	for left := int64(lookedAt); left > 0 && n > 0; left-- {
		if p.source.Pull(1) {
			return true
		}
		if l.Look(); p.cancelled.Load() {
			return true
		}
		if n != reactor.Unbounded {
			n--
		}
	}
	if n == 0 {
		return false
	}
	defer l.Watch()()
	return p.source.Pull(n)
}

// aside reports whether the loop was left by code that is no part of the stream; see [Half.Aside].
func (p *PullLoop) aside() bool { return p.runs != nil && p.runs.foreign }

// leave ends a loop that was left, in the run or after it, by a panic or a Goexit; if err is not
// nil, it stands for that panic or Goexit.
func (p *PullLoop) leave(run uint32, err error) {
	if p.runs != nil {
		defer p.runs.endRun(run) // after the failure has gone down
	}
	p.cancelled.Store(true)
	defer p.source.Release()
	if err != nil && (!p.ended || !failure.IsReported(err)) {
		p.source.Crashed(err)
	}
}
