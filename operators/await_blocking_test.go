package operators

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// onWorker is ctx as it is on a worker that must not block.
func onWorker(t *testing.T, ctx context.Context) context.Context {
	type marked struct{}
	t.Cleanup(schedulers.RegisterNonBlocking(t.Name(), func(ctx context.Context) bool { return ctx.Value(marked{}) != nil }))
	return context.WithValue(ctx, marked{}, true)
}

// holders are the blocking calls that hold elements until they return them.
func holders[T any]() map[string]func(context.Context, reactor.Publisher[T]) error {
	return map[string]func(context.Context, reactor.Publisher[T]) error{
		"block":     func(ctx context.Context, src reactor.Publisher[T]) error { _, err := Block(ctx, src); return err },
		"blockLast": func(ctx context.Context, src reactor.Publisher[T]) error { _, err := BlockLast(ctx, src); return err },
		"collect":   func(ctx context.Context, src reactor.Publisher[T]) error { _, err := Collect(ctx, src); return err },
	}
}

// Who must not wait for the rest of a stream gives up what has come, once.
func TestBlockingWhereItIsNotAllowedDiscards(t *testing.T) {
	for name, call := range holders[*owned]() {
		for kind, parent := range map[string]func(context.Context) context.Context{
			"that can end":   func(ctx context.Context) context.Context { return ctx },
			"that can't end": context.WithoutCancel,
		} {
			t.Run(name+" of a context "+kind, func(t *testing.T) {
				ctx := onWorker(t, parent(t.Context()))
				kept := &owned{}
				assert.ErrorIs(t, call(ctx, Concat(Just(kept), Never[*owned]())), reactor.ErrBlocking)
				assert.Equal(t, 1, kept.discarded)

				kept = &owned{}
				racetest.Aside(func() {
					_ = call(ctx, DoOnCancel(Concat(Just(kept), Never[*owned]()), runtime.Goexit))
					t.Error("returned")
				})
				assert.Equal(t, 1, kept.discarded, "after the end of the goroutine")

				kept = &owned{}
				src := &puppet[*owned]{}
				ended := DoOnCancel(src, func() { src.last().OnError(errBoom) })
				src.onSubscription = func(_ int, s *puppetSubscription[*owned]) { s.OnNext(kept) }
				assert.Equal(t, errBoom, call(ctx, ended), "it has ended meanwhile")
				assert.Equal(t, 1, kept.discarded)
			})
		}
	}
}

// What another goroutine has on its way meanwhile is no exception.
func TestBlockingWhereItIsNotAllowedDiscardsBehindAnElement(t *testing.T) {
	for name, call := range holders[int]() {
		if name == "collect" {
			continue // takes an element without telling anybody
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var discarded []any
				busy := make(chan struct{})
				ctx := reactor.WithHooks(onWorker(t, t.Context()), reactor.Hooks{Discard: func(_ context.Context, v any) {
					if discarded = append(discarded, v); len(discarded) == 1 {
						<-busy
					}
				}})
				src := &puppet[int]{onSubscription: func(_ int, s *puppetSubscription[int]) {
					go func() {
						for v := range 3 {
							s.OnNext(v)
						}
					}()
					synctest.Wait()
				}}
				assert.ErrorIs(t, call(ctx, src), reactor.ErrBlocking)
				assert.Len(t, discarded, 1)
				close(busy)
				synctest.Wait()
				assert.ElementsMatch(t, []any{0, 1, 2}, discarded)
				assert.EqualValues(t, 1, src.last().cancels.Load())
			})
		})
	}
}

// An element and the end that race with that are returned, or discarded and reported.
func TestBlockingWhereItIsNotAllowedUnderRace(t *testing.T) {
	for name, call := range holders[int]() {
		t.Run(name, func(t *testing.T) {
			race(t, 1000, func() ([]func(), func()) {
				hooked, hooks := probe.Recorded()
				ctx := onWorker(t, hooked)
				src := &puppet[int]{}
				subscribed := make(chan struct{})
				src.onSubscription = func(_ int, s *puppetSubscription[int]) { close(subscribed) }
				var err error
				return []func(){
					func() { err = call(ctx, src) },
					func() {
						<-subscribed
						src.last().OnNext(1)
						src.last().OnNext(2)
						src.last().OnError(errBoom)
					},
				}, func() {
					require.Error(t, err)
					assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)
					if err == errBoom {
						assert.Empty(t, hooks.Errs)
					} else {
						assert.ErrorIs(t, err, reactor.ErrBlocking)
						assert.Equal(t, []any{errBoom}, hooks.Errs)
					}
				}
			})
		})
	}
}
