package failure

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestFailuresTerminateOnce(t *testing.T) {
	racetest.Rounds(t, 5000, func() ([]func(), func()) {
		var f List
		var kept, dropped atomic.Int32
		add := func() {
			if f.Add(assert.AnError) {
				kept.Add(1)
			} else {
				dropped.Add(1)
			}
		}
		var taken [2]error
		racers := []func(){
			add,
			add,
			func() { taken[0] = f.Terminate() },
			func() { taken[1] = f.Terminate() },
		}
		return racers, func() {
			n := 0
			for _, err := range taken {
				switch e := err.(type) {
				case nil:
				case interface{ Unwrap() []error }:
					n += len(e.Unwrap())
				default:
					n++
				}
			}
			assert.Equal(t, int(kept.Load()), n)
			assert.Equal(t, int32(2), kept.Load()+dropped.Load())
			assert.False(t, f.Add(assert.AnError))
		}
	})
}

func TestFailuresKeepOrder(t *testing.T) {
	var f List
	assert.False(t, f.Any())
	f.Add(nil)
	f.Add(context.Canceled)
	assert.True(t, f.Any())
	err := f.Terminate()
	assert.Equal(t, []error{reactor.ErrNilError, context.Canceled}, err.(interface{ Unwrap() []error }).Unwrap())
	assert.NoError(t, f.Terminate())
	assert.False(t, f.Any())
}

// Who ends the stream meanwhile finds one error or the other, and never none.
func TestFailuresReplace(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	racetest.Rounds(t, 5000, func() ([]func(), func()) {
		var f List
		assert.True(t, f.Add(first))
		var before, end error
		var ok bool
		return []func(){
			func() { before, ok = f.Replace(second) },
			func() { end = f.Terminate() },
		}, func() {
			if ok {
				assert.Equal(t, []error{first, second}, []error{before, end})
			} else {
				assert.Equal(t, []error{nil, first}, []error{before, end})
			}
		}
	})
	var f List
	before, ok := f.Replace(nil)
	assert.NoError(t, before)
	assert.True(t, ok)
	assert.Equal(t, reactor.ErrNilError, f.Terminate())
}

// Thousands of streams that fail in a flatMap with DelayErrors are thousands of errors in one list.
func TestFailuresCostTheSameHoweverManyThereAre(t *testing.T) {
	bytesFor := func(n int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var f List
		for range n {
			f.Add(assert.AnError)
		}
		err := f.Terminate()
		runtime.ReadMemStats(&after)
		require.Len(t, err.(interface{ Unwrap() []error }).Unwrap(), n)
		return after.TotalAlloc - before.TotalAlloc
	}
	assert.Less(t, bytesFor(4000), 8*bytesFor(1000))
}

// TestRemoveGoexit: the latest error that tells of a Goexit is taken out, and those before and behind it stay, in order.
func TestRemoveGoexit(t *testing.T) {
	one, two, three := errors.New("1"), errors.New("2"), errors.New("3")
	var f List
	assert.NoError(t, removed(&f))
	for _, err := range []error{reactor.ErrGoexit, one, two, reactor.ErrGoexit, three} {
		require.True(t, f.Add(err))
	}
	assert.Equal(t, reactor.ErrGoexit, removed(&f))
	assert.Equal(t, errors.Join(reactor.ErrGoexit, one, two, three), f.Peek())
	assert.Equal(t, reactor.ErrGoexit, removed(&f))
	assert.NoError(t, removed(&f))
	assert.Equal(t, errors.Join(one, two, three), f.Terminate())
	assert.NoError(t, removed(&f))
	assert.False(t, f.Add(one), "it is closed")
}

// A Goexit that was told of elsewhere is an end where there is no other.
func TestFailuresOfAGoexitThatWasReported(t *testing.T) {
	reported := settled{error: reactor.ErrGoexit}
	var f List
	assert.True(t, f.Add(reported))
	assert.Equal(t, reported, f.Peek())
	assert.True(t, f.Add(reported))
	assert.Equal(t, reported, f.Peek())
	f.Add(assert.AnError)
	f.Add(reported)
	assert.Equal(t, assert.AnError, f.Peek())
	f.Add(context.Canceled)
	f.Add(settled{error: reactor.ErrGoexit, open: true})
	assert.Equal(t, errors.Join(assert.AnError, context.Canceled), f.Terminate())
	assert.False(t, f.Add(reported))

	var g List
	g.Add(reported)
	assert.NoError(t, removed(&g), "it is taken out")
	assert.False(t, g.Any())
}

func removed(f *List) error {
	err, _ := f.removeGoexit()
	return err
}

// A Goexit that comes by and was reported ends a stream only where nothing else does, such as what a function has made of it.
func TestUntold(t *testing.T) {
	reported := settled{error: reactor.ErrGoexit, open: true}
	var f List
	assert.Equal(t, error(reported), f.Untold(reported))
	assert.Equal(t, assert.AnError, f.Untold(assert.AnError))
	f.Add(assert.AnError)
	f.Add(context.Canceled)
	err := f.Untold(reported)
	assert.Equal(t, settled{errors.Join(assert.AnError, context.Canceled), true, true}, err)
	assert.False(t, IsReported(err), "nobody has heard of it")
	assert.False(t, f.Any(), "it is taken out")
	assert.Equal(t, err, f.Untold(err))

	f.Add(assert.AnError)
	f.Add(reactor.ErrGoexit)
	assert.Equal(t, settled{reactor.ErrGoexit, true, true}, f.Untold(reported))
	assert.Equal(t, assert.AnError, f.Peek())
}
