package keylock_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
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
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// apart runs fn, which may end its goroutine, on one of its own.
func apart(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	<-done
}

// Who gets no timer for its lease may end the goroutine when it is told so: the key goes on to the next one all the same.
func TestAfterOneThatIsRefusedAndEndsTheGoroutine(t *testing.T) {
	refusable(t, func(t *testing.T, m *keylock.Manager, s *refusing) {
		holder := take(t, m, "k")
		told := 0
		for range 2 {
			m.Mono("k", mono.Just(1), keylock.LeaseTime(time.Second)).SubscribeFunc(t.Context(), nil, mono.OnError(func(error) {
				told++
				runtime.Goexit()
			}))
		}
		got := false
		go func() {
			l, err := m.Acquire(t.Context(), "k")
			assert.NoError(t, err)
			got = l.Release()
		}()
		synctest.Wait()
		s.no.Store(true)
		apart(func() { holder.Release() })
		synctest.Wait()
		assert.Equal(t, 2, told)
		assert.True(t, got)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.NoError(t, m.Shutdown(ctx))
	})
}

// A stream that goes on within the release of another one, and ends the goroutine there, takes nothing away from that one.
func TestAStreamThatEndsTheGoroutineOfTheOneBefore(t *testing.T) {
	for name, end := range map[string]func(s *flux.Sink[int]){
		"complete": func(s *flux.Sink[int]) { s.Complete() },
		"error":    func(s *flux.Sink[int]) { s.Error(assert.AnError) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, m *keylock.Manager) {
				var sink *flux.Sink[int]
				source := flux.Create(func(s *flux.Sink[int]) { sink = s })
				first := reactortest.Subscribe(t, m.Flux("k", source))
				m.Flux("k", flux.Just(1), keylock.On(schedulers.Immediate())).SubscribeFunc(t.Context(), func(int) { runtime.Goexit() })
				apart(func() { end(sink) })
				synctest.Wait()
				assert.True(t, first.IsTerminated())
			})
		})
	}
}

// Nor from a function that runs on another goroutine: its result is what it has returned.
func TestAStreamThatEndsTheGoroutineOfTheFunctionBefore(t *testing.T) {
	type result struct {
		v   int
		err error
	}
	for name, want := range map[string]result{"value": {7, nil}, "error": {7, assert.AnError}, "panic": {0, errPanics}, "Goexit": {0, reactor.ErrGoexit}} {
		for where, opt := range map[string][]keylock.CallOption{
			"On":              {keylock.On(schedulers.Parallel())},
			"ReleaseOnExpiry": {keylock.LeaseTime(time.Hour), keylock.AtExpiry(keylock.ReleaseOnExpiry)},
		} {
			t.Run(name+" "+where, func(t *testing.T) {
				bubble(t, func(t *testing.T, m *keylock.Manager) {
					run := make(chan struct{})
					ended := make(chan result)
					go func() {
						v, err := m.Do(t.Context(), "k", func(context.Context, keylock.Lease) (int, error) {
							<-run
							switch name {
							case "panic":
								panic(errPanics)
							case "Goexit":
								runtime.Goexit()
							}
							return want.v, want.err
						}, opt...)
						ended <- result{v, err}
					}()
					synctest.Wait()
					m.Flux("k", flux.Just(1), keylock.On(schedulers.Immediate())).SubscribeFunc(t.Context(), func(int) { runtime.Goexit() })
					close(run)
					got := <-ended
					assert.Equal(t, want.v, got.v)
					assert.ErrorIs(t, got.err, want.err)
					assert.Equal(t, name == "Goexit", errors.Is(got.err, reactor.ErrGoexit))
				})
			})
		}
	}
}

var errPanics = errors.New("panics")

// A backend that ends the goroutine has not answered: the key is not lost with it.
func TestABackendThatEndsTheGoroutine(t *testing.T) {
	for _, op := range []string{"TryAcquire", "Read", "Watch", "Renew", "Release"} {
		t.Run(op, func(t *testing.T) {
			distributed(t, func(t *testing.T, a, b *keylock.Manager, s store, la, _ *line) {
				exit := only(op, func(context.Context, string, func() error) error { runtime.Goexit(); return nil })
				switch op {
				case "TryAcquire":
					la.disturb(exit)
					_, err := a.Acquire(t.Context(), "k", keylock.WaitTime(2*ttl))
					assert.ErrorIs(t, err, reactor.ErrGoexit)
				case "Read":
					la.disturb(func(ctx context.Context, which string, do func() error) error {
						if which == "TryAcquire" {
							return errAway
						}
						return exit(ctx, which, do)
					})
					_, err := a.Acquire(t.Context(), "k", keylock.WaitTime(2*ttl))
					assert.ErrorIs(t, err, reactor.ErrGoexit)
				case "Watch":
					l := take(t, b, "k")
					la.disturb(exit)
					_, err := a.Acquire(t.Context(), "k", keylock.WaitTime(2*ttl))
					assert.Error(t, err)
					l.Release()
				case "Renew":
					l := take(t, a, "k")
					la.disturb(exit)
					time.Sleep(2 * ttl)
					assert.False(t, l.Valid())
					assert.ErrorIs(t, context.Cause(l.Context()), keylock.ErrLeaseLost)
					assert.True(t, l.Release())
				case "Release":
					l := take(t, a, "k")
					la.disturb(exit)
					assert.True(t, l.Release())
				}
				la.disturb(nil)
				time.Sleep(2 * ttl)
				assert.Zero(t, a.Stats().Holders)
				assert.Zero(t, a.Stats().Waiters)
				next, err := a.Acquire(t.Context(), "k", keylock.WaitTime(ttl))
				if assert.NoError(t, err) {
					next.Release()
				}
			})
		})
	}
}

// A stream hears that its lease is over also if the log ends the goroutine.
func TestALogThatEndsTheGoroutine(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		store := locktest.NewStream()
		m := manager(t, keylock.WithBackend(store, ttl), keylock.WithLogger(slog.New(exiting{})), keylock.LeaseTime(0))
		s := reactortest.Subscribe(t, m.Flux("k", flux.Never[int]()))
		synctest.Wait()
		require.Equal(t, 1, m.Stats().Holders)
		store.Expire("k")
		time.Sleep(2 * ttl)
		assert.ErrorIs(t, s.Err(), keylock.ErrLeaseLost)
		assert.Zero(t, m.Stats().Holders)
		s.Cancel()
	})
}

// exiting is a handler that ends the goroutine.
type exiting struct{ slog.Handler }

func (exiting) Enabled(context.Context, slog.Level) bool { return true }

func (exiting) Handle(context.Context, slog.Record) error { runtime.Goexit(); return nil }

// A publisher that panics when it is subscribed to keeps no key.
func TestAPublisherThatPanics(t *testing.T) {
	bubble(t, func(t *testing.T, m *keylock.Manager) {
		s := reactortest.Subscribe(t, m.Flux("k", flux.From[int](bomb{}), keylock.LeaseTime(0)))
		assert.ErrorContains(t, s.Err(), "bomb")
		assert.Zero(t, m.Stats().Holders)
	})
}

type bomb struct{}

func (bomb) Subscribe(context.Context, reactor.Subscriber[int]) { panic("bomb") }
