package keylock_test

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/locktest"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// endingMeter has instruments of which one ends the goroutine that reports to it, a number of times.
type endingMeter struct {
	ends string // its name
	left atomic.Int32
}

func (m *endingMeter) call(name string) {
	if strings.TrimPrefix(name, "t.keylock.") == m.ends && m.left.Add(-1) >= 0 {
		runtime.Goexit()
	}
}

func (m *endingMeter) Counter(name string, _ ...string) func(int64) {
	return func(int64) { m.call(name) }
}

func (m *endingMeter) Gauge(name string, _ ...string) func(int64) {
	return func(int64) { m.call(name) }
}

func (m *endingMeter) Timer(name string, _ ...string) func(time.Duration) {
	return func(time.Duration) { m.call(name) }
}

func (m *endingMeter) Remove(name string) { m.call("remove") }

// tag is for WithKeyTag.
func (m *endingMeter) tag(key string) string { m.call("tag"); return key }

// instrumentNames are those of a manager, and what else of its meter is called.
var instrumentNames = []string{
	"keys", "holders", "waiters", "late", "acquired", "wait", "hold", "overrun_time", "wait_timeout", "lease_expired", "overrun", "panic",
	"closed", "reentrant", "queue_full", "tag",
}

// meterScene is what callers do while an instrument ends goroutines.
type meterScene struct {
	t    *testing.T
	m    *keylock.Manager
	runs atomic.Int32 // calls under way
	told atomic.Int32 // streams that have not heard of their end
}

// settled waits until nothing can happen any more, and fails if somebody waits or holds a key then.
func (s *meterScene) settled(meter *endingMeter) {
	time.Sleep(3 * time.Hour)
	synctest.Wait()
	meter.left.Store(0)
	assert.Zero(s.t, s.runs.Load(), "calls wait for ever")
	assert.Zero(s.t, s.told.Load(), "streams wait for ever")
	assert.Empty(s.t, s.m.Snapshot(), "keys are held")
	if s.t.Failed() {
		s.t.FailNow()
	}
}

// caller runs fn on a goroutine of its own, which has to end.
func (s *meterScene) caller(fn func()) {
	s.runs.Add(1)
	go func() {
		defer s.runs.Add(-1)
		fn()
	}()
}

func (s *meterScene) acquirer(opts ...keylock.CallOption) {
	s.caller(func() {
		if l, err := s.m.Acquire(context.Background(), "k", opts...); err == nil {
			time.Sleep(time.Millisecond)
			l.Release()
		}
	})
}

// stream subscribes under the key and waits for the end, whatever it is.
func (s *meterScene) stream(opts ...keylock.CallOption) {
	s.told.Add(1)
	var once atomic.Bool
	end := func() {
		if !once.Swap(true) {
			s.told.Add(-1)
		}
	}
	s.caller(func() {
		s.m.Mono("k", mono.Just(1), opts...).SubscribeFunc(context.Background(), nil,
			mono.OnError(func(error) { end() }), mono.OnComplete(end))
	})
}

