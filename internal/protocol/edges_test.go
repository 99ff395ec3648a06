package protocol

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// enter puts the strict edge in front of p and hands it an upstream.
func enter(ctx context.Context, p *foreignProbe[int]) (reactor.Subscriber[int], *countingSub) {
	s := Strict[int](ctx, p)
	up := &countingSub{}
	s.OnSubscribe(up)
	return s, up
}

func TestStrictLeavesOwnSubscribersAlone(t *testing.T) {
	p := &probe[int]{}
	assert.Same(t, p, Strict[int](context.Background(), p))
}

func TestStrict1_9_NilSubscriberPanics(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: subscribe: §1.9: the subscriber is nil", func() { Strict[int](context.Background(), nil) })
	assert.Panics(t, func() { Strict[int](context.Background(), (*foreignProbe[int])(nil)) })
	//lint:ignore SA1012 what becomes of a nil context is the point
	assert.PanicsWithValue(t, "reactor: subscribe: the context is nil", func() { Strict[int](nil, &foreignProbe[int]{}) })
}

func TestStrict2_12_SecondOnSubscribeIsCancelled(t *testing.T) {
	p := &foreignProbe[int]{}
	var dropped []error
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }})
	s, up := enter(ctx, p)
	second := &countingSub{}
	s.OnSubscribe(second)
	if assert.Len(t, dropped, 1, "and reported") {
		assert.ErrorIs(t, dropped[0], reactor.ErrProtocol)
		assert.ErrorContains(t, dropped[0], "§2.12")
	}
	assert.Equal(t, 1, p.subs)
	assert.Equal(t, int64(1), second.cancels.Load())
	assert.Zero(t, up.cancels.Load())
}

func TestStrict1_3_DemandWaitsForTheReturnOfOnSubscribe(t *testing.T) {
	p := &foreignProbe[int]{}
	up := &countingSub{}
	p.onSub = func() {
		p.up.Request(2)
		p.up.Request(3)
		assert.Zero(t, up.requested.Load())
	}
	s := Strict[int](context.Background(), p)
	s.OnSubscribe(up)
	assert.Equal(t, int64(5), up.requested.Load())
	assert.Equal(t, int64(1), up.requests.Load(), "the whole sum at once")
}

func TestStrict3_9_IllegalRequest(t *testing.T) {
	for _, n := range []int64{0, -1, math.MinInt64} {
		p := &foreignProbe[int]{}
		_, up := enter(context.Background(), p)
		p.up.Request(n)
		p.up.Request(n)
		require.Len(t, p.errs, 1)
		assert.ErrorIs(t, p.errs[0], reactor.ErrIllegalRequest)
		assert.ErrorContains(t, p.errs[0], "§3.9")
		assert.Equal(t, int64(1), up.cancels.Load())
		assert.Zero(t, up.requests.Load())
	}
}

func TestStrict3_6_NoErrorForIllegalRequestAfterCancel(t *testing.T) {
	p := &foreignProbe[int]{}
	_, up := enter(context.Background(), p)
	p.up.Cancel()
	p.up.Request(0)
	p.up.Request(1)
	assert.Empty(t, p.errs)
	assert.Zero(t, up.requests.Load())
}

func TestStrict3_9_IsSerialWithAnElement(t *testing.T) {
	racetest.Rounds(t, 3000, func() ([]func(), func()) {
		ctx, hooks := capture()
		p := &foreignProbe[int]{}
		s, _ := enter(ctx, p)
		racers := []func(){
			func() { s.OnNext(1); s.OnNext(2); s.OnComplete() },
			func() { p.up.Request(-1) },
		}
		return racers, func() {
			assert.Zero(t, p.overlaps.Load())
			assert.Equal(t, 1, p.done+len(p.errs))
			assert.Equal(t, 2, len(p.items)+len(hooks.next)+len(hooks.discarded))
		}
	})
}

func TestStrict1_7_NothingFollowsTheEnd(t *testing.T) {
	ctx, hooks := capture()
	p := &foreignProbe[int]{}
	s, _ := enter(ctx, p)
	s.OnComplete()
	s.OnNext(1)
	s.OnError(assert.AnError)
	s.OnComplete()
	assert.Equal(t, 1, p.done)
	assert.Empty(t, p.items)
	assert.Empty(t, p.errs)
	assert.Equal(t, []error{assert.AnError}, hooks.errs)
	assert.Equal(t, 1, len(hooks.next)+len(hooks.discarded))
}

