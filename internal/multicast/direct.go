package multicast

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// Direct is one subscriber, and its subscription, that gets an element only if it has
// asked for it by then. Nothing waits: the queue is for elements that are sent from
// within the delivery of another one.
type Direct[T any] struct {
	// Asked is called after each request; nil: nothing. Set before the subscriber has its
	// subscription.
	Asked func()

	ctx    context.Context
	down   reactor.Subscriber[T]
	push   func(T) // hands elements to down
	left   func(*Direct[T])
	demand atomic.Int64
	gone   atomic.Bool // cancelled, failed, or ended
	drain  protocol.Drain
	queue  atomic.Pointer[queue.MPSC[T]] // made by the first who needs it

	ended atomic.Bool // the end is to be delivered
	err   error       // written before ended is set, read after

	// What follows belongs to the owner of drain.
	over    bool // nothing will be delivered any more
	hand    T    // on its way down
	holding bool // hand is an element
}

// nestedChunk is the chunk size of the queue for elements within elements.
const nestedChunk = 16

// NewDirect returns the subscription for down. left is called when down has cancelled or
// failed.
func NewDirect[T any](ctx context.Context, down reactor.Subscriber[T], left func(*Direct[T])) *Direct[T] {
	return &Direct[T]{ctx: ctx, down: down, push: protocol.Push(down), left: left}
}

// Context returns the context of the subscriber.
func (d *Direct[T]) Context() context.Context { return d.ctx }

// IsGone reports whether the subscriber has cancelled or failed, or its stream has ended.
func (d *Direct[T]) IsGone() bool { return d.gone.Load() }

// HasDemand reports whether an element can be sent.
func (d *Direct[T]) HasDemand() bool { return d.demand.Load() > 0 }

// Request adds to the demand.
func (d *Direct[T]) Request(n int64) {
	protocol.AddDemand(&d.demand, n)
	if d.Asked != nil {
		d.Asked()
	}
}

// Cancel leaves.
func (d *Direct[T]) Cancel() {
	if d.gone.Swap(true) {
		return
	}
	d.left(d)
	d.drain.Run(d) // discards what waits
}

// Send delivers v if there is demand, and reports whether there was.
func (d *Direct[T]) Send(v T) bool {
	if d.gone.Load() || !d.take() {
		return false
	}
	if d.drain.TryEnter() {
		if d.direct(v) {
			d.drain.Leave(d)
		}
		return true
	}
	d.waiting().Offer(v)
	chaos.Yield()
	d.drain.Run(d)
	return true
}

// take takes one element off the demand, or reports false if there is none.
func (d *Direct[T]) take() bool {
	for {
		n := d.demand.Load()
		switch n {
		case 0:
			return false
		case reactor.Unbounded:
			return true
		}
		chaos.Yield()
		if d.demand.CompareAndSwap(n, n-1) {
			return true
		}
	}
}

// direct delivers v for one who has entered the drain. If that fails it leaves the drain
// and reports false.
func (d *Direct[T]) direct(v T) (ok bool) {
	defer func() {
		if !ok {
			d.DrainCrashed(protocol.Recovered(recover()))
			d.drain.Leave(d)
		}
	}()
	d.deliver(v)
	return true
}

func (d *Direct[T]) deliver(v T) {
	if d.gone.Load() {
		reactor.Discard(d.ctx, v)
		return
	}
	d.hand, d.holding = v, true
	d.push(v)
	d.hand, d.holding = *new(T), false
}

func (d *Direct[T]) waiting() *queue.MPSC[T] {
	if q := d.queue.Load(); q != nil {
		return q
	}
	chaos.Yield()
	d.queue.CompareAndSwap(nil, queue.NewMPSC[T](nestedChunk))
	return d.queue.Load()
}

// End delivers the end, nil for completion, behind what was sent.
func (d *Direct[T]) End(err error) {
	d.err = err
	d.ended.Store(true)
	d.drain.Run(d)
}

// DrainPass implements protocol.Drainer.
func (d *Direct[T]) DrainPass() {
	ended := d.ended.Load()
	if q := d.queue.Load(); q != nil {
		for v, ok := q.Poll(); ok; v, ok = q.Poll() {
			d.deliver(v)
		}
	}
	if !ended || d.over {
		return
	}
	d.over = true
	if d.gone.Swap(true) {
		return
	}
	protocol.Finish(d.down, d.err)
}

// DrainCrashed implements protocol.Drainer: what is downstream failed.
func (d *Direct[T]) DrainCrashed(err error) {
	v, holding := d.hand, d.holding
	d.hand, d.holding = *new(T), false
	if !d.gone.Swap(true) {
		d.left(d)
	}
	if d.over || !holding {
		reactor.DropError(d.ctx, err)
		return
	}
	d.over = true
	protocol.Crash(d.ctx, d.down, err, v)
}