// A meter may end the goroutine that reports to it: no key is held by nobody then, and nobody waits for ever.
func TestMeterThatEndsTheGoroutine(t *testing.T) {
	scenes := map[string]func(s *meterScene, arm func()){
		"a free key": func(s *meterScene, arm func()) {
			arm()
			s.acquirer()
			synctest.Wait()
			s.acquirer(keylock.WaitTime(time.Hour))
		},
		"passed on": func(s *meterScene, arm func()) {
			l := take(s.t, s.m, "k")
			s.acquirer(keylock.WaitTime(time.Hour))
			synctest.Wait()
			s.acquirer(keylock.WaitTime(time.Hour))
			s.stream(keylock.WaitTime(time.Hour))
			synctest.Wait()
			arm()
			s.caller(func() { l.Release() })
		},
		"who waits": func(s *meterScene, arm func()) {
			l := take(s.t, s.m, "k")
			arm()
			s.acquirer(keylock.WaitTime(time.Second))
			synctest.Wait()
			s.stream(keylock.WaitTime(2 * time.Second))
			s.acquirer(keylock.WaitTime(time.Hour), keylock.MaxWaiters(1))
			time.Sleep(time.Minute)
			s.caller(func() { l.Release() })
		},
		"the end of a lease": func(s *meterScene, arm func()) {
			take(s.t, s.m, "k", keylock.AtExpiry(keylock.ReleaseOnExpiry), keylock.LeaseTime(time.Second))
			s.acquirer(keylock.WaitTime(time.Hour))
			s.stream(keylock.WaitTime(time.Hour))
			synctest.Wait()
			arm()
		},
		"functions": func(s *meterScene, arm func()) {
			arm()
			for range 2 {
				s.caller(func() {
					s.m.Do(context.Background(), "k", func(context.Context, keylock.Lease) (int, error) { panic("fn") }, keylock.WaitTime(time.Hour))
				})
			}
			s.caller(func() {
				s.m.Do(context.Background(), "k", func(ctx context.Context, _ keylock.Lease) (int, error) {
					s.m.Do(ctx, "k", nothing)
					time.Sleep(2 * time.Second)
					return 0, nil
				}, keylock.LeaseTime(time.Second), keylock.WaitTime(time.Hour))
			})
			s.caller(func() {
				s.m.Do(context.Background(), "k", func(context.Context, keylock.Lease) (int, error) {
					time.Sleep(2 * time.Second)
					return 0, nil
				}, keylock.LeaseTime(time.Second), keylock.AtExpiry(keylock.ReleaseOnExpiry), keylock.WaitTime(time.Hour))
			})
		},
		"several keys": func(s *meterScene, arm func()) {
			l := take(s.t, s.m, "b")
			s.caller(func() {
				s.m.DoAll(context.Background(), []string{"a", "b", "k"}, func(context.Context, []keylock.Lease) (int, error) { return 0, nil })
			})
			synctest.Wait()
			arm()
			s.caller(func() { l.Release() })
			s.caller(func() {
				s.m.DoAll(context.Background(), []string{"a", "b", "k"}, func(context.Context, []keylock.Lease) (int, error) { return 0, nil })
			})
		},
		"a shutdown": func(s *meterScene, arm func()) {
			l := take(s.t, s.m, "k")
			take(s.t, s.m, "a").Release()
			for range 2 {
				s.acquirer(keylock.WaitTime(keylock.Forever))
				s.stream(keylock.WaitTime(keylock.Forever))
			}
			synctest.Wait()
			arm()
			s.caller(func() { s.m.Shutdown(context.Background()) })
			synctest.Wait()
			s.caller(func() { l.Release() })
		},
		"who gives up": func(s *meterScene, arm func()) {
			l := take(s.t, s.m, "k")
			ctx, cancel := context.WithCancel(context.Background())
			for range 2 {
				s.caller(func() {
					if l, err := s.m.Acquire(ctx, "k", keylock.WaitTime(time.Hour)); err == nil {
						l.Release()
					}
				})
				s.caller(func() { s.m.Grant("k", keylock.WaitTime(time.Hour)).Block(ctx) })
			}
			synctest.Wait()
			arm()
			s.caller(cancel)
			synctest.Wait()
			s.caller(func() { l.Release() })
		},
	}
	for name, scene := range scenes {
		for _, instrument := range instrumentNames {
			for _, times := range []int32{1, 1000} {
				for kind, opts := range map[string][]keylock.Option{"in order": nil, "barging": {keylock.Barging()}, "no places kept": {keylock.IdleTTL(0)}} {
					t.Run(name+"/"+instrument+"/"+kind, func(t *testing.T) {
						defer reactor.SetHooks("meter", reactor.Hooks{ErrorDropped: func(context.Context, error) {}})()
						meter := &endingMeter{ends: instrument}
						opts := append(opts, keylock.WithMeter(meter, "t"), keylock.WithKeyTag(meter.tag))
						bubble(t, func(t *testing.T, m *keylock.Manager) {
							s := &meterScene{t: t, m: m}
							scene(s, func() { meter.left.Store(times) })
							s.settled(meter)
						}, opts...)
					})
				}
			}
		}
	}
}

// With a backend the meter may end the goroutine of a session as well: its caller hears of the grant, or of a failure, and the
// next one gets the key.
func TestMeterThatEndsASession(t *testing.T) {
	for _, instrument := range instrumentNames {
		for _, times := range []int32{1, 1000} {
			t.Run(instrument, func(t *testing.T) {
				defer reactor.SetHooks("meter", reactor.Hooks{ErrorDropped: func(context.Context, error) {}})()
				meter := &endingMeter{ends: instrument}
				opts := []keylock.Option{
					keylock.WithBackend(locktest.NewTree(), ttl), keylock.LeaseTime(0), keylock.WithMeter(meter, "t"), keylock.WithKeyTag(meter.tag),
				}
				bubble(t, func(t *testing.T, m *keylock.Manager) {
					s := &meterScene{t: t, m: m}
					l := take(t, m, "k")
					for range 2 {
						s.acquirer(keylock.WaitTime(time.Hour))
						s.stream(keylock.WaitTime(time.Hour))
						synctest.Wait()
					}
					meter.left.Store(times)
					s.caller(func() { l.Release() })
					time.Sleep(time.Minute)
					s.acquirer(keylock.WaitTime(0))
					s.settled(meter)
				}, opts...)
			})
		}
	}
}

// A scheduler may end the goroutine that hands it a task: the key is given back.
func TestSchedulerThatEndsTheGoroutine(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		s := ending{schedulers.Parallel()}
		apart(func() {
			m.Do(context.Background(), "k", nothing, keylock.On(s), keylock.LeaseTime(0))
		})
		assert.Empty(t, m.Snapshot())
		l := take(t, m, "k")
		var err error
		m.Flux("k", flux.Just(1), keylock.On(s), keylock.LeaseTime(0)).SubscribeFunc(t.Context(), nil, flux.OnError(func(e error) { err = e }))
		apart(func() { l.Release() })
		synctest.Wait()
		assert.Empty(t, m.Snapshot())
		require.ErrorIs(t, err, reactor.ErrGoexit)
	})
}

// ending is a scheduler that ends the goroutine of who hands it a task without a delay.
type ending struct{ schedulers.Scheduler }

func (ending) Schedule(schedulers.Task) (schedulers.Disposable, error) {
	runtime.Goexit()
	return nil, nil
}
