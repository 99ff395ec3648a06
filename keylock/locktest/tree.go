package locktest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/keylock"
)

// Tree is a store in memory that behaves as a tree of keys with leases does: a record
// is made in a transaction that compares its create revision with 0, it is attached to
// a lease that is kept alive without writing to it, and nothing is left of it when it is
// deleted. Its token is the create revision. What deletes a record is not to be seen:
// the release writes to it first, so that watchers can tell it from an expiry.
//
// It measures time with package time, so that it follows the clock of a testing/synctest
// bubble. Its methods may be called from any goroutine.
type Tree struct {
	mu       sync.Mutex
	revision uint64                 // of the whole store; mu
	records  map[string]*treeRecord // mu
	hubs     hubs                   // mu
}

type treeRecord struct {
	grant keylock.Grant
	timer *time.Timer // of the lease
}

// NewTree returns an empty store.
func NewTree() *Tree { return &Tree{} }

// TryAcquire makes the record if there is none; marks of earlier ones there are not.
func (t *Tree) TryAcquire(ctx context.Context, r keylock.Request) (keylock.Grant, error) {
	if err := ctx.Err(); err != nil {
		return keylock.Grant{}, err
	}
	if r.TTL <= 0 {
		return keylock.Grant{}, fmt.Errorf("locktest: ttl > 0 required but it was %v: %w", r.TTL, reactor.ErrIllegalArgument)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.records[r.Key]; old != nil {
		return keylock.Grant{}, fmt.Errorf("locktest: create revision is %d, not 0: %w", old.grant.Token, keylock.ErrHeld)
	}
	t.revision++
	g := keylock.Grant{Key: r.Key, Owner: r.Owner, Nonce: r.Nonce, Token: t.revision, Revision: t.revision}
	if t.records == nil {
		t.records = map[string]*treeRecord{}
	}
	rec := &treeRecord{grant: g}
	rec.timer = time.AfterFunc(r.TTL, func() { t.over(rec) })
	t.records[r.Key] = rec
	t.hubs.of(r.Key).send(keylock.Event{Kind: keylock.Occupied, Grant: g, Revision: g.Revision})
	return g, nil
}

// Renew keeps the lease of g alive. That is no write to the record: its revision stays.
func (t *Tree) Renew(ctx context.Context, g keylock.Grant, ttl time.Duration) (keylock.Grant, error) {
	if err := ctx.Err(); err != nil {
		return g, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	rec := t.of(g)
	if rec == nil || !rec.timer.Reset(ttl) {
		return g, fmt.Errorf("locktest: lease not found: %w", keylock.ErrHeld)
	}
	return g, nil
}

// Release deletes the record of g.
func (t *Tree) Release(ctx context.Context, g keylock.Grant) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	rec := t.of(g)
	if rec == nil {
		return fmt.Errorf("locktest: create revision is not %d: %w", g.Token, keylock.ErrHeld)
	}
	rec.timer.Stop()
	t.remove(rec, keylock.Released)
	return nil
}

// Read returns the state of a key.
func (t *Tree) Read(ctx context.Context, key string) (keylock.Event, error) {
	if err := ctx.Err(); err != nil {
		return keylock.Event{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state(key), nil
}

// Watch sends the state of a key, and its changes.
func (t *Tree) Watch(ctx context.Context, key string) (<-chan keylock.Event, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hubs.of(key).subscribe(ctx, t.state(key)), nil
}

// Expire ends the record of a key now, as if its lease were over, and reports whether
// there was one.
func (t *Tree) Expire(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	rec := t.records[key]
	if rec == nil {
		return false
	}
	rec.timer.Stop()
	t.remove(rec, keylock.Expired)
	return true
}

// over is called when the lease of a record is over.
func (t *Tree) over(rec *treeRecord) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.records[rec.grant.Key] == rec {
		t.remove(rec, keylock.Expired)
	}
}

// remove takes a record out. The caller holds mu.
func (t *Tree) remove(rec *treeRecord, kind keylock.EventKind) {
	t.revision++
	delete(t.records, rec.grant.Key)
	t.hubs.of(rec.grant.Key).send(keylock.Event{Kind: kind, Revision: t.revision})
}

// of returns the record that g stands for, or nil. The caller holds mu.
func (t *Tree) of(g keylock.Grant) *treeRecord {
	if rec := t.records[g.Key]; rec != nil && rec.grant.Token == g.Token {
		return rec
	}
	return nil
}

// state returns the state of a key. The caller holds mu.
func (t *Tree) state(key string) keylock.Event {
	if rec := t.records[key]; rec != nil {
		return keylock.Event{Kind: keylock.Occupied, Grant: rec.grant, Revision: rec.grant.Revision}
	}
	return keylock.Event{}
}
