package sinks

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// The only subscriber that a sink may have leaves as the sink fails, without having heard of that: the error is reported as dropped. A sink
// of several subscribers keeps it for those who come later.
func TestErrorThatTheOnlySubscriberLeavesWithout(t *testing.T) {
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		sink *ManySink[int]
		lost bool
	}{
		"unicast buffer":   {Many().Unicast().OnBackpressureBuffer[int](), true},
		"unicast error":    {Many().Unicast().OnBackpressureError[int](), true},
		"unsafe":           {Unsafe().Many().Unicast().OnBackpressureError[int](), true},
		"best effort":      {Many().Multicast().DirectBestEffort[int](), false},
		"multicast buffer": {Many().Multicast().OnBackpressureBuffer[int](), false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := &probe.Probe[int]{Initial: all}
			p.Each = func(int) {
				require.Equal(t, OK, c.sink.TryEmitError(boom))
				p.Cancel()
			}
			c.sink.Subscribe(ctx, p)
			require.Equal(t, OK, c.sink.TryEmitNext(1))
			p.Open(t, 1)
			if c.lost {
				require.Equal(t, []any{boom}, hooks.Errs)
				return
			}
			require.Empty(t, hooks.Errs)
			probe.ListenIn[int](context.Background(), c.sink, 1).Failed(t, boom)
		})
	}
}

// The subscriber leaves while the sink fails: the error is refused, heard or reported as dropped.
func TestErrorOfASinkWhoseOnlySubscriberLeaves(t *testing.T) {
	boom := errors.New("boom")
	for _, made := range []func() *ManySink[int]{
		func() *ManySink[int] { return Many().Unicast().OnBackpressureBuffer[int]() },
		func() *ManySink[int] { return Many().Unicast().OnBackpressureError[int]() },
	} {
		racetest.Rounds(t, 3000, func() ([]func(), func()) {
			ctx, hooks := probe.Recorded()
			sink := made()
			p := probe.ListenIn[int](ctx, sink, 1)
			var result EmitResult
			return []func(){func() { result = sink.TryEmitError(boom) }, p.Cancel}, func() {
				places := len(hooks.Errs)
				if result != OK {
					places++
				}
				if p.Failure() != nil {
					places++
				}
				require.Equal(t, 1, places, "%v", result)
			}
		})
	}
}
