package multicast

import (
	"context"
	"math/rand/v2"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
)

// Replay delivers what its producer emits to all subscribers, each at its own pace: they
// read from a [History], those who come late from the oldest element that it keeps.
//
// The exported fields are set before the Replay is used.
type Replay[T any] struct {
	History *History[T]
	// Batch is after how many elements Moved is called; 0: never.
	Batch int64
	// Moved is called when a subscriber has come, has begun, has got as far as another Batch
	// elements, or has left; from any goroutine.
	Moved func()

	set     Set[*Player[T]]
	joining atomic.Int64 // subscribers that are getting their subscription, and may be reading

	// late is a subscriber that Behind has found; nil: none, or the end has come.
	late atomic.Pointer[Player[T]]
}

// Emit delivers v to those who have asked for it, and keeps it for others. Producer only.
func (r *Replay[T]) Emit(v T) {
	r.History.Add(v)
	members := r.set.Members()
	if len(members) == 1 {
		members[0].wake()
		return
	}
	Each(members, (*Player[T]).wake)
}

// End delivers the end, nil for completion, behind the last element, and reports whether
// it is the first one. It may be called from any goroutine, as a disposal is.
func (r *Replay[T]) End(err error) (first bool) {
	first = true
	defer func() { // also if the clock fails
		if first {
			defer r.late.Store(nil) // nobody asks any more, and it is not to be kept
			Each(r.set.Close(), (*Player[T]).wake)
		}
	}()
	first = r.History.End(err)
	return first
}

// Subscribers returns the number of subscribers.
func (r *Replay[T]) Subscribers() int { return r.set.Len() }

// Behind reports whether a subscriber is known to have got less than n elements, counted in whole
// batches. It is asked whenever one comes, gets on or leaves, so it remembers the one that it has
// found, and looks at the others, and needs a list of them, only when that one has got as far or
// has left: with each call looking at all, n subscribers that come and go, or get a batch, cost n².
// Where that look begins is left to chance, and it goes against the order in which elements are
// delivered: whatever the order in which they get on or leave, few looks are needed. For one
// caller at a time, which is told by Moved when the answer may have changed.
func (r *Replay[T]) Behind(n int64) bool {
	if p := r.late.Load(); p != nil && p.isBehind(n) {
		return true
	}
	p := findBehind(r.set.Members(), n)
	r.late.Store(p)
	chaos.Yield()
	if r.History.Ended() {
		r.late.Store(nil) // End may have done so before
	}
	return p != nil
}

// findBehind returns one of members that is behind n, or nil.
func findBehind[T any](members []*Player[T], n int64) *Player[T] {
	if len(members) == 0 {
		return nil
	}
	at := rand.IntN(len(members))
	for range members {
		if members[at].isBehind(n) {
			return members[at]
		}
		if at--; at < 0 {
			at = len(members) - 1
		}
	}
	return nil
}

// isBehind reports whether p, which was found in the set, is there still, and has got less than n.
func (p *Player[T]) isBehind(n int64) bool { return !p.cancelled.Load() && p.progress.Load() < n }

// Slowest returns how many elements the subscriber that is furthest behind has got,
// counted in whole batches, or false if there is no subscriber. One that is about to become the
// only one has got nothing yet.
func (r *Replay[T]) Slowest() (n int64, ok bool) {
	ok = r.joining.Load() > 0 // before the look at who is there
	chaos.Yield()
	for i, p := range r.set.Members() {
		if at := p.progress.Load(); i == 0 || at < n {
			n = at
		}
		ok = true
	}
	return n, ok
}

// Subscribe makes down a subscriber. It gets its subscription here.
func (r *Replay[T]) Subscribe(ctx context.Context, down reactor.Subscriber[T]) {
	p := &Player[T]{ctx: ctx, down: down, replay: r}
	p.PushDown = protocol.Push(down)
	defer p.drain.Run(p) // also if downstream ends the goroutine
	r.join(p)
}

