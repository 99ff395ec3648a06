package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/queue"
)

// Inner publishers of at most one element that is known at once are not subscribed.

// scalarChunk is how many one-element inner publishers the queue for them grows by.
const scalarChunk = 32

// addScalar delivers the element of a publisher that has just one. Called by the
// signals of upstream only, as are the next two.
func (m *flatMapMain[R]) addScalar(v R) {
	if m.isAlone() {
		chaos.Yield()
		m.alone.Next(m.PushDown, v)
		m.refilled(m.refill.Consumed(1)) // no other is live
		return
	}
	if !m.asking.Here() && m.drain.TryEnter() {
		q := m.scalars.Load()
		r := m.requested.Load()
		more := int64(0)
		switch {
		case m.stop.Load():
			m.dropAndLeave(v)
			return
		case r != 0 && (q == nil || q.IsEmpty()):
			m.call.Next(m.PushDown, v)
			if r != reactor.Unbounded {
				demand.Produced(&m.requested, 1)
			}
			more = m.due()
		default:
			m.offerScalar(v)
		}
		if more > 0 {
			m.leave(more)
			return
		}
		m.drain.Leave(m) // and the rest of leave, inlined
		if m.asking.Due() {
			m.ask(0)
		}
		return
	}
	m.offerScalar(v)
	m.run()
}

// beginInPlace returns the context in which a publisher with that way may be computed, or nil.
func (m *flatMapMain[R]) beginInPlace(way direct.Way) *callContext {
	if m.stop.Load() {
		return nil // nobody wants it any more
	}
	return m.caller.beginInPlace(m.ctx, way)
}

// addComputed computes p in the place of a subscription.
func (m *flatMapMain[R]) addComputed(p reactor.Publisher[R], call *callContext) {
	switch v, how, rest := computedBy(p, &m.caller, m.ctx, call, m.innerError); how {
	case outcomeOne:
		m.addScalar(v)
	case outcomeNone:
		m.addNothing()
	case outcomeRest:
		if !m.add(rest) {
			rest.Subscribe(m.ctx, &unwanted[R]{ctx: m.ctx})
		}
	}
}

// dropAndLeave discards v, for which the drain was taken, and leaves the drain.
func (m *flatMapMain[R]) dropAndLeave(v R) {
	defer m.leave(0) // also if the hook ends the goroutine
	m.drop(v)
}

// isAlone reports whether the demand is unbounded and only upstream, whose signals call this, has
// anything to deliver: elements that these signals deliver now need no turn. A goroutine that
// drains meanwhile finds nothing, or ends the stream without a signal downstream. The order of the
// loads counts: the drain is read last, because its owner may have taken the last element that
// waited, and only upstream adds such elements. It is false where ends from elsewhere are left with
// the stage, because the owner of the drain may deliver such an end.
func (m *flatMapMain[R]) isAlone() bool {
	if m.lodged || m.requested.Load() != reactor.Unbounded { // one by one: the compiler makes less of it
		return false
	}
	if m.slots.size.Load() != 0 || m.stop.Load() {
		return false
	}
	if q := m.scalars.Load(); q != nil && !q.IsEmpty() {
		return false
	}
	chaos.Yield()
	return !m.drain.Active() && m.asking.Idle() // whoever it is: a call costs more than a turn now and then
}

func (m *flatMapMain[R]) offerScalar(v R) {
	q := m.scalars.Load()
	if q == nil {
		q = queue.NewLinked[R](scalarChunk)
		m.scalars.Store(q)
	}
	q.Offer(v)
}

// addNothing counts a publisher that is done with already.
func (m *flatMapMain[R]) addNothing() { m.refilled(m.due()) }

// due is addNothing, and returns how many elements to request.
func (m *flatMapMain[R]) due() int64 {
	if n := m.refill.Consumed(1); n > 0 {
		return n
	}
	return m.owed(m.slots.size.Load())
}

// refilled asks for n more publishers, if n is not 0.
func (m *flatMapMain[R]) refilled(n int64) {
	if n > 0 && m.up != nil {
		m.up.Request(n)
	}
}

// owed returns how many elements have to be requested now, because otherwise everything would
// wait for the live inner publishers: upstream has sent all that it was asked for, and the
// publishers that are done make no whole batch. What an inner publisher gives back meanwhile is
// requested by the goroutine that gives it back, so something comes.
func (m *flatMapMain[R]) owed(live int64) int64 {
	if live == 0 || m.inBatches || live+m.refill.Owed() < m.concurrency {
		return 0
	}
	return m.refill.Settle()
}
