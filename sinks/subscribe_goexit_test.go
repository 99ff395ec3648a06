package sinks

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
)

// TestWhoAsksFirstEndsTheGoroutine: who subscribes is a subscriber all the same.
func TestWhoAsksFirstEndsTheGoroutine(t *testing.T) {
	quiet := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
	subscribe := func(sink reactor.Publisher[int]) *probe.Probe[int] {
		p := &probe.Probe[int]{Initial: reactor.Unbounded}
		racetest.Aside(func() {
			operators.DoOnRequest(sink, func(int64) { runtime.Goexit() }).Subscribe(quiet, p)
		})
		return p
	}
	for name, sink := range map[string]*ManySink[int]{
		"unicast":              Many().Unicast().OnBackpressureBuffer[int](),
		"unicast, refusing":    Many().Unicast().OnBackpressureError[int](),
		"multicast":            Many().Multicast().OnBackpressureBuffer[int](),
		"direct":               Many().Multicast().DirectAllOrNothing[int](),
		"direct, best effort":  Many().Multicast().DirectBestEffort[int](),
		"replay":               Many().Replay().All[int](),
		"the latest of replay": Many().Replay().Latest[int](),
	} {
		t.Run(name, func(t *testing.T) {
			p := subscribe(sink)
			assert.Equal(t, OK, sink.TryEmitNext(1))
			assert.Equal(t, OK, sink.TryEmitComplete())
			p.Done(t, 1)
		})
	}
	t.Run("one", func(t *testing.T) {
		sink := One[int]()
		p := subscribe(sink)
		assert.Equal(t, OK, sink.TryEmitValue(1))
		p.Done(t, 1)
	})
}
