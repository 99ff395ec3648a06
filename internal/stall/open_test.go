package stall

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// bubble runs fn in a bubble with a lookout of its own.
func bubble(t *testing.T, fn func(t *testing.T, l *lookout)) {
	synctest.Test(t, func(t *testing.T) {
		l := &lookout{foreign: func() bool { return false }}
		fn(t, l)
		assert.Zero(t, l.open.Load())
		assert.False(t, l.armed())
	})
}

func (l *lookout) armed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.set
}

func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestAnOpenSubscriptionMakesSomebodyLook(t *testing.T) {
	bubble(t, func(t *testing.T, l *lookout) {
		s := suspect(t)
		var a, b Open
		a.begin(l)
		b.begin(l)
		pass(2 * Period)
		assert.Equal(t, []time.Duration{Period}, s.all())
		a.end(l)
		a.end(l)
		assert.True(t, l.armed(), "one is left")
		b.end(l)
		assert.False(t, l.armed())
	})
}

// However long the subscription is open already.
func TestAStallThatBeginsLateIsReportedInTime(t *testing.T) {
	bubble(t, func(t *testing.T, l *lookout) {
		s := suspect(t)
		var o Open
		defer o.end(l)
		o.begin(l)
		for range 24 * 60 {
			pass(time.Minute)
			s.with(func() { s.n++ })
		}
		s.with(func() { s.reports = nil })
		pass(2*Period + time.Second)
		assert.Len(t, s.all(), 1)
	})
}

// No timer is set while there is no suspect: the runtime would not notice that all sleep.
func TestNobodyLooksWhileThereIsNoSuspect(t *testing.T) {
	bubble(t, func(t *testing.T, l *lookout) {
		var o Open
		o.begin(l)
		pass(Period)
		assert.False(t, l.armed())
		var other Open
		other.begin(l)
		assert.False(t, l.armed())
		s := suspect(t)
		l.stir()
		l.stir()
		assert.True(t, l.armed())
		pass(2 * Period)
		assert.Len(t, s.all(), 1)
		o.end(l)
		other.end(l)
		l.stir()
		assert.False(t, l.armed(), "nobody is interested")
	})
}

func TestEndBeforeBegin(t *testing.T) {
	bubble(t, func(t *testing.T, l *lookout) {
		var o Open
		o.end(l)
		o.begin(l)
		assert.Zero(t, l.open.Load())
	})
}

// A timer of one bubble can't be stopped in another one, so subscriptions in bubbles are left out.
func TestBubblesAreLeftOut(t *testing.T) {
	assert.False(t, everybody.foreign())
	synctest.Test(t, func(t *testing.T) {
		assert.True(t, everybody.foreign())
		before := everybody.open.Load()
		var o Open
		o.Begin()
		assert.Equal(t, before, everybody.open.Load())
		o.End()
		assert.Equal(t, before, everybody.open.Load())
	})
}

func TestOpenOutsideOfBubbles(t *testing.T) {
	var o Open
	o.Begin()
	assert.True(t, everybody.armed())
	Stir()
	o.End()
	assert.False(t, everybody.armed())
}

func (f *fake) all() (list []time.Duration) {
	f.with(func() { list = f.reports })
	return list
}
