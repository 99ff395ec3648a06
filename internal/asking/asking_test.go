package asking

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// till is a stage: each piece of work that a pass does makes room for one more.
type till struct {
	protocol.Quiet
	drain  protocol.Drain
	behind Behind
	work   atomic.Int64
	stop   atomic.Bool // nothing is wanted any more, and who says so asks for nothing
	asked  atomic.Int64
	passes int         // owner of the drain
	heard  bool        // of stop; owner of the drain
	done   int64       // owner of the drain
	asks   func(int64) // called within requests
}

func (t *till) DrainPass() {
	for !t.behind.First() {
		t.passes++
		t.heard = t.stop.Load()
		n := t.work.Swap(0)
		if n == 0 || t.heard {
			return
		}
		t.done += n
		t.behind.Add(n)
	}
}

func (t *till) AskFor(n int64) {
	t.asked.Add(n)
	if t.asks != nil {
		t.asks(n)
	}
}

func (t *till) PassAgain() { t.drain.Run(t) }

func (t *till) cancel() {
	t.stop.Store(true)
	t.drain.Run(t)
}

func (t *till) bring(n int64) {
	t.work.Add(n)
	if t.behind.Here() {
		t.behind.Pass()
		return
	}
	t.drain.Run(t)
	t.behind.Ask(t)
}

func TestUpstreamIsAskedWithTheDrainLeft(t *testing.T) {
	s := &till{}
	s.asks = func(int64) {
		assert.False(t, s.drain.Active())
		assert.True(t, s.behind.Here())
		assert.False(t, s.behind.Idle())
		racetest.Aside(func() { assert.False(t, s.behind.Here(), "somebody else") })
	}
	s.bring(3)
	assert.EqualValues(t, 3, s.asked.Load())
	assert.True(t, s.behind.Idle())
	assert.False(t, s.behind.Due())
}

func TestWhatComesWhereUpstreamIsAskedWaitsForAPassBehindTheRequest(t *testing.T) {
	s := &till{}
	left := 2
	s.asks = func(int64) {
		if left > 0 {
			left--
			done := s.done
			s.bring(1)
			assert.Equal(t, done, s.done)
		}
	}
	s.bring(1)
	assert.EqualValues(t, 3, s.done)
	assert.EqualValues(t, 3, s.asked.Load())
	assert.False(t, s.behind.Due())
}

func TestWhoComesBeforeARequestLeavesThePassToWhoAsks(t *testing.T) {
	s := &till{}
	assert.True(t, s.drain.TryEnter())
	s.work.Store(1)
	s.DrainPass() // finds room, and that it has to be asked for
	s.drain.Leave(s)
	assert.True(t, s.behind.Due())
	s.work.Add(1)
	s.drain.Run(s)
	assert.EqualValues(t, 1, s.done, "not now")
	s.behind.Ask(s)
	assert.EqualValues(t, 2, s.done)
	assert.EqualValues(t, 2, s.asked.Load())
}

func TestNobodyComesNobodyPasses(t *testing.T) {
	s := &till{}
	assert.True(t, s.drain.TryEnter())
	s.behind.Add(4)
	s.drain.Leave(s)
	s.behind.Ask(s)
	assert.Zero(t, s.passes)
	assert.EqualValues(t, 4, s.asked.Load())
}

func TestWhoEndsTheGoroutineWithinARequestIsNoLongerThere(t *testing.T) {
	s := &till{}
	s.asks = func(n int64) {
		if n == 1 {
			s.bring(2)
			runtime.Goexit()
		}
	}
	racetest.Aside(func() { s.bring(1) })
	assert.EqualValues(t, 3, s.done)
	assert.EqualValues(t, 3, s.asked.Load())
	assert.True(t, s.behind.Idle())
}

func TestNoWorkIsLeftBehind(t *testing.T) {
	racetest.Rounds(t, racetest.Iterations(100_000), func() ([]func(), func()) {
		s := &till{}
		return []func(){func() { s.bring(1) }, func() { s.bring(2) }, func() { s.bring(1) }}, func() {
			assert.EqualValues(t, 4, s.done)
			assert.EqualValues(t, 4, s.asked.Load())
			assert.False(t, s.behind.Due())
		}
	})
}

func TestACancellationIsHeard(t *testing.T) {
	racetest.Rounds(t, racetest.Iterations(100_000), func() ([]func(), func()) {
		s := &till{}
		return []func(){func() { s.bring(1) }, s.cancel}, func() {
			assert.True(t, s.heard)
			assert.False(t, s.behind.Due())
		}
	})
}
