package multicast

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
)

// Direct delivers what its producer sends to those who have asked for it by then. Nothing
// waits but what is sent from within a delivery, until that is over.
//
// The exported fields are set before the Direct is used.
type Direct[T any] struct {
	// Line is woken after each request, and when somebody has come or left.
	Line interface{ Wake() }
	// Turn is the producer's. It is not taken where its By knows who delivers.
	Turn protocol.Turn
	// Only says that there is one subscriber at most: an error that it leaves without is reported as dropped, since nobody
	// comes who could hear of it.
	Only bool

	set    Set[*Receiver[T]]
	err    error                       // of the end; written by the producer before set is closed
	latest atomic.Pointer[Receiver[T]] // the one that has come last; once it has left one that has its context alone (§3.13)
	short  atomic.Pointer[Receiver[T]] // one that all have to wait for, since it has asked for nothing; nil: none, or it has left

	// What follows belongs to the producer.
	active  bool // a delivery is under way, so that an emission comes from within it
	now     delivery[T]
	at      int            // receivers before it have got it
	reached bool           // somebody has got the element
	failed  *Receiver[T]   // the latest of those who have failed on it
	some    []*Receiver[T] // memory for who gets an element that not all get
	later   []delivery[T]  // sent from within another delivery
	next    int            // of later
}

// delivery is an element, or the end, and who gets it.
type delivery[T any] struct {
	to      []*Receiver[T]
	element T
	last    bool // it is the end
}

// Subscribers returns the number of subscribers.
func (d *Direct[T]) Subscribers() int { return d.set.Len() }

// Ended reports whether the producer has ended.
func (d *Direct[T]) Ended() bool { return d.set.IsClosed() }

// IsDeserted reports whether nobody is there.
func (d *Direct[T]) IsDeserted() bool { return !d.waits() && !isAnyThere(d.set.Members()) }

// waits reports whether the receiver that was seen to ask for nothing is there, and still does.
func (d *Direct[T]) waits() bool {
	r := d.short.Load()
	return r != nil && r.isThere() && r.demand.Load() == 0
}

func isAnyThere[T any](list []*Receiver[T]) bool {
	for _, r := range list {
		if r.isThere() {
			return true
		}
	}
	return false
}

// Add makes r, which has got its subscription, a subscriber, or tells it about the end.
func (d *Direct[T]) Add(r *Receiver[T]) {
	d.latest.Store(r)
	chaos.Yield()
	r.push = protocol.PushGuarded(r.down)
	switch {
	case r.IsGone():
		d.dropLatest(r)
	case !d.set.Add(r):
		r.end(d.err)
	case r.IsGone():
		d.set.Remove(r)
		d.dropLatest(r)
	}
	d.Line.Wake()
}

// Send delivers v to those who have asked for it, if everybody has, or if somebody has and
// not all are needed. It reports whether that is so; if not, v is still the caller's.
func (d *Direct[T]) Send(v T, all bool) bool {
	if all && d.waits() { // as long as it does, no list of all is made, nor looked through
		return false
	}
	who := d.set.load()
	to := who.members
	if !who.unbounded {
		to = d.asked(who, all)
	}
	if !isAnyThere(to) {
		return false
	}
	if d.active {
		d.later = append(d.later, delivery[T]{to: to, element: v})
		return true
	}
	d.now, d.at, d.reached = delivery[T]{to: to, element: v}, 0, false
	chaos.Yield()
	d.deliver()
	return true
}

// asked takes an element off the demand of those who get it, and returns them.
func (d *Direct[T]) asked(who *roster[*Receiver[T]], all bool) []*Receiver[T] {
	lacking, unbounded := false, true
	i := who.short // see Fanout.room
	for range who.members {
		if r := who.members[i]; r.isThere() {
			n := r.demand.Load()
			if n == 0 && all {
				who.short = i
				d.remember(r)
				return nil
			}
			lacking = lacking || n == 0
			unbounded = unbounded && n == reactor.Unbounded
		}
		if i--; i < 0 {
			i = len(who.members) - 1
		}
	}
	who.unbounded = unbounded
	var to []*Receiver[T]
	if !lacking {
		to = who.members
	} else if !d.active {
		to = d.some[:0]
	}
	for _, r := range who.members {
		if r.isThere() && r.take() && lacking {
			to = append(to, r)
		}
	}
	if lacking && !d.active {
		d.some = to
	}
	return to
}

// remember keeps r, which all have to wait for, unless it has left.
func (d *Direct[T]) remember(r *Receiver[T]) {
	d.short.Store(r)
	chaos.Yield()
	if r.IsGone() { // it may have looked before
		d.short.CompareAndSwap(r, nil)
	}
}

// End delivers the end, nil for completion, behind what was sent.
func (d *Direct[T]) End(err error) {
	d.err = err
	end := delivery[T]{to: d.set.Close(), last: true}
	if len(end.to) == 0 {
		d.unheard(d.Context(), err)
	}
	if d.active {
		d.later = append(d.later, end)
		return
	}
	d.now, d.at = end, 0
	d.deliver()
}

// unheard is called with the end, if nobody is there to hear of it.
func (d *Direct[T]) unheard(ctx context.Context, err error) {
	if d.Only && err != nil {
		belated.Drop(ctx, err)
	}
}

