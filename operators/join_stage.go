package operators

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// joinChunk is how many events the queue of a joinStage grows by.
const joinChunk = 32

// joinStage is the subscription of join and groupJoin: it brings the elements of two
// sources, and the ends of their lifetimes, into one order. What an element means is up
// to the pairing.
type joinStage[L, R, O any] struct {
	protocol.LoopSender[O]
	op       string
	ctx      context.Context
	down     reactor.Subscriber[O]
	discard  func(any) // nil if nobody wants what is discarded
	pairing  pairing[L, R]
	leftEnd  triggerFor[L]
	rightEnd triggerFor[R]
	left     joinSource[L]
	right    joinSource[R]

	events    *queue.MPSC[joinEvent[L, R]]
	running   atomic.Int32 // sources that have not ended
	requested atomic.Int64
	failures  failure.List
	cancelled atomic.Bool
	stop      atomic.Bool // nothing is to be paired any more: cancelled, failed, or ended
	drain     protocol.Drain

	// Touched by the owner of the drain only.
	over   bool // the end was sent, or downstream has gone
	lefts  joinElements[L]
	rights joinElements[R]
}

// pairing is the part that makes a joinStage a join or a groupJoin. Its methods are
// called by the owner of the drain.
type pairing[L, R any] interface {
	// leftCame is called when the lifetime of the element has begun.
	leftCame(l *joinElement[L])
	// rightCame likewise.
	rightCame(r *joinElement[R])
	// leftGone is called when the lifetime has ended, or, with the end of the
	// stream, when all end; err is nil unless that is an error.
	leftGone(l *joinElement[L], err error)
}

const (
	leftCame = iota
	rightCame
	leftGone
	rightGone
)

// joinEvent is an element that came or whose lifetime has ended.
type joinEvent[L, R any] struct {
	kind  uint8
	left  L
	right R
	l     *joinElement[L]
	r     *joinElement[R]
}

// subscribe starts the sources. The caller has set op, ctx, down, pairing, leftEnd and
// rightEnd.
func (c *joinStage[L, R, O]) subscribe(left reactor.Publisher[L], right reactor.Publisher[R]) {
	c.PushDown = protocol.Push(c.down)
	c.discard = reactor.DiscardHookFor[L](c.ctx)
	c.events = queue.NewMPSC[joinEvent[L, R]](joinChunk)
	c.running.Store(2)
	c.left = joinSource[L]{to: c, next: func(v L) { c.announce(joinEvent[L, R]{kind: leftCame, left: v}) }}
	c.right = joinSource[R]{to: c, next: func(v R) { c.announce(joinEvent[L, R]{kind: rightCame, right: v}) }}
	defer failure.InTurn(func() { left.Subscribe(c.ctx, &c.left) }, func() { right.Subscribe(c.ctx, &c.right) }) // also if downstream ends the goroutine
	c.down.OnSubscribe(c)
}

func (c *joinStage[L, R, O]) announce(e joinEvent[L, R]) {
	c.events.Offer(e)
	c.drain.Run(c)
}

// failed ends the stream because of a source, or the end of a lifetime.
func (c *joinStage[L, R, O]) failed(_ int64, err error) {
	if c.cancelled.Load() || !c.failures.Add(err) {
		reactor.DropError(c.ctx, err)
		return
	}
	c.stop.Store(true)
	c.drain.Run(c)
}

// completed counts a source that has ended.
func (c *joinStage[L, R, O]) completed() {
	if c.running.Add(-1) == 0 {
		c.drain.Run(c)
	}
}

// isStopped and drop are for the sources.
func (c *joinStage[L, R, O]) isStopped() bool { return c.stop.Load() }

func (c *joinStage[L, R, O]) drop(v any) { pending.Discard(c.discard, v) }

func (c *joinStage[L, R, O]) dropLate(v any) { reactor.DropNext(c.ctx, v) }

func (c *joinStage[L, R, O]) dropError(err error) { reactor.DropError(c.ctx, err) }

