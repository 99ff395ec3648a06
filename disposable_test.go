package reactor

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNewDisposable(t *testing.T) {
	n := 0
	d := NewDisposable(func() { n++ })
	assert.False(t, d.IsDisposed())
	d.Dispose()
	d.Dispose()
	assert.True(t, d.IsDisposed())
	assert.Equal(t, 1, n)
	d = NewDisposable(nil)
	d.Dispose()
	assert.True(t, d.IsDisposed())
	assert.True(t, Disposed().IsDisposed())
	u := Undisposable()
	u.Dispose()
	assert.False(t, u.IsDisposed())
	Disposed().Dispose()
}

func TestCompositeDisposableRefusesNil(t *testing.T) {
	var c CompositeDisposable
	assert.PanicsWithValue(t, "reactor: CompositeDisposable.Add: the handle is nil", func() { c.Add(nil) })
	assert.Zero(t, c.Len())
	c.Dispose()
}

func TestCompositeDisposable(t *testing.T) {
	var c CompositeDisposable
	a, b, d := NewDisposable(nil), NewDisposable(nil), NewDisposable(nil)
	assert.True(t, c.Add(a))
	assert.True(t, c.Add(b))
	assert.Equal(t, 2, c.Len())
	assert.True(t, c.Remove(a))
	assert.False(t, c.Remove(a))
	assert.False(t, c.IsDisposed())
	c.Dispose()
	c.Dispose()
	assert.True(t, c.IsDisposed())
	assert.False(t, a.IsDisposed(), "taken out")
	assert.True(t, b.IsDisposed())
	assert.False(t, c.Add(d))
	assert.True(t, d.IsDisposed(), "too late")
	assert.Zero(t, c.Len())
}

// A member that takes itself out while it is disposed finds the lock free.
func TestCompositeDisposableCallsNobodyUnderItsLock(t *testing.T) {
	var c CompositeDisposable
	var d Disposable
	d = NewDisposable(func() { assert.False(t, c.Remove(d)) })
	c.Add(d)
	c.Dispose()
	var s SwapDisposable
	s.Update(NewDisposable(func() { assert.Nil(t, s.Get()) }))
	s.Dispose()
}

func TestSwapDisposable(t *testing.T) {
	var s SwapDisposable
	a, b, c, d := NewDisposable(nil), NewDisposable(nil), NewDisposable(nil), NewDisposable(nil)
	assert.Nil(t, s.Get())
	assert.True(t, s.Update(a))
	assert.True(t, s.Update(b))
	assert.True(t, a.IsDisposed())
	assert.Equal(t, b, s.Get())
	assert.True(t, s.Replace(c))
	assert.False(t, b.IsDisposed())
	assert.False(t, s.IsDisposed())
	s.Dispose()
	s.Dispose()
	assert.True(t, c.IsDisposed())
	assert.True(t, s.IsDisposed())
	assert.False(t, s.Update(d))
	assert.True(t, d.IsDisposed())
	assert.False(t, s.Replace(nil))
}

func TestDisposablesRace(t *testing.T) {
	for range 200 {
		var c CompositeDisposable
		var s SwapDisposable
		a, b := NewDisposable(nil), NewDisposable(nil)
		var wg sync.WaitGroup
		wg.Go(func() { c.Add(a); s.Update(b) })
		wg.Go(func() { s.Dispose(); c.Dispose() })
		wg.Wait()
		assert.True(t, a.IsDisposed())
		assert.True(t, b.IsDisposed())
	}
}

// Handles are printed while others dispose of them: the race detector sees who reads a field that somebody writes.
func TestDisposablesCanBePrinted(t *testing.T) {
	var all CompositeDisposable
	var one SwapDisposable
	for _, d := range []Disposable{NewDisposable(nil), &all, &one} {
		assert.Equal(t, "disposable", fmt.Sprint(d))
		disposed := make(chan struct{})
		go func() {
			defer close(disposed)
			d.Dispose()
		}()
		assert.Contains(t, fmt.Sprint(d), "disposable")
		<-disposed
		assert.Equal(t, "disposable, disposed", fmt.Sprint(d))
	}
	assert.Equal(t, "disposable, disposed", fmt.Sprint(Disposed()))
	assert.Equal(t, "undisposable", fmt.Sprint(Undisposable()))
}

// The members behind one that panics, or ends the goroutine, are disposed, too.
func TestCompositeDisposableDisposesOfAll(t *testing.T) {
	for how, die := range map[string]func(){"panic": func() { panic("broken") }, "Goexit": runtime.Goexit} {
		var c CompositeDisposable
		disposed := 0
		for range 5 {
			c.Add(NewDisposable(func() { disposed++; die() }))
		}
		over := make(chan any)
		go func() {
			defer func() { over <- recover() }()
			c.Dispose()
			t.Error("not reached")
		}()
		assert.Equal(t, how == "panic", <-over != nil, how)
		assert.Equal(t, 5, disposed, how)
	}
}

// uncomparable is a handle that a map can't have.
type uncomparable struct{ _ []int }

func (uncomparable) Dispose()         {}
func (uncomparable) IsDisposed() bool { return false }

func TestCompositeGoesOnBehindAHandleThatIsRefused(t *testing.T) {
	var c CompositeDisposable
	assert.Panics(t, func() { c.Add(uncomparable{}) })
	assert.True(t, c.mu.TryLock(), "or whoever disposes waits for ever")
	c.mu.Unlock()
}
