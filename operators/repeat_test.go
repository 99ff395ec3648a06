package operators

import (
	"context"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/nosync"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// race runs the functions against one another, again and again; setup makes them anew for each round and returns the check after it.
func race(t *testing.T, rounds int, setup func() (fns []func(), check func())) {
	t.Helper()
	if testing.Short() {
		rounds /= 10
	}
	for range rounds {
		fns, check := setup()
		racetest.Race(fns...)
		check()
		if t.Failed() {
			return
		}
	}
}

// quiet returns a context under which late errors are not logged.
func quiet() context.Context {
	return reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
}

func TestRepeat(t *testing.T) {
	run(Repeat(FromSlice([]int{1, 2}), Times(2))).Done(t, 1, 2, 1, 2, 1, 2)
	run(Repeat(FromSlice([]int{1, 2}), Times(0))).Done(t, 1, 2)
	run(Repeat(failing(1), Times(2))).Failed(t, errBoom, 1)
	rounds := 0
	more := func() bool { rounds++; return rounds < 3 }
	run(Repeat(Just(1), While(more))).Done(t, 1, 1, 1)
	rounds = 0
	run(Repeat(Just(1), While(more), Times(1))).Done(t, 1, 1)
	run(Repeat(Just(1), While(func() bool { panic(errBoom) }))).Failed(t, errBoom, 1)
}

func TestTimesRefusesNegativeNumbers(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: retry: times must not be negative, got -1", func() { Retry(Just(1), Times(-1)) })
	assert.PanicsWithValue(t, "reactor: repeat: times must not be negative, got -1", func() { Repeat(Just(1), Times(-1)) })
	assert.PanicsWithValue(t, "reactor: repeat: the condition is nil", func() { Repeat(Just(1), While(nil)) })
}

// swapping are the stages that subscribe to src again, or to another one, when
// signal has ended it.
func swapping() map[string]struct {
	signal func(*puppetSubscription[int])
	stage  func(src *puppet[int]) reactor.Publisher[int]
} {
	fail := func(s *puppetSubscription[int]) { s.OnError(errBoom) }
	complete := func(s *puppetSubscription[int]) { s.OnComplete() }
	return map[string]struct {
		signal func(*puppetSubscription[int])
		stage  func(src *puppet[int]) reactor.Publisher[int]
	}{
		"retry":  {fail, func(src *puppet[int]) reactor.Publisher[int] { return Retry(src) }},
		"repeat": {complete, func(src *puppet[int]) reactor.Publisher[int] { return Repeat(src) }},
		"onErrorResume": {fail, func(src *puppet[int]) reactor.Publisher[int] {
			return OnErrorResume(src, func(error) *puppet[int] { return src })
		}},
		"concat": {complete, func(src *puppet[int]) reactor.Publisher[int] { return Concat[int](src, src) }},
		"concatDelayError": {fail, func(src *puppet[int]) reactor.Publisher[int] {
			return ConcatDelayError[int](src, src)
		}},
	}
}

// Reactor #2567: demand is counted exactly while sources are swapped.
func TestSwapKeepsDemandExact(t *testing.T) {
	for name, c := range swapping() {
		t.Run(name, func(t *testing.T) {
			race(t, 2000, func() ([]func(), func()) {
				src := &puppet[int]{}
				p := probeOf[int](3)
				ctx, _ := probe.Recorded() // concatDelayError drops what it has held back when it is cancelled
				c.stage(src).Subscribe(ctx, p)
				first := src.last()
				sides := []func(){
					func() { first.OnNext(1); first.OnNext(2); c.signal(first) },
					func() { p.Request(4); p.Request(1) },
				}
				return sides, func() {
					assert.Equal(t, 2, src.count())
					assert.Equal(t, int64(6), src.last().requested.Load(), "8 requested, 2 delivered")
					p.Cancel()
					assert.Equal(t, int64(1), src.last().cancels.Load())
				}
			})
		})
	}
}

// Reactor #2778, #4399: after cancellation no further source is subscribed.
func TestSwapSubscribesNothingAfterCancel(t *testing.T) {
	for name, c := range swapping() {
		t.Run(name, func(t *testing.T) {
			src := &puppet[int]{}
			p := probeOf[int](3)
			c.stage(src).Subscribe(quiet(), p)
			p.Cancel()
			assert.Equal(t, int64(1), src.last().cancels.Load())
			c.signal(src.last())
			assert.Equal(t, 1, src.count())

			// From within the last element of a source.
			src = &puppet[int]{}
			p = probeOf[int](3)
			p.Each = func(int) { p.Cancel() }
			c.stage(src).Subscribe(quiet(), p)
			src.last().OnNext(1)
			c.signal(src.last())
			assert.Equal(t, 1, src.count())
		})
	}
}

// Reactor #4398: a source that is subscribed while the stage is cancelled gets
// cancelled as well.
func TestSwapCancelsWhatComesTooLate(t *testing.T) {
	for name, c := range swapping() {
		t.Run(name, func(t *testing.T) {
			race(t, 3000, func() ([]func(), func()) {
				src := &puppet[int]{}
				p := probeOf[int](3)
				c.stage(src).Subscribe(quiet(), p)
				first := src.last()
				sides := []func(){
					func() { c.signal(first) },
					p.Cancel,
				}
				return sides, func() {
					if src.count() == 2 {
						assert.Equal(t, int64(1), src.last().cancels.Load())
					} else {
						assert.LessOrEqual(t, first.cancels.Load(), int64(1))
					}
					p.Open(t)
				}
			})
		})
	}
}

// manyRounds is a million, or enough of them to overflow a stack of a megabyte where each
// one takes long.
func manyRounds() int {
	if nosync.Observed || testing.Short() {
		return 50_000
	}
	return 1_000_000
}

// A million sources that end while they are subscribed to must not use a stack
// that grows with them.
func TestSwapAtConstantStackDepth(t *testing.T) {
	rounds := manyRounds()
	fewer := max(rounds/10, 50_000)
	old := debug.SetMaxStack(1 << 20)
	defer debug.SetMaxStack(old)
	count := 0
	limited := func() bool { count++; return count < fewer }
	many := make([]reactor.Publisher[int], rounds)
	for i := range many {
		many[i] = Empty[int]()
	}
	failed := make([]reactor.Publisher[int], 1000)
	for i := range failed {
		failed[i] = Error[int](errBoom)
	}
	for name, src := range map[string]reactor.Publisher[int]{
		"retry":            OnErrorComplete(Retry(Error[int](errBoom), Times(rounds))),
		"retry predicate":  OnErrorComplete(Retry(Error[int](errBoom), WhenError(func(error) bool { return limited() }))),
		"repeat":           Repeat(Empty[int](), Times(rounds)),
		"repeat predicate": Repeat(Empty[int](), While(limited)),
		"concat":           Concat(many...),
		"concatDelayError": OnErrorComplete(ConcatDelayError(failed...)),
	} {
		t.Run(name, func(t *testing.T) {
			count = 0
			run(src).Done(t)
		})
	}
	t.Run("one element each, one request each", func(t *testing.T) {
		p := probeOf[int](1)
		n := 0
		p.Each = func(int) {
			n++
			p.Request(1)
		}
		Repeat(Just(1), Times(fewer-1)).Subscribe(context.Background(), p)
		assert.Equal(t, fewer, n)
		assert.True(t, p.Over())
	})
}
