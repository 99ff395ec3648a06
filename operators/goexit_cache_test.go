package operators

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// asideOf subscribes a probe on a goroutine that may end there.
func asideOf(src stream) (*probe.Probe[int], *probe.Record) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](1)
	racetest.Aside(func() { src.Subscribe(ctx, p) })
	return p, hooks
}

// A function that decides about the outcome ends the goroutine: those who wait are told, and so are those who come later.
func TestMonoCacheFunctionEndsGoroutine(t *testing.T) {
	gone := 0
	for name, cached := range map[string]stream{
		"cacheFor":            MonoCacheFor(Just(1), func(reactor.Signal[int]) time.Duration { runtime.Goexit(); return 0 }),
		"cacheInvalidateWhen": MonoCacheInvalidateWhen(Just(1), func(int) stream { runtime.Goexit(); return nil }, func(int) { gone++ }),
	} {
		for range 2 {
			p, hooks := asideOf(cached)
			assert.ErrorIs(t, p.Failure(), reactor.ErrGoexit, name)
			assert.Equal(t, name == "cacheFor", len(hooks.Discarded) == 1, name)
		}
	}
	assert.Equal(t, 2, gone)
}

func TestMonoCacheInvalidateIfEndsGoroutine(t *testing.T) {
	n := 0
	cached := MonoCacheInvalidateIf(FromSupplier(func() int { n++; return n }), func(int) bool { runtime.Goexit(); return true })
	p, _ := asideOf(cached)
	p.Done(t, 1)
	p, hooks := asideOf(cached)
	p.Failed(t, reactor.ErrGoexit)
	assert.Equal(t, []any{1}, hooks.Discarded)
	p, _ = asideOf(cached)
	p.Done(t, 2)
}

// The error of a trigger is dropped though the function that hears of the end of an element ends the goroutine.
func TestMonoCacheInvalidatedEndsGoroutine(t *testing.T) {
	trigger := &puppet[int]{}
	p, hooks := asideOf(MonoCacheInvalidateWhen(Just(1), func(int) stream { return trigger }, func(int) { runtime.Goexit() }))
	p.Done(t, 1)
	racetest.Aside(func() { trigger.last().OnError(errBoom) })
	assert.Contains(t, hooks.Errs, error(errBoom))
}