// Request adds demand. What makes a pair without demand fails the stream, so nothing
// waits for it.
func (c *joinStage[L, R, O]) Request(n int64) { demand.Add(&c.requested, n) }

func (c *joinStage[L, R, O]) Cancel() {
	if c.cancelled.Swap(true) {
		return
	}
	c.stop.Store(true)
	failure.InTurn(c.left.link.Cancel, c.right.link.Cancel, func() { c.drain.Run(c) }) // each may end the goroutine
}

// DrainPass implements protocol.Drainer.
func (c *joinStage[L, R, O]) DrainPass() {
	if c.over {
		c.clear()
		return
	}
	for !c.stopped() {
		// Before the look into the queue: elements come before the end.
		ended := c.running.Load() == 0
		e, ok := c.events.Poll()
		if !ok {
			if ended {
				defer c.down.OnComplete() // see close
				c.close(nil)
			}
			return
		}
		switch e.kind {
		case leftCame:
			l := &joinElement[L]{value: e.left, to: c, gone: c.leftEnded}
			c.lefts.add(l)
			c.leftEnd(e.left)(c.ctx, l, 0, &l.handle)
			if !c.stopped() {
				c.pairing.leftCame(l)
			}
		case rightCame:
			r := &joinElement[R]{value: e.right, to: c, gone: c.rightEnded}
			c.rights.add(r)
			c.rightEnd(e.right)(c.ctx, r, 0, &r.handle)
			if !c.stopped() {
				c.pairing.rightCame(r)
			}
		case leftGone:
			c.lefts.remove(e.l)
			c.pairing.leftGone(e.l, nil)
			e.l.release(c.discard)
		case rightGone:
			c.rights.remove(e.r)
			e.r.release(c.discard)
		}
	}
}

func (c *joinStage[L, R, O]) leftEnded(l *joinElement[L]) {
	c.announce(joinEvent[L, R]{kind: leftGone, l: l})
}

func (c *joinStage[L, R, O]) rightEnded(r *joinElement[R]) {
	c.announce(joinEvent[L, R]{kind: rightGone, r: r})
}

// produced takes n from the demand. Owner of the drain, as are all below.
func (c *joinStage[L, R, O]) produced(n int64) {
	if n > 0 {
		demand.Produced(&c.requested, n)
	}
}

// overflow ends the stream because there is no demand for v.
func (c *joinStage[L, R, O]) overflow(v O) {
	err := reactor.OperatorError(c.ctx, reactor.Failure(c.op, reactor.ErrOverflow, "no demand for what was combined"), v)
	pending.Discard(c.discard, v)
	if c.failures.Add(err) {
		c.stop.Store(true)
	}
	c.stopped()
}

// stopped reports whether downstream has cancelled or something has failed, and ends
// the stream if so.
func (c *joinStage[L, R, O]) stopped() bool {
	switch {
	case c.over:
	case !c.stop.Load():
		return false
	case c.cancelled.Load():
		c.close(reactor.Failure(c.op, reactor.ErrCancelled, "the stream was cancelled"))
	default:
		err := c.failures.Terminate()
		defer c.down.OnError(err) // see close
		c.close(err)
	}
	return true
}

// close cancels everything and discards what was never paired. err ends the stream; nil
// means completion.
func (c *joinStage[L, R, O]) close(err error) {
	c.over = true
	c.stop.Store(true)
	failure.InTurn(c.dropFailures, c.left.link.Cancel, c.right.link.Cancel, func() { c.release(err) }) // each may end the goroutine
}

// dropFailures reports the failures as dropped that nobody will get any more.
func (c *joinStage[L, R, O]) dropFailures() {
	if err := c.failures.Terminate(); err != nil {
		reactor.DropError(c.ctx, err)
	}
}

func (c *joinStage[L, R, O]) release(err error) {
	defer c.clear() // also if a function that hears of a cancellation ends the goroutine, as below
	defer failure.Persist(math.MaxInt, func(int) bool { return c.releaseRight() })
	failure.Persist(math.MaxInt, func(int) bool { return c.releaseLeft(err) })
}

