package resubscribe

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// heard notes what comes down.
type heard struct {
	protocol.Inner
	items []int
	errs  []error
}

func (h *heard) OnSubscribe(reactor.Subscription) {}
func (h *heard) OnNext(v int)                     { h.items = append(h.items, v) }
func (h *heard) OnError(err error)                { h.errs = append(h.errs, err) }
func (h *heard) OnComplete()                      {}

// pulled is a source that does what pull says when it is asked.
type pulled struct {
	loop protocol.PullLoop
	pull func()
}

func newPulled(pull func()) *protocol.PullLoop {
	s := &pulled{pull: pull}
	s.loop.Init(s)
	return &s.loop
}

func (s *pulled) Pull(int64) bool {
	s.pull()
	return true
}

func (s *pulled) Crashed(err error) { panic(err) }
func (s *pulled) Release()          {}

// mute is a source that tells of no runs.
type mute struct{}

func (mute) Request(int64) {}
func (mute) Cancel()       {}

func TestSuccessionTellsOfTheRunsOfItsSources(t *testing.T) {
	p, s := &heard{}, &Succession{}
	h := &protocol.Half{Down: p}
	require.False(t, h.AttachRequested(s), "another source may emit elsewhere")
	require.True(t, h.Attach(s))
	require.False(t, (&protocol.Half{}).Attach(s), "one is told")
	s.Request(2)
	calls := 0
	s.Set(newPulled(func() {
		calls++
		assert.True(t, h.Falling())
		assert.True(t, s.Straight())
		assert.True(t, s.Send(p.OnNext, 1))
		assert.True(t, s.Next(1))
		assert.False(t, h.Falling(), "the first source is over, though it has not returned")
		assert.False(t, s.Straight())
		s.Set(newPulled(func() {
			calls++
			assert.True(t, h.Falling())
			assert.True(t, s.Send(p.OnNext, 2))
			assert.True(t, h.End(assert.AnError))
			assert.Empty(t, p.errs, "the run is not over")
		}))
		assert.False(t, h.Falling())
		assert.Equal(t, []error{assert.AnError}, p.errs)
	}))
	assert.Equal(t, 2, calls)
	assert.Equal(t, []int{1, 2}, p.items)
	assert.False(t, h.Falling(), "the first one has left alone what began since")
}

func TestSuccessionElementsOfASourceWithoutRuns(t *testing.T) {
	p, s := &heard{}, &Succession{}
	h := &protocol.Half{Down: p}
	require.True(t, h.Attach(s))
	s.Request(reactor.Unbounded)
	s.Set(newPulled(func() {}))
	assert.True(t, s.Straight())
	s.Next(0)
	s.Set(mute{})
	assert.False(t, s.Straight())
	next := func(v int) {
		assert.True(t, h.Falling())
		p.OnNext(v)
		assert.True(t, h.End(assert.AnError))
		assert.Empty(t, p.errs, "an element is on its way")
	}
	assert.True(t, s.Send(next, 1))
	assert.Equal(t, []error{assert.AnError}, p.errs)
	assert.False(t, s.Send(next, 2), "it has ended")
	assert.Equal(t, []int{1}, p.items)
	assert.False(t, h.Falling())
}

// A stage may hand itself down when its first source is there.
func TestSuccessionAttachedBehindTheFirstSource(t *testing.T) {
	p, s := &heard{}, &Succession{}
	h := &protocol.Half{Down: p}
	asked := false
	assert.False(t, s.Straight(), "nothing is known")
	s.Set(newPulled(func() {
		asked = true
		assert.True(t, h.Falling())
		assert.True(t, s.Straight())
	}))
	require.True(t, h.Attach(s))
	s.Request(1)
	assert.True(t, asked)
}

func TestSuccessionThatTellsNobody(t *testing.T) {
	p, s := &heard{}, &Succession{}
	s.Set(mute{})
	assert.True(t, s.Straight())
	assert.True(t, s.Send(p.OnNext, 1))
	assert.Equal(t, []int{1}, p.items)
}

// Runs in runs: what is below tells of those of what is above.
func TestSuccessionBehindASuccession(t *testing.T) {
	p, above, below := &heard{}, &Succession{}, &Succession{}
	h := &protocol.Half{Down: p}
	require.True(t, h.Attach(below))
	below.Set(above)
	below.Request(1)
	assert.True(t, below.Straight())
	asked := false
	above.Set(newPulled(func() {
		asked = true
		assert.True(t, h.Falling())
		assert.True(t, above.Straight())
	}))
	assert.True(t, asked)
	above.Next(1)
	above.Set(mute{})
	assert.True(t, below.Straight())
	assert.True(t, above.Send(func(int) { assert.True(t, h.Falling()) }, 1))
}
