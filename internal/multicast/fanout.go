package multicast

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// Fanout delivers what its producer offers to all subscribers, each element to all of
// them before the next, as far as the one with the least demand allows. What cannot be
// delivered yet waits in a queue.
//
// The exported fields are set before the Fanout is used.
type Fanout[T any] struct {
	// Queue holds what waits: offered to by the producer, polled by the owner of turn.
	Queue queue.Queue[T]
	// Consumed is called with the number of elements that were taken out of the queue,
	// by the owner of turn. nil: nobody asks.
	Consumed func(n int64)
	// Batch returns the largest number that Consumed shall be called with, which is
	// positive. nil: any.
	Batch func() int64
	// Closing is called once, before the subscribers hear of the end. nil: nothing.
	Closing func()
	// DiscardEarly discards elements that come before anybody has ever subscribed.
	DiscardEarly bool
	// Patient makes the end wait until somebody is there to hear of it.
	Patient bool
	// AutoCancel stops the Fanout when its last subscriber has left.
	AutoCancel bool

	set    Set[*Member[T]]
	turn   protocol.Turn
	own    atomic.Pointer[context.Context] // set by SetContext; nil: latest
	latest atomic.Pointer[context.Context] // of the subscriber that has come or left last, which is not kept itself (§3.13)

	err     error                      // of the end; written by the producer before done is set
	done    atomic.Bool                // the producer has ended
	stopped atomic.Pointer[fanoutStop] // from outside

	// What follows belongs to the owner of turn.
	over      bool         // the end was delivered
	members   []*Member[T] // who gets inFlight, or the end; nil between passes
	unbounded bool         // all members have asked for everything
	at        int          // members before it have got it
	inFlight  T            // on its way to members
	sending   bool         // inFlight is an element
	reached   bool         // somebody has got inFlight
	failed    *Member[T]   // the latest of those who have failed on it
	emitted   int64        // elements taken for members so far
	failure   error        // of the end that members get
}

// fanoutStop says what subscribers hear when the Fanout is stopped: nothing if err is nil.
type fanoutStop struct{ err error }

// SetContext makes ctx the one whose hooks take what nobody gets. Without a call, that is the
// context of the subscriber that has come or left last.
func (h *Fanout[T]) SetContext(ctx context.Context) { h.own.Store(&ctx) }

// Offer takes an element of the producer, or reports false if there is no room for it.
func (h *Fanout[T]) Offer(v T) bool {
	if h.Queue.IsEmpty() && h.turn.TryEnter() {
		ok := h.tryTake(v) || h.Queue.Offer(v)
		h.turn.Loop(h)
		return ok
	}
	if !h.Queue.Offer(v) {
		return false
	}
	h.turn.Run(h)
	return true
}

// tryTake takes v for the pass that follows, or reports false because it has to wait. The
// caller owns turn, and nothing waits.
func (h *Fanout[T]) tryTake(v T) bool {
	who := h.set.load()
	if len(who.members) == 0 || h.over || h.interrupted(who) || h.room(who) <= 0 {
		return false
	}
	h.begin(who)
	h.take(v)
	return true
}

// End takes the end of the producer, nil for completion. An error is delivered at once,
// completion after everything that waits.
func (h *Fanout[T]) End(err error) {
	h.err = err
	chaos.Yield()
	h.done.Store(true)
	h.turn.Run(h)
}

// Ended reports whether the producer has ended.
func (h *Fanout[T]) Ended() bool { return h.done.Load() }

// Err returns the error with which the producer has ended, nil if there is none.
func (h *Fanout[T]) Err() error {
	if h.done.Load() {
		return h.err
	}
	return nil
}

// Stop ends everything at once, from any goroutine: what waits is discarded and the
// subscribers get err; with a nil err, nothing. It reports whether this call was the
// first.
func (h *Fanout[T]) Stop(err error) bool {
	if !h.stopped.CompareAndSwap(nil, &fanoutStop{err}) {
		return false
	}
	h.turn.Run(h)
	return true
}

// Stopped reports whether Stop was called.
func (h *Fanout[T]) Stopped() bool { return h.stopped.Load() != nil }

// Subscribers returns the number of subscribers.
func (h *Fanout[T]) Subscribers() int { return h.set.Len() }

// Closed reports whether the end was delivered: subscribers are not taken any more.
func (h *Fanout[T]) Closed() bool { return h.set.IsClosed() }

