package sinks

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
)

// byHand is a publisher whose subscriber the test signals to.
type byHand struct {
	probe.Source
	down reactor.Subscriber[int]
	vain bool // it was asked for nothing
}

func (p *byHand) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	p.down = s
	s.OnSubscribe(p)
}

func (p *byHand) Request(n int64) {
	p.vain = p.vain || n <= 0
	p.Source.Request(n)
}

// What was emitted before the sink has a publisher takes room, as long as it waits, and gives no demand.
func TestUpstreamIsAskedForWhatHasRoom(t *testing.T) {
	for name, c := range map[string]struct {
		demand, emitted int
		asked, later    int64
	}{
		"nothing was emitted":    {0, 0, 8, 8},
		"what was has arrived":   {5, 5, 8, 8},
		"what was waits":         {0, 5, 3, 8},
		"some of it waits":       {2, 5, 5, 8},
		"no room":                {0, 8, 0, 8},
		"more than a bufferful ": {20, 20, 8, 8},
	} {
		t.Run(name, func(t *testing.T) {
			s := Unsafe().ManyWithUpstream[int](Capacity(8))
			p := probe.Listen[int](s, int64(c.demand))
			for v := range c.emitted {
				require.Equal(t, OK, s.TryEmitNext(v))
			}
			if c.asked == 0 {
				require.Equal(t, FailOverflow, s.TryEmitNext(-1), "which takes no room")
			}
			src := &byHand{}
			_, err := s.SubscribeTo(context.Background(), src)
			require.NoError(t, err)
			assert.Equal(t, c.asked, src.Asked)
			p.Request(int64(c.emitted))
			assert.Equal(t, c.later, src.Asked)
			p.Request(3)
			for v := range 3 {
				src.down.OnNext(c.emitted + v)
			}
			assert.Equal(t, c.later+3, src.Asked)
			assert.Len(t, p.Got(), c.emitted+3)
			assert.False(t, src.vain)
			p.Faultless(t)
		})
	}
}

// A source that sends what it is asked for does not overflow.
func TestUpstreamBehindEmissions(t *testing.T) {
	s := Unsafe().ManyWithUpstream[int](Capacity(10)) // there is room for 16
	p := probe.Listen[int](s, 3)
	for v := range 19 {
		require.Equal(t, OK, s.TryEmitNext(v))
	}
	_, err := s.SubscribeTo(context.Background(), operators.Range(19, 100))
	require.NoError(t, err)
	p.Open(t, 0, 1, 2)
	for range 60 {
		p.Request(2)
	}
	assert.Len(t, p.Got(), 119)
	assert.NoError(t, p.Failure())
	assert.True(t, p.Over())
}

// Elements wait, and the end behind them: nothing comes in between.
func TestUpstreamOfASinkThatHasEnded(t *testing.T) {
	ctx, hooks := probe.Recorded()
	s := Unsafe().ManyWithUpstream[int](Capacity(8))
	p := probe.ListenIn[int](ctx, s, 0)
	assert.Equal(t, OK, s.TryEmitNext(1))
	assert.Equal(t, OK, s.TryEmitComplete())
	src := &byHand{}
	_, err := s.SubscribeTo(ctx, src)
	require.NoError(t, err)
	assert.Equal(t, probe.Source{Cancelled: 1}, src.Source)
	src.down.OnNext(2)
	src.down.OnError(errBoom)
	p.Request(9)
	p.Done(t, 1)
	assert.Equal(t, []any{2}, hooks.Dropped)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

// The context that the publisher was subscribed with ends.
func TestUpstreamContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := Unsafe().ManyWithUpstream[int]()
		p := probe.Listen[int](s, 1)
		ctx, cancel := context.WithCancelCause(context.Background())
		src := &byHand{}
		handle, err := s.SubscribeTo(ctx, src)
		require.NoError(t, err)
		src.down.OnNext(1)
		cancel(errBoom)
		synctest.Wait()
		p.Failed(t, errBoom, 1)
		assert.Equal(t, 1, src.Cancelled)
		assert.True(t, handle.IsDisposed())
		probe.Listen[int](s, 1).Failed(t, errBoom)

		// One that had ended before.
		s = Unsafe().ManyWithUpstream[int]()
		p = probe.Listen[int](s, 1)
		src = &byHand{}
		_, err = s.SubscribeTo(ctx, src)
		require.NoError(t, err)
		p.Failed(t, errBoom)
		assert.Nil(t, src.down)

		// When the publisher has ended it is forgotten.
		s = Unsafe().ManyWithUpstream[int]()
		p = probe.Listen[int](s, 0)
		ctx, cancel = context.WithCancelCause(context.Background())
		_, err = s.SubscribeTo(ctx, operators.Range(1, 2))
		require.NoError(t, err)
		cancel(errBoom)
		synctest.Wait()
		p.Request(2)
		p.Done(t, 1, 2)
	})
}

// What the publisher sends after its end is told to no subscriber, nor lost in silence.
func TestUpstreamThatSendsAfterItsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		end      func(src *byHand)
		err      error
		discards int // an error does not wait for what is asked for, nor does what waits come before it
	}{
		"complete": {end: func(src *byHand) { src.down.OnComplete() }},
		"error":    {end: func(src *byHand) { src.down.OnError(errBoom) }, err: errBoom, discards: 1},
		"more than it was asked for": {end: func(src *byHand) {
			for v := range 8 {
				src.down.OnNext(v)
			}
		}, err: reactor.ErrOverflow, discards: 9},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			s := Unsafe().ManyWithUpstream[int](Capacity(8))
			p := probe.ListenIn[int](ctx, s, 0)
			src := &byHand{}
			_, err := s.SubscribeTo(ctx, src)
			require.NoError(t, err)
			src.down.OnNext(-1)
			c.end(src)
			src.down.OnNext(10)
			src.down.OnError(errOther)
			src.down.OnComplete()
			p.Request(all)
			if c.err == nil {
				p.Done(t, -1)
			} else {
				p.Failed(t, c.err)
			}
			assert.Len(t, hooks.Discarded, c.discards)
			assert.Equal(t, []any{10}, hooks.Dropped)
			assert.Equal(t, []any{errOther}, hooks.Errs)
		})
	}
}

