package operators

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// callbacks records what SubscribeFunc calls.
type callbacks struct {
	items []int
	ends  []any
}

func (c *callbacks) subscribe(ctx context.Context, src reactor.Publisher[int], opts ...SubscribeOption) reactor.Disposable {
	return SubscribeFunc(ctx, src, func(v int) { c.items = append(c.items, v) }, append(opts,
		OnError(func(err error) { c.ends = append(c.ends, err) }),
		OnComplete(func() { c.ends = append(c.ends, "complete") }))...)
}

func TestSubscribeFunc(t *testing.T) {
	var c callbacks
	d := c.subscribe(context.Background(), FromSlice([]int{1, 2}))
	assert.True(t, d.IsDisposed())
	c.subscribe(context.Background(), failing(3))
	assert.Equal(t, []int{1, 2, 3}, c.items)
	assert.Equal(t, []any{"complete", errBoom}, c.ends)
	ran := 0
	SubscribeFunc(context.Background(), DoOnNext(Just(1), func(int) { ran++ }), nil)
	assert.Equal(t, 1, ran)
	for _, fn := range []func(){
		func() { OnError(nil) }, func() { OnComplete(nil) }, func() { OnSubscribe(nil) },
		func() { SubscribeFunc[int](context.Background(), nil, nil) },
	} {
		assert.Panics(t, fn)
	}
}

func TestSubscribeFuncDispose(t *testing.T) {
	ctx, hooks := probe.Recorded()
	var c callbacks
	src := &puppet[int]{}
	d := c.subscribe(ctx, src)
	src.last().OnNext(1)
	assert.False(t, d.IsDisposed())
	d.Dispose()
	d.Dispose()
	assert.True(t, d.IsDisposed())
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(2)
	src.last().OnError(errBoom)
	src.last().OnComplete()
	assert.Equal(t, callbacks{items: []int{1}}, c)
	assert.Equal(t, []any{2}, hooks.Discarded)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

func TestSubscribeFuncErrorThatNobodyHandles(t *testing.T) {
	ctx, hooks := probe.Recorded()
	SubscribeFunc(ctx, failing(1), func(int) {})
	SubscribeFunc(ctx, FromSlice([]int{1, 2}), func(int) { panic(errOther) })
	if assert.Len(t, hooks.Errs, 2) {
		failed, panicked := hooks.Errs[0].(error), hooks.Errs[1].(error)
		assert.ErrorIs(t, failed, errBoom)
		assert.ErrorIs(t, failed, reactor.ErrUnhandled)
		assert.EqualError(t, failed, "reactor: subscribe: the stream failed and no OnError was given: boom")
		assert.ErrorIs(t, panicked, errOther)
		assert.EqualError(t, panicked, "reactor: subscribe: the stream failed and no OnError was given: reactor: subscribe: panic: other")
	}
}

// The owner of the context knows that it has cancelled.
func TestSubscribeFuncCancellationIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer, hooks := probe.Recorded()
		canceled, cancel := context.WithCancel(outer)
		defer cancel()
		caused, cancelCause := context.WithCancelCause(outer)
		defer cancelCause(nil)
		for _, ctx := range []context.Context{canceled, caused} {
			SubscribeFunc(ctx, Never[int](), nil)
			SubscribeFunc(ctx, FromFunc(func(ctx context.Context) (int, error) {
				cancel()
				cancelCause(errOther)
				return 0, ctx.Err()
			}), nil)
			SubscribeWith(ctx, Never[int](), NewSubscriber(ctx, SubscriberHooks[int]{}))
		}
		synctest.Wait()
		SubscribeFunc(canceled, Never[int](), nil)
		SubscribeWith(caused, Error[int](context.Canceled), NewSubscriber(caused, SubscriberHooks[int]{}))
		assert.Empty(t, hooks.Errs)

		NewSubscriber(caused, SubscriberHooks[int]{}).OnError(errBoom)
		late, stop := context.WithTimeout(outer, time.Second)
		defer stop()
		SubscribeFunc(late, Never[int](), nil)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if assert.Len(t, hooks.Errs, 2, "what failed, and what took too long") {
			assert.ErrorIs(t, hooks.Errs[0].(error), errBoom)
			assert.ErrorIs(t, hooks.Errs[1].(error), context.DeadlineExceeded)
		}
	})
}

func TestSubscribeFuncPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	var failed error
	SubscribeFunc(ctx, FromSlice([]int{1, 2}), func(int) { panic(errBoom) }, OnError(func(err error) { failed = err }))
	assert.ErrorIs(t, failed, errBoom)
	assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)
	SubscribeFunc(ctx, Just(1), nil, OnComplete(func() { panic(errBoom) }))
	SubscribeFunc(ctx, failing(1), nil, OnError(func(error) { panic(errOther) }))
	assert.Len(t, hooks.Errs, 2)
	failed = nil
	SubscribeFunc(ctx, Just(1), nil, OnSubscribe(func(reactor.Subscription) { panic(errOther) }), OnError(func(err error) { failed = err }))
	assert.ErrorIs(t, failed, errOther)
}

func TestSubscribeFuncOwnDemand(t *testing.T) {
	var c callbacks
	var sub reactor.Subscription
	c.subscribe(context.Background(), FromSlice([]int{1, 2, 3, 4}), OnSubscribe(func(s reactor.Subscription) { sub = s; s.Request(1) }))
	assert.Equal(t, []int{1}, c.items)
	sub.Request(1)
	assert.Equal(t, []int{1, 2}, c.items)
	sub.Request(0)
	sub.Request(0)
	if assert.Len(t, c.ends, 1) {
		assert.ErrorIs(t, c.ends[0].(error), reactor.ErrIllegalRequest)
	}
	c = callbacks{}
	d := c.subscribe(context.Background(), FromSlice([]int{1, 2}), OnSubscribe(func(s reactor.Subscription) { s.Cancel() }))
	assert.True(t, d.IsDisposed())
	assert.Empty(t, c.items)
}

func TestSubscribeFuncEndOfContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		var c callbacks
		src := &puppet[int]{}
		d := c.subscribe(ctx, src)
		cancel(errOther)
		synctest.Wait()
		assert.True(t, d.IsDisposed())
		assert.Equal(t, []any{errOther}, c.ends)
		assert.EqualValues(t, 1, src.last().cancels.Load())
		c.subscribe(ctx, FromSlice([]int{1, 2}))
		assert.Equal(t, callbacks{ends: []any{errOther, errOther}}, c)
	})
}

func TestSubscribeFuncRaces(t *testing.T) {
	for range racetest.Iterations(300) {
		ctx, cancel := context.WithCancel(context.Background())
		src := &puppet[int]{}
		ends := make(chan any, 3)
		inside := 0 // the race detector watches over it
		d := SubscribeFunc(ctx, src, func(int) { inside++ },
			OnError(func(err error) { inside++; ends <- err }), OnComplete(func() { inside++; ends <- nil }))
		racetest.Race(func() { src.last().OnNext(1); src.last().OnNext(2); src.last().OnComplete() }, cancel, d.Dispose)
		assert.LessOrEqual(t, len(ends), 1)
		assert.True(t, d.IsDisposed())
	}
}

func TestBaseSubscriber(t *testing.T) {
	ctx, hooks := probe.Recorded()
	var log []any
	note := func(v ...any) { log = append(log, v...) }
	all := SubscriberHooks[int]{
		OnSubscribe: func(s *BaseSubscriber[int]) { s.Request(1) },
		OnNext: func(s *BaseSubscriber[int], v int) {
			note(v)
			if v == 9 {
				panic(errBoom)
			}
			s.Request(1)
		},
		OnComplete: func() { note("complete") },
		OnError:    func(err error) { note("error") },
		OnCancel:   func() { note("cancel") },
		Finally:    func(how reactor.SignalKind) { note(how) },
	}
	s := SubscribeWith(ctx, FromSlice([]int{1, 2}), NewSubscriber(ctx, all))
	assert.True(t, s.IsDisposed())
	assert.Equal(t, []any{1, 2, "complete", reactor.KindComplete}, log)

	log = nil
	SubscribeWith(ctx, failing(1), NewSubscriber(ctx, all))
	assert.Equal(t, []any{1, "error", reactor.KindError}, log)

	log = nil
	s = SubscribeWith(ctx, Never[int](), NewSubscriber(ctx, all))
	s.Dispose()
	s.Cancel()
	assert.Equal(t, []any{"cancel", reactor.KindCancel}, log)

	log = nil
	SubscribeWith(ctx, FromSlice([]int{9, 1}), NewSubscriber(ctx, all))
	assert.Equal(t, []any{9, "error", reactor.KindError}, log)
	assert.ElementsMatch(t, []any{9, 1}, hooks.Discarded)

	log = nil
	s = NewSubscriber(ctx, all)
	s.Cancel()
	src := &puppet[int]{}
	SubscribeWith(ctx, src, s)
	assert.EqualValues(t, 1, src.last().cancels.Load(), "cancelled before it was subscribed")

	log = nil
	s = SubscribeWith(ctx, Never[int](), NewSubscriber(ctx, all))
	s.Request(-1)
	assert.Equal(t, []any{"error", reactor.KindError}, log)
	s = NewSubscriber(ctx, all)
	s.Request(0)
	assert.True(t, s.IsDisposed())

	var sum int
	SubscribeWith(ctx, FromSlice([]int{1, 2}), NewSubscriber(ctx, SubscriberHooks[int]{OnNext: func(_ *BaseSubscriber[int], v int) { sum += v }}))
	assert.Equal(t, 3, sum)
	hooks.Errs = nil
	SubscribeWith(ctx, failing(1), NewSubscriber(ctx, SubscriberHooks[int]{}))
	if assert.Len(t, hooks.Errs, 1) {
		assert.ErrorIs(t, hooks.Errs[0].(error), reactor.ErrUnhandled)
		assert.ErrorIs(t, hooks.Errs[0].(error), errBoom)
	}
	hooks.Errs = nil
	s = NewSubscriber(ctx, SubscriberHooks[int]{})
	s.Cancel()
	s.OnNext(5)
	s.OnError(errOther)
	s.OnComplete()
	assert.Contains(t, hooks.Discarded, 5)
	assert.Equal(t, []any{errOther}, hooks.Errs)
}

