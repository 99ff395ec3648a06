package netreactor

import (
	"context"
	"time"
)

// lifetime is a connection as its context, which ends when the connection is closed. Most
// connections live without anybody waiting for their end: it costs nothing until somebody does.
type lifetime connection

// context returns the context of c.
func (c *connection) context() *lifetime { return (*lifetime)(c) }

// ends is who waits for the end of a connection. All of it is under mu of the connection.
type ends struct {
	done  chan struct{} // made when Done is called first, or nil
	after *afterwards   // the functions of AfterFunc, the latest one first
}

// afterwards is a function in a list of those that are called at the end, under mu of the connection.
type afterwards struct {
	fn           func() // immutable
	next, before *afterwards
	out          bool // it is not in the list any more
}

// closedChan is what Done returns of a context that has ended before anybody asked.
var closedChan = func() chan struct{} {
	c := newSignal()
	close(c)
	return c
}()

// end ends the context, for why. Owner of a full pass.
func (l *lifetime) end(why *CloseError) {
	l.mu.Lock()
	l.ended = why
	var first *afterwards
	if e := l.ends; e != nil {
		if e.done != nil {
			close(e.done)
		}
		first, e.after = e.after, nil
	}
	for a := first; a != nil; a = a.next {
		a.out = true
	}
	l.mu.Unlock()
	for a := first; a != nil; a = a.next {
		go a.fn()
	}
}

// String returns for example "connection of 127.0.0.1:4711", as contexts describe themselves.
func (l *lifetime) String() string {
	if peer := l.tr.remoteAddr(); peer != nil {
		return "connection of " + peer.String()
	}
	return "connection"
}

// Deadline reports that there is none.
func (l *lifetime) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements context.Context.
func (l *lifetime) Done() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ends == nil {
		if l.ended != nil {
			return closedChan
		}
		l.ends = &ends{}
	}
	e := l.ends
	if e.done == nil {
		if l.ended != nil {
			e.done = closedChan
		} else {
			e.done = newSignal()
		}
	}
	return e.done
}

// Err returns the [*CloseError], which context.Cause returns, too.
func (l *lifetime) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended == nil {
		return nil
	}
	return l.ended
}

// Value implements context.Context.
func (l *lifetime) Value(key any) any { return l.eng.ctx.Value(key) }

// AfterFunc is what context.AfterFunc and derived contexts look for: without it, each would
// need a goroutine.
func (l *lifetime) AfterFunc(fn func()) (stop func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		go fn()
		return func() bool { return false }
	}
	if l.ends == nil {
		l.ends = &ends{}
	}
	a := &afterwards{fn: fn, next: l.ends.after}
	if a.next != nil {
		a.next.before = a
	}
	l.ends.after = a
	return func() bool { return l.remove(a) }
}

// remove takes a out of the list, and reports whether it was still there.
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
		l.ends.after = a.next
	}
	if a.next != nil {
		a.next.before = a.before
	}
	return true
}

var _ context.Context = (*lifetime)(nil)