// Add makes s, which has got its subscription, a subscriber, or reports false because
// the end was delivered already.
func (h *Fanout[T]) Add(s *Member[T]) bool {
	if s.cancelled.Load() {
		return true
	}
	if s.push == nil {
		s.push = protocol.PushGuarded(s.down)
	}
	s.fanout.Store(h) // before an element comes: an end from elsewhere must not miss it
	chaos.Yield()
	if !h.set.Add(s) {
		return false
	}
	h.remember(s)
	chaos.Yield()
	if s.cancelled.Load() {
		h.leave(s)
	}
	h.turn.Run(h)
	return true
}

// remember keeps the context of s.
func (h *Fanout[T]) remember(s *Member[T]) {
	ctx := s.ctx
	h.latest.Store(&ctx)
}

// leave takes s out.
func (h *Fanout[T]) leave(s *Member[T]) {
	var removed, last bool
	if h.AutoCancel {
		removed, last = h.set.RemoveAndClose(s)
	} else {
		removed = h.set.Remove(s)
	}
	if !removed {
		return
	}
	h.remember(s)
	if last {
		h.stopped.CompareAndSwap(nil, &fanoutStop{})
	}
}

// DrainPass implements protocol.Drainer.
func (h *Fanout[T]) DrainPass() {
	if h.members != nil {
		h.resume()
	}
	// An empty queue is looked at first: a list of the members is not made for those who
	// only come and go.
	for !h.ended() && !h.Queue.IsEmpty() {
		who := h.set.load()
		if len(who.members) == 0 {
			if !h.DiscardEarly || !who.unused || !h.discardOne() {
				return
			}
			continue
		}
		room := h.room(who)
		if room <= 0 {
			return
		}
		if h.Batch != nil {
			room = min(room, h.Batch())
		}
		h.batch(who, room)
	}
}

// room returns how many elements all members of who have asked for, -1 if none of them is
// interested any more.
func (h *Fanout[T]) room(who *roster[*Member[T]]) int64 {
	if who.unbounded {
		return reactor.Unbounded
	}
	room := int64(-1)
	for _, s := range who.members {
		if s.cancelled.Load() {
			continue
		}
		if n := s.demand.Load(); room < 0 || n < room {
			room = n
		}
	}
	who.unbounded = room == reactor.Unbounded
	return room
}

// batch delivers up to room elements to the members of who, as long as they are the
// members.
func (h *Fanout[T]) batch(who *roster[*Member[T]], room int64) {
	h.begin(who)
	for h.emitted < room && !h.interrupted(who) {
		v, ok := h.Queue.Poll()
		if !ok {
			break
		}
		h.take(v)
		h.serve()
	}
	h.settle()
}

// begin makes the members of who those who get what is taken.
func (h *Fanout[T]) begin(who *roster[*Member[T]]) {
	h.members, h.unbounded, h.emitted = who.members, who.unbounded, 0
}

// take makes v the element in flight.
func (h *Fanout[T]) take(v T) {
	h.inFlight, h.sending, h.at, h.reached = v, true, 0, false
	h.emitted++
}

// interrupted reports whether there is something that comes before the next element.
func (h *Fanout[T]) interrupted(who *roster[*Member[T]]) bool {
	return h.set.load() != who || h.stopped.Load() != nil || h.done.Load() && h.err != nil
}

// serve sends the element in flight to those who have not got it.
func (h *Fanout[T]) serve() {
	for h.at < len(h.members) {
		s := h.members[h.at]
		h.at++
		if !s.cancelled.Load() {
			h.reached = true
			s.push(h.inFlight)
		}
	}
	v := h.inFlight
	h.inFlight, h.sending, h.failed = *new(T), false, nil
	if !h.reached {
		h.discard(v)
	}
}

// settle takes what was delivered off everybody's demand and asks for more.
func (h *Fanout[T]) settle() {
	members, n := h.members, h.emitted
	h.members, h.emitted = nil, 0
	if n == 0 {
		return
	}
	if !h.unbounded {
		for _, s := range members {
			demand.Produced(&s.demand, n)
		}
	}
	if h.Consumed != nil {
		h.Consumed(n)
	}
}

// resume goes on where a subscriber failed.
func (h *Fanout[T]) resume() {
	if h.over {
		h.tell()
		return
	}
	h.serve()
	h.settle()
}

// discardOne discards the oldest element, which nobody is there for.
func (h *Fanout[T]) discardOne() bool {
	v, ok := h.Queue.Poll()
	if !ok {
		return false
	}
	h.discard(v)
	if h.Consumed != nil {
		h.Consumed(1)
	}
	return true
}