// Where the source emits on request, the end of the context is told when it looks next:
// nobody's goroutine waits for it. Behind a worker it is told at once.
func TestSubscribeFuncEndOfContextDuringAnElement(t *testing.T) {
	for _, hop := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			var c callbacks
			var told atomic.Int64 // when, in nanoseconds
			start := time.Now()
			src := Map(Range(0, 3), func(v int) int {
				time.Sleep(time.Second)
				return v
			})
			if hop {
				elastic, err := schedulers.NewBoundedElastic(1, 10, "ends")
				require.NoError(t, err)
				defer elastic.Dispose()
				src = PublishOn(src, elastic)
			}
			time.AfterFunc(100*time.Millisecond, cancel)
			var done atomic.Bool
			go func() {
				SubscribeFunc(ctx, src, func(v int) { c.items = append(c.items, v) }, OnError(func(err error) {
					c.ends = append(c.ends, err)
					told.Store(int64(time.Since(start)))
				}))
				done.Store(true)
			}()
			time.Sleep(500 * time.Millisecond)
			synctest.Wait()
			assert.Equal(t, hop, told.Load() != 0)
			time.Sleep(5 * time.Second)
			synctest.Wait()
			assert.True(t, done.Load())
			if hop {
				assert.Equal(t, callbacks{ends: []any{context.Canceled}}, c)
				assert.EqualValues(t, 100*time.Millisecond, told.Load())
			} else {
				assert.Equal(t, callbacks{items: []int{0}, ends: []any{context.Canceled}}, c, "it was on its way")
				assert.EqualValues(t, time.Second, told.Load())
			}
		})
	}
}

// A stage between that takes long is no reason to call a function after the cancellation.
func TestSubscribeFuncCancelledAbove(t *testing.T) {
	var c callbacks
	var up reactor.Subscription
	ctx, hooks := probe.Recorded()
	c.subscribe(ctx, Map(Range(0, 3), func(v int) int {
		if v == 1 {
			up.Cancel()
		}
		return v
	}), OnSubscribe(func(s reactor.Subscription) {
		up = s
		s.Request(reactor.Unbounded)
	}))
	assert.Equal(t, callbacks{items: []int{0}}, c)
	assert.Equal(t, []any{1}, hooks.Discarded)
}

// detailed is an error that can be compared only as long as its details can.
type detailed struct{ details any }

func (d detailed) Error() string { return fmt.Sprint(d.details) }

func TestSubscribeFuncEndsWithACauseThatCanNotBeCompared(t *testing.T) {
	ctx, hooks := probe.Recorded()
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(detailed{[]int{1}})
	SubscribeFunc(ctx, Never[int](), nil)
	assert.Empty(t, hooks.Errs)
}

// TestSizeOfAnIdleSubscription: there may be very many that wait.
func TestSizeOfAnIdleSubscription(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 8 {
		assert.LessOrEqual(t, unsafe.Sizeof(funcSubscriber[int]{}), uintptr(144), "a size of the allocator")
	}
}
