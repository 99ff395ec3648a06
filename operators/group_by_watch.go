package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// defaultPatience is when a groupBy without [Patience] reports that it stands still: twice as much is
// the longest that it takes.
const defaultPatience = 15 * time.Second

// groupWatch notices that a groupBy stands still: src has sent all that it was asked for,
// and it is asked for nothing while a timer runs. The number of elements that src was
// asked for tells one stall from the next.
type groupWatch struct {
	asked atomic.Int64 // elements asked of src, ahead of the request
	dry   atomic.Int64 // what asked was when src had sent it all, the last time
	armed atomic.Bool  // the timer runs, or will never run again
	turn  int64        // how many timers there were; the owner of armed
	wait  protocol.Handle
}

// end stops the watch.
func (w *groupWatch) end() {
	if w.armed.Swap(true) {
		w.wait.Dispose()
	}
}

// ranDry is called when src has sent all that it was asked for. Signals of src only.
func (m *groupByMain[T, K, V, G]) ranDry() {
	m.watch.dry.Store(m.came)
	if !m.of.verbatim && !m.watch.armed.Load() {
		m.arm()
	}
}

// arm starts the timer unless it runs. A stream that runs dry again and again needs no
// more than one timer per patience.
func (m *groupByMain[T, K, V, G]) arm() {
	w := &m.watch
	if w.armed.Swap(true) {
		return
	}
	// The timer may go off, and the next one be started, before this one is w.wait's.
	w.turn++
	turn, dry := w.turn, w.dry.Load()
	timer, err := m.of.timer().ScheduleAfter(func(context.Context) { m.elapsed(dry) }, m.patience())
	if err != nil {
		if m.Live.Load() > 0 { // else the last one has just left
			reactor.DropError(m.out.Context(), rejected(m.out.Context(), "groupBy", err, nil))
		}
		return
	}
	w.wait.Set(turn, timer)
}

func (m *groupByMain[T, K, V, G]) patience() time.Duration {
	if m.of.patience > 0 {
		return m.of.patience
	}
	return defaultPatience
}

// elapsed is called by a timer; seen is the value of dry when the timer was started.
func (m *groupByMain[T, K, V, G]) elapsed(seen int64) {
	w := &m.watch
	dry := w.dry.Load()
	if dry == seen && dry == w.asked.Load() && m.standsStill() {
		return
	}
	w.armed.Store(false)
	chaos.Yield()
	if !m.Ended.Load() && w.dry.Load() == w.asked.Load() {
		m.arm()
	}
}

// standsStill reports whether elements wait in groups that nobody has subscribed to,
// and in no other groups; if so, it does what is to be done then.
func (m *groupByMain[T, K, V, G]) standsStill() bool {
	all, unread, over := m.waiting()
	if unread == 0 {
		return false
	}
	if over {
		return true
	}
	err := reactor.OperatorError(m.out.Context(), reactor.Failure("groupBy", reactor.ErrOverflow,
		"nothing has moved for %v: all elements that src may be asked for wait in %d groups that nobody has subscribed to, of %d that are open",
		m.patience(), unread, len(all)), nil)
	if m.of.patience == 0 {
		reactor.DropError(m.out.Context(), err)
		return true
	}
	failure.InTurn(m.debt.wait.Dispose, m.up.Cancel, func() { // each may end the goroutine
		// The outlet fails before the groups do. A subscriber may cancel because its group has failed: it does
		// not get the error of the stream then, which is reported as dropped before the subscriber goes on.
		m.out.Refuse(err)
		defer m.out.Run() // also if a function that hears of what follows ends the goroutine
		failure.Persist(len(all), func(i int) bool { all[i].Stop(err); return true })
	})
	return true
}

// waiting returns the groups, and how many of them hold elements that nobody has
// subscribed to; 0 if a subscriber keeps others waiting. If some do and the stream is to end for that, it has: no
// group is added to those that are returned. over says that it had ended before.
func (m *groupByMain[T, K, V, G]) waiting() (all []*group[K, V], unread int, over bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range m.groups {
		all = append(all, g)
		switch {
		case g.IsHeldBack():
			return nil, 0, false
		case g.IsUnread():
			unread++
		}
	}
	if unread > 0 && m.of.patience > 0 {
		over = m.Ended.Swap(true)
	}
	return all, unread, over
}
