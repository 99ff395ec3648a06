package protocol

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// counter is a puller that emits 1, 2, … last.
type counter struct {
	PullLoop
	ctx      context.Context
	down     reactor.Subscriber[int]
	next     int // owner of the loop
	last     int
	released int // owner of the loop, so -race checks that there is one
}

func newCounter(ctx context.Context, down reactor.Subscriber[int], last int) *counter {
	c := &counter{ctx: ctx, down: down, next: 1, last: last}
	c.Init(c)
	return c
}

func (c *counter) Pull(n int64) bool {
	for ; n > 0; n-- {
		if c.Cancelled() {
			return true
		}
		v := c.next
		c.next++
		c.down.OnNext(v)
		if v == c.last {
			c.down.OnComplete()
			return true
		}
	}
	return false
}

func (c *counter) Crashed(err error) { Crash(c.ctx, c.down, err, c.next-1) }
func (c *counter) Release()          { c.released++ }

func TestPullLoopServesExactlyTheDemand(t *testing.T) {
	racetest.Rounds(t, 3000, func() ([]func(), func()) {
		p := &probe[int]{}
		c := newCounter(context.Background(), p, 1000)
		racers := []func(){
			func() { c.Request(2); c.Request(3) },
			func() { c.Request(4) },
			func() { c.Request(5) },
		}
		return racers, func() {
			assert.Zero(t, p.overlaps.Load())
			assert.Len(t, p.items, 14)
			for i, v := range p.items {
				assert.Equal(t, i+1, v)
			}
		}
	})
}

func TestPullLoopReleasesOnce(t *testing.T) {
	racetest.Rounds(t, 5000, func() ([]func(), func()) {
		p := &probe[int]{}
		c := newCounter(context.Background(), p, 5)
		racers := []func(){
			func() { c.Request(3) },
			func() { c.Request(2) },
			c.Cancel,
			c.Cancel,
		}
		return racers, func() {
			assert.Equal(t, 1, c.released)
			assert.Zero(t, p.overlaps.Load())
		}
	})
}

func TestPullLoopReleasesAnIdleSource(t *testing.T) {
	c := newCounter(context.Background(), &probe[int]{}, 5)
	c.Request(3)
	c.Cancel()
	assert.Equal(t, 1, c.released)
	c.Cancel()
	c.Request(1)
	assert.Equal(t, 1, c.released)
	assert.Equal(t, 4, c.next)
}

// §3.3: a million requests from within OnNext do not recurse.
func TestPullLoopDoesNotRecurse(t *testing.T) {
	p := &probe[int]{}
	steps := racetest.Steps(1_000_000)
	c := newCounter(context.Background(), p, steps)
	depth, deepest, n := 0, 0, 0
	p.onNext = func(int) {
		p.items = p.items[:0]
		n++
		depth++
		deepest = max(deepest, depth)
		c.Request(1)
		depth--
	}
	c.Request(1)
	assert.Equal(t, 1, deepest)
	assert.Equal(t, steps, n)
	assert.Equal(t, 1, p.done)
	assert.Equal(t, 1, c.released)
}

func TestPullLoopTurnsAPanicBelowIntoAnError(t *testing.T) {
	ctx, hooks := capture()
	p := &probe[int]{}
	boom := errors.New("boom")
	p.onNext = func(v int) {
		if v == 3 {
			panic(boom)
		}
	}
	c := newCounter(ctx, p, 10)
	assert.NotPanics(t, func() { c.Request(reactor.Unbounded) })
	assert.Equal(t, []int{1, 2, 3}, p.items)
	assert.Len(t, p.errs, 1)
	assert.ErrorIs(t, p.errs[0], boom)
	assert.Equal(t, []any{3}, hooks.discarded)
	assert.Equal(t, 1, c.released)
	c.Request(1)
	c.Cancel()
	assert.Equal(t, 1, c.released)
	assert.Len(t, p.items, 3)
}

func TestPullLoopSurvivesGoexit(t *testing.T) {
	p := &probe[int]{}
	p.onNext = func(int) { runtime.Goexit() }
	c := newCounter(context.Background(), p, 10)
	var wg sync.WaitGroup
	wg.Go(func() { c.Request(5) })
	wg.Wait()
	assert.Equal(t, []error{reactor.ErrGoexit}, p.errs)
	assert.Equal(t, 1, c.released)
}
