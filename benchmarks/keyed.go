package benchmarks

import (
	"context"
	"hash/maphash"
	"sync"

	"github.com/moby/locker"
	"golang.org/x/sync/semaphore"
)

// KeyedLock runs a function while it holds a key.
type KeyedLock interface {
	Do(ctx context.Context, key string, fn func(context.Context) int) (int, error)
}

const lockShards = 128

// MutexMap is a sharded map of mutexes that are counted and removed when nobody uses them:
// what one writes by hand. It knows neither contexts nor times.
type MutexMap struct {
	seed   maphash.Seed
	shards [lockShards]struct {
		mu   sync.Mutex
		keys map[string]*countedMutex
		_    [48]byte
	}
}

type countedMutex struct {
	mu    sync.Mutex
	users int // shard.mu
}

// NewMutexMap returns an empty map.
func NewMutexMap() *MutexMap {
	m := &MutexMap{seed: maphash.MakeSeed()}
	for i := range m.shards {
		m.shards[i].keys = map[string]*countedMutex{}
	}
	return m
}

// Do implements KeyedLock.
func (m *MutexMap) Do(ctx context.Context, key string, fn func(context.Context) int) (int, error) {
	s := &m.shards[maphash.String(m.seed, key)%lockShards]
	s.mu.Lock()
	k := s.keys[key]
	if k == nil {
		k = &countedMutex{}
		s.keys[key] = k
	}
	k.users++
	s.mu.Unlock()
	k.mu.Lock()
	defer func() {
		k.mu.Unlock()
		s.mu.Lock()
		if k.users--; k.users == 0 {
			delete(s.keys, key)
		}
		s.mu.Unlock()
	}()
	return fn(ctx), nil
}

// SemaphoreMap is the same with a golang.org/x/sync/semaphore for each key, which knows
// contexts.
type SemaphoreMap struct {
	seed   maphash.Seed
	shards [lockShards]struct {
		mu   sync.Mutex
		keys map[string]*countedSemaphore
		_    [48]byte
	}
}

type countedSemaphore struct {
	sem   *semaphore.Weighted
	users int
}

// NewSemaphoreMap returns an empty map.
func NewSemaphoreMap() *SemaphoreMap {
	m := &SemaphoreMap{seed: maphash.MakeSeed()}
	for i := range m.shards {
		m.shards[i].keys = map[string]*countedSemaphore{}
	}
	return m
}

// Do implements KeyedLock.
func (m *SemaphoreMap) Do(ctx context.Context, key string, fn func(context.Context) int) (int, error) {
	s := &m.shards[maphash.String(m.seed, key)%lockShards]
	s.mu.Lock()
	k := s.keys[key]
	if k == nil {
		k = &countedSemaphore{sem: semaphore.NewWeighted(1)}
		s.keys[key] = k
	}
	k.users++
	s.mu.Unlock()
	err := k.sem.Acquire(ctx, 1)
	defer func() {
		if err == nil {
			k.sem.Release(1)
		}
		s.mu.Lock()
		if k.users--; k.users == 0 {
			delete(s.keys, key)
		}
		s.mu.Unlock()
	}()
	if err != nil {
		return 0, err
	}
	return fn(ctx), nil
}

// Moby is github.com/moby/locker.
type Moby struct{ l *locker.Locker }

// NewMoby returns an empty one.
func NewMoby() Moby { return Moby{locker.New()} }

// Do implements KeyedLock.
func (m Moby) Do(ctx context.Context, key string, fn func(context.Context) int) (int, error) {
	m.l.Lock(key)
	defer func() { _ = m.l.Unlock(key) }()
	return fn(ctx), nil
}

// ChannelLock is one key: a channel with room for one, which passes on to the first of
// those who wait.
type ChannelLock chan struct{}

// Do implements KeyedLock.
func (c ChannelLock) Do(ctx context.Context, _ string, fn func(context.Context) int) (int, error) {
	select {
	case c <- struct{}{}:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	defer func() { <-c }()
	return fn(ctx), nil
}
