package failure

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// guarded calls fn and appends what Recovered says to seen, then calls handle.
func guarded(seen *[]error, fn, handle func()) {
	clean := false
	defer func() {
		if !clean {
			*seen = append(*seen, Recovered(recover()))
			handle()
		}
	}()
	fn()
	clean = true
}

func nothing() {}

func TestGoexitIsTakenByTheInnermostGuard(t *testing.T) {
	for range 3 { // the goroutines may get the same place in memory
		var seen []error
		racetest.Aside(func() {
			guarded(&seen, func() { guarded(&seen, func() { guarded(&seen, runtime.Goexit, nothing) }, nothing) }, nothing)
		})
		assert.Len(t, seen, 3)
		assert.False(t, IsSettled(seen[0]))
		assert.True(t, IsSettled(seen[1]))
		assert.True(t, IsSettled(seen[2]))
		assert.True(t, IsSettled(fmt.Errorf("passed: %w", seen[1])))
		assert.False(t, IsSettled(errors.Join(seen[1], assert.AnError)), "there is something to report")
		for _, err := range seen {
			assert.ErrorIs(t, err, reactor.ErrGoexit)
			assert.Equal(t, seen[0], Reported(err))
		}
	}
}

// What the handler of a Goexit calls, such as a retry, may end in another one.
func TestGoexitWhileAnotherIsUnderWay(t *testing.T) {
	var seen []error
	racetest.Aside(func() {
		guarded(&seen, func() {
			guarded(&seen, runtime.Goexit, func() {
				guarded(&seen, func() { guarded(&seen, runtime.Goexit, nothing) }, nothing)
			})
		}, func() {
			guarded(&seen, runtime.Goexit, nothing)
		})
	})
	settled := make([]bool, len(seen))
	for i, err := range seen {
		settled[i] = IsSettled(err)
	}
	assert.Equal(t, []bool{false, false, true, true, false}, settled)
}

func TestPanicIsNeverSettled(t *testing.T) {
	var seen []error
	guarded(&seen, func() { panic("boom") }, nothing)
	racetest.Aside(func() {
		guarded(&seen, runtime.Goexit, func() { guarded(&seen, func() { panic("boom") }, nothing) })
	})
	assert.Len(t, seen, 3)
	for _, err := range seen {
		assert.False(t, IsSettled(err))
	}
}

func TestGoexitsAreForgotten(t *testing.T) {
	var wg sync.WaitGroup
	for range 3 * remembered {
		wg.Go(func() {
			var seen []error
			racetest.Aside(func() { guarded(&seen, func() { guarded(&seen, runtime.Goexit, nothing) }, nothing) })
			if len(seen) != 2 || IsSettled(seen[0]) {
				t.Errorf("seen %v", seen)
			}
		})
	}
	wg.Wait()
	goexits.Lock()
	defer goexits.Unlock()
	assert.LessOrEqual(t, len(goexits.of), remembered)
}

func TestUnwinding(t *testing.T) {
	inner := func() { guarded(new([]error), runtime.Goexit, nothing) }
	for name, c := range map[string]struct {
		fn   func()
		want []bool // what is told
	}{
		"nothing":                     {nothing, nil},
		"a panic":                     {func() { panic(1) }, []bool{false}},
		"a Goexit":                    {runtime.Goexit, []bool{false}},
		"a Goexit that is dealt with": {inner, []bool{true}},
	} {
		t.Run(name, func(t *testing.T) {
			var told []bool
			var seen []error
			racetest.Aside(func() {
				guarded(&seen, func() { Unwinding(c.fn, func(settled bool) { told = append(told, settled) }) }, nothing)
			})
			assert.Equal(t, c.want, told)
			if len(seen) > 0 {
				assert.Equal(t, c.want[0], IsSettled(seen[0]), "as the guard upstream sees it")
			}

			ctx, hooks := capture()
			racetest.Aside(func() { guarded(new([]error), func() { Before(ctx, 1, c.fn) }, nothing) })
			if len(c.want) > 0 && c.want[0] {
				assert.Equal(t, []any{1}, hooks.discarded)
			} else {
				assert.Empty(t, hooks.discarded, "it is the guard's")
			}
		})
	}
}

// Code that cancels is ended by what hears of that: the guard around it has an element to see to, and nothing to report.
func TestOutside(t *testing.T) {
	type seen struct{ settled, reported bool }
	var all []seen
	note := func(err error) {
		all = append(all, seen{IsSettled(err), IsReported(err)})
		assert.ErrorIs(t, err, reactor.ErrGoexit)
		assert.IsType(t, settled{}, err)
	}
	var first error
	end := func(fn func(func())) {
		all, first = nil, nil
		done := make(chan struct{})
		go func() {
			defer close(done)
			Guard(func() {
				Guard(func() { fn(func() { Guard(runtime.Goexit, func(err error) { first = err }) }) }, note)
			}, note)
		}()
		<-done
	}
	end(func(cancel func()) { cancel() })
	assert.Equal(t, []seen{{true, true}, {true, true}}, all)
	end(func(cancel func()) { Outside(cancel) })
	assert.Equal(t, []seen{{false, true}, {true, true}}, all, "the first guard has the element of the function")
	assert.False(t, IsReported(first))
	end(func(cancel func()) { Outside(func() { Outside(cancel) }) })
	assert.Equal(t, []seen{{false, true}, {true, true}}, all)
	end(func(cancel func()) {
		Unwinding(func() { Outside(cancel) }, func(settled bool) { assert.False(t, settled) })
	})
	assert.Equal(t, []seen{{false, true}, {true, true}}, all)

	done := make(chan struct{})
	go func() {
		defer close(done)
		Guard(func() { Outside(runtime.Goexit) }, func(err error) { first = err })
	}()
	<-done
	assert.False(t, IsReported(first), "nobody has dealt with it before")
	assert.PanicsWithValue(t, 3, func() { Outside(func() { panic(3) }) })
}