func TestStrictNothingPassesAfterTheCancellation(t *testing.T) {
	ctx, c := capture()
	p := &foreignProbe[int]{}
	s, _ := enter(ctx, p)
	s.OnNext(1)
	p.up.Cancel()
	s.OnNext(2)
	assert.Equal(t, []int{1}, p.items)
	assert.Equal(t, []any{2}, c.discarded)
	s.OnComplete()
	assert.Zero(t, p.done)
}

func TestStrictContextDoneBefore(t *testing.T) {
	cause := errors.New("cause")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	p := &foreignProbe[int]{}
	s, up := enter(ctx, p)
	s.OnComplete()
	assert.Equal(t, 1, p.subs)
	assert.Equal(t, []error{cause}, p.errs)
	assert.Equal(t, int64(1), up.cancels.Load())
	assert.Zero(t, p.done)
}

func TestStrictContextDoneWhileIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		began := time.Now()
		var took time.Duration
		p := &foreignProbe[int]{probeState[int]{onEnd: func() { took = time.Since(began) }}}
		_, up := enter(ctx, p)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, time.Second, took)
		assert.Equal(t, []error{context.DeadlineExceeded}, p.errs)
		assert.Equal(t, int64(1), up.cancels.Load())
	})
}

func TestStrictContextDoneDuringElement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		p := &foreignProbe[int]{}
		s, _ := enter(ctx, p)
		p.onNext = func(int) {
			cancel()
			synctest.Wait()
			assert.Empty(t, p.errs, "serial with the element")
		}
		s.OnNext(1)
		assert.Equal(t, []error{context.Canceled}, p.errs)
		assert.Zero(t, p.overlaps.Load())
	})
}

func TestStrictStopsWatchingTheContext(t *testing.T) {
	for name, end := range map[string]func(reactor.Subscriber[int], *foreignProbe[int]){
		"complete": func(s reactor.Subscriber[int], _ *foreignProbe[int]) { s.OnComplete() },
		"error":    func(s reactor.Subscriber[int], _ *foreignProbe[int]) { s.OnError(assert.AnError) },
		"cancel":   func(_ reactor.Subscriber[int], p *foreignProbe[int]) { p.up.Cancel() },
		"illegal":  func(_ reactor.Subscriber[int], p *foreignProbe[int]) { p.up.Request(0) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				p := &foreignProbe[int]{}
				s, up := enter(ctx, p)
				end(s, p)
				assert.False(t, s.(*strict[int]).edge.stop(), "the watch has ended")
				before, cancels := len(p.errs), up.cancels.Load()
				cancel()
				synctest.Wait()
				assert.Len(t, p.errs, before)
				assert.Equal(t, cancels, up.cancels.Load())
			})
		})
	}
}

// §2.13: a subscriber that panics counts as cancelled and gets nothing more.
func TestStrict2_13_PanickingSubscriber(t *testing.T) {
	run := func(name string, drive func(p *foreignProbe[int], s reactor.Subscriber[int], up *countingSub)) {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := capture()
			p := &foreignProbe[int]{}
			s := Strict[int](ctx, p)
			up := &countingSub{}
			assert.NotPanics(t, func() { drive(p, s, up) })
			s.OnNext(8)
			s.OnError(assert.AnError)
			s.OnComplete()
			require.NotEmpty(t, hooks.errs)
			assert.ErrorContains(t, hooks.errs[0], "broken")
			assert.Zero(t, p.done)
			assert.Empty(t, p.items)
		})
	}
	broken := func() { panic("broken") }
	run("OnSubscribe", func(p *foreignProbe[int], s reactor.Subscriber[int], up *countingSub) {
		p.onSub = broken
		s.OnSubscribe(up)
		assert.Equal(t, int64(1), up.cancels.Load())
	})
	run("OnNext", func(p *foreignProbe[int], s reactor.Subscriber[int], up *countingSub) {
		s.OnSubscribe(up)
		p.onNext = func(int) { p.items = nil; broken() }
		s.OnNext(1)
		assert.Equal(t, int64(1), up.cancels.Load())
		assert.Empty(t, p.errs)
	})
	run("OnError", func(p *foreignProbe[int], s reactor.Subscriber[int], up *countingSub) {
		s.OnSubscribe(up)
		p.onEnd = broken
		s.OnError(assert.AnError)
	})
	run("OnComplete", func(p *foreignProbe[int], s reactor.Subscriber[int], up *countingSub) {
		s.OnSubscribe(up)
		p.onEnd = func() { p.done = 0; broken() }
		s.OnComplete()
	})
}

