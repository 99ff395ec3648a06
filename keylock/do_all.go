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
// for one another in a circle, and released in reverse order; a key that is named
// several times is acquired once. leases are in the order of keys. [WaitTime] limits
// the wait for all keys together. The context of fn ends with the first lease that
// ends; whatever the policy, DoAll returns when fn has returned.
//
// fn runs on the calling goroutine, even if the manager has [On] as a default; as an
// option of DoAll, On is refused. For a key that the caller holds already, DoAll fails
// with [ErrReentrant]; with [Reentrant], the outer hold keeps that key. See
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
	leases []Lease         // in the order of keys
	holds  []*hold         // to be released, in the order in which they were acquired
	outer  context.Context // of the caller
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
	a.outer = ctx
	order := a.order()
	for at, i := range order {
		if at > 0 && a.keys[i] == a.keys[order[at-1]] { // named before
			a.leases[i] = a.leases[order[at-1]]
			continue
		}
		h, err := a.one(&ctx, a.keys[i], &c)
		if err != nil {
			return nil, err
		}
		a.leases[i] = Lease{h}
		if wait > 0 {
			c.wait = max(wait-time.Duration(clk.now()-start), 0)
		}
	}
	return ctx, nil
}

// order returns the places of the keys, in the order of the keys.
func (a *several) order() []int {
	order := make([]int, len(a.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(a.keys[i], a.keys[j]) })
	return order
}

// one acquires one key, and makes *ctx the context of its hold, in which the next key is acquired. The key is
// looked for among the holds of the caller only: those that this call has acquired are of other keys.
func (a *several) one(ctx *context.Context, key string, c *call) (*hold, error) {
	if c.reentrant {
		if outer := a.m.lent(a.outer, key); outer != nil {
			return outer, nil
		}
	}
	if a.m.reentered(a.outer, key) != nil {
		return nil, a.m.reentrance("DoAll", key)
	}
	if live := a.watched(*ctx); live.Err() != nil {
		return nil, context.Cause(live)
	}
	h, err := a.m.acquireLive(*ctx, byDoAll, key, c)
	if err != nil {
		return nil, err
	}
	a.holds = append(a.holds, h)
	*ctx = h
	return h, nil
}

// fewHolds is how many holds of a call are all asked, before each key, whether their leases have ended.
const fewHolds = 16

// watched returns the context whose end makes the next key useless. That is ctx, which asks each hold of the call; but with many
// holds, as n keys would take n² questions, it is the context of the caller, except when the number of holds has doubled. A call
// that waits hears of the end of each lease anyway, and one that has all keys looks at all leases again.
func (a *several) watched(ctx context.Context) context.Context {
	if n := len(a.holds); n > fewHolds && n&(n-1) != 0 {
		return a.outer
	}
	return ctx
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
