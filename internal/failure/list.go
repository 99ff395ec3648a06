package failure

import (
	"errors"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
)

// List collects errors until it is terminated once. The zero value is
// empty. Safe for concurrent use.
type List struct {
	list atomic.Pointer[failureList]
}

type failureList struct {
	errs []error // in order of arrival; never changed after publication
}

var closedFailures = &failureList{}

// Add keeps err and reports true, or reports false if Terminate was called
// before: then the caller reports err as dropped.
func (f *List) Add(err error) bool {
	err = reactor.NonNil(err)
	for {
		old := f.list.Load()
		if old == closedFailures {
			return false
		}
		next := &failureList{}
		if old != nil {
			next.errs = append(next.errs, old.errs...)
		}
		next.errs = append(next.errs, err)
		chaos.Yield()
		if f.list.CompareAndSwap(old, next) {
			return true
		}
	}
}

// Terminate closes the container and returns what was collected: nil, the one
// error, or errors.Join of all in order of arrival. Every call but the first
// returns nil.
func (f *List) Terminate() error {
	chaos.Yield()
	old := f.list.Swap(closedFailures)
	if old == nil || old == closedFailures {
		return nil
	}
	return old.join()
}

func (l *failureList) join() error {
	if len(l.errs) == 1 {
		return l.errs[0]
	}
	return errors.Join(l.errs...)
}

// Take empties the container, which stays open, and returns what was collected as Terminate does.
func (f *List) Take() error {
	for {
		old := f.list.Load()
		if old == nil || old == closedFailures {
			return nil
		}
		chaos.Yield()
		if f.list.CompareAndSwap(old, nil) {
			return old.join()
		}
	}
}

// Replace makes err all that was collected, and returns what was before, as Terminate does. It reports false if Terminate was
// called before: then the caller reports err as dropped. There is no moment without an error, which Terminate would take
// for completion.
func (f *List) Replace(err error) (before error, ok bool) {
	next := &failureList{errs: []error{reactor.NonNil(err)}}
	for {
		old := f.list.Load()
		if old == closedFailures {
			return nil, false
		}
		chaos.Yield()
		if f.list.CompareAndSwap(old, next) {
			if old == nil {
				return nil, true
			}
			return old.join(), true
		}
	}
}

// Peek returns what was collected and not yet taken, as Terminate does.
func (f *List) Peek() error {
	if l := f.list.Load(); l != nil && l != closedFailures {
		return l.join()
	}
	return nil
}

// Any reports whether an error was collected and not yet taken.
func (f *List) Any() bool {
	l := f.list.Load()
	return l != nil && l != closedFailures
}
