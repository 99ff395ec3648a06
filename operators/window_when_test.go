package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestWindowWhen(t *testing.T) {
	src, open := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	closers := &allPuppets[int]{}
	r := readWindows(ctx, WindowWhen(src, open, closers.fn, bare[int]), 9, 9)
	next := func(v int) { src.last().OnNext(v) }
	next(0)
	open.last().OnNext(0)
	next(1)
	open.last().OnNext(1)
	next(2)
	closers.at(0).OnNext(0)
	next(3)
	closers.at(1).OnComplete()
	next(4)
	r.windows[0].Done(t, 1, 2)
	r.windows[1].Done(t, 2, 3)
	assert.Equal(t, []any{0, 4}, hooks.Discarded)
	assert.EqualValues(t, 1, closers.at(0).cancels.Load())
	open.last().OnNext(2)
	next(5)
	open.last().OnComplete()
	r.windows[2].Done(t, 5)
	assert.True(t, r.Over())
	assert.EqualValues(t, 1, closers.at(2).cancels.Load())
	assert.EqualValues(t, 1, src.last().cancels.Load(), "nobody wants more")
	next(6)
	assert.Equal(t, []any{0, 4, 6}, hooks.Discarded)
	src.last().OnError(errBoom)
	assert.Len(t, hooks.Errs, 1)
}

// An element of open that owns something is told that nobody will use it where it opens no window: nobody else knows of it.
func TestWindowWhenWhatOpensNothingIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		demand int64
		before func(src, open func(), p *probe.Probe[stream])
		opened int
	}{
		"without demand":           {0, func(_, _ func(), _ *probe.Probe[stream]) {}, 0},
		"no demand any more":       {1, func(_, open func(), _ *probe.Probe[stream]) { open() }, 1},
		"left":                     {9, func(_, _ func(), p *probe.Probe[stream]) { p.Cancel() }, 0},
		"left with an open window": {9, func(_, open func(), p *probe.Probe[stream]) { open(); p.Cancel() }, 1},
		"ended":                    {9, func(end, open func(), _ *probe.Probe[stream]) { open(); end() }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			src, open := &puppet[int]{}, &puppet[*owned]{}
			p := probeOf[stream](c.demand)
			p.Each = func(w stream) { w.Subscribe(t.Context(), probeOf[int](9)) }
			var used []*owned
			until := func(v *owned) stream { used = append(used, v); return Never[int]() }
			WindowWhen(src, reactor.Publisher[*owned](open), until, bare[int]).Subscribe(t.Context(), p)
			c.before(src.last().OnComplete, func() { open.last().OnNext(&owned{}) }, p)
			late := &owned{}
			open.last().OnNext(late)
			assert.Equal(t, 1, late.discarded)
			assert.Len(t, used, c.opened)
			for _, v := range used {
				assert.Zero(t, v.discarded, "the function has got it")
			}
		})
	}
}

func TestWindowWhenFails(t *testing.T) {
	for name, signal := range map[string]func(open, closer *puppetSubscription[int]){
		"open":    func(open, _ *puppetSubscription[int]) { open.OnError(errBoom) },
		"closing": func(_, closer *puppetSubscription[int]) { closer.OnError(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			src, open := &puppet[int]{}, &puppet[int]{}
			closers := &allPuppets[int]{}
			r := readWindows(t.Context(), WindowWhen(src, open, closers.fn, bare[int]), 9, 9)
			open.last().OnNext(0)
			signal(open.last(), closers.at(0))
			assert.ErrorIs(t, r.Failure(), errBoom)
			r.windows[0].Failed(t, errBoom)
			assert.EqualValues(t, 1, src.last().cancels.Load())
			assert.EqualValues(t, 1, open.last().cancels.Load()+closers.at(0).cancels.Load())
		})
	}
}

func TestWindowWhenStreamOfWindowsFails(t *testing.T) {
	for name, c := range map[string]struct {
		demand int64
		err    error
	}{
		"overflow":    {1, reactor.ErrOverflow},
		"no function": {9, errBoom},
	} {
		t.Run(name, func(t *testing.T) {
			src, open := &puppet[int]{}, &puppet[int]{}
			closers := &allPuppets[int]{}
			r := readWindows(t.Context(), WindowWhen(src, open, func(v int) stream {
				if v == 1 {
					panic(errBoom)
				}
				return closers.fn(v)
			}, bare[int]), c.demand, 9)
			open.last().OnNext(0)
			open.last().OnNext(1)
			assert.ErrorIs(t, r.Failure(), c.err)
			assert.EqualValues(t, 0, src.last().cancels.Load(), "a window is open")
			src.last().OnNext(0)
			closers.at(0).OnNext(0)
			r.windows[0].Done(t, 0)
			for _, w := range r.windows[1:] {
				w.Cancel() // nothing closes it
			}
			assert.EqualValues(t, 1, src.last().cancels.Load())
			assert.EqualValues(t, 1, open.last().cancels.Load())
		})
	}
}

func TestWindowWhenVerbatim(t *testing.T) {
	src, open := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	p := runWith(ctx, WindowWhen(src, open, func(int) stream { return Never[int]() }, bare[int], Verbatim()))
	src.last().OnNext(0)
	p.Cancel()
	assert.EqualValues(t, 0, src.last().cancels.Load()+open.last().cancels.Load())
	assert.Empty(t, hooks.Discarded)
	open.last().OnComplete()
	assert.EqualValues(t, 0, src.last().cancels.Load())
	src.last().OnNext(1)
	assert.Equal(t, []any{1}, hooks.Dropped)
}

// A window that fails on its way down is none: the others go on, and what they get is not discarded.
func TestWindowWhenFailsOnItsWay(t *testing.T) {
	src, open := &puppet[int]{}, &puppet[int]{}
	ctx, hooks := probe.Recorded()
	r := readWindows(ctx, WindowWhen(src, open, (&allPuppets[int]{}).fn, bare[int]), 9, 9)
	open.last().OnNext(0)
	r.Each = func(stream) { panic(errBoom) }
	open.last().OnNext(1)
	assert.ErrorIs(t, r.Failure(), errBoom)
	src.last().OnNext(2)
	src.last().OnComplete()
	r.windows[0].Done(t, 2)
	assert.Empty(t, hooks.Discarded)
}

// What closes a window that has failed on its way down is cancelled with it.
func TestWindowWhenThatFailsOnItsWayDownIsClosedByNobody(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic(errBoom) }, "goexit": runtime.Goexit} {
		src, closing := &puppet[int]{}, &puppet[int]{}
		racetest.Aside(func() {
			windows := WindowWhen(src, Just(0), func(int) stream { return closing }, func(w stream) stream { return w })
			run(FlatMap(windows, func(stream) stream { fail(); return nil }))
		})
		assert.EqualValues(t, 1, closing.last().cancels.Load(), name)
		assert.EqualValues(t, 1, src.last().cancels.Load(), name)
	}
}

// A window fails on its way down, and what is to close it ends the goroutine: downstream has the first failure, the other one is dropped.
func TestWindowWhenFailsTwice(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](reactor.Unbounded)
	racetest.Aside(func() {
		windows := WindowWhen(Never[int](), Just(0), func(int) stream { runtime.Goexit(); return nil }, bare[int])
		Map(windows, func(stream) int { panic(errBoom) }).Subscribe(ctx, p)
	})
	p.Failed(t, errBoom)
	require.Len(t, hooks.Errs, 1)
	assert.ErrorIs(t, hooks.Errs[0].(error), reactor.ErrGoexit)
}
