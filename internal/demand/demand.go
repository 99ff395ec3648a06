package demand

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
)

// Sum returns a+b, saturating at reactor.Unbounded (§3.17). Both are ≥ 0.
func Sum(a, b int64) int64 {
	if s := a + b; s >= 0 {
		return s
	}
	return reactor.Unbounded
}

// Product returns a*b, saturating at reactor.Unbounded. Both are ≥ 0.
func Product(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if p := a * b; p/b == a && p > 0 {
		return p
	}
	return reactor.Unbounded
}

// Add adds n to r, saturating, and returns the value before. The goroutine
// that moves r away from 0 may take that as the right to emit.
func Add(r *atomic.Int64, n int64) int64 {
	for {
		old := r.Load()
		if old == reactor.Unbounded {
			return old
		}
		chaos.Yield()
		if r.CompareAndSwap(old, Sum(old, n)) {
			return old
		}
	}
}

// Produced takes n from r and returns what is left. Unbounded demand stays as it
// is; a difference below 0 becomes 0.
func Produced(r *atomic.Int64, n int64) int64 {
	for {
		old := r.Load()
		if old == reactor.Unbounded {
			return old
		}
		left := max(old-n, 0)
		chaos.Yield()
		if r.CompareAndSwap(old, left) {
			return left
		}
	}
}

// Refill counts consumed elements of a prefetching stage and asks for more in
// batches: prefetch minus a quarter at a time, as Reactor does.
// It is owned by whoever consumes.
type Refill struct {
	limit    int64
	consumed int64
}

// Batch returns how many elements a stage asks for at a time that was given the
// prefetch: all but a quarter of it, or reactor.Unbounded for never.
func Batch(prefetch int64) int64 {
	if prefetch == reactor.Unbounded {
		return prefetch
	}
	return prefetch - prefetch>>2
}

// NewRefill returns the Refill for a prefetch; reactor.Unbounded never refills.
func NewRefill(prefetch int64) Refill {
	return Refill{limit: Batch(prefetch)}
}

// NewRefillAt returns the Refill that asks for low elements each time as many
// were consumed. A low of 0 means the whole prefetch, one that is not below the
// prefetch the usual batch.
func NewRefillAt(prefetch, low int64) Refill {
	switch {
	case low <= 0:
		return Refill{limit: prefetch}
	case low >= prefetch || prefetch == reactor.Unbounded:
		return NewRefill(prefetch)
	}
	return Refill{limit: low}
}

// Left returns how many elements can be consumed up to the next request.
func (r *Refill) Left() int64 { return r.limit - r.consumed }

// Owed returns how many elements were consumed and not asked for again yet.
func (r *Refill) Owed() int64 { return r.consumed }

// Settle returns what is owed, to be requested now although it is no whole batch.
func (r *Refill) Settle() int64 {
	n := r.consumed
	r.consumed = 0
	return n
}

// Consumed records n elements taken and returns how many to request now, 0 for
// none.
func (r *Refill) Consumed(n int64) int64 {
	if r.limit == reactor.Unbounded {
		return 0
	}
	r.consumed += n
	if r.consumed < r.limit {
		return 0
	}
	n = r.consumed
	r.consumed = 0
	return n
}
