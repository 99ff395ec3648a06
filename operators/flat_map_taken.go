package operators

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/protocol"
)

// An inner publisher that is synchronous emits all it has while it is subscribed, if all is asked for and
// nobody else delivers.

// takeAll lets a synchronous publisher emit all it has, straight down: the drain is
// taken, there is demand for everything, and nothing waits.
func (in *flatMapInner[R]) takeAll(up reactor.Subscription) {
	m := in.m
	in.pulled, in.direct = true, true
	m.taking = up
	if loop, ok := up.(*protocol.PullLoop); ok && loop.Feeds(in) {
		loop.StopAt(&m.stop)
		in.plain = true
	}
	defer in.tookAll() // also if up ends its goroutine
	if !m.stop.Load() {
		up.Request(reactor.Unbounded)
	} else {
		up.Cancel()
	}
}

// tookAll gives back what takeAll took.
func (in *flatMapInner[R]) tookAll() {
	m := in.m
	if !in.direct {
		return // failed downstream: all is over
	}
	in.direct, in.plain, m.taking = false, false, nil
	in.spent = in.done.Load() && m.by.Load() == goid.Current()
	m.slots.size.Add(-1)
	more := int64(0)
	if m.up != nil && m.concurrency != reactor.Unbounded && !m.done.Load() && !m.stop.Load() {
		more = 1
	}
	if m.done.Load() {
		// It may have been the last one.
		m.drain.Announce()
	}
	m.drain.Leave(m) // and the rest of leave, with one call less
	if m.asking.Due() {
		m.ask(more)
	} else if more != 0 {
		m.up.Request(more)
	}
}

// pushTaken returns the function for the elements of an inner publisher that emits all it has: there is
// one at a time, and the drain is taken. One function serves all of them.
//
// Not inlined, see publishOnSubscriber.Push.
//
//go:noinline
func (m *flatMapMain[R]) pushTaken() func(R) {
	if m.straight == nil {
		push := m.PushDown
		m.straight = func(v R) {
			if m.stop.Load() {
				defer m.drop(v) // also if what follows ends the goroutine
				m.taking.Cancel()
				return
			}
			m.taken.Next(push, v)
			if m.stop.Load() { // not with the next element: that may be long in coming
				m.taking.Cancel()
			}
		}
	}
	return m.straight
}

// renew makes in ready for another publisher. The publisher before has sent all its elements within
// Request, so nobody else refers to in: it has no slot, and was never announced.
func (in *flatMapInner[R]) renew() {
	in.done = atomic.Bool{}
	in.pulled, in.spent = false, false
}
