package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sync/errgroup"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// Streams and groups need no adapter: g.Go(func() error { return f.Run(ctx) }). The end of a
// bubble fails each of these tests if a goroutine is left.

func TestGroupGetsTheErrorOfAStream(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		group, ctx := errgroup.WithContext(t.Context())
		var cancelled atomic.Bool
		group.Go(func() error { return flux.Concat[int](flux.Just(1), flux.Error[int](errNotFound)).Run(ctx) })
		group.Go(func() error { return flux.Interval(time.Hour).DoOnCancel(func() { cancelled.Store(true) }).Run(ctx) })
		assert.Equal(t, errNotFound, group.Wait())
		assert.True(t, cancelled.Load(), "the other stream")
	})
}

func TestStreamEndsWithItsGroup(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		group, ctx := errgroup.WithContext(t.Context())
		var result error
		group.Go(func() error {
			result = flux.Never[int]().Run(ctx)
			return result
		})
		group.Go(func() error { return errNotFound })
		assert.Equal(t, errNotFound, group.Wait())
		assert.ErrorIs(t, result, errNotFound, "the cause of the group's context")
	})
}

func TestGroupIsCancelledFromOutside(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		outer, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("shut down")
		group, ctx := errgroup.WithContext(outer)
		for range 3 {
			group.Go(func() error { return flux.Interval(time.Second).Run(ctx) })
		}
		time.AfterFunc(time.Minute, func() { cancel(cause) })
		assert.Equal(t, cause, group.Wait())
	})
}

// SetLimit(n) of a group and Concurrency(n) of FlatMap let as many calls run at a time.
func TestLimits(t *testing.T) {
	for _, limit := range []int{1, 3, 7} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				var calling gauge
				call := func() {
					calling.add(1)
					time.Sleep(time.Second)
					calling.add(-1)
				}
				var group errgroup.Group
				group.SetLimit(limit)
				for range 20 {
					group.Go(func() error { call(); return nil })
				}
				assert.NoError(t, group.Wait())
				assert.Equal(t, limit, calling.most())
				calling = gauge{}

				err := flux.Range(0, 20).FlatMap(func(int) mono.Mono[struct{}] {
					return mono.FromRunnable[struct{}](func() error { call(); return nil }).SubscribeOn(schedulers.BoundedElastic())
				}, flux.Concurrency(limit)).Run(t.Context())
				assert.NoError(t, err)
				assert.Equal(t, limit, calling.most())
			})
		})
	}
}

// A panic of a stage is the error of the group.
func TestPanicOfAStageInAGroup(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		group, ctx := errgroup.WithContext(t.Context())
		group.Go(func() error { return flux.Just(1).Map(func(int) int { panic(errNotFound) }).Run(ctx) })
		assert.ErrorIs(t, group.Wait(), errNotFound)
	})
}