// The context ends after the publisher has, and while an element waits: it is not cancelled, and nobody hears of it.
// Then the handle is disposed of: what waits is let go, and an end that has been told is not told again.
func TestUpstreamDetachedAfterItsEnd(t *testing.T) {
	for name, end := range map[string]func(src *byHand){
		"complete": func(src *byHand) { src.down.OnComplete() },
		"error":    func(src *byHand) { src.down.OnError(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				outer, hooks := probe.Recorded()
				ctx, cancel := context.WithCancelCause(outer)
				s := Unsafe().ManyWithUpstream[int]()
				p := probe.ListenIn[int](outer, s, 0)
				src := &byHand{}
				handle, err := s.SubscribeTo(ctx, src)
				require.NoError(t, err)
				src.down.OnNext(1)
				end(src)
				cancel(errOther)
				synctest.Wait()
				if name == "complete" {
					p.Open(t)
				}
				handle.Dispose()
				assert.Zero(t, src.Cancelled)
				if name == "error" {
					p.Failed(t, errBoom)
				} else {
					p.Failed(t, reactor.ErrCancelled)
				}
				assert.Equal(t, []any{1}, hooks.Discarded)
				assert.Empty(t, hooks.Errs)
			})
		})
	}
}

// The last subscriber has left, and the publisher does not stop at once.
func TestUpstreamThatSendsAfterTheLastSubscriberHasLeft(t *testing.T) {
	ctx, hooks := probe.Recorded()
	s := Unsafe().ManyWithUpstream[int]()
	p := probe.ListenIn[int](ctx, s, 1)
	src := &byHand{}
	_, err := s.SubscribeTo(ctx, src)
	require.NoError(t, err)
	p.Cancel()
	assert.Equal(t, 1, src.Cancelled)
	src.down.OnNext(1)
	src.down.OnError(errBoom)
	discarded, dropped, errs := hooks.Seen()
	assert.Equal(t, []any{1}, discarded)
	assert.Empty(t, dropped)
	assert.Equal(t, []any{errBoom}, errs)
}

// Who comes after the sink was detached hears that it was.
func TestUpstreamDetachedForThoseWhoComeLater(t *testing.T) {
	s := Unsafe().ManyWithUpstream[int]()
	handle, err := s.SubscribeTo(context.Background(), operators.Never[int]())
	require.NoError(t, err)
	handle.Dispose()
	probe.Listen[int](s, 1).Failed(t, reactor.ErrCancelled)
}

// What hears of the cancellation ends the goroutine: the subscribers are told all the same.
func TestUpstreamWhoseCancellationEndsTheGoroutine(t *testing.T) {
	s := Unsafe().ManyWithUpstream[int]()
	p := probe.Listen[int](s, 1)
	handle, err := s.SubscribeTo(context.Background(), operators.DoOnCancel(operators.Never[int](), runtime.Goexit))
	require.NoError(t, err)
	racetest.Aside(handle.Dispose)
	p.Failed(t, reactor.ErrCancelled)

	ctx, hooks := probe.Recorded()
	s = Unsafe().ManyWithUpstream[int](Capacity(1))
	p = probe.ListenIn[int](ctx, s, 0)
	src := &byHand{}
	_, err = s.SubscribeTo(ctx, operators.DoOnCancel[int](src, runtime.Goexit))
	require.NoError(t, err)
	src.down.OnNext(1)
	racetest.Aside(func() { src.down.OnNext(2) })
	p.Failed(t, reactor.ErrOverflow)
	assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)
}

// The subscriber asks while a publisher takes the place of emissions: it gets everything, in order, and
// nothing overflows.
func TestUpstreamRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		if t.Failed() {
			return
		}
		s := Unsafe().ManyWithUpstream[int](Capacity(10))
		p := probe.Listen[int](s, 1)
		for v := range 12 {
			require.Equal(t, OK, s.TryEmitNext(v))
		}
		race(
			func() {
				_, err := s.SubscribeTo(context.Background(), operators.Range(12, 30))
				assert.NoError(t, err)
			},
			func() {
				for range 8 {
					p.Request(3)
				}
			},
		)
		p.Request(all)
		want := make([]int, 42)
		for v := range want {
			want[v] = v
		}
		p.Done(t, want...)
	})
}

// The end of the context meets the elements of the publisher, their end, and the handle: subscribers hear of
// one end.
func TestUpstreamEndsMeet(t *testing.T) {
	racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
		if t.Failed() {
			return
		}
		hooked, _ := probe.Recorded()
		ctx, cancel := context.WithCancelCause(hooked)
		s := Unsafe().ManyWithUpstream[int](Capacity(2))
		p := probe.ListenIn[int](hooked, s, 1)
		src := &byHand{}
		handle, err := s.SubscribeTo(ctx, src)
		require.NoError(t, err)
		race(
			func() {
				for v := range 2 {
					src.down.OnNext(v)
				}
				src.down.OnError(errOther)
			},
			func() { cancel(errBoom) },
			handle.Dispose,
			func() { p.Request(5) },
		)
		for !p.Over() { // the watch over the context has a goroutine of its own
			runtime.Gosched()
		}
		p.Faultless(t)
	})
}
