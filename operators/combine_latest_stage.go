package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// combineChunk is how many elements the queue of their order grows by.
const combineChunk = 32

// combineLatestStage is the subscription of a combineLatest. Elements wait in queues of their
// sources, and their order in one queue for all. An element leaves it when there is demand
// for the tuple it makes, or when it makes none because a source has not sent anything yet.
type combineLatestStage[R any] struct {
	protocol.Sender[R]
	combineLatestCore
	members []combineMember
	combine func() R

	// Touched by the owner of out only.
	next    int32 // number of the source whose element is due, if waiting
	waiting bool
	filled  int // sources that have an element
}

// combineLatestCore is what the sources know of a combineLatestStage, of whatever type it is.
type combineLatestCore struct {
	tuplesCore
	size      int32
	order     *queue.MPSC[int32] // numbers of the sources of all elements that wait
	completed atomic.Int32       // sources that have completed
}

// combineMember is a [combineSource] of any type.
type combineMember interface {
	subscribe()
	cancel()
	// The methods below are for the owner of out.

	// has reports whether there is a latest element.
	has() bool
	// take makes the element that is due the latest one.
	take()
	// refill records that an element was combined or has been replaced.
	refill()
	// clear discards the elements that were not combined.
	clear()
}

// combineSetup makes the members of one subscription, which know their types, and the
// call of the user's function.
type combineSetup[R any] func(*combineLatestCore) ([]combineMember, func() R)

func subscribeCombineLatest[R any](ctx context.Context, s reactor.Subscriber[R], prefetch int64, setup combineSetup[R]) {
	c := &combineLatestStage[R]{}
	c.discard, c.prefetch = reactor.DiscardHookFor[R](ctx), prefetch
	c.Attach(&c.out, ctx, s, c)
	c.order = queue.NewMPSC[int32](combineChunk)
	c.members, c.combine = setup(&c.combineLatestCore)
	c.size = int32(len(c.members))
	defer failure.Persist(len(c.members), func(i int) bool { // also if downstream ends the goroutine
		wanted := !c.out.Closed()
		if wanted {
			c.members[i].subscribe()
		}
		return wanted
	})
	c.out.Begin()
}

// Flow implements protocol.Flow, as do the three after advance.
func (c *combineLatestStage[R]) Flow() {
	asked := c.out.Demand()
	sent := int64(0)
	for c.out.Open() {
		if !c.waiting {
			c.next, c.waiting = c.order.Poll()
		}
		if !c.waiting || !c.advance(asked == sent) {
			break
		}
		if c.InFlight.Full() {
			c.InFlight.SendHeld(c.PushDown)
			sent++
		}
		c.members[c.next].refill()
	}
	if sent > 0 {
		c.out.Produced(sent)
	}
}

// advance takes the element that is due, and combines the tuple if there is one; false if
// that has to wait for demand.
func (c *combineLatestStage[R]) advance(wait bool) bool {
	m := c.members[c.next]
	filled := c.filled
	if !m.has() {
		filled++
	}
	full := filled == len(c.members)
	if full && wait {
		return false
	}
	m.take()
	c.waiting, c.filled = false, filled
	if full {
		c.InFlight.Hold(c.combine())
	}
	return true
}

func (c *combineLatestStage[R]) Dry() bool { return !c.waiting && c.order.IsEmpty() }

func (c *combineLatestStage[R]) Stop() {
	failure.Persist(len(c.members), func(i int) bool { c.members[i].cancel(); return true })
}

func (c *combineLatestStage[R]) Drop() {
	c.out.DropFailures()
	c.Stop() // also after a natural end, for the sources that go on
	for more := true; more; {
		_, more = c.order.Poll()
	}
	for _, m := range c.members {
		m.clear()
	}
}

// combineSource is the subscriber of one source of a combineLatest.
type combineSource[T any] struct {
	protocol.Inner
	c      *combineLatestCore
	number int32
	src    reactor.Publisher[T]
	link   protocol.Deferred
	queue  queue.SPSC[T]
	any    bool // whether it has sent an element; touched by its signals only
	ended  bool // likewise

	// Touched by the owner of out only.
	latest    T
	some      bool // latest is an element
	used      bool // latest was combined
	replenish demand.Refill
}

func combineFrom[T any](c *combineLatestCore, number int, src reactor.Publisher[T]) *combineSource[T] {
	return &combineSource[T]{
		c: c, number: int32(number), src: src,
		queue: queue.NewSPSC[T](c.prefetch), replenish: demand.NewRefill(c.prefetch),
	}
}

// subscribe implements combineMember.
func (in *combineSource[T]) subscribe() { in.src.Subscribe(in.c.out.Context(), in) }

// cancel implements combineMember.
func (in *combineSource[T]) cancel() { in.link.Cancel() }

// has implements combineMember.
func (in *combineSource[T]) has() bool { return in.some }

// take implements combineMember.
func (in *combineSource[T]) take() {
	old, lost := in.latest, in.some && !in.used
	// It was offered before its number was.
	in.latest, in.some = in.queue.Poll()
	in.used = false
	if lost {
		pending.Discard(in.c.discard, old)
	}
}

// refill implements combineMember.
func (in *combineSource[T]) refill() {
	if n := in.replenish.Consumed(1); n > 0 {
		in.link.Request(n)
	}
}

// clear implements combineMember.
func (in *combineSource[T]) clear() {
	if in.some {
		v := in.latest
		in.latest, in.some = *new(T), false
		if !in.used {
			pending.Discard(in.c.discard, v)
		}
	}
	for v, ok := in.queue.Poll(); ok; v, ok = in.queue.Poll() {
		pending.Discard(in.c.discard, v)
	}
}

func (in *combineSource[T]) OnSubscribe(up reactor.Subscription) {
	if in.link.Set(up) {
		in.link.Request(in.c.prefetch)
	}
}

func (in *combineSource[T]) OnNext(v T) {
	c := in.c
	switch {
	case in.ended:
		reactor.DropNext(c.out.Context(), v)
	case c.out.Stopped():
		pending.Discard(c.discard, v)
	case !in.queue.Offer(v):
		in.overflow(v)
	default:
		in.any = true
		c.order.Offer(in.number)
		c.out.Run()
	}
}

// overflow fails the stream because the source has sent more than it was asked for.
func (in *combineSource[T]) overflow(v T) {
	c := in.c
	in.ended = true
	var err error = reactor.Failure("combineLatest", reactor.ErrOverflow, "a source sent more than the %d elements it was asked for", c.prefetch)
	failure.InTurn( // each may end the goroutine
		in.link.Cancel,
		func() { err = reactor.OperatorError(c.out.Context(), err, v) },
		func() { pending.Discard(c.discard, v) },
		func() { c.fail(err) },
	)
}

func (in *combineSource[T]) OnError(err error) {
	if in.ended {
		reactor.DropError(in.c.out.Context(), err)
		return
	}
	in.ended = true
	in.c.fail(err)
}

func (in *combineSource[T]) OnComplete() {
	if in.ended {
		return
	}
	in.ended = true
	if !in.any {
		in.c.out.Complete() // what waits, and what the others go on to send, makes no tuple
		return
	}
	if in.c.completed.Add(1) == in.c.size {
		in.c.out.End(nil)
	}
}
