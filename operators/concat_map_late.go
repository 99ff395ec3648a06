package operators

import (
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// lateError is an error of the source that comes while the element before it still waits to
// be taken, for no other reason than that somebody else drains: perhaps the very caller of
// the request that both of them answer. It is for sources that are asked for one element at
// a time. The signals of the source call arrived and postpone; the owner of the drain calls
// the other methods.
type lateError struct {
	untaken atomic.Bool // an element has arrived
	err     atomic.Pointer[error]
}

// arrived announces an element before the element is queued.
func (l *lateError) arrived() { l.untaken.Store(true) }

// postpone keeps err if there is an element that has to come first, and reports whether
// there is. The caller announces work.
func (l *lateError) postpone(err error) bool {
	if !l.untaken.Load() {
		return false
	}
	chaos.Yield()
	l.err.Store(&err)
	return true
}

// taken records that the element has been dealt with.
func (l *lateError) taken() {
	chaos.Yield()
	if l.untaken.Load() {
		l.untaken.Store(false)
	}
}

// due returns the error that need not wait any more, or nil. If active is true no element
// is going to be taken.
func (l *lateError) due(active bool) error {
	if !active && l.untaken.Load() {
		return nil
	}
	return l.take()
}

// take returns the error that waits, or nil.
func (l *lateError) take() error {
	if l.err.Load() == nil {
		return nil
	}
	// Only the owner of the drain takes it.
	return *l.err.Swap(nil)
}
