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

// failureList is the latest error and those before it. It is never changed after publication, so an error
// costs the same however many there are.
type failureList struct {
	err    error
	before *failureList
	count  int // errors in all
}

var closedFailures = &failureList{}

// Add keeps err and reports true, or reports false if Terminate was called
// before: then the caller reports err as dropped. A Goexit that was reported counts only as long
// as there is nothing else: the stream needs an error to end with.
func (f *List) Add(err error) bool {
	next, reported := &failureList{err: reactor.NonNil(err)}, IsReported(err)
	for {
		old := f.list.Load()
		if old == closedFailures {
			return false
		}
		if old != nil && reported {
			return true
		}
		next.before, next.count = nil, 1
		if old != nil && !IsReported(old.err) {
			next.before, next.count = old, old.count+1
		}
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
	if l.before == nil {
		return l.err
	}
	errs := make([]error, l.count)
	for i := len(errs) - 1; l != nil; i, l = i-1, l.before {
		errs[i] = l.err
	}
	return errors.Join(errs...)
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
	next := &failureList{err: reactor.NonNil(err), count: 1}
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

// Untold returns err or, if that is a Goexit which comes by and of which this was told before, what it was told: as far as elements
// are concerned the two are the same, but nobody further down has heard of it. It is taken out. So is all that was collected
// if there is no Goexit in it: one that was reported counts only where there is nothing else, such as what a function has
// made of it.
func (f *List) Untold(err error) error {
	s, ok := asSettled(err)
	if !ok || s.untold {
		return err
	}
	first, found := f.removeGoexit()
	if !found {
		first = f.Take()
	}
	if first != nil {
		return settled{first, s.open, true}
	}
	return err
}

// removeGoexit takes the latest error out that tells of a Goexit, if Terminate was not called before: for somebody by whom
// that Goexit comes, and who tells of it himself. It returns that error, unless it was reported elsewhere, and whether there is one.
func (f *List) removeGoexit() (error, bool) {
	for {
		old := f.list.Load()
		if old == nil || old == closedFailures {
			return nil, false
		}
		left, found := old.withoutGoexit()
		switch {
		case found == nil:
			return nil, false
		case !f.list.CompareAndSwap(old, left):
		case IsReported(found):
			return nil, true
		default:
			return found, true
		}
	}
}

func (l *failureList) withoutGoexit() (left *failureList, found error) {
	switch {
	case l == nil:
		return nil, nil
	case errors.Is(l.err, reactor.ErrGoexit):
		return l.before, l.err
	}
	before, found := l.before.withoutGoexit()
	left = &failureList{err: l.err, before: before, count: 1}
	if before != nil {
		left.count += before.count
	}
	return left, found
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
