// Package store is a map of strings to strings that expire, and the commands of Redis that
// work on it.
package store

import (
	"errors"
	"hash/maphash"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/examples/kv/resp"
)

// Store holds values by key. Its methods may be called by any goroutine, and don't wait for
// anything but each other.
type Store struct {
	seed     maphash.Seed
	shards   [shards]shard
	commands atomic.Uint64
	hits     atomic.Uint64
	misses   atomic.Uint64
	expired  atomic.Uint64
	started  time.Time
	info     func() []byte // what Info adds
}

const shards = 64

type shard struct {
	mu   sync.RWMutex
	data map[string]entry // mu
	_    [24]byte         // a cache line of its own
}

// entry is a value. It is replaced, and not changed.
type entry struct {
	value string
	until int64 // when it expires, in nanoseconds since the epoch; 0 for never
}

func (e entry) dead(now int64) bool { return e.until != 0 && now >= e.until }

// New returns an empty Store. info, if not nil, returns lines to add to what INFO says.
func New(info func() []byte) *Store {
	s := &Store{seed: maphash.MakeSeed(), started: time.Now(), info: info}
	for i := range s.shards {
		s.shards[i].data = make(map[string]entry)
	}
	return s
}

func (s *Store) shard(key []byte) *shard {
	return &s.shards[maphash.Bytes(s.seed, key)%shards]
}

// get returns the value of key, the null string if there is none.
func (s *Store) get(key []byte) resp.Reply {
	sh := s.shard(key)
	sh.mu.RLock()
	e, ok := sh.data[string(key)]
	sh.mu.RUnlock()
	if !ok || e.until != 0 && e.dead(time.Now().UnixNano()) {
		s.misses.Add(1)
		return resp.Reply{}
	}
	s.hits.Add(1)
	return resp.Bulk(e.value)
}

// left returns how long key lives: -1 for ever, -2 if it does not.
func (s *Store) left(key []byte) time.Duration {
	sh := s.shard(key)
	sh.mu.RLock()
	e, ok := sh.data[string(key)]
	sh.mu.RUnlock()
	now := time.Now().UnixNano()
	switch {
	case !ok || e.dead(now):
		return -2
	case e.until == 0:
		return -1
	}
	return time.Duration(e.until - now)
}

// set replaces the value of key by a copy of value, which lives for ttl, or for ever if that
// is 0.
func (s *Store) set(key, value []byte, ttl time.Duration) {
	e := entry{value: string(value)}
	if ttl > 0 {
		e.until = time.Now().Add(ttl).UnixNano()
	}
	sh := s.shard(key)
	sh.mu.Lock()
	before := sh.data[string(key)]
	sh.data[string(key)] = e
	sh.mu.Unlock()
	s.gone(before)
}

// gone reports whether e, which is replaced or removed, had expired, and counts it then: Sweep finds it no more.
func (s *Store) gone(e entry) bool {
	if e.until == 0 || !e.dead(time.Now().UnixNano()) {
		return false
	}
	s.expired.Add(1)
	return true
}

// remove removes key and reports whether it was there.
func (s *Store) remove(key []byte) bool {
	sh := s.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	e, ok := sh.data[string(key)]
	delete(sh.data, string(key))
	return ok && !s.gone(e)
}

var (
	errInteger  = errors.New("value is not an integer or out of range")
	errOverflow = errors.New("increment or decrement would overflow")
)

// integer parses a number that is written as Redis writes it: without a plus or zeros in front.
func integer(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || text[0] == '+' || strings.TrimPrefix(text, "-")[0] == '0' && text != "0" {
		return 0, errInteger
	}
	return n, nil
}

// add adds by to the number at key and returns the sum.
func (s *Store) add(key []byte, by int64) (sum int64, err error) {
	sh := s.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	e, there := sh.data[string(key)]
	if there && s.gone(e) {
		e = entry{}
	} else if there {
		if sum, err = integer(e.value); err != nil {
			return 0, err
		}
	}
	if by > 0 && sum+by < sum || by < 0 && sum+by > sum {
		return 0, errOverflow
	}
	sum += by
	e.value = strconv.FormatInt(sum, 10)
	sh.data[string(key)] = e
	return sum, nil
}

// Len returns how many keys there are.
func (s *Store) Len() int {
	n := 0
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.RLock()
		n += len(sh.data)
		sh.mu.RUnlock()
	}
	return n
}

// Sweep removes the keys that have expired, and returns how many.
func (s *Store) Sweep() int {
	now, n := time.Now().UnixNano(), 0
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		for key, e := range sh.data {
			if e.dead(now) {
				delete(sh.data, key)
				n++
			}
		}
		sh.mu.Unlock()
	}
	s.expired.Add(uint64(n))
	return n
}
