package handed

import (
	"iter"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// goexit returns what two guards make of a Goexit.
func goexit() (first, passing error) {
	racetest.Aside(func() {
		failure.Guard(func() {
			failure.Guard(runtime.Goexit, func(err error) { first = err })
		}, func(err error) { passing = err })
	})
	return first, passing
}

func TestShow(t *testing.T) {
	first, passing := goexit()
	other, otherPassing := goexit()
	assert.False(t, Show(assert.AnError, func(err error) bool { return Seen(err) != assert.AnError }))
	assert.True(t, Show(first, func(err error) bool {
		assert.False(t, failure.IsSettled(Seen(err)), "it is told for the first time")
		return true
	}))
	Show(passing, func(err error) bool {
		assert.Equal(t, first, err)
		assert.Equal(t, passing, Seen(err))
		assert.Equal(t, assert.AnError, Seen(assert.AnError))
		racetest.Aside(func() { assert.Equal(t, first, Seen(err), "on another goroutine") })
		racetest.Aside(func() { Show(otherPassing, func(error) bool { runtime.Goexit(); return true }) })
		Show(otherPassing, func(again error) bool { assert.Equal(t, otherPassing, Seen(again)); return true })
		assert.Equal(t, passing, Seen(err))
		return true
	})
	assert.Equal(t, other, Seen(other))
	assert.Zero(t, shown.now.Load())
	assert.Empty(t, shown.calls)
}

func TestCoroutine(t *testing.T) {
	dealtWith := func() { failure.Guard(runtime.Goexit, func(error) {}) }
	for name, c := range map[string]struct {
		fail    func()
		settled bool
	}{
		"a Goexit":                    {runtime.Goexit, false},
		"a Goexit that is dealt with": {dealtWith, true},
		"a panic":                     {func() { panic("boom") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			var left, err error
			racetest.Aside(func() {
				failure.Guard(func() {
					next, _ := iter.Pull(Watched(func(yield func(int) bool) { yield(1); c.fail() }, &left))
					for {
						if _, ok := next(); !ok {
							return
						}
					}
				}, func(failed error) { err = failed })
			})
			assert.False(t, failure.IsSettled(err))
			assert.Equal(t, c.settled, failure.IsSettled(Out(err, left)))
			if name != "a panic" {
				assert.ErrorIs(t, Out(err, left), reactor.ErrGoexit)
			}
		})
	}
}
