package unicast

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// Publisher passes on what is put into it to one subscriber.
//
// Next, Complete and Error belong to the producer, who makes one call at a time.
// Everything else may be called by anybody. The zero value needs [Publisher.Init].
type Publisher[T any] struct {
	protocol.Op
	op       string          // for errors
	made     context.Context // given to Init; its hooks get what is discarded before there is a subscriber
	queue    queue.Queue[T]  // offered to by the producer, polled by the owner of drain
	owner    Owner           // nil if nobody wants to know
	producer Producer        // owner, if it is one

	phase atomic.Uint32 // how far the subscription has come
	// Written before phase is known, read after.
	ctx  context.Context       // of the subscriber
	down reactor.Subscriber[T] // touched by the owner of drain from then on; nil at the end (§3.13)
	protocol.LoopSender[T]

	err       error       // written by the producer before done, taken by the owner of drain
	done      atomic.Bool // the producer has ended
	cancelled atomic.Bool
	stop      atomic.Pointer[error] // what Stop was called with; written before cancelled
	released  atomic.Bool           // owner was told of the end
	refused   pending.Unwanted[T]   // touched by the producer
	demand    atomic.Int64
	drain     protocol.Drain

	// What follows belongs to the owner of drain.
	over bool // the end was delivered, or nobody wants anything any more
	told bool // the subscriber was told of the end
	// straight says that an element goes down at once: the subscriber is there and has asked for all there is.
	// Who gets the drain finds nothing waiting then, and no end: each pass takes everything.
	straight bool
	only     bool  // nobody else hears of err; written by the producer before done
	sent     int64 // elements that delivered was not called for yet, that in flight included
}

const (
	phaseOpen      = iota // no subscriber yet
	phaseAbandoned        // nor will there be one
	phaseClaimed          // there is one, the next is refused
	phaseKnown            // it is called OnSubscribe on
	phaseLive             // it gets what there is
)

// Owner is told what becomes of a [Publisher].
type Owner interface {
	// Released is called once: at the end, or when the subscriber cancels or fails,
	// before the goroutine that does so delivers the end or discards what waits.
	// Another goroutine that requests or drains may do so meanwhile.
	Released(cancelled bool)
}

// Producer is an [Owner] that produces on demand.
type Producer interface {
	Owner
	// Delivered is called when n elements have gone down, also after Released.
	Delivered(n int64)
	// Passed is Delivered(1) for an element that has gone down within Next: on the
	// goroutine of the producer, who has not come back from there.
	Passed()
	// Lost is called when the subscriber has cancelled or failed, for n elements
	// that were accepted and that Delivered was not called for. It may be called
	// several times.
	//
	// Neither overlaps with itself or the other.
	Lost(n int64)
}

// Result says what has become of a signal.
type Result uint8

// The results.
const (
	OK           Result = iota // accepted: it will be delivered, or discarded at a cancellation
	Terminated                 // refused: the producer has ended before
	Cancelled                  // refused: the subscriber has cancelled
	Overflow                   // refused: no room for the element
	NoSubscriber               // refused: no room, and nobody yet who could make some
)

// New returns a Publisher; see [Publisher.Init].
func New[T any](op string, ctx context.Context, q queue.Queue[T], owner Owner) *Publisher[T] {
	p := &Publisher[T]{}
	p.Init(op, ctx, q, owner)
	return p
}

// Init prepares p. Errors name the operator op. Until there is a subscriber the
// hooks of ctx get what is discarded. The size of q is how much may wait. A nil
// owner means none.
func (p *Publisher[T]) Init(op string, ctx context.Context, q queue.Queue[T], owner Owner) {
	p.op, p.made, p.queue, p.owner = op, ctx, q, owner
	p.producer, _ = owner.(Producer)
}

// Subscribe makes s the subscriber, or fails it with reactor.ErrIllegalState if there
// was one before.
func (p *Publisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	if !p.phase.CompareAndSwap(phaseOpen, phaseClaimed) {
		if p.phase.Load() == phaseAbandoned {
			protocol.Fail(down, reactor.Failure(p.op, reactor.ErrCancelled, "given up before it was subscribed"))
		} else {
			protocol.Fail(down, reactor.Failure(p.op, reactor.ErrIllegalState, "only one subscriber is allowed, this is another one"))
		}
		return
	}
	p.ctx, p.down = ctx, down
	p.PushDown = protocol.Push(down)
	chaos.Yield()
	p.phase.Store(phaseKnown)
	defer func() { // also if downstream ends the goroutine
		p.phase.Store(phaseLive)
		p.drain.Run(p)
	}()
	down.OnSubscribe(p)
}

// Subscribers returns 1 from the subscription to its end, else 0.
func (p *Publisher[T]) Subscribers() int {
	if p.phase.Load() < phaseKnown || p.cancelled.Load() || p.done.Load() && p.queue.IsEmpty() {
		return 0
	}
	return 1
}

