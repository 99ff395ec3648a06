package multicast

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/belated"
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
	// Polled is called when an element has left the queue and is not delivered yet, by the
	// owner of turn. nil: nobody waits for that.
	Polled func()
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

	feed    atomic.Pointer[feed[T]]    // the producer that the owner of turn asks; nil: it offers
	err     error                      // of the end; written by the producer before done is set
	done    atomic.Bool                // the producer has ended
	stopped atomic.Pointer[fanoutStop] // from outside

	// What follows belongs to the owner of turn.
	over      bool         // the end was delivered
	unheard   bool         // the producer's error has nobody who hears of it
	short     *Member[T]   // has been seen to ask for nothing; nil: nobody, or it has left
	members   []*Member[T] // who gets inFlight, or the end; nil between passes
	unbounded bool         // all members have asked for everything
	at        int          // members before it have got it
	inFlight  T            // on its way to members
	sending   bool         // inFlight is an element
	reached   bool         // somebody has got inFlight
	failed    *Member[T]   // the latest of those who have failed on it
	emitted   int64        // elements taken for members so far
	outcome   error        // of the end that members get
}

// fanoutStop says what subscribers hear when the Fanout is stopped: nothing if err is nil.
type fanoutStop struct{ err error }

// SetContext makes ctx the one whose hooks take what nobody gets. Without a call, that is the
// context of the subscriber that has come or left last.
func (f *Fanout[T]) SetContext(ctx context.Context) { f.own.Store(&ctx) }

// Offer takes an element of the producer, or reports false if there is no room for it.
func (f *Fanout[T]) Offer(v T) bool {
	if f.Queue.IsEmpty() && f.turn.TryEnter() {
		if f.tryTake(v) {
			f.through()
			return true
		}
		ok := f.Queue.Offer(v)
		f.turn.Loop(f)
		return ok
	}
	if !f.Queue.Offer(v) {
		return false
	}
	f.turn.Run(f)
	return true
}

// tryTake takes v, or reports false because it has to wait. The caller owns turn, and nothing
// waits.
func (f *Fanout[T]) tryTake(v T) bool {
	who := f.set.load()
	if len(who.members) == 0 || f.over || f.stopped.Load() != nil || !who.unbounded && f.room(who) <= 0 {
		return false
	}
	f.begin(who)
	f.take(v)
	return true
}

// through delivers what tryTake has taken, and gives up turn. What has come meanwhile was announced.
func (f *Fanout[T]) through() {
	clean := false
	defer func() {
		if clean {
			f.turn.Leave(f)
		} else {
			f.turn.Resume(f, recover())
		}
	}()
	f.resume()
	clean = true
}

// End takes the end of the producer, nil for completion. An error is delivered at once,
// completion after everything that waits.
func (f *Fanout[T]) End(err error) {
	f.err = err
	chaos.Yield()
	f.done.Store(true)
	f.turn.Run(f)
}

// Ended reports whether the producer has ended.
func (f *Fanout[T]) Ended() bool { return f.done.Load() }

// Err returns the error that those hear who come after the end: that of Stop, or that with which the
// producer has ended; nil if there is none.
func (f *Fanout[T]) Err() error {
	if stop := f.stopped.Load(); stop != nil && stop.err != nil {
		return stop.err
	}
	if f.done.Load() {
		return f.err
	}
	return nil
}

// Stop ends everything at once, from any goroutine: what waits is discarded and the
// subscribers get err; with a nil err, nothing. It reports whether this call was the
// first.
func (f *Fanout[T]) Stop(err error) bool {
	if !f.stopped.CompareAndSwap(nil, &fanoutStop{err}) {
		return false
	}
	f.turn.Run(f)
	return true
}

// Stopped reports whether Stop was called.
func (f *Fanout[T]) Stopped() bool { return f.stopped.Load() != nil }

// Subscribers returns the number of subscribers.
func (f *Fanout[T]) Subscribers() int { return f.set.Len() }

// Closed reports whether the end was delivered: subscribers are not taken any more.
func (f *Fanout[T]) Closed() bool { return f.set.IsClosed() }

// Add makes s, which has got its subscription, a subscriber, or reports false because
// the end was delivered already.
func (f *Fanout[T]) Add(s *Member[T]) bool {
	if s.cancelled.Load() {
		return true
	}
	if s.push == nil {
		s.push = protocol.PushGuarded(s.down)
	}
	s.fanout.Store(f) // before an element comes: an end from elsewhere must not miss it
	chaos.Yield()
	if !f.set.Add(s) {
		return false
	}
	f.remember(s)
	chaos.Yield()
	if s.cancelled.Load() {
		f.leave(s)
	}
	f.turn.Run(f)
	return true
}