func TestStrictSubscriberThatExitsItsGoroutine(t *testing.T) {
	ctx, hooks := capture()
	p := &foreignProbe[int]{}
	s, up := enter(ctx, p)
	p.onNext = func(int) { runtime.Goexit() }
	var wg sync.WaitGroup
	wg.Go(func() { s.OnNext(1) })
	wg.Wait()
	s.OnError(assert.AnError)
	assert.Equal(t, int64(1), up.cancels.Load())
	assert.Empty(t, p.errs)
	assert.ErrorIs(t, hooks.errs[0], reactor.ErrGoexit)
}

// rude is a foreign publisher that does as the test says.
type rude func(s reactor.Subscriber[int])

func (r rude) Subscribe(_ context.Context, s reactor.Subscriber[int]) { r(s) }

type panickingSub struct{}

func (panickingSub) Request(int64) { panic("request") }
func (panickingSub) Cancel()       { panic("cancel") }

func TestForeignPublishersAreHeldToTheRules(t *testing.T) {
	up := &countingSub{}
	for _, c := range []struct {
		name    string
		publish rude
		items   []int
		err     error // nil: completes
		dropped int
	}{
		{"well-behaved", func(s reactor.Subscriber[int]) { s.OnSubscribe(up); s.OnNext(1); s.OnComplete() }, []int{1}, nil, 0},
		{"panics before OnSubscribe", func(s reactor.Subscriber[int]) { panic(assert.AnError) }, nil, assert.AnError, 0},
		{"panics after OnSubscribe", func(s reactor.Subscriber[int]) { s.OnSubscribe(up); panic(assert.AnError) }, nil, assert.AnError, 0},
		{"panics after the end", func(s reactor.Subscriber[int]) { s.OnSubscribe(up); s.OnComplete(); panic("late") }, nil, nil, 1},
		{"subscribes twice", func(s reactor.Subscriber[int]) { s.OnSubscribe(up); s.OnSubscribe(&countingSub{}); s.OnComplete() }, nil, nil, 1},
		{"subscribes twice, then to nil", func(s reactor.Subscriber[int]) {
			s.OnSubscribe(up)
			s.OnSubscribe(nil)
			s.OnNext(1)
			s.OnComplete()
		}, []int{1}, nil, 1},
		{"nil subscription", func(s reactor.Subscriber[int]) { s.OnSubscribe(nil) }, nil, reactor.ErrProtocol, 0},
		{"nil error", func(s reactor.Subscriber[int]) { s.OnSubscribe(up); s.OnError(nil) }, nil, reactor.ErrNilError, 0},
		{"completes unsubscribed", func(s reactor.Subscriber[int]) { s.OnComplete() }, nil, reactor.ErrProtocol, 0},
		{"fails unsubscribed", func(s reactor.Subscriber[int]) { s.OnError(assert.AnError) }, nil, assert.AnError, 0},
		{"emits unsubscribed", func(s reactor.Subscriber[int]) { s.OnNext(1); s.OnSubscribe(up); s.OnComplete() }, nil, nil, 1},
		{"goes on after the end", func(s reactor.Subscriber[int]) {
			s.OnSubscribe(up)
			s.OnComplete()
			s.OnNext(1)
			s.OnError(assert.AnError)
			s.OnComplete()
		}, nil, nil, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, hooks := capture()
			p := &probe[int]{}
			assert.NotPanics(t, func() { Trust("test", reactor.Publisher[int](c.publish)).Subscribe(ctx, p) })
			assert.Equal(t, 1, p.subs)
			assert.Equal(t, c.items, p.items)
			if c.err == nil {
				assert.Equal(t, 1, p.done)
				assert.Empty(t, p.errs)
			} else {
				assert.Zero(t, p.done)
				require.Len(t, p.errs, 1)
				assert.ErrorIs(t, p.errs[0], c.err)
			}
			assert.Equal(t, c.dropped, len(hooks.errs)+len(hooks.next))
		})
	}
}

