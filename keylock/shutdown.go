package keylock

import (
	"context"
	"fmt"
	"strings"

	"github.com/goreactor/reactor/internal/failure"
)

// ShutdownOption adjusts [Manager.Shutdown].
type ShutdownOption func(*shutdown)

type shutdown struct{ drain bool }

// DrainWaiters makes a shutdown serve the calls that already wait, instead of refusing
// them, until its context ends.
func DrainWaiters() ShutdownOption { return func(s *shutdown) { s.drain = true } }

// ShutdownError says what was still held when the context of a shutdown ended. It
// matches [ErrLocksClosed] and Cause.
type ShutdownError struct {
	Held  []Held
	Cause error
}

// Error returns for example "keylock: Shutdown: 2 keys are still held: \"a\", \"b\": context deadline exceeded".
func (e *ShutdownError) Error() string {
	if len(e.Held) == 0 {
		return fmt.Sprintf("keylock: Shutdown: no key is held, but the backend is yet to answer: %v", e.Cause)
	}
	var keys []string
	for _, h := range e.Held {
		keys = append(keys, fmt.Sprintf("%q", h.Key))
	}
	many := "keys are"
	if len(keys) == 1 {
		many = "key is"
	}
	return fmt.Sprintf("keylock: Shutdown: %d %s still held: %s: %v", len(keys), many, strings.Join(keys, ", "), e.Cause)
}

// Unwrap returns [ErrLocksClosed] and Cause.
func (e *ShutdownError) Unwrap() []error { return []error{ErrLocksClosed, e.Cause} }

// Shutdown makes the manager grant no more keys: new calls and waiting calls fail with
// [ErrLocksClosed]. It waits until the holders have finished. If ctx ends first, it
// ends the contexts of the holders with the cause ErrLocksClosed and returns a
// [*ShutdownError]; the holders keep their keys until they return. Several calls of
// Shutdown wait for the same end. A nil context or option is refused, and then nothing
// is shut down.
func (m *Manager) Shutdown(ctx context.Context, opts ...ShutdownOption) error {
	if ctx == nil {
		return illegal("Shutdown", "", "the context is nil")
	}
	if m.clocks == nil {
		return notMade("Shutdown", "")
	}
	var set shutdown
	for _, o := range opts {
		if o == nil {
			return illegal("Shutdown", "", "an option is nil")
		}
		o(&set)
	}
	m.close(set.drain)
	if m.end(ctx) {
		m.measure.remove()
		return nil
	}
	held := m.Snapshot()
	m.Close() // also for who still waits, and would hold a key that no shutdown waits for
	return &ShutdownError{Held: held, Cause: context.Cause(ctx)}
}

// end waits until nothing is held any more, and reports true, or until ctx ends, and reports false. If
// nothing is held already it reports true, even if ctx has ended.
func (m *Manager) end(ctx context.Context) bool {
	select {
	case <-m.closed:
		return true
	default:
	}
	select {
	case <-m.closed:
		return true
	case <-ctx.Done():
		return false
	}
}

// Close is a shutdown that does not wait: the contexts of the holders end at once with
// the cause [ErrLocksClosed]. The holders keep their keys until they return.
func (m *Manager) Close() {
	if m.clocks == nil {
		return // it has no holders
	}
	defer m.measure.remove() // all of it also if who hears of the end ends the goroutine
	defer m.cancelAll()
	m.close(false)
}

// close refuses calls from now on, and those that wait, too, unless drain says that they are served.
func (m *Manager) close(drain bool) {
	defer func() {
		m.closing.Store(true) // before all parts are closed, one that has been looked at may still grant a key
		m.settled()
	}()
	var waiters []*hold
	defer func() { m.refuseAll(waiters) }() // also if the meter ends the goroutine
	failure.Persist(len(m.parts), func(i int) bool {
		s := &m.parts[i]
		s.lock()
		s.closed = true
		stop := s.idle.unset()
		for s.idle.oldest != nil {
			e := s.idle.oldest
			s.idle.remove(e)
			s.drop(e)
		}
		if !drain {
			waiters = append(waiters, s.dismiss()...)
		}
		s.unlock()
		if stop != nil {
			stop()
		}
		m.measure.keys(s)
		return true
	})
}

// refuseAll tells calls that were dismissed, each of them also if one before ends the goroutine.
func (m *Manager) refuseAll(waiters []*hold) {
	failure.Persist(len(waiters), func(i int) bool {
		h := waiters[i]
		if session := h.backed(); session != nil {
			session.stop()
		}
		defer h.refuse(&Error{Op: h.op.String(), Kind: ErrLocksClosed, Key: h.e.key})
		m.add(closedCount)
		return true
	})
}

// dismiss takes all who wait out of the queues and returns them. The caller holds mu,
// and tells them afterwards.
func (s *shard) dismiss() (waiters []*hold) {
	for _, e := range s.entries {
		for e.last != nil {
			h := e.first()
			s.leave(h)
			h.state = refused
			waiters = append(waiters, h)
		}
		if h := e.holder; h != nil && h.state == contending {
			h.state = refused // its session passes the key on
			waiters = append(waiters, h)
		}
		if e.holder == nil {
			s.drop(e)
		}
	}
	return waiters
}

// cancelAll ends the contexts of all holders.
func (m *Manager) cancelAll() {
	for i := range m.parts {
		s := &m.parts[i]
		var holders []*hold
		var causes []error
		s.lock()
		for _, e := range s.entries {
			if h := e.holder; h != nil {
				holders = append(holders, h)
				causes = append(causes, h.failure(h.op.String(), ErrLocksClosed))
			}
		}
		s.unlock()
		for i, h := range holders {
			h.end(causes[i])
		}
	}
}

// sessionBegan counts a goroutine that talks to the backend.
func (m *Manager) sessionBegan() { m.sessions.Add(1) }

func (m *Manager) sessionEnded() {
	m.sessions.Add(-1)
	m.settled()
}
