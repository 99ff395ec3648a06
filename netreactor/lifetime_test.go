package netreactor

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

// lifetimes runs a test with the context of a connection, and what notes who was called at its end.
func lifetimes(t *testing.T, test func(t *testing.T, l *lifetime, note func(string) func(), called func() []string)) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var names []string
		note := func(name string) func() {
			return func() {
				mu.Lock()
				defer mu.Unlock()
				names = append(names, name)
			}
		}
		test(t, bookkept(t, engineFor(t)).context(), note, func() []string {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			slices.Sort(names)
			return names
		})
	})
}

var theEnd = &CloseError{Reason: ReasonClosed}

// TestWhoListensToTheEnd is called, unless it has stopped before, in whatever order.
func TestWhoListensToTheEnd(t *testing.T) {
	for _, order := range [][]int{{1, 0}, {1, 2}, {0, 1}, {2, 1}, {2, 0}, {0, 2}} {
		lifetimes(t, func(t *testing.T, l *lifetime, note func(string) func(), called func() []string) {
			names := []string{"a", "b", "c"}
			var stops []func() bool
			for _, name := range names {
				stops = append(stops, l.AfterFunc(note(name)))
			}
			left := slices.Clone(names)
			for _, i := range order {
				assert.True(t, stops[i]())
				assert.False(t, stops[i](), "twice")
				left = slices.DeleteFunc(left, func(name string) bool { return name == names[i] })
			}
			l.end(theEnd)
			assert.Equal(t, left, called())
			for _, stop := range stops {
				assert.False(t, stop(), "too late")
			}
		})
	}
}

// TestWhoListensLate: what has ended is so for everybody.
func TestWhoListensLate(t *testing.T) {
	for _, listened := range []bool{false, true} {
		lifetimes(t, func(t *testing.T, l *lifetime, note func(string) func(), called func() []string) {
			if listened {
				l.AfterFunc(func() {})
			}
			assert.NoError(t, l.Err())
			l.end(theEnd)
			<-l.Done()
			assert.Equal(t, theEnd, l.Err())
			stop := l.AfterFunc(note("late"))
			assert.Equal(t, []string{"late"}, called())
			assert.False(t, stop())
			derived, cancel := context.WithCancel(l)
			defer cancel()
			<-derived.Done()
			assert.Equal(t, theEnd, context.Cause(derived))
		})
	}
}
