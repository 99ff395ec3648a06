package operators

import (
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// flatMapInner receives the signals of one inner publisher.
type flatMapInner[R any] struct {
	protocol.Inner
	m    *flatMapMain[R]
	link protocol.Deferred

	queue     queue.Queue[R]   // made by the first element that has to wait; written before hasQueue is set, read after
	below     *flatMapInner[R] // in the stack of those that have something; written by whoever set announced, then the owner's
	consumed  int64            // delivered since the last request; owner of the drain
	slot      int32            // given by OnSubscribe, before the first announcement
	hasQueue  atomic.Bool
	done      atomic.Bool // nothing more will be offered
	announced atomic.Bool // it is in the stack, or the drain has not looked at it since

	call     protocol.Calling // in down.OnNext; touched by the signals of this publisher only
	direct   bool             // in OnSubscribe, emitting everything with the drain taken; signals of this publisher only
	plain    bool             // and no function of the user is in between: what fails then is below; as direct
	pulled   bool             // it is asked by the drain and emits into it; written before the first announcement
	run      bool             // within a run, see runTaker; signals of this publisher only
	held     bool             // the drain is taken until the run, or a batch of it, is over; signals of this publisher only
	spent    bool             // it has emitted everything, and ended, while that was still subscribing; of this goroutine
	released bool             // the slot was given back; owner of the drain
}

func (in *flatMapInner[R]) OnSubscribe(up reactor.Subscription) {
	m := in.m
	if sync, ok := up.(protocol.Synchronous); ok {
		if m.requested.Load() == reactor.Unbounded && !m.asking.Here() && m.drain.TryEnter() {
			in.takeAll(up)
			return
		}
		// With user functions in between it makes a difference to them when they
		// run: ahead of demand, as with any other publisher.
		in.pulled = sync.Feeds(in)
	} else {
		in.takeWhole(up)
	}
	if !m.slots.add(in) {
		up.Cancel()
		return
	}
	if !in.link.Set(up) {
		return
	}
	if in.pulled {
		in.announce()
		return
	}
	in.link.Request(m.prefetch)
}

func (in *flatMapInner[R]) OnNext(v R) {
	m := in.m
	if in.pulled {
		if m.stop.Load() {
			in.refuse(v)
			return
		}
		m.sent++
		in.call.Next(m.PushDown, v)
		return
	}
	switch {
	case in.held:
		in.nextHeld(v)
		return
	case m.stop.Load():
		m.drop(v)
		return
	case in.done.Load():
		reactor.DropNext(m.ctx, v)
		return
	case m.asking.Here() || !m.drain.TryEnter():
		if in.offer(v) {
			in.announce()
		}
		return
	}
	q := in.waiting()
	asked := m.requested.Load()
	more := int64(0)
	switch {
	case m.stop.Load():
		m.dropAndLeave(v)
		return
	case asked != 0 && (q == nil || q.IsEmpty()):
		if in.run && asked == reactor.Unbounded {
			in.held, m.heldSince = true, heldClock()
		}
		in.call.Next(m.PushDown, v)
		if asked != reactor.Unbounded {
			demand.Produced(&m.requested, 1)
		}
		more = in.due(1)
	default:
		in.wait(v)
		return
	}
	if more > 0 {
		in.leaveAsking(more)
	} else if !in.held {
		m.drain.Leave(m) // and the rest of leave, inlined
		if m.asking.Due() {
			m.ask(0)
		}
	}
}

// leaveAsking leaves the drain, unless the drain is held, and then asks for n elements. It does not
// ask before, because a function that hears of the request may end the goroutine.
func (in *flatMapInner[R]) leaveAsking(n int64) {
	defer in.link.Request(n) // also if a function that upstream calls ends the goroutine
	if !in.held {
		in.m.leave(0)
	}
}

// wait keeps an element on behalf of the owner of the drain, and leaves that.
func (in *flatMapInner[R]) wait(v R) {
	defer in.m.leave(0) // also if a function that hears of a cancellation ends the goroutine
	if in.offer(v) {
		in.flag()
	}
}

// refuse stops a synchronous publisher: nothing more is wanted.
func (in *flatMapInner[R]) refuse(v R) {
	defer in.m.drop(v) // also if what follows ends the goroutine
	if in.direct {
		in.m.taking.Cancel()
	} else {
		in.link.Cancel()
	}
}

// Push implements protocol.Pusher.
func (in *flatMapInner[R]) Push() func(R) {
	switch {
	case in.plain:
		return in.m.PushDown
	case in.direct:
		return in.m.pushTaken()
	}
	return in.OnNext
}

func (in *flatMapInner[R]) OnError(err error) {
	m := in.m
	if in.call.Failed() || in.plain && !in.done.Load() || in.direct && m.taken.Failed() {
		// It is the failure of an element on its way down from here.
		m.crashed(err)
		if !in.pulled || in.direct {
			in.direct, in.plain, in.held, m.taking = false, false, false, nil
			m.leave(0)
		}
		return
	}
	if in.done.Load() {
		reactor.DropError(m.ctx, err)
		return
	}
	m.cont.TakeAnd(err, nil, in.endWith)
}

// endWith ends this publisher with its failure, or nil if that was taken.
func (in *flatMapInner[R]) endWith(err error) {
	m := in.m
	if err == nil {
		in.OnComplete()
		return
	}
	if !m.addFailure(err) {
		in.done.Store(true)
		return
	}
	in.failed()
	if !in.pulled {
		in.flag()
	}
	m.run()
}

// failed ends this publisher, and unless errors are delayed all of it, after its
// failure was recorded.
func (in *flatMapInner[R]) failed() {
	chaos.Yield()
	if !in.m.delayErrors {
		in.m.done.Store(true)
		in.m.stop.Store(true)
	}
	in.done.Store(true)
	in.m.full.left()
}

func (in *flatMapInner[R]) OnComplete() {
	in.done.Store(true)
	in.m.full.left()
	if !in.pulled {
		in.announce()
	}
}

// announce makes the drain look here.
func (in *flatMapInner[R]) announce() {
	if in.flag() {
		in.m.run()
	}
}

// flag puts this publisher on the stack of those that have something, unless it is
// there already; in that case a drain is still to come.
func (in *flatMapInner[R]) flag() bool {
	if in.announced.Load() || in.announced.Swap(true) {
		return false
	}
	for {
		in.below = in.m.ready.Load()
		chaos.Yield()
		if in.m.ready.CompareAndSwap(in.below, in) {
			return true
		}
	}
}

// offer keeps an element until there is demand, or reports false if there is no room
// for it: then it has failed the publisher.
func (in *flatMapInner[R]) offer(v R) bool {
	if in.queue == nil {
		in.queue = queue.NewSPSC[R](in.m.prefetch)
		in.hasQueue.Store(true)
	}
	if in.queue.Offer(v) {
		return true
	}
	in.overflow(v)
	return false
}

// overflow fails the publisher because there is no room for v.
func (in *flatMapInner[R]) overflow(v R) {
	failure.InTurn(in.link.Cancel, func() { // which may end the goroutine, as may the hooks
		err := reactor.Failure(in.m.op, reactor.ErrOverflow,
			"an inner publisher sent more than the %d elements it was asked for", in.m.prefetch)
		if in.m.addFailure(reactor.OperatorError(in.m.ctx, err, v)) {
			in.failed()
		}
	}, func() { in.m.drop(v) }, func() {
		in.flag()
		in.m.run()
	})
}

// waiting returns the queue, or nil if no element had to wait yet. Any goroutine.
func (in *flatMapInner[R]) waiting() queue.Queue[R] {
	if !in.hasQueue.Load() {
		return nil
	}
	return in.queue
}

// isEmpty reports whether nothing waits. Owner of the drain.
func (in *flatMapInner[R]) isEmpty() bool {
	if in.pulled {
		return in.done.Load()
	}
	q := in.waiting()
	return q == nil || q.IsEmpty()
}

// replace asks for as many elements as were delivered, in batches. Owner of the drain.
func (in *flatMapInner[R]) replace(n int64) {
	if n = in.due(n); n > 0 {
		in.link.Request(n)
	}
}

// due is replace, and returns how many elements to request.
func (in *flatMapInner[R]) due(n int64) int64 {
	if in.consumed += n; in.consumed < in.m.batch {
		return 0
	}
	n, in.consumed = in.consumed, 0
	return n
}

// flatMapSlots numbers the live inner publishers: the number is the place in the
// order in which they are served. A number that was given back is used again, the
// one that has been free for longest first.
type flatMapSlots[R any] struct {
	size atomic.Int64 // live inner publishers, also those that have no slot yet

	mu     sync.Mutex         // guards all below
	all    []*flatMapInner[R] // by slot
	free   []int32            // ring of as many as all, of the slots that were given back
	head   int                // position in free of the next to be used; counts for ever
	tail   int                // position in free of the next to be given back
	closed bool
}

// add gives a slot to in, which size counts already, or reports false after close.
func (s *flatMapSlots[R]) add(in *flatMapInner[R]) bool {
	chaos.Yield()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	if s.head == s.tail {
		s.grow()
	}
	in.slot = s.free[s.head&(len(s.free)-1)]
	s.head++
	s.all[in.slot] = in
	return true
}

// grow doubles the slots; all are in use.
func (s *flatMapSlots[R]) grow() {
	n := len(s.all)
	size := max(4, 2*n)
	all := make([]*flatMapInner[R], size)
	copy(all, s.all)
	s.all, s.free, s.head, s.tail = all, make([]int32, size), 0, size-n
	for i := range size - n {
		s.free[i] = int32(n + i)
	}
}

// remove gives the slot of in back.
func (s *flatMapSlots[R]) remove(in *flatMapInner[R]) {
	chaos.Yield()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.all[in.slot] = nil
	s.free[s.tail&(len(s.free)-1)] = in.slot
	s.tail++
	s.size.Add(-1)
}

// close admits no further publishers and returns the live ones, nil for free slots.
func (s *flatMapSlots[R]) close() []*flatMapInner[R] {
	chaos.Yield()
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all
	s.all, s.free, s.closed = nil, nil, true
	return all
}
