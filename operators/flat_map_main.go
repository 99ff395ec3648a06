package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/asking"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/upstream"
)

// flatMapMain is what flatMap and merge have in common: any number of inner publishers
// at a time, one downstream.
//
// An element goes straight down if nobody else is delivering and there is demand;
// otherwise it waits in a queue of its inner publisher. The drain loop serves first
// the queue of one-element inner publishers, then the inner publishers that have
// something, in the order of their slots, beginning where demand ran out the last
// time; each is served as far as demand allows before the next. Only inner
// publishers that have announced something are looked at.
//
// A synchronous inner publisher needs no queue: the drain loop asks it for exactly
// what it can deliver, and it delivers directly.
type flatMapMain[R any] struct {
	protocol.Inner
	protocol.LoopSender[R]
	op      string
	drain   protocol.Drain
	ctx     context.Context
	down    reactor.Subscriber[R]
	discard func(any)              // nil if nobody wants what is discarded
	cont    *upstream.Continuation // nil: failures end the stream
	up      reactor.Subscription   // of the publishers, or nil; set before anything is signalled

	concurrency int64 // live inner publishers; reactor.Unbounded: no limit, and upstream is asked for all
	prefetch    int64 // of each inner publisher
	batch       int64 // delivered elements of one that are asked for again at a time
	delayErrors bool
	inBatches   bool // publishers that are done with at once are asked for again in batches only
	lodged      bool // somebody below leaves ends from elsewhere with the stage; set before anything is requested

	requested atomic.Int64
	failures  failure.List
	done      atomic.Bool           // no further inner publishers; if errors are not delayed also: a failure was recorded
	upEnded   atomic.Bool           // upstream has failed, or was cancelled because the function has
	cancelled atomic.Bool           // downstream has cancelled
	stop      atomic.Bool           // nothing is to be delivered any more: cancelled, failed, or ended
	lodging   protocol.Lodging      // of who is below, with lodged
	broken    atomic.Pointer[error] // the failure of an element that needed no turn
	slots     flatMapSlots[R]
	full      flatMapFull
	asking    asking.Behind                   // of upstream; what there is room for is set by the owner of the drain
	ready     atomic.Pointer[flatMapInner[R]] // stack of inner publishers that announce something
	scalars   atomic.Pointer[queue.Linked[R]] // made by the signals of upstream, polled by the owner of the drain

	// Touched by the signals of upstream only.
	refill demand.Refill
	call   protocol.Calling // in down.OnNext, with the drain taken
	alone  protocol.Calling // in down.OnNext, without it
	by     atomic.Uintptr   // the goroutine that subscribes, or did last; anybody reads it
	caller caller           // of functions that need no inner publisher; stopped by the owner of the drain
	spare  *flatMapInner[R] // one that has done its work, to be used again

	// Touched by the owner of the drain only.
	over      bool                 // the end was sent, or downstream has gone
	at        int                  // slot where demand ran out
	marked    queue.Marks          // the slots whose inner publisher has to be looked at
	known     []*flatMapInner[R]   // the inner publishers of these slots
	sent      int64                // elements that a synchronous inner publisher has emitted
	taking    reactor.Subscription // of the synchronous inner publisher that emits all it has
	taken     protocol.Calling     // in down.OnNext with an element of that one, from straight
	straight  func(R)              // what takes its elements, whichever it is; made by the first
	heldSince int64                // when the run that keeps the drain took it
}

func (m *flatMapMain[R]) begin(op string, ctx context.Context, s reactor.Subscriber[R], concurrency, prefetch int64, delayErrors bool) {
	m.op, m.ctx, m.down = op, ctx, protocol.Strict(ctx, s)
	m.PushDown = protocol.Push(m.down)
	m.discard, m.cont = reactor.DiscardHookFor[R](ctx), upstream.Continuing(ctx)
	m.concurrency, m.prefetch, m.delayErrors = concurrency, prefetch, delayErrors
	m.batch = demand.Batch(prefetch)
	m.refill = demand.NewRefill(concurrency)
}

// sourceError takes the failure of the publishers' source, or of its function.
func (m *flatMapMain[R]) sourceError(err error) {
	if m.call.Failed() {
		// It is the failure of an element on its way down from here.
		m.crashed(err)
		m.leave(0)
		return
	}
	if m.alone.Failed() {
		failure := err // else every error would be kept
		m.broken.Store(&failure)
		m.run()
		return
	}
	if m.done.Load() {
		reactor.DropError(m.ctx, err)
		return
	}
	if m.addFailure(err) {
		m.upEnded.Store(true)
		m.finish()
	}
}

// addFailure keeps the error that is to end the stream. If the stream has ended already, or was
// cancelled, err is reported as dropped, and the result is false.
func (m *flatMapMain[R]) addFailure(err error) bool {
	if m.failures.Add(err) {
		return true
	}
	reactor.DropError(m.ctx, err)
	return false
}

// innerError takes the failure of an inner publisher that has no slot.
func (m *flatMapMain[R]) innerError(err error) {
	m.cont.TakeAnd(err, nil, func(err error) {
		switch {
		case err == nil:
			m.addNothing()
		case !m.addFailure(err):
		case m.delayErrors:
			m.addNothing()
		default:
			m.finish()
		}
	})
}

// finish says that no further inner publishers will come.
func (m *flatMapMain[R]) finish() {
	if !m.delayErrors && m.failures.Any() {
		m.stop.Store(true)
	}
	m.done.Store(true)
	m.run()
}