func TestForeignSubscriptionThatPanics(t *testing.T) {
	ctx, hooks := capture()
	p := &probe[int]{}
	Trust("test", reactor.Publisher[int](rude(func(s reactor.Subscriber[int]) { s.OnSubscribe(panickingSub{}) }))).Subscribe(ctx, p)
	assert.NotPanics(t, func() { p.up.Request(1) })
	require.Len(t, p.errs, 1, "the panic of Request ends the stream")
	assert.ErrorContains(t, p.errs[0], "request")
	assert.NotPanics(t, func() { p.up.Request(1) })
	assert.NotPanics(t, p.up.Cancel)
	assert.Len(t, p.errs, 1)
	assert.Len(t, hooks.errs, 4, "the cancellation that each causes, the second request, and our cancellation")
}

// refusing panics in Request, and lets the test see its cancellation.
type refusing struct{ countingSub }

func (*refusing) Request(int64) { panic(assert.AnError) }

// The panic comes within an element, which may be within another: the error waits for both.
func TestForeignRequestThatPanicsWithinElements(t *testing.T) {
	ctx, hooks := capture()
	up, p := &refusing{}, &probe[int]{}
	Trust("test", reactor.Publisher[int](rude(func(s reactor.Subscriber[int]) {
		s.OnSubscribe(up)
		p.onNext = func(v int) {
			if v == 1 {
				s.OnNext(2) // as a source does that is asked from within an element
				assert.Empty(t, p.errs)
				return
			}
			p.up.Request(1)
			assert.Empty(t, p.errs)
		}
		s.OnNext(1)
		assert.Len(t, p.errs, 1)
		s.OnNext(3)
		s.OnError(reactor.ErrTimeout)
		s.OnComplete()
	}))).Subscribe(ctx, p)
	assert.Equal(t, []int{1, 2}, p.items)
	assert.Zero(t, p.done)
	assert.Len(t, p.errs, 1)
	assert.ErrorIs(t, p.errs[0], assert.AnError)
	assert.Equal(t, int64(1), up.cancels.Load())
	assert.Equal(t, []any{3}, hooks.next)
	assert.Equal(t, []error{reactor.ErrTimeout}, hooks.errs)
}

// Elements and the end meet requests that panic: one end is told, and nothing comes with it
// or behind it.
func TestForeignRequestThatPanicsRaces(t *testing.T) {
	racetest.Rounds(t, 2000, func() ([]func(), func()) {
		ctx, hooks := capture()
		up, p := &refusing{}, &probe[int]{}
		p.onNext = func(int) { assert.Zero(t, p.done+len(p.errs)) }
		var s reactor.Subscriber[int]
		Trust("test", reactor.Publisher[int](rude(func(down reactor.Subscriber[int]) {
			s = down
			s.OnSubscribe(up)
		}))).Subscribe(ctx, p)
		return []func(){
			func() { s.OnNext(1); s.OnNext(2); s.OnComplete() },
			func() { p.up.Request(1) },
			func() { p.up.Request(1) },
		}, func() {
			assert.Zero(t, p.overlaps.Load())
			assert.Equal(t, 1, p.done+len(p.errs), "one end")
			assert.Equal(t, 2, len(p.items)+len(hooks.next), "no element is lost")
			assert.Equal(t, 2, len(p.errs)+len(hooks.errs), "nor is a failure")
		}
	})
}

func TestForeignPublisherIsGuardedAgainstPanicsBelow(t *testing.T) {
	ctx, hooks := capture()
	p := &probe[int]{}
	p.onNext = func(int) { panic(assert.AnError) }
	up := &countingSub{}
	var after bool
	Trust("test", reactor.Publisher[int](rude(func(s reactor.Subscriber[int]) {
		s.OnSubscribe(up)
		s.OnNext(1)
		after = true
		s.OnNext(2)
	}))).Subscribe(ctx, p)
	assert.True(t, after, "the foreign publisher does not see the panic")
	assert.Equal(t, int64(1), up.cancels.Load())
	require.Len(t, p.errs, 1)
	assert.ErrorIs(t, p.errs[0], assert.AnError)
	assert.Equal(t, []any{1}, hooks.discarded)
	assert.Equal(t, []any{2}, hooks.next)
}

