package operators

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

func timeoutWindows(src stream, h *handScheduler, opts ...WindowTimeoutOption) reactor.Publisher[stream] {
	return WindowTimeout(src, 3, 10, bare[int], append(opts, On(h))...)
}

func TestWindowTimeout(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := run(lists(timeoutWindows(src, h)))
	for v := range 4 {
		h.forward(2)
		src.last().OnNext(v)
	}
	p.Open(t, []int{0, 1, 2})
	h.forward(7)
	p.Open(t, []int{0, 1, 2})
	h.forward(1)
	p.Open(t, []int{0, 1, 2}, []int{3})
	h.forward(10)
	src.last().OnNext(4)
	src.last().OnComplete()
	p.Done(t, []int{0, 1, 2}, []int{3}, []int{}, []int{4})
	assert.Zero(t, h.pending())
}

// The timer of a window that was full may be told of after that of the next one has gone off.
func TestWindowTimeoutOldTimerComesLast(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	windows := WindowTimeout(src, 2, 10, bare[int], FairBackpressure(), On(&tellingLate{handScheduler: h, at: 2}))
	r := readWindows(t.Context(), windows, 9, 9)
	src.last().OnNext(1)
	src.last().OnNext(2)
	if assert.Len(t, r.windows, 3) {
		r.windows[0].Done(t, 1, 2)
		r.windows[1].Done(t)
		r.windows[2].Open(t)
	}
}

func TestWindowTimeoutOverflow(t *testing.T) {
	for name, next := range map[string]func(src *puppet[int], h *handScheduler){
		"full": func(src *puppet[int], _ *handScheduler) {
			for v := 1; v < 3; v++ {
				src.last().OnNext(v)
			}
		},
		"time": func(_ *puppet[int], h *handScheduler) { h.forward(10) },
	} {
		t.Run(name, func(t *testing.T) {
			h := &handScheduler{}
			src := &puppet[int]{}
			r := readWindows(t.Context(), timeoutWindows(src, h), 1, 9)
			src.last().OnNext(0)
			next(src, h)
			assert.ErrorIs(t, r.Failure(), reactor.ErrOverflow)
			assert.True(t, r.windows[0].Over())
			assert.NoError(t, r.windows[0].Failure())
			assert.EqualValues(t, 1, src.last().cancels.Load())
			assert.Zero(t, h.pending())
		})
	}
	src := &puppet[int]{}
	p := probeOf[stream](0)
	timeoutWindows(src, &handScheduler{}).Subscribe(t.Context(), p)
	p.Failed(t, reactor.ErrOverflow)
}

func TestWindowTimeoutAfterCancel(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	r := readWindows(t.Context(), timeoutWindows(src, h), 9, 9)
	r.Cancel()
	src.last().OnNext(0)
	assert.EqualValues(t, 0, src.last().cancels.Load())
	h.forward(10)
	r.windows[0].Done(t, 0)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Zero(t, h.pending())

	r = readWindows(t.Context(), timeoutWindows(src, h, Verbatim()), 9, 9)
	r.windows[0].Cancel()
	r.Cancel()
	assert.EqualValues(t, 0, src.last().cancels.Load())
	h.forward(10)
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

// To the letter a cancellation waits for the end of the open window. That is not only a
// timeout: where elements go on coming, windows are full before.
func TestWindowTimeoutVerbatimIsCancelledByAFullWindow(t *testing.T) {
	for name, subscribed := range map[string]bool{"listened to": true, "cancelled": false} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			h := &handScheduler{}
			src := &puppet[int]{}
			r := readWindows(ctx, timeoutWindows(src, h, Verbatim()), 9, 9)
			if !subscribed {
				r.windows[0].Cancel()
			}
			r.Cancel()
			for v := range 3 {
				assert.Zero(t, src.last().cancels.Load())
				src.last().OnNext(v)
			}
			assert.EqualValues(t, 1, src.last().cancels.Load())
			if subscribed {
				r.windows[0].Done(t, 0, 1, 2)
			}
			assert.Len(t, r.windows, 1)
			assert.Zero(t, h.pending())
			h.forward(20)
			assert.EqualValues(t, 1, src.last().cancels.Load())
			src.last().OnError(errBoom)
			assert.Equal(t, []any{errBoom}, hooks.Errs)
		})
	}
	// The end comes while the full window is closed.
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	r := readWindows(ctx, WindowTimeout(src, 1, 10, bare[int], On(&handScheduler{}), Verbatim()), 9, 9)
	r.Cancel()
	r.windows[0].Each = func(int) { src.last().OnError(errBoom) }
	src.last().OnNext(0)
	assert.Zero(t, src.last().cancels.Load(), "it has ended")
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

