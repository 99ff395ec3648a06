package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// tidy lets go, without demand, of inner publishers that are finished, up to the
// first that still has something. It reports how many.
func (m *flatMapMain[R]) tidy() (freed int64) {
	m.collect()
	for i := m.next(0, len(m.known)); i >= 0; i = m.next(i+1, len(m.known)) {
		in := m.known[i]
		if !in.isEmpty() {
			break
		}
		if in.done.Load() && in.isEmpty() {
			m.release(in)
			freed++
		}
	}
	return freed
}

// collect marks what was announced since the last time.
func (m *flatMapMain[R]) collect() {
	if m.ready.Load() == nil {
		return
	}
	chaos.Yield()
	for in := m.ready.Swap(nil); in != nil; {
		next := in.below
		in.below = nil
		// From here on it may announce itself again.
		in.announced.Store(false)
		if !in.released {
			m.mark(in)
		}
		in = next
	}
}

func (m *flatMapMain[R]) mark(in *flatMapInner[R]) {
	for int(in.slot) >= len(m.known) {
		m.known = append(m.known, make([]*flatMapInner[R], max(64, len(m.known)))...)
		m.marked.Room(len(m.known))
	}
	m.known[in.slot] = in
	m.marked.Set(int(in.slot))
}

// next returns the first marked slot in [from, end), or -1.
func (m *flatMapMain[R]) next(from, end int) int {
	if i := m.marked.Next(from); i < end {
		return i
	}
	return -1
}

// release gives back the slot of an inner publisher that is finished with.
func (m *flatMapMain[R]) release(in *flatMapInner[R]) {
	in.released = true
	m.marked.Unset(int(in.slot))
	m.known[in.slot] = nil
	m.slots.remove(in)
}

// close stops everything: it discards what waits, and cancels upstream and all inner
// publishers.
func (m *flatMapMain[R]) close() {
	m.over = true
	m.stop.Store(true)
	m.full.left()
	defer m.closeInners() // also if the hook, or a function that hears of the cancellation, ends the goroutine
	defer m.cancelUp()
	if q := m.scalars.Load(); q != nil {
		m.discardAll(q)
	}
}

// cancelUp cancels upstream, unless that has ended.
func (m *flatMapMain[R]) cancelUp() {
	if m.up != nil && !m.upEnded.Load() { // §2.3
		m.up.Cancel()
	}
}

func (m *flatMapMain[R]) closeInners() {
	// Those that had announced something must be able to announce what they still
	// offer, or nobody would discard it.
	defer m.discardLate()
	m.known, m.marked = nil, queue.Marks{}
	m.caller.stop(m.ctx)
	inners := m.slots.close()
	failure.Persist(len(inners), func(i int) bool {
		if in := inners[i]; in != nil {
			defer func() {
				if q := in.waiting(); q != nil {
					m.discardAll(q)
				}
			}()
			in.link.Cancel()
		}
		return true
	})
}

// discardLate discards what has come after the end.
func (m *flatMapMain[R]) discardLate() {
	if q := m.scalars.Load(); q != nil {
		m.discardAll(q)
	}
	for in := m.ready.Swap(nil); in != nil; {
		next := in.below
		in.below = nil
		in.announced.Store(false)
		if q := in.waiting(); q != nil {
			m.discardAll(q)
		}
		in = next
	}
}

func (m *flatMapMain[R]) discardAll(q queue.Queue[R]) {
	for v, ok := q.Poll(); ok; v, ok = q.Poll() {
		m.drop(v)
	}
}

func (m *flatMapMain[R]) drop(v R) { pending.Discard(m.discard, v) }

// Downstream implements protocol.Fallible.
func (m *flatMapMain[R]) Downstream() (context.Context, protocol.Signals, bool) {
	return m.ctx, m.down, m.over
}

// Fell implements protocol.Fallible.
func (m *flatMapMain[R]) Fell(err error) error {
	err = m.failures.Untold(err) // before they are dropped
	m.crash()
	return err
}

// crashed is called by the owner of the drain when an element failed on its way
// down that upstream has in flight: downstream counts as cancelled and gets the error.
func (m *flatMapMain[R]) crashed(err error) {
	if !m.over { // else a Goexit that was delivered already goes on unwinding
		m.crashedAlone(err)
	}
}

// crashedAlone is crashed for an element that needed no turn. The error also goes down if
// downstream has cancelled meanwhile, or the stream was closed, because the stages on the way have
// the element in flight.
func (m *flatMapMain[R]) crashedAlone(err error) {
	defer m.down.OnError(err) // see close
	m.crash()
}

// crash closes a stream that has failed downstream, unless that was done.
func (m *flatMapMain[R]) crash() {
	if !m.over {
		defer m.dropFailures()
		m.close()
	}
}

// dropFailures reports the failures as dropped that nobody will get any more.
func (m *flatMapMain[R]) dropFailures() {
	if err := m.failures.Terminate(); err != nil {
		reactor.DropError(m.ctx, err)
	}
}
