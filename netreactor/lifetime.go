package netreactor

import (
	"context"
	"sync"
	"time"
)

// lifetime is the context of a connection, which ends when that is closed. Most connections
// live without anybody waiting for their end: it costs little until somebody does.
type lifetime struct {
	c *connection // immutable

	mu    sync.Mutex
	err   *CloseError   // not nil after the end; mu
	done  chan struct{} // made when it is first asked for; mu
	after *afterwards   // what is to be called at the end; mu
}

// afterwards is a function in a list of those to be called.
type afterwards struct {
	fn           func()
	next, before *afterwards
	out          bool // it was taken out; lifetime.mu
}

// closedChan is what contexts that have ended wait for.
var closedChan = func() chan struct{} {
	c := newSignal()
	close(c)
	return c
}()

// end ends it.
func (l *lifetime) end(why *CloseError) {
	l.mu.Lock()
	l.err = why
	if l.done == nil {
		l.done = closedChan
	} else {
		close(l.done)
	}
	first := l.after
	l.after = nil
	for a := first; a != nil; a = a.next {
		a.out = true
	}
	l.mu.Unlock()
	for a := first; a != nil; a = a.next {
		go a.fn()
	}
}

// Deadline reports that there is none.
func (l *lifetime) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements context.Context.
func (l *lifetime) Done() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done == nil {
		l.done = newSignal()
	}
	return l.done
}

// Err returns the [*CloseError], which context.Cause returns, too.
func (l *lifetime) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		return nil
	}
	return l.err
}

// Value implements context.Context.
func (l *lifetime) Value(key any) any { return l.c.eng.ctx.Value(key) }

// AfterFunc is what context.AfterFunc and derived contexts look for: without it, each would
// need a goroutine.
func (l *lifetime) AfterFunc(fn func()) (stop func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := &afterwards{fn: fn}
	if l.err != nil {
		go fn()
		return func() bool { return false }
	}
	if a.next = l.after; a.next != nil {
		a.next.before = a
	}
	l.after = a
	return func() bool { return l.remove(a) }
}

// remove reports whether a was still to be called.
func (l *lifetime) remove(a *afterwards) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a.out {
		return false
	}
	a.out = true
	if a.before != nil {
		a.before.next = a.next
	} else {
		l.after = a.next
	}
	if a.next != nil {
		a.next.before = a.before
	}
	return true
}

var _ context.Context = (*lifetime)(nil)