// Context returns the context of the subscriber. As long as there is none, it returns the one
// that was given to Init.
func (p *Publisher[T]) Context() context.Context {
	if p.phase.Load() < phaseKnown {
		return p.made
	}
	return p.ctx
}

// IsCancelled reports whether the subscriber has cancelled or failed.
func (p *Publisher[T]) IsCancelled() bool { return p.cancelled.Load() }

// IsTerminated reports whether the producer has ended.
func (p *Publisher[T]) IsTerminated() bool { return p.done.Load() }

// Next sends an element. It is the caller's again unless the result is OK.
func (p *Publisher[T]) Next(v T) Result {
	entered := p.drain.TryEnter()
	if entered && p.straight {
		chaos.Yield()
		if p.direct(v) {
			p.drain.Leave(p)
		}
		return OK
	}
	return p.next(v, entered)
}

// Pass is Next for a producer that counts for itself what goes straight down. It reports whether v has arrived
// that way: then the producer counts it, and Passed of [Producer] is not called. That is never so for the first
// element of p. If the subscriber fails with v it has not passed, and Lost has been called for it.
func (p *Publisher[T]) Pass(v T) (passed bool, r Result) {
	entered := p.drain.TryEnter()
	if entered && p.straight {
		chaos.Yield()
		if passed = p.guarded(v); passed {
			p.drain.Leave(p)
		}
		return passed, OK
	}
	return false, p.next(v, entered)
}

// guarded sends v down on behalf of a producer that has entered the drain. If downstream fails it leaves the
// drain and reports false.
func (p *Publisher[T]) guarded(v T) (ok bool) {
	defer func() {
		if !ok {
			p.drain.Fell(p, recover())
		}
	}()
	p.emit(v)
	p.sent = 0
	return true
}

// next is Next where there is more to look at. entered says that the drain is the caller's.
func (p *Publisher[T]) next(v T, entered bool) Result {
	switch {
	case p.done.Load():
		if entered {
			p.drain.Leave(p)
		}
		return Terminated
	case p.cancelled.Load():
		if entered {
			p.drain.Leave(p)
		}
		return Cancelled
	case entered:
		if p.demand.Load() > 0 && p.phase.Load() == phaseLive && p.queue.IsEmpty() && !p.over {
			if p.direct(v) {
				p.drain.Leave(p)
			}
			return OK
		}
		if p.queue.Offer(v) { // before the pass, which a Goexit may end
			p.drain.Loop(p)
			return OK
		}
		if p.drain.Leave(p); p.done.Load() { // an emission from within what that has delivered was the end
			return Terminated
		}
	}
	if !p.queue.Offer(v) {
		if p.phase.Load() < phaseKnown {
			return NoSubscriber
		}
		return Overflow
	}
	chaos.Yield()
	p.drain.Run(p)
	return OK
}

// Send is Next for a producer whose elements are discarded when they are not wanted:
// after a cancellation, and also if there is no room, which fails the stream. After
// the end they are reported as dropped.
func (p *Publisher[T]) Send(v T) {
	switch p.Next(v) {
	case Terminated:
		reactor.DropNext(p.Context(), v)
	case Cancelled:
		p.refused.Discard(p.Context(), v)
	case Overflow, NoSubscriber:
		err := reactor.OperatorError(p.Context(), reactor.Failure(p.op, reactor.ErrOverflow, "no room for an element"), v)
		reactor.Discard(p.Context(), v)
		p.Error(err)
	}
}

// direct sends v down on behalf of a producer that has entered the drain, and guards
// that. If downstream fails it leaves the drain and reports false.
func (p *Publisher[T]) direct(v T) (ok bool) {
	defer func() {
		if !ok {
			p.drain.Fell(p, recover())
		}
	}()
	p.emit(v)
	p.sent = 0
	if !p.straight && p.demand.Load() != reactor.Unbounded {
		demand.Produced(&p.demand, 1)
	}
	if p.producer != nil {
		p.producer.Passed()
	}
	return true
}

// emit sends v down. Owner of the drain, as are all below that do not say otherwise.
func (p *Publisher[T]) emit(v T) {
	p.sent++ // also if in vain
	p.InFlight.Send(p.PushDown, v)
}

// delivered accounts for what was sent.
func (p *Publisher[T]) delivered() {
	n := p.sent
	p.sent = 0
	if n == 0 {
		return
	}
	if p.demand.Load() != reactor.Unbounded {
		demand.Produced(&p.demand, n)
	}
	if p.producer != nil {
		p.producer.Delivered(n)
	}
}

// Complete ends the stream behind what waits.
func (p *Publisher[T]) Complete() Result { return p.End(nil) }

// Error ends the stream with err behind what waits.
func (p *Publisher[T]) Error(err error) Result { return p.End(reactor.NonNil(err)) }

// End is Error, or Complete if err is nil.
func (p *Publisher[T]) End(err error) Result {
	switch {
	case p.done.Load():
		return Terminated
	case p.cancelled.Load():
		return Cancelled
	}
	p.err = err
	chaos.Yield()
	p.done.Store(true)
	defer p.drain.Run(p) // also if the owner ends the goroutine; so in Cancel
	p.release(false)
	return OK
}