func TestWindowTimeoutRejected(t *testing.T) {
	for name, opts := range map[string][]WindowTimeoutOption{"plain": nil, "fair": {FairBackpressure()}} {
		h := &handScheduler{}
		h.refuse(schedulers.ErrUnavailable)
		src := &puppet[int]{}
		r := readWindows(t.Context(), timeoutWindows(src, h, opts...), 1, 9)
		assert.ErrorIs(t, r.Failure(), reactor.ErrRejected, name)
		assert.NotZero(t, src.last().cancels.Load(), name)
		r.windows[0].Failed(t, reactor.ErrRejected)
	}
}

func TestWindowTimeoutArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: windowTimeout: size must be positive, got 0", func() { WindowTimeout(Just(1), 0, 1, bare[int]) })
	assert.PanicsWithValue(t, "reactor: windowTimeout: duration must be positive, got 0s", func() { WindowTimeout(Just(1), 1, 0, bare[int]) })
}

func TestWindowTimeoutFair(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	r := readWindows(t.Context(), timeoutWindows(src, h, FairBackpressure()), 0, 9)
	up := src.last()
	assert.Zero(t, up.requested.Load())
	assert.Zero(t, h.pending())
	r.Request(1)
	assert.EqualValues(t, 3, up.requested.Load())
	up.OnNext(0)
	h.forward(10)
	r.windows[0].Done(t, 0)
	assert.Len(t, r.windows, 1, "the next window waits")
	assert.EqualValues(t, 4, up.requested.Load(), "one in the place of what the window has got")
	up.OnNext(1)
	h.forward(10)
	up.OnNext(2)
	assert.EqualValues(t, 4, up.requested.Load())
	r.Request(1)
	r.windows[1].Done(t, 1, 2)
	assert.EqualValues(t, 6, up.requested.Load())
	for v := 3; v < 6; v++ {
		up.OnNext(v)
	}
	assert.EqualValues(t, 6, up.requested.Load(), "two windows are waiting")
	up.OnComplete()
	assert.False(t, r.Over())
	r.Request(1)
	r.windows[2].Done(t, 3, 4, 5)
	assert.True(t, r.Over())
	assert.Len(t, r.windows, 3)
	assert.Zero(t, h.pending())
}

func TestWindowTimeoutFairSynchronous(t *testing.T) {
	h := &handScheduler{}
	for _, demand := range []int64{1, 2, reactor.Unbounded} {
		p := probeOf[stream](demand)
		var got [][]int
		p.Each = func(w stream) {
			CollectSlice(w).Subscribe(t.Context(), &probe.Probe[[]int]{Initial: 1, Each: func(v []int) { got = append(got, v) }})
			if demand != reactor.Unbounded {
				p.Request(demand)
			}
		}
		WindowTimeout(Range(0, 8), 3, 10, bare[int], FairBackpressure(), On(h)).Subscribe(t.Context(), p)
		assert.True(t, p.Over())
		assert.Equal(t, [][]int{{0, 1, 2}, {3, 4, 5}, {6, 7}}, got)
	}
	assert.Zero(t, h.pending())
}

func TestWindowTimeoutFairError(t *testing.T) {
	src := &puppet[int]{}
	r := readWindows(t.Context(), timeoutWindows(src, &handScheduler{}, FairBackpressure()), 1, 9)
	for v := range 4 {
		src.last().OnNext(v)
	}
	src.last().OnError(errBoom)
	assert.False(t, r.Over(), "a window waits")
	r.Request(1)
	r.windows[1].Failed(t, errBoom, 3)
	assert.ErrorIs(t, r.Failure(), errBoom)
}

func TestWindowTimeoutFairCancel(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	ctx, hooks := probe.Recorded()
	r := readWindows(ctx, timeoutWindows(src, h, FairBackpressure()), 2, 9)
	src.last().OnNext(0)
	r.windows[0].Cancel()
	asked := src.last().requested.Load()
	src.last().OnNext(1)
	assert.Equal(t, asked+1, src.last().requested.Load(), "a cancelled window takes its share")
	src.last().OnNext(2)
	src.last().OnNext(3)
	r.Cancel()
	assert.Zero(t, src.last().cancels.Load(), "a window is open")
	src.last().OnNext(4)
	r.windows[1].Open(t, 3, 4)
	r.windows[1].Cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(5)
	assert.Equal(t, []any{1, 2, 5}, hooks.Discarded)
	assert.Zero(t, h.pending())
}

