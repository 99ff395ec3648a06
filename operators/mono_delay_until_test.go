package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestMonoDelayUntil(t *testing.T) {
	run(MonoDelayUntil[int, string](Just(1), func(int) reactor.Publisher[string] { return FromSlice([]string{"a", "b"}) })).Done(t, 1)
	run(MonoDelayUntil[int, string](Empty[int](), func(int) reactor.Publisher[string] { panic(errBoom) })).Done(t)
	run(MonoDelayUntil[int, string](Error[int](errBoom), func(int) reactor.Publisher[string] { return Never[string]() })).Failed(t, errBoom)
	for name, trigger := range map[string]func(int) reactor.Publisher[string]{
		"error": func(int) reactor.Publisher[string] { return Error[string](errBoom) },
		"panic": func(int) reactor.Publisher[string] { panic(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			runWith(ctx, MonoDelayUntil[int, string](Just(1), trigger)).Failed(t, errBoom)
			assert.Equal(t, []any{1}, hooks.Discarded)
		})
	}
}

func TestMonoDelayUntilCancelled(t *testing.T) {
	race(t, 2000, func() ([]func(), func()) {
		ctx, hooks := probe.Recorded()
		src, trigger := &puppet[int]{}, &puppet[int]{}
		p := probeOf[int](1)
		MonoDelayUntil[int, int](src, func(int) *puppet[int] { return trigger }).Subscribe(ctx, p)
		src.last().OnNext(1)
		src.last().OnComplete()
		return []func(){func() { trigger.last().OnComplete() }, p.Cancel}, func() {
			if p.Over() {
				p.Done(t, 1)
				assert.Empty(t, hooks.Discarded)
			} else if len(p.Got()) == 0 {
				assert.Equal(t, []any{1}, hooks.Discarded)
				assert.LessOrEqual(t, trigger.last().cancels.Load(), int64(1))
			}
		}
	})
	race(t, 2000, func() ([]func(), func()) {
		ctx, hooks := probe.Recorded()
		src, trigger := &puppet[int]{}, &puppet[int]{}
		p := probeOf[int](1)
		MonoDelayUntil[int, int](src, func(int) *puppet[int] { return trigger }).Subscribe(ctx, p)
		return []func(){func() { src.last().OnNext(1) }, p.Cancel}, func() {
			assert.Equal(t, []any{1}, hooks.Discarded)
			if trigger.count() == 1 {
				assert.Equal(t, int64(1), trigger.last().cancels.Load())
			}
		}
	})
}