func TestTrustUnwrapsAndRefusesNil(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: concat: the publisher is nil", func() { Trust[int]("concat", nil) })
	assert.PanicsWithValue(t, "reactor: concat: the publisher is nil", func() { Trust[int]("concat", rude(nil)) })
	own := &ownPublisher{}
	assert.Same(t, own, Trust[int]("x", own))
	assert.Same(t, own, Trust[int]("x", wrapping{own}))
	assert.Len(t, TrustAll("x", []reactor.Publisher[int]{own, wrapping{own}}), 2)
}

type ownPublisher struct {
	Op
	_ int // so that two of them have different addresses
}

func (*ownPublisher) Subscribe(context.Context, reactor.Subscriber[int]) {}

type wrapping struct{ src reactor.Publisher[int] }

func (w wrapping) Subscribe(ctx context.Context, s reactor.Subscriber[int]) { w.src.Subscribe(ctx, s) }
func (w wrapping) Source() reactor.Publisher[int]                           { return w.src }

func TestEmitReportsWhatFailsBelow(t *testing.T) {
	ctx, hooks := capture()
	p := &probe[int]{}
	assert.True(t, Emit(ctx, p, 1))
	p.onNext = func(int) { panic("below") }
	assert.False(t, Emit(ctx, p, 2))
	assert.Len(t, p.errs, 1)
	assert.Equal(t, []any{2}, hooks.discarded)
}

// Both the edge and the source may watch over the context: its end is no news the second time.
func TestStrictEndOfTheContextIsNotDropped(t *testing.T) {
	cause := errors.New("cause")
	outer, hooks := capture()
	ctx, cancel := context.WithCancelCause(outer)
	p := &foreignProbe[int]{}
	s, _ := enter(ctx, p)
	p.up.Cancel()
	cancel(cause)
	s.OnError(context.Canceled)
	s.OnError(cause)
	assert.Empty(t, hooks.errs)
	s.OnError(assert.AnError)
	assert.Equal(t, []error{assert.AnError}, hooks.errs)
}

func TestForeign2_12_SecondOnSubscribeIsReported(t *testing.T) {
	var dropped []error
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }})
	p := &foreignProbe[int]{}
	first, second, late := &countingSub{}, &countingSub{}, &countingSub{}
	Trust[int]("test", sendsSubscriptions{first, second, late}).Subscribe(ctx, p)
	assert.Zero(t, first.cancels.Load())
	assert.Equal(t, int64(1), second.cancels.Load())
	assert.Equal(t, int64(1), late.cancels.Load())
	if assert.Len(t, dropped, 2) {
		assert.ErrorIs(t, dropped[0], reactor.ErrProtocol)
		assert.ErrorIs(t, dropped[1], reactor.ErrProtocol)
	}
}

// sendsSubscriptions is a foreign publisher with a subscription, another one, completion, and one more.
type sendsSubscriptions [3]*countingSub

func (p sendsSubscriptions) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	s.OnSubscribe(p[0])
	s.OnSubscribe(p[1])
	s.OnComplete()
	s.OnSubscribe(p[2])
}

// A subscriber that ends the goroutine when it gets its subscription, or in the end that comes right behind it, counts as cancelled.
func TestStrictSubscriberThatEndsTheGoroutineAtOnce(t *testing.T) {
	for name, p := range map[string]*foreignProbe[int]{
		"in OnSubscribe": {probeState[int]{onSub: runtime.Goexit}},
		"in OnError":     {probeState[int]{onEnd: runtime.Goexit}},
	} {
		ctx, _ := capture()
		ctx, end := context.WithCancel(ctx)
		up := &countingSub{}
		if p.onEnd != nil {
			end()
		}
		racetest.Aside(func() { Strict[int](ctx, p).OnSubscribe(up) })
		assert.EqualValues(t, 1, up.cancels.Load(), name)
		end()
	}
}