// remember keeps the context of s.
func (f *Fanout[T]) remember(s *Member[T]) {
	ctx := s.ctx
	f.latest.Store(&ctx)
}

// leave takes s out.
func (f *Fanout[T]) leave(s *Member[T]) {
	var removed, last bool
	if f.AutoCancel {
		removed, last = f.set.RemoveAndClose(s)
	} else {
		removed = f.set.Remove(s)
	}
	if !removed {
		return
	}
	f.remember(s)
	if last {
		f.stopped.CompareAndSwap(nil, &fanoutStop{})
	}
}

// DrainPass implements protocol.Drainer.
func (f *Fanout[T]) DrainPass() {
	if f.members != nil {
		f.resume()
	}
	if from := f.feed.Load(); from != nil {
		f.pull(from)
		return
	}
	// An empty queue, or one who has to be waited for, is looked at first: a list of the
	// members is not made for those who only come and go.
	for !f.halted() && !f.Queue.IsEmpty() {
		who := f.set.load()
		if len(who.members) == 0 {
			if !f.DiscardEarly || !who.unused || !f.discardOne() {
				return
			}
			continue
		}
		room := f.room(who)
		if room <= 0 {
			return
		}
		if f.Batch != nil {
			room = min(room, f.Batch())
		}
		f.batch(who, room)
	}
}

// halted reports whether nothing is to be delivered now, and delivers the end if it is time.
func (f *Fanout[T]) halted() bool {
	waits := f.waits() // in any case: see there
	return f.ended() || waits
}

// waits reports whether the member that was seen to ask for nothing still does.
func (f *Fanout[T]) waits() bool {
	s := f.short
	if s == nil {
		return false
	}
	if !s.cancelled.Load() && s.demand.Load() == 0 {
		return true
	}
	f.short = nil // one that has left is not kept (§3.13)
	return false
}

// room returns how many elements all members of who have asked for, -1 if none of them is
// interested any more. It is asked with each request, so it begins with the one for whom the others
// had to wait the last time, and is done if they still have to: it goes round once until all have
// asked for something, not once for each of them.
func (f *Fanout[T]) room(who *roster[*Member[T]]) int64 {
	if who.unbounded {
		return reactor.Unbounded
	}
	room, i := int64(-1), who.short
	for range who.members {
		if s := who.members[i]; !s.cancelled.Load() {
			n := s.demand.Load()
			if n == 0 {
				who.short, f.short = i, s
				return 0
			}
			if room < 0 || n < room {
				room = n
			}
		}
		if i--; i < 0 {
			i = len(who.members) - 1
		}
	}
	who.unbounded = room == reactor.Unbounded
	return room
}

// batch delivers up to room elements to the members of who, as long as they are the
// members.
func (f *Fanout[T]) batch(who *roster[*Member[T]], room int64) {
	f.begin(who)
	if from := f.feed.Load(); from != nil && len(who.members) == 1 {
		f.stream(from, who, room)
	}
	// The queue is looked at before the members: who has come before an element was offered gets it.
	for f.emitted < room && !f.dry() && !f.interrupted(who) {
		v, ok := f.poll()
		if !ok {
			break
		}
		if f.Polled != nil {
			f.Polled()
		}
		f.take(v)
		f.serve()
	}
	f.settle()
}

// begin makes the members of who those who get what is taken.
func (f *Fanout[T]) begin(who *roster[*Member[T]]) {
	f.members, f.unbounded, f.emitted = who.members, who.unbounded, 0
}

// take makes v the element in flight.
func (f *Fanout[T]) take(v T) {
	f.inFlight, f.sending, f.at, f.reached = v, true, 0, false
	f.emitted++
}

// interrupted reports whether there is something that comes before the next element.
func (f *Fanout[T]) interrupted(who *roster[*Member[T]]) bool {
	return f.set.current.Load() != who || f.stopped.Load() != nil || f.done.Load() && f.err != nil
}

// serve sends the element in flight to those who have not got it.
func (f *Fanout[T]) serve() {
	v := f.inFlight
	for _, s := range f.members[f.at:] {
		f.at++
		if !s.cancelled.Load() {
			f.reached = true
			s.push(v)
		}
	}
	f.inFlight, f.sending, f.failed = *new(T), false, nil
	if !f.reached {
		f.discard(v)
	}
}

// settle takes what was delivered off everybody's demand and asks for more.
func (f *Fanout[T]) settle() {
	members, n := f.members, f.emitted
	f.members, f.emitted = nil, 0
	if n == 0 {
		return
	}
	if !f.unbounded {
		for _, s := range members {
			demand.Produced(&s.demand, n)
		}
	}
	f.consumed(n)
}