// releaseLeft releases the first element of the left source, if there is one.
func (c *joinStage[L, R, O]) releaseLeft(err error) bool {
	l := c.lefts.first
	if l == nil {
		return false
	}
	c.lefts.remove(l)
	defer l.release(c.discard)
	defer c.pairing.leftGone(l, err)
	l.handle.Dispose()
	return true
}

// releaseRight does the same for the right one.
func (c *joinStage[L, R, O]) releaseRight() bool {
	r := c.rights.first
	if r == nil {
		return false
	}
	c.rights.remove(r)
	defer r.release(c.discard)
	r.handle.Dispose()
	return true
}

// clear discards the elements that wait.
func (c *joinStage[L, R, O]) clear() {
	for e, ok := c.events.Poll(); ok; e, ok = c.events.Poll() {
		switch e.kind {
		case leftCame:
			pending.Discard(c.discard, e.left)
		case rightCame:
			pending.Discard(c.discard, e.right)
		}
	}
}

// Downstream implements protocol.Fallible.
func (c *joinStage[L, R, O]) Downstream() (context.Context, protocol.Signals, bool) {
	return c.ctx, c.down, c.over
}

// Fell implements protocol.Fallible: a function or downstream has failed.
func (c *joinStage[L, R, O]) Fell(err error) error {
	if !c.over {
		c.close(err)
	}
	return err
}

// joinParent is a [joinStage] of any type, as its sources and elements see it.
type joinParent interface {
	failed(id int64, err error)
	completed()
	isStopped() bool
	drop(v any)
	dropLate(v any)
	dropError(err error)
}

// joinSource is the subscriber of one source.
type joinSource[T any] struct {
	protocol.Inner
	to   joinParent
	next func(T)
	link protocol.Deferred
	done bool // touched by the signals of the source only
}

func (s *joinSource[T]) OnSubscribe(up reactor.Subscription) {
	if s.link.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (s *joinSource[T]) OnNext(v T) {
	switch {
	case s.done:
		s.to.dropLate(v)
	case s.to.isStopped():
		s.to.drop(v)
	default:
		s.next(v)
	}
}

func (s *joinSource[T]) OnError(err error) {
	if s.done {
		s.to.dropError(err)
		return
	}
	s.done = true
	s.to.failed(0, err)
}

func (s *joinSource[T]) OnComplete() {
	if !s.done {
		s.done = true
		s.link.Close()
		s.to.completed()
	}
}

// joinElement is an element from when it came until the publisher that was made for it
// sends something or completes.
type joinElement[T any] struct {
	value      T
	used       bool // whether it was paired; owner of the drain
	to         joinParent
	gone       func(*joinElement[T])
	handle     protocol.Handle // on the publisher
	prev, next *joinElement[T] // owner of the drain
	linked     bool            // whether it is in the list; owner of the drain
}

// fired implements triggered.
func (l *joinElement[T]) fired(int64) { l.gone(l) }

// failed implements triggered.
func (l *joinElement[T]) failed(id int64, err error) { l.to.failed(id, err) }

// release discards the element if it was never paired.
func (l *joinElement[T]) release(discard func(any)) {
	v := l.value
	l.value = *new(T)
	if !l.used {
		l.used = true
		pending.Discard(discard, v)
	}
}

// joinElements are the elements that are alive, in the order in which they came.
type joinElements[T any] struct{ first, last *joinElement[T] }

func (ls *joinElements[T]) add(l *joinElement[T]) {
	l.linked, l.prev = true, ls.last
	if ls.last == nil {
		ls.first = l
	} else {
		ls.last.next = l
	}
	ls.last = l
}

// remove takes l out, unless l is out already. l keeps its next, so that a loop which is at l
// can go on.
func (ls *joinElements[T]) remove(l *joinElement[T]) {
	if !l.linked {
		return
	}
	l.linked = false
	if l.prev == nil {
		ls.first = l.next
	} else {
		l.prev.next = l.next
	}
	if l.next == nil {
		ls.last = l.prev
	} else {
		l.next.prev = l.prev
	}
}
