package protocol

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/goid"
)

// waiter is somebody who waits for the end of a stream, and the edge before it.
type waiter struct {
	*probe[int]
	half Half
	by   uintptr
}

func newWaiter() *waiter {
	w := &waiter{probe: &probe[int]{}, by: goid.Current()}
	w.half.Down = w
	return w
}

func (w *waiter) Here() bool  { return goid.Current() == w.by }
func (w *waiter) Edge() *Half { return &w.half }

// runsAnywhere tells of its runs, wherever they come.
type runsAnywhere struct {
	reactor.Subscription
	requested bool // they come from within Request
	down      any
}

func (r *runsAnywhere) Attach(h *Half) bool {
	if !r.requested && h.WantsRequested() {
		return false
	}
	if r.down != nil {
		h.GoStraight(r.down)
	}
	return true
}

func elsewhere(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// A run on another goroutine does not keep the end from who waits, unless nothing but that is behind its source.
func TestHalfRunsSomebodyWaitsBehind(t *testing.T) {
	w := newWaiter()
	told, always := w.half.AttachAwaited(&runsAnywhere{}, w.Here())
	assert.True(t, told)
	assert.False(t, always)
	assert.False(t, w.half.IsWithin())
	here := w.half.BeginRun()
	assert.True(t, w.half.Running())
	w.half.endRun(here)
	elsewhere(func() {
		run := w.half.BeginRun()
		assert.False(t, w.half.Running())
		assert.True(t, w.half.Within(func(int) { assert.False(t, w.half.Running()) }, 1))
		assert.True(t, w.half.End(assert.AnError))
		assert.Equal(t, []error{assert.AnError}, w.errs, "told at once")
		w.half.endRun(run)
	})
	assert.False(t, w.half.Within(func(int) { assert.Fail(t, "an element behind the end") }, 2))
}

func TestHalfRunsThatAlwaysCount(t *testing.T) {
	w := newWaiter()
	told, always := w.half.AttachAwaited(&runsAnywhere{requested: true}, w.Here())
	assert.True(t, told && always, "they come on the goroutine that waits, which asks")

	w = newWaiter()
	elsewhere(func() {
		_, always = w.half.AttachAwaited(&runsAnywhere{requested: true}, w.Here())
	})
	assert.False(t, always, "another one asks")

	w = newWaiter()
	told, always = w.half.AttachAwaited(&runsAnywhere{down: w}, w.Here())
	assert.True(t, told && always, "straight to who waits")
	assert.True(t, w.half.IsWithin())
	elsewhere(func() {
		run := w.half.BeginRun()
		assert.True(t, w.half.End(assert.AnError))
		assert.Empty(t, w.errs)
		w.half.endRun(run)
		assert.Len(t, w.errs, 1)
	})

	w = newWaiter()
	_, always = w.half.AttachAwaited(&runsAnywhere{down: newWaiter()}, w.Here())
	assert.False(t, always, "somebody else is between")
}

// One source of several may send within runs that count, and the next one not.
func TestHalfRunsOfOneSourceThatCount(t *testing.T) {
	w := newWaiter()
	w.half.AttachAwaited(&runsAnywhere{}, w.Here())
	told, always := w.half.AttachNext(&runsAnywhere{requested: true})
	assert.True(t, told && always)
	within := false
	w.half.PushWithin[int](pushing{func() { within = w.half.IsWithin() }})
	assert.True(t, within)
	assert.False(t, w.half.IsWithin())
	elsewhere(func() { told, always = w.half.AttachNext(&runsAnywhere{requested: true}) })
	assert.True(t, told)
	assert.False(t, always)

	var h Half
	told, always = h.AttachNext(&runsAnywhere{})
	assert.True(t, told && always, "nobody waits")
	assert.False(t, h.GoStraight(w))
}

// pushing is asked for the function that takes its elements.
type pushing struct{ asked func() }

func (p pushing) OnSubscribe(reactor.Subscription) {}
func (p pushing) OnNext(int)                       {}
func (p pushing) OnError(error)                    {}
func (p pushing) OnComplete()                      {}
func (p pushing) Push() func(int)                  { p.asked(); return func(int) {} }