// EndOnly is End for an error that nobody hears of but the subscriber: should that cancel before it has got the error,
// with no element waiting before it, the error is reported as dropped.
func (p *Publisher[T]) EndOnly(err error) Result {
	if p.done.Load() {
		return Terminated
	}
	p.only = err != nil
	return p.End(err)
}

// Request adds to the demand of the subscriber.
func (p *Publisher[T]) Request(n int64) {
	demand.Add(&p.demand, n)
	p.drain.Run(p)
}

// Abandon takes the place of a subscriber that cancels, unless there is one, and
// reports whether it did: for the maker whose publisher nobody will get to see.
func (p *Publisher[T]) Abandon() bool {
	if !p.phase.CompareAndSwap(phaseOpen, phaseAbandoned) {
		return false
	}
	p.Cancel()
	return true
}

// IsAbandoned reports whether Abandon was called in time.
func (p *Publisher[T]) IsAbandoned() bool { return p.phase.Load() == phaseAbandoned }

// Cancel discards what waits and what comes. It is the subscriber's.
func (p *Publisher[T]) Cancel() {
	if p.cancelled.Swap(true) {
		return
	}
	chaos.Yield()
	defer p.drain.Run(p)
	p.release(true)
}

// Stop ends the stream with err at once, from any goroutine: what waits is discarded.
// The producer takes it for a cancellation. Whoever subscribes later gets err, too.
func (p *Publisher[T]) Stop(err error) {
	p.stop.CompareAndSwap(nil, &err)
	chaos.Yield()
	p.Cancel()
}

// IsUnread reports whether elements wait and nobody has subscribed.
func (p *Publisher[T]) IsUnread() bool {
	return p.phase.Load() == phaseOpen && !p.queue.IsEmpty()
}

// IsHeldBack reports whether elements wait for the subscriber.
func (p *Publisher[T]) IsHeldBack() bool {
	return p.phase.Load() >= phaseClaimed && !p.queue.IsEmpty()
}

func (p *Publisher[T]) release(cancelled bool) {
	if p.owner != nil && !p.released.Swap(true) {
		p.owner.Released(cancelled)
	}
}

// DrainPass implements protocol.Drainer.
func (p *Publisher[T]) DrainPass() {
	for asked := p.demand.Load(); ; {
		if p.over || p.cancelled.Load() {
			p.clear()
			return
		}
		if p.phase.Load() != phaseLive {
			return
		}
		done := p.done.Load() // before the look at the queue
		if p.sent == asked {
			if done && p.queue.IsEmpty() {
				p.finish()
			}
			break
		}
		v, ok := p.queue.Poll()
		if !ok {
			if done {
				p.finish()
			} else if asked == reactor.Unbounded {
				p.straight = true
			}
			break
		}
		p.emit(v)
	}
	p.delivered()
}

// finish delivers the end.
func (p *Publisher[T]) finish() {
	p.over, p.told, p.straight, p.only = true, true, false, false
	down, err := p.down, p.err
	p.err = nil // else it would hang on a subscription that somebody keeps
	p.detach()
	protocol.Finish(down, err)
}

// detach empties the references to the subscriber.
func (p *Publisher[T]) detach() {
	p.down = nil
	p.PushDown = nil
}

// clear discards what waits: nobody will get it. It passes on what Stop was called
// with; a subscriber that is not there yet hears of that when it is.
func (p *Publisher[T]) clear() {
	p.over, p.straight = true, false
	var down reactor.Subscriber[T]
	stop := p.stop.Load()
	switch phase := p.phase.Load(); {
	case p.told || phase < phaseKnown:
	case stop == nil:
		p.told = true
		p.detach()
	case phase == phaseLive:
		p.told = true
		down = p.down
		p.detach()
	}
	n := p.sent
	p.sent = 0
	ended := p.done.Load() // before the look at the queue
	unheard := ended && p.only && p.queue.IsEmpty()
	for v, ok := p.queue.Poll(); ok; v, ok = p.queue.Poll() {
		reactor.Discard(p.Context(), v)
		n++
	}
	var err error
	if ended {
		p.only = false
		err, p.err = p.err, nil
	}
	if unheard {
		reactor.DropError(p.Context(), err)
	}
	if n > 0 && p.producer != nil && p.cancelled.Load() {
		p.producer.Lost(n)
	}
	if down != nil {
		down.OnError(*stop)
	}
}

// Downstream implements protocol.Fallible.
func (p *Publisher[T]) Downstream() (context.Context, protocol.Signals, bool) {
	return p.ctx, p.down, p.over
}

// Fell implements protocol.Fallible.
func (p *Publisher[T]) Fell(err error) error {
	p.told = true
	p.cancelled.Store(true)
	defer p.detach() // also if a function that hears of what follows ends the goroutine; so clear
	defer p.clear()
	p.release(true)
	return err
}
