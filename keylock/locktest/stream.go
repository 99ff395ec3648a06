package locktest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/keylock"
)

// Stream is a store in memory that behaves as a key-value bucket on a stream does: each
// write has the next sequence number of the whole stream and names the one that it
// expects to be the last of its key; a record that was released or has expired leaves a
// mark, which has a number too, and disappears after a while.
//
// It measures time with package time, so that it follows the clock of a testing/synctest
// bubble. Its methods may be called from any goroutine.
type Stream struct {
	// MarkTTL is how long a mark stays; 0 means a minute.
	MarkTTL time.Duration
	// MaxKey is the longest key, in bytes; 0 means 1000.
	MaxKey int

	mu   sync.Mutex
	seq  uint64                // of the last write; mu
	keys map[string]*streamKey // mu
	hubs hubs                  // mu
}

// streamKey is the last message of a key.
type streamKey struct {
	event keylock.Event
	at    time.Time   // when it was written
	timer *time.Timer // ends it
}

// NewStream returns an empty store.
func NewStream() *Stream { return &Stream{} }

// CheckTTL refuses times below a second, as streams do.
func (s *Stream) CheckTTL(ttl time.Duration) error {
	if ttl < time.Second {
		return fmt.Errorf("locktest: ttl ≥ 1s required but it was %v: %w", ttl, reactor.ErrIllegalArgument)
	}
	return nil
}

// CheckLockDelay refuses delays that marks don't last for.
func (s *Stream) CheckLockDelay(delay time.Duration) error {
	if stay := s.markTTL(); delay > stay {
		return fmt.Errorf("locktest: delay ≤ %v required, for which marks stay, but it was %v: %w", stay, delay, reactor.ErrIllegalArgument)
	}
	return nil
}

func (s *Stream) markTTL() time.Duration {
	if s.MarkTTL == 0 {
		return time.Minute
	}
	return s.MarkTTL
}

// TryAcquire writes a record if the last message of the key is the mark at r.Revision,
// or if there is none and r.Revision is 0.
func (s *Stream) TryAcquire(ctx context.Context, r keylock.Request) (keylock.Grant, error) {
	if err := s.check(ctx, r.Key, r.TTL); err != nil {
		return keylock.Grant{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.state(r.Key)
	if last.Kind == keylock.Occupied || last.Kind != keylock.Vacant && last.Revision != r.Revision {
		return keylock.Grant{}, fmt.Errorf("locktest: wrong last sequence: %d: %w", last.Revision, keylock.ErrHeld)
	}
	s.seq++
	g := keylock.Grant{Key: r.Key, Owner: r.Owner, Nonce: r.Nonce, Token: s.seq, Revision: s.seq}
	s.put(r.Key, keylock.Event{Kind: keylock.Occupied, Grant: g, Revision: s.seq}, wholeSeconds(r.TTL))
	return g, nil
}

// wholeSeconds rounds up, as one has to: streams cut off what is less.
func wholeSeconds(d time.Duration) time.Duration {
	return (d + time.Second - 1) / time.Second * time.Second
}

// Renew writes the record of g again if it is at g.Revision.
func (s *Stream) Renew(ctx context.Context, g keylock.Grant, ttl time.Duration) (keylock.Grant, error) {
	if err := s.check(ctx, g.Key, ttl); err != nil {
		return g, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.state(g.Key); last.Kind != keylock.Occupied || last.Revision != g.Revision {
		return g, fmt.Errorf("locktest: wrong last sequence: %d: %w", last.Revision, keylock.ErrHeld)
	}
	s.seq++
	g.Revision = s.seq
	s.put(g.Key, keylock.Event{Kind: keylock.Occupied, Grant: g, Revision: s.seq}, wholeSeconds(ttl))
	return g, nil
}

// Release replaces the record of g by a mark if it is at g.Revision.
func (s *Stream) Release(ctx context.Context, g keylock.Grant) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.state(g.Key); last.Kind != keylock.Occupied || last.Revision != g.Revision {
		return fmt.Errorf("locktest: wrong last sequence: %d: %w", last.Revision, keylock.ErrHeld)
	}
	s.end(g.Key, keylock.Released)
	return nil
}

// Read returns the last message of a key.
func (s *Stream) Read(ctx context.Context, key string) (keylock.Event, error) {
	if err := ctx.Err(); err != nil {
		return keylock.Event{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state(key), nil
}

// Watch sends the last message of a key, and those that follow.
func (s *Stream) Watch(ctx context.Context, key string) (<-chan keylock.Event, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hubs.of(key).subscribe(ctx, s.state(key)), nil
}

// Expire ends the record of a key now, as if its time to live were over, and reports
// whether there was one.
func (s *Stream) Expire(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state(key).Kind != keylock.Occupied {
		return false
	}
	s.end(key, keylock.Expired)
	return true
}

// Forget empties the store and begins to count again from 0, as a store does that was
// restored from nothing.
func (s *Stream) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, k := range s.keys {
		k.timer.Stop()
		delete(s.keys, key)
		s.hubs.of(key).send(keylock.Event{})
	}
	s.seq = 0
}

func (s *Stream) check(ctx context.Context, key string, ttl time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	most := s.MaxKey
	if most == 0 {
		most = 1000
	}
	if len(key) > most {
		return fmt.Errorf("locktest: a key of at most %d bytes required but it had %d: %w", most, len(key), reactor.ErrIllegalArgument)
	}
	return s.CheckTTL(ttl)
}

// state returns the last message of a key. The caller holds mu.
func (s *Stream) state(key string) keylock.Event {
	k := s.keys[key]
	if k == nil {
		return keylock.Event{}
	}
	ev := k.event
	if ev.Kind == keylock.Expired {
		ev.Age = time.Since(k.at)
	}
	return ev
}

// put makes ev the last message of a key, for ttl. The caller holds mu.
func (s *Stream) put(key string, ev keylock.Event, ttl time.Duration) {
	if s.keys == nil {
		s.keys = map[string]*streamKey{}
	}
	if old := s.keys[key]; old != nil {
		old.timer.Stop()
	}
	k := &streamKey{event: ev, at: time.Now()}
	s.keys[key] = k
	k.timer = time.AfterFunc(ttl, func() { s.over(key, k) })
	s.hubs.of(key).send(ev)
}

// over is called when the time of k is over.
func (s *Stream) over(key string, k *streamKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.keys[key] != k: // replaced meanwhile
	case k.event.Kind == keylock.Occupied:
		s.end(key, keylock.Expired)
	default:
		delete(s.keys, key) // marks go in silence
	}
}

// end leaves a mark in the place of a record. The caller holds mu.
func (s *Stream) end(key string, kind keylock.EventKind) {
	s.seq++
	s.put(key, keylock.Event{Kind: kind, Revision: s.seq}, s.markTTL())
}