// What ends a window that has outlived the stream.
func TestWindowTimeoutFairLastWindow(t *testing.T) {
	for name, c := range map[string]struct {
		end     func(up *puppetSubscription[int], h *handScheduler)
		items   []int
		cancels int64
		err     error
	}{
		"full":     {func(up *puppetSubscription[int], _ *handScheduler) { up.OnNext(1); up.OnNext(2) }, []int{0, 1, 2}, 1, nil},
		"time":     {func(_ *puppetSubscription[int], h *handScheduler) { h.forward(10) }, []int{0}, 1, nil},
		"complete": {func(up *puppetSubscription[int], _ *handScheduler) { up.OnComplete() }, []int{0}, 0, nil},
		"error":    {func(up *puppetSubscription[int], _ *handScheduler) { up.OnError(errBoom) }, []int{0}, 0, errBoom},
	} {
		t.Run(name, func(t *testing.T) {
			h := &handScheduler{}
			src := &puppet[int]{}
			ctx, hooks := probe.Recorded()
			r := readWindows(ctx, timeoutWindows(src, h, FairBackpressure()), 9, 9)
			src.last().OnNext(0)
			r.Cancel()
			c.end(src.last(), h)
			r.windows[0].Check(t, c.err, c.err == nil, c.items...)
			assert.Len(t, r.windows, 1)
			assert.Equal(t, c.cancels, src.last().cancels.Load())
			assert.Empty(t, hooks.Errs)
			if c.cancels > 0 {
				src.last().OnNext(8)
				assert.Equal(t, []any{8}, hooks.Discarded)
			}
			assert.Zero(t, h.pending())
		})
	}
}

// To the letter: the open window ends with the stream, as in Reactor.
func TestWindowTimeoutFairVerbatim(t *testing.T) {
	src := &puppet[int]{}
	r := readWindows(t.Context(), timeoutWindows(src, &handScheduler{}, FairBackpressure(), Verbatim()), 9, 9)
	src.last().OnNext(0)
	r.Cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load())
	r.windows[0].Done(t, 0)
}

