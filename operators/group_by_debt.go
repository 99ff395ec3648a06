package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// groupDebt is about elements that came for no group when the stream of groups was cancelled. For
// each of them src is asked for another element, because that may belong to a group that is left.
// src is asked at once, unless the element came because a cancellation has requested it. The caller
// that cancels may be about to cancel the groups that are left, as flatMap is, and its call must
// return for that: src may emit on the goroutine that requests, have no end, and have nothing for
// those groups. Then a timer requests later, if the groups are still there: decision 0035.
type groupDebt struct {
	cancelling atomic.Int32 // cancellations that ask src, under way
	late       atomic.Int64 // elements that the timer is going to ask for
	turn       atomic.Int64 // how many timers there were
	wait       protocol.Handle
}

// cancelTime is how long the cancellation of many groups may take, before the groups that are left
// count.
const cancelTime = 100 * time.Millisecond

// askInCancel asks src for n elements, on behalf of a group that was cancelled.
func (m *groupByMain[T, K, V, G]) askInCancel(n int64) {
	if !m.out.Cancelled() { // what comes opens groups
		m.ask(n)
		return
	}
	m.debt.cancelling.Add(1)
	defer m.debt.cancelling.Add(-1)
	m.ask(n)
}

// replace requests another element in the place of one that came for no group. Signals of src only.
func (m *groupByMain[T, K, V, G]) replace() {
	if m.debt.cancelling.Load() == 0 {
		m.ask(1)
		return
	}
	if m.debt.late.Add(1) > 1 {
		return // there is a timer
	}
	turn := m.debt.turn.Add(1)
	timer, err := m.of.timer().ScheduleAfter(func(context.Context) { m.askLate() }, cancelTime)
	if err != nil && m.Live.Load() == 0 {
		return // the last one has just left
	}
	if err != nil {
		failure.InTurn(m.up.Cancel, func() { // which may end the goroutine
			m.OnError(rejected(m.out.Context(), "groupBy", err, nil))
		})
		return
	}
	m.debt.wait.Set(turn, timer)
}

// askLate requests as many elements as came for no group, if a group is left that may
// want them.
func (m *groupByMain[T, K, V, G]) askLate() {
	if n := m.debt.late.Swap(0); m.Live.Load() > 0 && !m.Ended.Load() {
		m.ask(n)
	}
}

// settle stops the timers: nothing will be asked for any more.
func (m *groupByMain[T, K, V, G]) settle() {
	defer m.debt.wait.Dispose() // also if a function that hears of the first ends the goroutine
	m.watch.end()
}

// cancel stops the timers and src: nobody is left who listens.
func (m *groupByMain[T, K, V, G]) cancel() {
	defer m.up.Cancel() // also if a function that hears of it ends the goroutine
	m.settle()
}

// passed accounts for an element that has gone straight down, and so is not the first one of its
// group. The request for another element may wait as long as src still has elements to send.
func (m *groupByMain[T, K, V, G]) passed(g *group[K, V]) {
	if !g.IsCancelled() {
		m.owed++
	} else {
		m.groupLost(1)
	}
}

// replenish requests the elements that are owed, and checks whether src has run dry.
func (m *groupByMain[T, K, V, G]) replenish(dry bool) {
	if n := m.owed; n > 0 && !m.Ended.Load() {
		m.owed = 0
		dry = false
		m.ask(n)
	}
	if dry {
		m.ranDry()
	}
}
