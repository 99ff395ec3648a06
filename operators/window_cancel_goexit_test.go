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

// oneAndFalling is a publisher of somebody else that sends an element where it is asked. Whoever cancels it loses the goroutine.
type oneAndFalling struct{ down reactor.Subscriber[int] }

func (p *oneAndFalling) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	p.down = s
	s.OnSubscribe(p)
}

func (p *oneAndFalling) Request(int64) { p.down.OnNext(1) }
func (*oneAndFalling) Cancel()         { runtime.Goexit() }

// An element that begins a window which nobody takes is discarded, also if the cancellation of the source ends the goroutine.
func TestWindowThatFailsThoughTheCancellationEndsTheGoroutine(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](reactor.Unbounded)
	windows := Window(&oneAndFalling{}, 1, func(w reactor.Publisher[int]) reactor.Publisher[int] { return w })
	racetest.Aside(func() {
		FlatMap(windows, func(reactor.Publisher[int]) reactor.Publisher[int] { panic(errBoom) }).Subscribe(ctx, p)
	})
	assert.ErrorIs(t, p.Failure(), errBoom)
	assert.Equal(t, []any{1}, hooks.Discarded)
}
