package sinks

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// The rows M1 to M5 of docs/regressions.md: bugs that other libraries had. R# is a thread
// of reactor/reactor-core.

// M1, R#3715: a sink that had ended with its last subscriber went on collecting elements.
// This one lets go of them at once; that it answers OK, as Reactor's does, if it had
// elements before, is what the golden vectors say.
func TestRegressionM1(t *testing.T) {
	ctx, hooks := probe.Recorded()
	s := Many().Multicast().OnBackpressureBuffer[int](Capacity(8))
	p := probe.ListenIn[int](ctx, s, all)
	s.TryEmitNext(0)
	p.Cancel()
	for i := range 100 {
		require.Equal(t, OK, s.TryEmitNext(i))
		require.Len(t, hooks.Discarded, i+1)
	}
	probe.Listen[int](s, all).Done(t)
	unused := Many().Multicast().OnBackpressureBuffer[int]()
	probe.Listen[int](unused, all).Cancel()
	assert.Equal(t, FailCancelled, unused.TryEmitNext(1))
}

// M2, R#3001 and R#3028: subscribers that cancelled at the same time stayed in the list.
func TestRegressionM2(t *testing.T) {
	for name, fresh := range map[string]func() *ManySink[int]{
		"buffer":      func() *ManySink[int] { return Many().Multicast().OnBackpressureBuffer[int](AutoCancel(false)) },
		"best effort": func() *ManySink[int] { return Many().Multicast().DirectBestEffort[int]() },
		"replay":      func() *ManySink[int] { return Many().Replay().All[int]() },
	} {
		t.Run(name, func(t *testing.T) {
			racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
				s := fresh()
				var leave []func()
				for range 4 {
					leave = append(leave, probe.Listen[int](s, all).Cancel)
				}
				race(leave...)
				require.Zero(t, s.CurrentSubscriberCount())
			})
		})
	}
	racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
		s := One[int]()
		a, b := probe.Listen[int](s, all), probe.Listen[int](s, all)
		race(a.Cancel, b.Cancel)
		require.Zero(t, s.CurrentSubscriberCount())
	})
}

// M3, R#2340: a sink answered OK and failed the subscriber that had no demand.
func TestRegressionM3(t *testing.T) {
	for name, s := range map[string]*ManySink[int]{
		"all or nothing": Many().Multicast().DirectAllOrNothing[int](),
		"best effort":    Many().Multicast().DirectBestEffort[int](),
	} {
		t.Run(name, func(t *testing.T) {
			p := probe.Listen[int](s, 0)
			assert.Equal(t, FailOverflow, s.TryEmitNext(1))
			p.Open(t)
			p.Request(1)
			assert.Equal(t, OK, s.TryEmitNext(2))
			p.Open(t, 2)
		})
	}
}

// M4, R#2342: an emission from within another one was answered with OK after the end.
func TestRegressionM4(t *testing.T) {
	s := Many().Multicast().DirectBestEffort[int]()
	var answers []EmitResult
	p := &probe.Probe[int]{Initial: all}
	p.Each = func(int) {
		answers = append(answers, s.TryEmitComplete(), s.TryEmitNext(2), s.TryEmitComplete())
	}
	s.Subscribe(t.Context(), p)
	assert.Equal(t, OK, s.TryEmitNext(1))
	assert.Equal(t, []EmitResult{OK, FailTerminated, FailTerminated}, answers)
	p.Done(t, 1)
}

// M5, R#3257: an outcome that was refused took the place of the one that was there.
func TestRegressionM5(t *testing.T) {
	s := One[int]()
	assert.Equal(t, OK, s.TryEmitValue(1))
	assert.Equal(t, FailTerminated, s.TryEmitValue(2))
	assert.Equal(t, FailTerminated, s.TryEmitError(errBoom))
	assert.Equal(t, FailTerminated, s.TryEmitEmpty())
	probe.Listen[int](s, all).Done(t, 1)
	racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
		s := One[int]()
		var a, b EmitResult
		race(func() { a = s.TryEmitValue(1) }, func() { b = s.TryEmitValue(2) })
		require.NotEqual(t, a == OK, b == OK)
		if a == OK {
			probe.Listen[int](s, all).Done(t, 1)
		} else {
			probe.Listen[int](s, all).Done(t, 2)
		}
	})
}

// Room that is not used is not taken.
func TestLargeCapacity(t *testing.T) {
	for _, n := range []int{math.MaxInt, math.MaxInt / 2, queue.MaxRing + 1} {
		for name, sink := range map[string]*ManySink[int]{
			"unicast":   Many().Unicast().OnBackpressureBuffer[int](Capacity(n)),
			"multicast": Many().Multicast().OnBackpressureBuffer[int](Capacity(n)),
			"replay":    Many().Replay().Limit[int](History(n)),
		} {
			assert.NotPanics(t, func() { assert.Equal(t, OK, sink.TryEmitNext(1)) }, "%s %d", name, n)
		}
	}
}