// join gives p its subscription and makes it a subscriber. What it has read meanwhile counts from then on.
func (r *Replay[T]) join(p *Player[T]) {
	r.joining.Add(1)
	defer func() { // also if the subscriber ends the goroutine
		r.joining.Add(-1)
		chaos.Yield()
		r.moved()
	}()
	defer func() { // also if downstream ends the goroutine
		if r.set.Add(p) && p.cancelled.Load() {
			r.set.Remove(p)
		}
	}()
	p.down.OnSubscribe(p)
}

func (r *Replay[T]) leave(p *Player[T]) {
	if r.set.Remove(p) {
		r.moved()
	}
}

func (r *Replay[T]) moved() {
	if r.Batch > 0 {
		r.Moved()
	}
}

// Player is one subscriber of a Replay, and its subscription.
type Player[T any] struct {
	protocol.LoopSender[T]
	ctx       context.Context
	down      reactor.Subscriber[T]
	replay    *Replay[T]
	demand    atomic.Int64
	cancelled atomic.Bool
	progress  atomic.Int64 // elements read, in whole batches; stored by the owner of drain
	drain     protocol.Drain

	// What follows belongs to the owner of drain.
	cursor Cursor[T]
	begun  bool
	over   bool // ended, failed or cancelled
	fallen bool // it has failed, and nobody has heard that it has left
}

// wake makes the subscriber look for what has come.
func (p *Player[T]) wake() { p.drain.Run(p) }

// Request adds to the demand.
func (p *Player[T]) Request(n int64) {
	demand.Add(&p.demand, n)
	p.drain.Run(p)
}

// Cancel leaves the Replay.
func (p *Player[T]) Cancel() {
	if p.cancelled.Swap(true) {
		return
	}
	chaos.Yield()
	p.replay.leave(p)
	p.drain.Run(p) // lets go of what it reads
}

// DrainPass implements protocol.Drainer.
func (p *Player[T]) DrainPass() {
	if p.over {
		if p.fallen {
			p.fallen = false
			p.replay.moved()
		}
		return
	}
	h := p.replay.History
	if !p.begun {
		p.begun = true
		p.cursor = h.Begin()
		p.report(p.cursor.next)
		p.replay.moved()
	}
	asked := p.demand.Load()
	var n int64
	for n < asked {
		if p.cancelled.Load() {
			p.release()
			return
		}
		ended := h.Ended()
		v, ok := h.Read(&p.cursor)
		if !ok {
			if ended {
				p.finish()
				return
			}
			break
		}
		n++
		p.InFlight.SendNext(p.PushDown, v)
		if at := p.cursor.next; p.replay.Batch > 0 && at-p.progress.Load() >= p.replay.Batch {
			p.report(at)
			p.replay.Moved()
		}
	}
	switch {
	case p.cancelled.Load():
		p.release()
	case n == asked && h.Ended() && !h.More(&p.cursor):
		p.finish()
	case n > 0:
		demand.Produced(&p.demand, n)
		if n == asked {
			p.InFlight.Clear()
			h.Leave(&p.cursor)
		}
	case asked == 0: // else there is nothing to read
		h.Leave(&p.cursor) // who asks for nothing keeps nothing of what it has got
	}
}

// report records that the first n elements were read.
func (p *Player[T]) report(n int64) {
	if b := p.replay.Batch; b > 0 {
		p.progress.Store(n - n%b)
	}
}

func (p *Player[T]) finish() {
	p.release()
	protocol.Finish(p.down, p.replay.History.Err())
}

// release lets go of what it reads.
func (p *Player[T]) release() {
	p.over = true
	p.cursor = Cursor[T]{}
	p.InFlight.Clear()
}

// Downstream implements protocol.Fallible.
func (p *Player[T]) Downstream() (context.Context, protocol.Signals, bool) {
	return p.ctx, p.down, p.over
}

// Fell implements protocol.Fallible. That it has left is told by the next pass, when downstream has its error: what follows
// may last as long as the source emits.
func (p *Player[T]) Fell(err error) error {
	p.over, p.cursor = true, Cursor[T]{}
	p.fallen = !p.cancelled.Swap(true) && p.replay.set.Remove(p)
	return err
}
