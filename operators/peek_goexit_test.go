package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// endedAtOnce is a publisher of somebody else that completes where it is subscribed to. Whoever cancels it all the same loses the goroutine.
type endedAtOnce struct{}

func (p endedAtOnce) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	s.OnSubscribe(p)
	s.OnComplete()
}

func (endedAtOnce) Request(int64) {}
func (endedAtOnce) Cancel()       { runtime.Goexit() }

// A function that fails at the end has the source cancelled, and the stream fails also if that ends the goroutine.
func TestPeekFailsThoughTheCancellationEndsTheGoroutine(t *testing.T) {
	for name, stage := range map[string]func(reactor.Publisher[int], func()) reactor.Publisher[int]{
		"doOnComplete": DoOnComplete[int], "doOnTerminate": DoOnTerminate[int],
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := probeOf[int](reactor.Unbounded)
			racetest.Aside(func() { stage(endedAtOnce{}, func() { panic(errBoom) }).Subscribe(ctx, p) })
			assert.ErrorIs(t, p.Failure(), errBoom)
			if assert.Len(t, hooks.Errs, 1) {
				assert.ErrorIs(t, hooks.Errs[0].(error), reactor.ErrGoexit)
			}
		})
	}
}
