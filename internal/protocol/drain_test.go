package protocol

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// tally counts announced work; a pass takes all of it.
type tally struct {
	Drain
	pending atomic.Int64
	handled int64 // owner only, so -race checks that there is one owner
	passes  int64 // owner only
	pass    func()
	crashes []error // owner only
}

func (t *tally) DrainPass() {
	t.passes++
	t.handled += t.pending.Swap(0)
	if t.pass != nil {
		t.pass()
	}
}

func (t *tally) DrainCrashed(_ Drainer, err error) { t.crashes = append(t.crashes, err) }

func (t *tally) announce() {
	t.pending.Add(1)
	t.Run(t)
}

func TestDrainLosesNoWork(t *testing.T) {
	racetest.Rounds(t, 2000, func() ([]func(), func()) {
		d := &tally{}
		return []func(){d.announce, d.announce, d.announce}, func() {
			assert.False(t, d.Active())
			assert.Equal(t, int64(3), d.handled)
		}
	})
}

func TestDrainFastPathLosesNoWork(t *testing.T) {
	racetest.Rounds(t, 2000, func() ([]func(), func()) {
		d := &tally{}
		fast := func() {
			if d.TryEnter() {
				d.handled++
				runtime.Gosched() // the way down takes a while
				d.Leave(d)
				return
			}
			d.announce()
		}
		return []func(){fast, d.announce, fast}, func() {
			assert.False(t, d.Active())
			assert.Equal(t, int64(3), d.handled)
		}
	})
}

func TestDrainIsNotReentered(t *testing.T) {
	d := &tally{}
	depth, deepest, left := 0, 0, 100_000
	d.pass = func() {
		depth++
		deepest = max(deepest, depth)
		if left > 0 {
			left--
			d.announce()
		}
		depth--
	}
	d.announce()
	assert.Equal(t, 1, deepest)
	assert.Equal(t, int64(100_001), d.handled)
}

func TestDrainSurvivesPanic(t *testing.T) {
	d := &tally{}
	boom := errors.New("boom")
	first := true
	d.pass = func() {
		if first {
			first = false
			d.pending.Add(1)
			d.Run(d) // announced in the pass that fails: must not be lost
			panic(boom)
		}
	}
	assert.NotPanics(t, d.announce)
	assert.False(t, d.Active())
	assert.Equal(t, int64(2), d.handled)
	assert.Len(t, d.crashes, 1)
	var p *reactor.PanicError
	assert.ErrorAs(t, d.crashes[0], &p)
	assert.ErrorIs(t, d.crashes[0], boom)
	assert.Contains(t, string(p.Stack), "TestDrainSurvivesPanic")
	d.announce()
	assert.Equal(t, int64(3), d.handled, "drains again afterwards")
}

func TestDrainSurvivesGoexit(t *testing.T) {
	d := &tally{}
	first := true
	d.pass = func() {
		if first {
			first = false
			runtime.Goexit()
		}
	}
	var wg sync.WaitGroup
	wg.Go(d.announce)
	wg.Wait()
	assert.False(t, d.Active())
	assert.Equal(t, []error{reactor.ErrGoexit}, d.crashes)
	d.announce()
	assert.Equal(t, int64(2), d.handled)
}

func TestDrainOnAnotherGoroutine(t *testing.T) {
	d := &tally{}
	d.pending.Add(1)
	assert.True(t, d.Announce())
	d.pending.Add(1)
	assert.False(t, d.Announce(), "one owner at a time")
	assert.False(t, d.TryEnter())
	var wg sync.WaitGroup
	wg.Go(func() { d.Loop(d) })
	wg.Wait()
	assert.Equal(t, int64(2), d.handled)
}

// A pass that sends nothing does not fail but for a Goexit, which was told before.
func TestQuiet(t *testing.T) {
	reported := make(chan error, 2)
	t.Cleanup(reactor.SetHooks(t.Name(), reactor.Hooks{
		ErrorDropped: func(_ context.Context, err error) { reported <- err },
	}))
	passes := 0
	q := &quiet{}
	q.pass = func() {
		if passes++; passes == 1 {
			runtime.Goexit()
		}
	}
	racetest.Aside(func() { q.Run(q) })
	assert.Equal(t, 2, passes, "it goes on")
	assert.False(t, q.Active())
	assert.Empty(t, reported)
	q.pass = func() {
		if passes++; passes == 3 {
			panic(assert.AnError)
		}
	}
	q.Run(q)
	require.Len(t, reported, 1)
	assert.ErrorIs(t, <-reported, assert.AnError)
}

type quiet struct {
	Quiet
	Drain
	pass func()
}

func (q *quiet) DrainPass() { q.pass() }