// consumed has the producer asked for more, if it is not asked otherwise.
func (f *Fanout[T]) consumed(n int64) {
	if f.Consumed != nil && f.feed.Load() == nil {
		f.Consumed(n)
	}
}

// resume goes on where a subscriber failed.
func (f *Fanout[T]) resume() {
	if f.over {
		f.tell()
		return
	}
	f.serve()
	f.settle()
}

// discardOne discards the oldest element, which nobody is there for.
func (f *Fanout[T]) discardOne() bool {
	v, ok := f.poll()
	if !ok {
		return false
	}
	f.discard(v)
	f.consumed(1)
	return true
}

// ended reports whether nothing more is to be delivered, and delivers the end if it is
// time.
func (f *Fanout[T]) ended() bool {
	if f.unheard {
		f.dropError()
	}
	if f.over {
		f.clear()
		return true
	}
	if stop := f.stopped.Load(); stop != nil {
		// One without an error that AutoCancel makes leaves the producer's to those who come later.
		f.unheard = stop.err != nil || !f.AutoCancel
		defer f.dropError() // also if a subscriber ends the goroutine
		f.finish(stop.err, stop.err == nil)
		return true
	}
	if !f.done.Load() || f.err == nil && !f.dry() || f.Patient && f.set.Len() == 0 {
		return false
	}
	f.finish(f.err, false)
	return true
}

// dropError reports an error of the producer as dropped that a stop has kept from the subscribers.
func (f *Fanout[T]) dropError() {
	if f.unheard && f.done.Load() && f.err != nil {
		f.unheard = false
		belated.Drop(f.Context(), f.err)
	}
}

func (f *Fanout[T]) finish(err error, silent bool) {
	f.over, f.short = true, nil
	if f.Closing != nil {
		f.Closing()
	}
	f.clear()
	members := f.set.Close()
	if silent || len(members) == 0 {
		f.unheard = f.unheard || f.Patient && !silent // who was there has left since
		f.dropError()
		return
	}
	f.members, f.at, f.outcome = members, 0, err
	f.tell()
}

// tell hands the end to those who have not got it.
func (f *Fanout[T]) tell() {
	for f.at < len(f.members) {
		s := f.members[f.at]
		f.at++
		gone := s.cancelled.Swap(true)
		switch {
		case gone && f.outcome != nil:
			// It has left since the end came, perhaps because of what another
			// subscriber made of the same error.
			reactor.DropError(s.ctx, f.outcome)
		case gone:
		case f.outcome != nil:
			s.down.OnError(f.outcome)
		default:
			s.down.OnComplete()
		}
	}
	f.members = nil
}

func (f *Fanout[T]) clear() {
	for v, ok := f.poll(); ok; v, ok = f.poll() {
		f.discard(v)
	}
}

// DrainCrashed implements protocol.Drainer: the subscriber that was served last failed.
func (f *Fanout[T]) DrainCrashed(_ protocol.Drainer, err error) {
	if f.members == nil || f.at == 0 {
		reactor.DropError(f.Context(), err)
		return
	}
	s := f.members[f.at-1]
	if !f.sending {
		reactor.DropError(s.ctx, err)
		return
	}
	if f.failed == s { // it was told, and has ended the goroutine
		return
	}
	f.failed = s
	defer protocol.Crash(s.ctx, s.down, err, f.inFlight) // also if a function that hears of what follows ends the goroutine
	s.cancelled.Store(true)
	f.leave(s)
}

func (f *Fanout[T]) discard(v T) { reactor.Discard(f.Context(), v) }

// Context returns the context whose hooks take what nobody gets.
func (f *Fanout[T]) Context() context.Context {
	if ctx := f.own.Load(); ctx != nil {
		return *ctx
	}
	if ctx := f.latest.Load(); ctx != nil {
		return *ctx
	}
	return context.Background()
}

// Member is one subscriber of a Fanout, and its subscription.
type Member[T any] struct {
	ctx       context.Context
	down      reactor.Subscriber[T]
	push      func(T)                   // hands elements to down; taken when it has got its subscription
	fanout    atomic.Pointer[Fanout[T]] // the one whose Add was called last, even if it refused; nil before
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
	if f := s.fanout.Load(); f != nil && !s.cancelled.Load() {
		f.turn.Run(f)
	}
}

// Cancel leaves the Fanout.
func (s *Member[T]) Cancel() {
	if s.cancelled.Swap(true) {
		return
	}
	chaos.Yield()
	if f := s.fanout.Load(); f != nil {
		f.leave(s)
		f.turn.Run(f)
	}
}

// Quit is for protocol.Half.QuitHost.
func (s *Member[T]) Quit() { s.Cancel() }

// Host returns itself.
func (s *Member[T]) Host() protocol.Host { return s }

// Lodged implements protocol.Host.
func (s *Member[T]) Lodged() {}

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
