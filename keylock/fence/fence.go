// Package fence refuses what comes from a holder of a lock that has lost it without
// knowing: after a pause, a partition, a lease that ran out.
//
// Each lease of a key has a token that is higher than those before (keylock.Lease). Who
// writes to what the lock protects sends the token along, and there a [Guard] remembers
// the highest one it has seen, and refuses lower ones:
//
//	locks.Do(ctx, "account-7", func(ctx context.Context, lease keylock.Lease) (int, error) {
//		return 0, guard.Do("account-7", fence.MarkOf(lease), func() error { return write(…) })
//	})
//
// This is complete only if every write to the resource passes the guard, and if the
// guard stands where the resource is: a guard in the process of the holder knows nothing
// of other processes. A database does the same in the statement that writes:
//
//	UPDATE accounts SET balance = $1, fence = $2, nonce = $3
//	 WHERE id = $4 AND (fence < $2 OR fence = $2 AND nonce = $3)
//
// If no row is hit, the lease was stale. Where no token is given twice, see [Mark],
// "fence <= $2" is enough.
package fence

import (
	"errors"
	"fmt"
	"sync"
)

// ErrStale: the resource has seen a higher token, or the same one from somebody else. It
// is wrapped in a [*StaleError].
var ErrStale = errors.New("the lease is stale")

// Mark is what a write carries: the token of a lease, and what tells it from another
// lease with the same token.
//
// Tokens are the same twice when the store of the locks was restored from a backup, or
// when a process whose locks have no store was started again. The nonce makes such a
// lease fail, until its tokens have passed those seen before.
type Mark struct {
	Token uint64
	Nonce string
}

// MarkOf returns the mark of a lease.
func MarkOf(lease interface {
	Token() uint64
	Nonce() string
}) Mark {
	return Mark{Token: lease.Token(), Nonce: lease.Nonce()}
}

// StaleError is the refusal of a write. It matches [ErrStale] with errors.Is.
type StaleError struct {
	Resource string
	Mark     Mark // mark of the write
	Seen     Mark // the highest one so far
}

// Error returns for example
// "fence: \"account-7\": the lease is stale: token 3, 5 was seen before".
func (e *StaleError) Error() string {
	s := fmt.Sprintf("fence: %q: %v: token %d", e.Resource, ErrStale, e.Mark.Token)
	if e.Mark.Token == 0 {
		return s + " belongs to no lease"
	}
	s += fmt.Sprintf(", %d was seen before", e.Seen.Token)
	if e.Mark.Token == e.Seen.Token {
		s += " from another lease"
	}
	return s
}

// Unwrap returns [ErrStale].
func (e *StaleError) Unwrap() error { return ErrStale }

// Guard remembers the highest mark of each resource. Its methods may be called from any
// goroutine. The zero Guard has seen nothing.
type Guard struct {
	mu   sync.Mutex
	seen map[string]*resource // mu
}

type resource struct {
	mu   sync.Mutex // held while a function of Do runs
	mark Mark       // Guard.mu
	used int        // functions of Do that run or wait; Guard.mu
}

// Check remembers m if it is at least as high as what the resource has seen, or else
// returns a [*StaleError]. An equal token passes with the same nonce only. A token of 0
// belongs to no lease and is refused.
func (g *Guard) Check(name string, m Mark) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.check(name, m)
}

// check is Check; the caller holds mu.
func (g *Guard) check(name string, m Mark) error {
	r := g.seen[name]
	var seen Mark
	if r != nil {
		seen = r.mark
	}
	if m.Token == 0 || m.Token < seen.Token || m.Token == seen.Token && m.Nonce != seen.Nonce {
		return &StaleError{Resource: name, Mark: m, Seen: seen}
	}
	if r == nil {
		r = &resource{}
		if g.seen == nil {
			g.seen = make(map[string]*resource)
		}
		g.seen[name] = r
	}
	r.mark = m
	return nil
}

// Do is Check and, if that passes, calls fn and returns its error. Functions of one
// resource run one at a time, so that none of a lower mark can end after one of a higher
// mark. (Check does not wait for them: between a Check and the write that follows it, a
// higher mark may pass by.)
func (g *Guard) Do(name string, m Mark, fn func() error) error {
	if fn == nil {
		return fmt.Errorf("fence: %q: the function is nil", name)
	}
	g.mu.Lock()
	r := g.seen[name]
	if r == nil {
		if err := g.check(name, m); err != nil {
			g.mu.Unlock()
			return err
		}
		r = g.seen[name]
	}
	r.used++
	g.mu.Unlock()
	r.mu.Lock()
	defer func() {
		r.mu.Unlock()
		g.mu.Lock()
		r.used--
		g.mu.Unlock()
	}()
	g.mu.Lock()
	err := g.check(name, m)
	g.mu.Unlock()
	if err != nil {
		return err
	}
	return fn()
}

// Seen returns the highest mark of a resource, and false if there is none: to be stored
// with the resource.
func (g *Guard) Seen(name string) (Mark, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.seen[name]
	if r == nil {
		return Mark{}, false
	}
	return r.mark, true
}

// Forget lets go of a resource that there is no more, and reports whether it could: not
// while a function of [Guard.Do] runs for it.
func (g *Guard) Forget(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.seen[name]
	if r == nil || r.used > 0 {
		return false
	}
	delete(g.seen, name)
	return true
}