// ended reports whether nothing more is to be delivered, and delivers the end if it is
// time.
func (h *Fanout[T]) ended() bool {
	if h.over {
		h.clear()
		return true
	}
	if stop := h.stopped.Load(); stop != nil {
		h.finish(stop.err, stop.err == nil)
		return true
	}
	if !h.done.Load() || h.err == nil && !h.Queue.IsEmpty() || h.Patient && h.set.Len() == 0 {
		return false
	}
	h.finish(h.err, false)
	return true
}

func (h *Fanout[T]) finish(err error, silent bool) {
	h.over = true
	if h.Closing != nil {
		h.Closing()
	}
	h.clear()
	members := h.set.Close()
	if silent || len(members) == 0 {
		return
	}
	h.members, h.at, h.failure = members, 0, err
	h.tell()
}

// tell hands the end to those who have not got it.
func (h *Fanout[T]) tell() {
	for h.at < len(h.members) {
		s := h.members[h.at]
		h.at++
		gone := s.cancelled.Swap(true)
		switch {
		case gone && h.failure != nil:
			// It has left since the end came, perhaps because of what another
			// subscriber made of the same error.
			reactor.DropError(s.ctx, h.failure)
		case gone:
		case h.failure != nil:
			s.down.OnError(h.failure)
		default:
			s.down.OnComplete()
		}
	}
	h.members = nil
}

func (h *Fanout[T]) clear() {
	for v, ok := h.Queue.Poll(); ok; v, ok = h.Queue.Poll() {
		h.discard(v)
	}
}

// DrainCrashed implements protocol.Drainer: the subscriber that was served last failed.
func (h *Fanout[T]) DrainCrashed(_ protocol.Drainer, err error) {
	if h.members == nil || h.at == 0 {
		reactor.DropError(h.Context(), err)
		return
	}
	s := h.members[h.at-1]
	if !h.sending {
		reactor.DropError(s.ctx, err)
		return
	}
	if h.failed == s {
		reactor.DropError(s.ctx, err) // its function that hears of the failure has ended the goroutine
		return
	}
	h.failed = s
	s.cancelled.Store(true)
	h.leave(s)
	protocol.Crash(s.ctx, s.down, err, h.inFlight)
}

func (h *Fanout[T]) discard(v T) { reactor.Discard(h.Context(), v) }

// Context returns the context whose hooks take what nobody gets.
func (h *Fanout[T]) Context() context.Context {
	if ctx := h.own.Load(); ctx != nil {
		return *ctx
	}
	if ctx := h.latest.Load(); ctx != nil {
		return *ctx
	}
	return context.Background()
}

// Member is one subscriber of a Fanout, and its subscription.
type Member[T any] struct {
	ctx       context.Context
	down      reactor.Subscriber[T]
	push      func(T)                   // hands elements to down; taken when it has got its subscription
	fanout    atomic.Pointer[Fanout[T]] // nil until it is added, and if it is refused
	demand    atomic.Int64
	cancelled atomic.Bool // or ended
}

// NewMember returns the subscription for down, which is to be handed to it before Add.
func NewMember[T any](ctx context.Context, down reactor.Subscriber[T]) *Member[T] {
	return &Member[T]{ctx: ctx, down: down}
}

// IsCancelled reports whether the subscriber has cancelled or the stream has ended.
func (s *Member[T]) IsCancelled() bool { return s.cancelled.Load() }

// Request adds to the demand.
func (s *Member[T]) Request(n int64) {
	demand.Add(&s.demand, n)
	chaos.Yield()
	if h := s.fanout.Load(); h != nil && !s.cancelled.Load() {
		h.turn.Run(h)
	}
}

// Cancel leaves the Fanout.
func (s *Member[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	chaos.Yield()
	if h := s.fanout.Load(); h != nil {
		h.leave(s)
		h.turn.Run(h)
	}
}

// Host returns itself.
func (s *Member[T]) Host() protocol.Host { return s }

// Tell implements protocol.Host.
func (s *Member[T]) Tell(h *protocol.Half) {
	if f := s.fanout.Load(); f != nil {
		f.turn.Tell(h)
		return
	}
	new(protocol.Turn).Tell(h) // nobody delivers anything to it
}

// End tells a subscriber that Add has refused about the end of the Fanout.
func (s *Member[T]) End(err error) {
	switch {
	case s.cancelled.Swap(true):
	case err != nil:
		s.down.OnError(err)
	default:
		s.down.OnComplete()
	}
}
