package operators

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// A producer that runs until its context ends must not outlive its subscriber.
func TestSinkContextEndsWithTheSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var producers atomic.Int64
		for range 100 {
			run(Take(Create(func(s *FluxSink[int]) {
				producers.Add(1)
				go func(ctx context.Context) {
					defer producers.Add(-1)
					for i := 0; ctx.Err() == nil && i < 2000; i++ {
						s.Next(i)
						time.Sleep(time.Millisecond)
					}
				}(s.Context())
			}), 3))
		}
		time.Sleep(time.Second)
		assert.Zero(t, producers.Load())
	})
}

// contextSink is a producer that keeps its sink's context.
type contextSink struct {
	name string
	make func(ctx *context.Context, end func(next func(), complete func(), fail func(error))) reactor.Publisher[int]
}

func sinksWithContext() []contextSink {
	return []contextSink{
		{"create", func(ctx *context.Context, end func(func(), func(), func(error))) reactor.Publisher[int] {
			return Create(func(s *FluxSink[int]) {
				*ctx = s.Context()
				end(func() { s.Next(1) }, s.Complete, s.Error)
			})
		}},
		{"push", func(ctx *context.Context, end func(func(), func(), func(error))) reactor.Publisher[int] {
			return Push(func(s *FluxSink[int]) {
				*ctx = s.Context()
				end(func() { s.Next(1) }, s.Complete, s.Error)
			})
		}},
		{"mono create", func(ctx *context.Context, end func(func(), func(), func(error))) reactor.Publisher[int] {
			return MonoCreate(func(s *MonoSink[int]) {
				*ctx = s.Context()
				end(func() { s.Success(1) }, s.Complete, s.Error)
			})
		}},
	}
}

func TestSinkContextEndsWithEachEnd(t *testing.T) {
	type key struct{}
	parent := context.WithValue(context.Background(), key{}, "value")
	for _, sink := range sinksWithContext() {
		t.Run(sink.name, func(t *testing.T) {
			var ctx context.Context
			start := func(parent context.Context, end func(next func(), complete func(), fail func(error))) *probe.Probe[int] {
				return runWith(parent, sink.make(&ctx, end))
			}
			nothing := func(func(), func(), func(error)) {}

			p := start(parent, nothing)
			assert.Equal(t, "value", ctx.Value(key{}))
			assert.NoError(t, ctx.Err())
			p.Cancel()
			assert.ErrorIs(t, ctx.Err(), context.Canceled)
			assert.ErrorIs(t, context.Cause(ctx), reactor.ErrCancelled)

			start(parent, func(next, complete func(), _ func(error)) { next(); complete() })
			assert.ErrorIs(t, ctx.Err(), context.Canceled)
			start(parent, func(_, _ func(), fail func(error)) { fail(errBoom) })
			assert.ErrorIs(t, ctx.Err(), context.Canceled)

			ended, cancel := context.WithCancelCause(parent)
			p = start(ended, nothing)
			cancel(errOther)
			assert.ErrorIs(t, context.Cause(ctx), errOther)
			p.Cancel()
		})
	}
}

// The context is the same at each call, ended or not, and is ended before the functions
// given to OnDispose run: they may wait for who uses it.
func TestSinkContextIsOne(t *testing.T) {
	var sink *FluxSink[int]
	p := run(Create(func(s *FluxSink[int]) { sink = s }))
	ctx := sink.Context()
	assert.Same(t, ctx, sink.Context())
	sink.OnDispose(func() { assert.ErrorIs(t, ctx.Err(), context.Canceled) })
	p.Cancel()
	assert.Same(t, ctx, sink.Context())

	p = run(Create(func(s *FluxSink[int]) { sink = s }))
	p.Cancel()
	late := sink.Context()
	assert.ErrorIs(t, late.Err(), context.Canceled, "asked for when all is over")
	assert.ErrorIs(t, context.Cause(late), reactor.ErrCancelled)
	assert.False(t, errors.Is(context.Cause(sink.core.ctx), reactor.ErrCancelled))
}

// Whoever does not ask pays for nothing: the context of the subscription is as it was.
func TestSinkContextIsMadeWhenAskedFor(t *testing.T) {
	var sink *FluxSink[int]
	p := run(Create(func(s *FluxSink[int]) { sink = s; s.Next(1) }))
	assert.Nil(t, sink.core.disposal.own)
	p.Cancel()
	assert.Nil(t, sink.core.disposal.own)
}
