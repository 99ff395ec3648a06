package sinks

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

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
			ctx, hooks := recorded()
			s := newSink()
			heard := 0
			operators.SubscribeFunc(ctx, operators.Map(s, func(int) int { panic(errBoom) }), nil,
				operators.OnError(func(error) { heard++; runtime.Goexit() }))
			last := listen[int](s, all)
			var wg sync.WaitGroup
			wg.Go(func() { s.TryEmitNext(1) })
			wg.Wait()
			last.open(t, 1)
			assert.Equal(t, 1, heard)
			assert.Equal(t, []any{1}, hooks.discarded)
			assert.Equal(t, OK, s.TryEmitNext(2))
			last.open(t, 1, 2)
		})
	}
}