// deliver hands over what is now to be delivered, and what is sent meanwhile.
func (d *Direct[T]) deliver() {
	d.active = true
	if d.Turn.By == nil {
		d.Turn.TryEnter() // nobody else does
		d.Turn.Loop(d)
		return
	}
	defer func() {
		if d.active {
			d.Turn.Resume(d, recover())
		}
	}()
	d.DrainPass()
}

// DrainPass implements protocol.Drainer.
func (d *Direct[T]) DrainPass() {
	d.serve()
	for d.next < len(d.later) {
		d.now, d.at, d.reached = d.later[d.next], 0, false
		d.later[d.next] = delivery[T]{}
		if d.next++; d.next == len(d.later) {
			d.later, d.next = d.later[:0], 0
		}
		d.serve()
	}
	d.active = false
}

// serve delivers to those who have not got it.
func (d *Direct[T]) serve() {
	if d.now.last {
		for d.at < len(d.now.to) {
			d.at++
			d.now.to[d.at-1].end(d.err)
		}
		d.now = delivery[T]{}
		return
	}
	v := d.now.element
	for _, r := range d.now.to[d.at:] {
		d.at++
		if r.isThere() {
			d.reached = true
			r.push(v)
		}
	}
	if !d.reached && len(d.now.to) > 0 {
		d.unreached(v)
		return
	}
	d.served()
}

// served ends a delivery.
func (d *Direct[T]) served() {
	d.now, d.at, d.failed = delivery[T]{}, 0, nil
	if len(d.some) > 0 {
		clear(d.some)
	}
}

// unreached ends a delivery as served does, and discards v, which nobody has got. Not inlined: it hardly ever happens.
//
//go:noinline
func (d *Direct[T]) unreached(v T) {
	ctx := d.now.to[len(d.now.to)-1].ctx // before the list is cleared, which may be d.some
	d.served()
	reactor.Discard(ctx, v)
}

// DrainCrashed implements protocol.Drainer: the subscriber that was served last failed.
func (d *Direct[T]) DrainCrashed(_ protocol.Drainer, err error) {
	if d.now.to == nil {
		reactor.DropError(d.Context(), err)
		return
	}
	r := d.now.to[d.at-1]
	switch {
	case d.now.last:
		reactor.DropError(r.ctx, err)
		return
	case d.failed == r: // it was told, and has ended the goroutine
		return
	}
	d.failed, d.reached = r, true
	defer protocol.Crash(r.ctx, r.down, err, d.now.element) // also if who is woken ends the goroutine
	if !r.gone.Swap(true) {
		d.leave(r)
	}
}

func (d *Direct[T]) leave(r *Receiver[T]) {
	d.dropLatest(r)
	d.set.Remove(r)
	d.Line.Wake() // it may have been the only one without demand
}

// dropLatest keeps of r, which has gone, its context alone, if it is the one that has come last, and nothing if all had to wait for
// it.
func (d *Direct[T]) dropLatest(r *Receiver[T]) {
	if d.short.Load() == r {
		d.short.CompareAndSwap(r, nil)
	}
	if d.latest.Load() == r {
		d.latest.CompareAndSwap(r, &Receiver[T]{ctx: r.ctx})
	}
}

// Context returns the context of the one who came last.
func (d *Direct[T]) Context() context.Context {
	if r := d.latest.Load(); r != nil {
		return r.ctx
	}
	return context.Background()
}

// Receiver is one subscriber of a Direct, and its subscription.
type Receiver[T any] struct {
	ctx    context.Context
	down   reactor.Subscriber[T]
	push   func(T) // hands elements to down; taken when it has got its subscription
	direct *Direct[T]
	demand atomic.Int64
	gone   atomic.Bool // cancelled, failed, or ended
}

// NewReceiver returns the subscription for down, which is to be handed to it before Add.
func (d *Direct[T]) NewReceiver(ctx context.Context, down reactor.Subscriber[T]) *Receiver[T] {
	return &Receiver[T]{ctx: ctx, down: down, direct: d}
}

// IsGone reports whether the subscriber has cancelled or failed, or its stream has ended.
func (r *Receiver[T]) IsGone() bool { return r.gone.Load() }

func (r *Receiver[T]) isThere() bool { return !r.gone.Load() }

// Request adds to the demand.
func (r *Receiver[T]) Request(n int64) {
	demand.Add(&r.demand, n)
	r.direct.Line.Wake()
}

// Cancel leaves. What was sent to it from within a delivery is let go when its turn comes.
func (r *Receiver[T]) Cancel() {
	if !r.gone.Swap(true) {
		r.direct.leave(r)
	}
}

// Quit is for protocol.Half.QuitHost.
func (r *Receiver[T]) Quit() { r.Cancel() }

// Host returns itself.
func (r *Receiver[T]) Host() protocol.Host { return r }

// Lodged implements protocol.Host.
func (r *Receiver[T]) Lodged() {}

// Tell implements protocol.Host.
func (r *Receiver[T]) Tell(h *protocol.Half) { r.direct.Turn.Tell(h) }

// take takes one element off the demand, or reports false if there is none.
func (r *Receiver[T]) take() bool {
	for {
		n := r.demand.Load()
		switch n {
		case 0:
			return false
		case reactor.Unbounded:
			return true
		}
		chaos.Yield()
		if r.demand.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

// end tells it about the end, nil for completion, unless it has left.
func (r *Receiver[T]) end(err error) {
	if r.gone.Swap(true) {
		r.direct.unheard(r.ctx, err)
		return
	}
	r.direct.dropLatest(r)
	protocol.Finish(r.down, err)
}