// add subscribes to an inner publisher, unless nothing more is wanted.
func (m *flatMapMain[R]) add(p reactor.Publisher[R]) bool {
	if m.stop.Load() {
		return false
	}
	n := m.slots.size.Add(1)
	if n == m.concurrency && n == defaultConcurrency() {
		m.full.reached(m.op, m.ctx)
	}
	in := m.spare
	if m.spare = nil; in == nil {
		in = &flatMapInner[R]{m: m}
	}
	if me := goid.Current(); m.by.Load() != me {
		m.by.Store(me)
	}
	p.Subscribe(m.ctx, in)
	if in.spent {
		in.renew()
		m.spare = in
	}
	if m.refill.Owed() != 0 {
		m.refilled(m.owed(n))
	}
	return true
}

func (m *flatMapMain[R]) Request(n int64) {
	demand.Add(&m.requested, n)
	m.run()
}

func (m *flatMapMain[R]) Cancel() {
	if m.cancelled.Swap(true) {
		return
	}
	m.stop.Store(true)
	m.drain.Run(m) // at once, also where upstream is asked
}

// DrainPass implements protocol.Drainer.
func (m *flatMapMain[R]) DrainPass() {
	for !m.asking.First() && m.pass() {
	}
	m.lodging.Settle()
}

// pass delivers what demand allows and reports whether to look again.
func (m *flatMapMain[R]) pass() (again bool) {
	if err := m.broken.Load(); err != nil {
		m.broken.Store(nil)
		m.crashedAlone(*err)
		return true
	}
	if m.over {
		m.discardLate()
		return false
	}
	// The order of these loads counts: the last inner publisher records its
	// failure before it gives back its slot.
	done := m.done.Load()
	chaos.Yield()
	scalars := m.scalars.Load()
	if m.terminated(done, m.slots.size.Load() == 0 && (scalars == nil || scalars.IsEmpty())) {
		return false
	}
	asked := m.requested.Load()
	var refill int64
	if asked != 0 && scalars != nil {
		n, ok := m.deliver(scalars, asked)
		if !ok {
			return m.terminatedNow()
		}
		if n > 0 {
			refill += n
			asked = m.produced(asked, n)
			again = true
		}
	}
	if asked != 0 {
		freed, left, ok := m.serve(asked)
		if !ok {
			return m.terminatedNow()
		}
		asked = left
		refill += freed
		again = again || freed > 0
	}
	if asked == 0 {
		if freed := m.tidy(); freed > 0 {
			refill += freed
			again = true
		}
	}
	if refill > 0 && m.up != nil && m.concurrency != reactor.Unbounded && !m.done.Load() && !m.stop.Load() {
		m.asking.Add(refill)
		return false // who adds to what was found says so
	}
	return again
}

// terminatedNow ends a stream that has to stop in the middle of a pass; it never looks
// again.
func (m *flatMapMain[R]) terminatedNow() bool {
	m.terminated(m.done.Load(), false)
	return false
}

// serve delivers from the inner publishers that have something. It returns how many of
// them are done, the demand that is left, and false if everything has to stop.
func (m *flatMapMain[R]) serve(asked int64) (freed, left int64, ok bool) {
	start, from, wrapped := m.at, m.at, false
	for {
		m.collect()
		end := len(m.known)
		if wrapped {
			end = start
		}
		i := m.next(from, end)
		if i < 0 {
			if wrapped {
				return freed, asked, true
			}
			wrapped, from = true, 0
			continue
		}
		in := m.known[i]
		n, ok := m.deliverFrom(in, asked)
		if !ok {
			return freed, asked, false
		}
		if in.done.Load() && in.isEmpty() {
			m.release(in)
			freed++
		} else if n > 0 && !in.pulled && !in.done.Load() {
			in.replace(n)
		}
		if n > 0 {
			if asked = m.produced(asked, n); asked == 0 {
				m.at = i
				return freed, 0, true
			}
		}
		from = i + 1
	}
}

// deliverFrom delivers the elements of one inner publisher, as far as demand allows.
func (m *flatMapMain[R]) deliverFrom(in *flatMapInner[R], asked int64) (n int64, ok bool) {
	if in.pulled {
		m.sent = 0
		in.link.Request(asked)
		return m.sent, !m.stop.Load()
	}
	if q := in.waiting(); q != nil {
		if n, ok = m.deliver(q, asked); !ok || n == asked {
			return n, ok
		}
	}
	// What came after the look at the queue is announced again: see collect.
	m.marked.Unset(int(in.slot))
	return n, true
}

// deliver sends at most n elements that wait in q; it returns false if everything has
// to stop.
func (m *flatMapMain[R]) deliver(q queue.Queue[R], n int64) (sent int64, ok bool) {
	for sent != n {
		v, ok := q.Poll()
		if m.stop.Load() {
			m.InFlight.Clear() // of what was sent before
			if ok {
				m.drop(v)
			}
			return sent, false
		}
		if !ok {
			break
		}
		m.InFlight.SendNext(m.PushDown, v)
		sent++
	}
	m.InFlight.Clear()
	return sent, true
}

// produced takes n from the demand and returns the rest.
func (m *flatMapMain[R]) produced(asked, n int64) int64 {
	if asked == reactor.Unbounded {
		return asked
	}
	return demand.Produced(&m.requested, n)
}

// terminated ends the stream if it is time: done and empty are what the pass found
// at its beginning.
func (m *flatMapMain[R]) terminated(done, empty bool) bool {
	switch {
	case m.over:
	case m.cancelled.Load():
		defer m.dropFailures() // see close
		m.close()
	case done && !m.delayErrors && m.failures.Any():
		defer m.down.OnError(m.failures.Terminate()) // see close
		m.close()
	case done && empty:
		m.over = true
		m.stop.Store(true)
		m.full.left()
		protocol.Finish(m.down, m.failures.Terminate())
	default:
		return false
	}
	return true
}
