package keylock

import (
	"context"
	"sync"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/live"
)

// This file has the part of a hold that is a context. Most functions never look at their
// context, and one that can end costs more than the rest of an uncontended call, so it is
// made when somebody asks for more than values.

// endable is the part of the context of a hold that can end. If the caller's context can
// end, too, it is std, a context of the standard library; if not, it is the other fields.
type endable struct {
	std *derived // of the standard library, or nil; immutable

	done  chan struct{}
	mu    sync.Mutex
	over  bool                 // mu
	after map[*func()]struct{} // functions to be called at the end, nil without any; mu
	ended *derived             // a context of the standard library with the same cause, see standard; nil until it is asked for; mu
}

// derived is a context of the standard library.
type derived struct {
	context.Context
	cancel context.CancelCauseFunc
}

// String describes the lease: package fmt would read what others write meanwhile, if somebody prints the context.
func (h *hold) String() string { return Lease{h}.String() }

// Done returns a channel that is closed when the lease or the caller's context ends,
// or the key is released.
func (h *hold) Done() <-chan struct{} {
	c := h.ended()
	if c.std != nil {
		return c.std.Done()
	}
	return c.done
}

// Err returns nil as long as the context lives.
func (h *hold) Err() error {
	c := h.inner.Load()
	switch {
	case c == nil && h.ending.Load() == nil:
		return h.parent.Err()
	case c == nil:
		c = h.ended()
	}
	if c.std != nil {
		return c.std.Err()
	}
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

// Value returns the values of the caller's context.
func (h *hold) Value(key any) any {
	if key == (heldKey{}) {
		return h
	}
	if c := h.inner.Load(); c != nil {
		return c.standard(h).Value(key)
	}
	return h.parent.Value(key) // who asks for a cause has seen the end by Err or Done, which have made inner
}

// standard returns the context that is asked for values in the place of h: by a value
// context.Cause gets at the cause of an end.
func (c *endable) standard(h *hold) context.Context {
	if c.std != nil {
		return c.std
	}
	c.mu.Lock()
	over, ended := c.over, c.ended
	c.mu.Unlock()
	if !over {
		return h.parent
	}
	if ended != nil {
		return ended
	}
	ctx, cancel := context.WithCancelCause(h.parent) // which asks the caller's context, so not under the lock
	cancel(h.ending.Load().cause)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended == nil {
		c.ended = &derived{Context: ctx}
	}
	return c.ended
}

// AfterFunc calls fn when the context has ended, unless stop is called before and
// reports true. By this method contexts that are derived from h hear of its end; what the
// standard library calls with is short.
func (h *hold) AfterFunc(fn func()) (stop func() bool) {
	c := h.ended()
	if c.std != nil {
		return live.AfterContext(c.std, live.Func(fn))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		go fn() // the caller may hold a lock that fn takes
		return func() bool { return false }
	}
	if c.after == nil {
		c.after = map[*func()]struct{}{}
	}
	c.after[&fn] = struct{}{}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, waits := c.after[&fn]
		delete(c.after, &fn)
		return waits
	}
}

// ended returns the part of the context that can end.
func (h *hold) ended() *endable {
	if c := h.inner.Load(); c != nil {
		return c
	}
	var c *endable
	if h.parent.Done() == nil {
		c = &endable{done: make(chan struct{})}
	} else {
		both := new(struct {
			endable
			derived
		})
		both.Context, both.cancel = context.WithCancelCause(h.parent)
		c, both.std = &both.endable, &both.derived
	}
	if !h.inner.CompareAndSwap(nil, c) {
		if c.std != nil {
			c.std.cancel(nil)
		}
		return h.inner.Load()
	}
	chaos.Yield()
	// end stores before it looks for c, so that one of the two sees the other.
	if e := h.ending.Load(); e != nil {
		c.end(e.cause)
	}
	return c
}

// end ends the context with a cause, or with context.Canceled if that is nil.
func (h *hold) end(cause error) {
	e := normalEnding
	if cause != nil {
		e = &ending{cause: cause}
	}
	if !h.ending.CompareAndSwap(nil, e) {
		return
	}
	chaos.Yield()
	if c := h.inner.Load(); c != nil {
		c.end(cause)
	}
}

func (c *endable) end(cause error) {
	if c.std != nil {
		c.std.cancel(cause)
		return
	}
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return
	}
	c.over = true
	after := c.after
	c.after = nil
	close(c.done)
	c.mu.Unlock()
	for fn := range after {
		(*fn)()
	}
}
