package sinks

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/operators"
)

// One who hears of the failure ends the goroutine: it has heard of it once, the element is let go
// of once, and the others get it.
func TestSubscriberWhoEndsTheGoroutineWhenItFails(t *testing.T) {
	for name, newSink := range map[string]func() *ManySink[int]{
		"all or nothing":   func() *ManySink[int] { return Many().Multicast().DirectAllOrNothing[int]() },
		"multicast buffer": func() *ManySink[int] { return Many().Multicast().OnBackpressureBuffer[int]() },
		"replay":           func() *ManySink[int] { return Many().Replay().All[int]() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			s := newSink()
			heard := 0
			operators.SubscribeFunc(ctx, operators.Map(s, func(int) int { panic(errBoom) }), nil,
				operators.OnError(func(error) { heard++; runtime.Goexit() }))
			last := probe.Listen[int](s, all)
			var wg sync.WaitGroup
			wg.Go(func() { s.TryEmitNext(1) })
			wg.Wait()
			last.Open(t, 1)
			assert.Equal(t, 1, heard)
			assert.Equal(t, []any{1}, hooks.Discarded)
			assert.Equal(t, OK, s.TryEmitNext(2))
			last.Open(t, 1, 2)
		})
	}
}
