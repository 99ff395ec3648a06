package keylock

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/goreactor/reactor/internal/failure"
)

// DoAll waits for several keys, runs fn while all of them are held, and returns what
// fn returns. The keys are acquired in sorted order, so that calls of DoAll don't wait
// for one another in a circle, and released in reverse; one that is named several
// times is acquired once. leases are in the order of keys. [WaitTime] is for all of
// them together. The context of fn ends with the first lease that ends; whatever the
// policy, DoAll returns when fn has.
//
// fn runs on the calling goroutine, also where the manager has [On] for its calls; as an option of this one On is
// refused. A key that the caller holds
// already fails with [ErrReentrant], or with [Reentrant] is left to the outer hold. See
// [Manager.Do] for the rest.
func (m *Manager) DoAll[T any](
	ctx context.Context, keys []string, fn func(ctx context.Context, leases []Lease) (T, error), opts ...CallOption,
) (T, error) {
	all := &several{m: m, keys: keys, leases: make([]Lease, len(keys))}
	c, err := m.callOf("DoAll", all.name(), opts)
	switch {
	case err != nil:
	case fn == nil:
		err = illegal("DoAll", all.name(), "the function is nil")
	case ctx == nil:
		err = illegal("DoAll", all.name(), "the context is nil")
	default:
		ctx, err = all.acquire(ctx, c)
	}
	if err != nil {
		return *new(T), err
	}
	return here(m, &c, all.giveBack, func() (T, error) { return fn(ctx, all.leases) })
}

// several are the keys of one call.
type several struct {
	m      *Manager
	keys   []string
	leases []Lease // in the order of keys
	holds  []*hold // to be released, in the order in which they were acquired
}

// name returns the keys for errors.
func (a *several) name() string { return strings.Join(a.keys, ", ") }

// acquire waits for all keys and returns the context that ends with the first lease.
// After an error nothing is held.
func (a *several) acquire(ctx context.Context, c call) (context.Context, error) {
	returned := false
	defer func() {
		if !returned { // the meter has ended the goroutine
			_ = a.unused(nil)
		}
	}()
	ctx, err := a.acquireAll(ctx, c)
	returned = true
	if err != nil {
		return nil, a.unused(err)
	}
	for _, h := range a.holds {
		if h.lapse() != nil {
			return nil, a.unused(nil) // which returns it
		}
	}
	return ctx, nil
}

// acquireAll is acquire that leaves to the caller what it has got before an error.
func (a *several) acquireAll(ctx context.Context, c call) (context.Context, error) {
	clk, wait := a.m.clocks.current(), c.wait
	start := clk.now()
	for _, key := range slices.Compact(slices.Sorted(slices.Values(a.keys))) {
		h, err := a.one(&ctx, key, &c)
		if err != nil {
			return nil, err
		}
		for i, k := range a.keys {
			if k == key {
				a.leases[i] = Lease{h}
			}
		}
		if wait > 0 {
			c.wait = max(wait-time.Duration(clk.now()-start), 0)
		}
	}
	return ctx, nil
}

// one acquires one key. The next one is acquired in its context.
func (a *several) one(ctx *context.Context, key string, c *call) (*hold, error) {
	if c.reentrant {
		if outer := a.m.lent(*ctx, key); outer != nil {
			return outer, nil
		}
	}
	if a.m.reentered(*ctx, key) != nil {
		return nil, a.m.reentrance("DoAll", key)
	}
	h, err := a.m.acquire(*ctx, byDoAll, key, c)
	if err != nil {
		return nil, err
	}
	a.holds = append(a.holds, h)
	*ctx = h
	return h, nil
}

// giveBack releases all keys when the function has ended with err, the last one first.
func (a *several) giveBack(err error) error { return a.each((*hold).giveBack, err) }

// unused is giveBack where the function has not begun.
func (a *several) unused(err error) error { return a.each((*hold).unused, err) }

func (a *several) each(release func(*hold, error) error, err error) error {
	last := len(a.holds) - 1
	failure.Persist(len(a.holds), func(i int) bool {
		err = release(a.holds[last-i], err)
		return true
	})
	return err
}