func TestWindowTimeoutFairSubscriberPanics(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[stream](9)
	p.Each = func(stream) { panic(errBoom) }
	timeoutWindows(src, &handScheduler{}, FairBackpressure()).Subscribe(t.Context(), p)
	assert.ErrorIs(t, p.Failure(), errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

// The window that is full, or whose time is over, is replaced by one that nobody takes: it
// still gets what is due to it.
func TestWindowTimeoutFairFailsWhileAWindowIsReplaced(t *testing.T) {
	for name, replace := range map[string]func(up *puppetSubscription[int], h *handScheduler){
		"full": func(up *puppetSubscription[int], _ *handScheduler) { up.OnNext(1); up.OnNext(2) },
		"time": func(up *puppetSubscription[int], h *handScheduler) { up.OnNext(1); h.forward(10) },
	} {
		t.Run(name, func(t *testing.T) {
			h := &handScheduler{}
			src := &puppet[int]{}
			ctx, hooks := probe.Recorded()
			p := probeOf[stream](9)
			first := probeOf[int](9)
			n := 0
			p.Each = func(w stream) {
				if n++; n == 2 {
					panic(errBoom)
				}
				w.Subscribe(ctx, first)
			}
			timeoutWindows(src, h, FairBackpressure()).Subscribe(ctx, p)
			src.last().OnNext(0)
			replace(src.last(), h)
			assert.ErrorIs(t, p.Failure(), errBoom)
			if name == "full" {
				first.Done(t, 0, 1, 2)
			} else {
				first.Done(t, 0, 1)
			}
			assert.Empty(t, hooks.Discarded)
			assert.EqualValues(t, 1, src.last().cancels.Load())
			assert.Zero(t, h.pending())
		})
	}
}

func TestWindowTimeoutRaces(t *testing.T) {
	for name, opts := range map[string][]WindowTimeoutOption{"plain": nil, "fair": {FairBackpressure()}} {
		t.Run(name, func(t *testing.T) {
			raceStage(t, 3, func(src elements, h *handScheduler) elements {
				windows := WindowTimeout(src, 2, time.Second, bare[element], append(opts, On(h))...)
				return emptied(FlatMap(windows, bare[element]))
			})
			raceStage(t, 3, func(src elements, h *handScheduler) elements {
				windows := WindowTimeout(src, 2, time.Second, bare[element], append(opts, On(h))...)
				return emptied(FlatMap(windows, func(w elements) elements { return Take(w, 1) }, Concurrency(200)))
			})
		})
	}
}

// As the windows of all operators do: the one that is open goes on, and the source is cancelled with it.
func TestWindowTimeoutOpenWindowOutlivesTheStream(t *testing.T) {
	for name, opts := range map[string][]WindowTimeoutOption{"plain": nil, "fair": {FairBackpressure()}} {
		t.Run(name, func(t *testing.T) {
			src, sched := &puppet[int]{}, &handScheduler{}
			p := probeOf[int](9)
			ConcatMap(Take(timeoutWindows(src, sched, opts...), 1), bare[int]).Subscribe(t.Context(), p)
			src.last().OnNext(0)
			src.last().OnNext(1)
			p.Open(t, 0, 1)
			assert.Zero(t, src.last().cancels.Load())
			p.Cancel()
			assert.EqualValues(t, 1, src.last().cancels.Load())
		})
	}
}

// Behind a full window there is another one, whenever demand comes: how many there are is no matter of that.
func TestWindowTimeoutFairFollowsAFullWindow(t *testing.T) {
	for _, oneByOne := range []bool{false, true} {
		for size, want := range map[int][]int{1: {0, 1, 2, 3, 4}, 2: {0, 1, 2}, 4: {0, 1}, 3: {0, 1}} {
			n := 0
			windows := WindowTimeout(Range(1, 4), size, time.Hour, func(w stream) int { SubscribeFunc(t.Context(), w, nil); n++; return n - 1 }, FairBackpressure(), On(&handScheduler{}))
			p := probeOf[int](1)
			if !oneByOne {
				p = probeOf[int](reactor.Unbounded)
			} else {
				p.Each = func(int) { p.Request(1) }
			}
			windows.Subscribe(t.Context(), p)
			p.Done(t, want...)
		}
	}
}

// The error of the source comes while the timer has a window opened, whose reader leaves, and so does everybody else.
func TestWindowTimeoutErrorThatNobodyGets(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h, src := &handScheduler{}, &puppet[int]{}
	p := probeOf[stream](9)
	n := 0
	p.Each = func(w stream) {
		q := probeOf[int](9)
		w.Subscribe(ctx, q)
		if n++; n == 2 {
			src.last().OnError(errBoom)
			p.Cancel()
			q.Cancel()
		}
	}
	timeoutWindows(src, h).Subscribe(ctx, p)
	h.forward(10)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

// The error of the source comes while the next window finds no demand.
func TestWindowTimeoutErrorAtAnOverflow(t *testing.T) {
	ctx, hooks := probe.Recorded()
	h, src := &handScheduler{}, &puppet[int]{}
	p := probeOf[stream](1)
	p.Each = func(w stream) {
		DoOnComplete(w, func() { src.last().OnError(errBoom) }).Subscribe(ctx, probeOf[int](9))
	}
	timeoutWindows(src, h).Subscribe(ctx, p)
	h.forward(10)
	assert.ErrorIs(t, p.Failure(), reactor.ErrOverflow)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

// TestWindowTimeoutFairWhileTheSourceWorks: elements and ends of windows come although the source works where it was asked, and has
// not returned.
func TestWindowTimeoutFairWhileTheSourceWorks(t *testing.T) {
	h := &handScheduler{}
	var windows []*probe.Probe[int]
	src := FromSeq(func(yield func(int) bool) {
		for v := range 6 {
			yield(v)
			window := windows[len(windows)-1]
			window.Open(t, v)
			h.forward(10)
			window.Done(t, v)
		}
	})
	p := probeOf[reactor.Publisher[int]](reactor.Unbounded)
	p.Each = func(w reactor.Publisher[int]) { windows = append(windows, run(w)) }
	WindowTimeout(src, 100, 10, bare[int], FairBackpressure(), On(h)).Subscribe(t.Context(), p)
	assert.Len(t, windows, 7)
	h.assertReleased(t)
}
