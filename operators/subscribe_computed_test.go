package operators

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// What is no more than functions is called where SubscribeFunc is, with the context that it was given.
func TestSubscribeFuncComputes(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var seen context.Context
	load := FromFunc(func(c context.Context) (int, error) { seen = c; return 2, nil })
	empty := MonoFrom(Empty[int]())
	for name, c := range map[string]struct {
		src  reactor.Publisher[int]
		want callbacks
	}{
		"element":  {Map(load, twice), callbacks{items: []int{4}, ends: []any{"complete"}}},
		"none":     {Map(empty, twice), callbacks{ends: []any{"complete"}}},
		"error":    {Map(Error[int](errBoom), twice), callbacks{ends: []any{errBoom}}},
		"function": {TryMap(load, func(int) (int, error) { return 0, errBoom }), callbacks{ends: []any{errBoom}}},
	} {
		var got callbacks
		assert.True(t, got.subscribe(ctx, c.src).IsDisposed(), name)
		assert.Equal(t, c.want, got, name)
	}
	assert.Equal(t, ctx, seen)

	var got callbacks
	got.subscribe(ctx, Map(FromFunc(func(context.Context) (int, error) { cancel(errOther); return 1, nil }), twice))
	got.subscribe(ctx, FromFunc(func(context.Context) (int, error) { panic("it is too late") }))
	assert.Equal(t, callbacks{ends: []any{errOther, errOther}}, got)
}

func TestSubscribeFuncComputesUnderAContextThatEndsMeanwhile(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	kept, ends := &owned{}, []any(nil)
	SubscribeFunc(ctx, FromCallable(func() (*owned, error) { cancel(errOther); return kept, nil }),
		func(*owned) { ends = append(ends, "element") }, OnError(func(err error) { ends = append(ends, err) }))
	assert.Equal(t, []any{errOther}, ends)
	assert.Equal(t, 1, kept.discarded, "nobody gets it")

	ctx, cancel = context.WithCancelCause(t.Context())
	SubscribeFunc(ctx, Just(1), func(int) { cancel(errBoom) }, OnError(func(err error) { ends = append(ends, err) }))
	assert.Equal(t, []any{errOther, errBoom}, ends, "as right after the last element of many")
}

func TestSubscribeFuncComputesForFunctionsThatFail(t *testing.T) {
	var ends []error
	failed := OnError(func(err error) { ends = append(ends, err) })
	kept := &owned{}
	SubscribeFunc(context.Background(), Just(kept), func(*owned) { panic(errOther) }, failed,
		OnComplete(func() { t.Error("it has failed") }))
	SubscribeFunc(context.Background(), Map(Just(1), func(int) int { panic(errOther) }), func(int) {}, failed)
	if assert.Len(t, ends, 2) {
		assert.EqualError(t, ends[0], "reactor: subscribe: panic: other")
		assert.EqualError(t, ends[1], "reactor: map: panic: other")
	}
	assert.Equal(t, 1, kept.discarded)

	ends = nil
	var wg sync.WaitGroup
	for _, src := range []reactor.Publisher[int]{Just(1), Map(Just(1), func(int) int { runtime.Goexit(); return 0 })} {
		wg.Go(func() {
			SubscribeFunc(context.Background(), src, func(int) { runtime.Goexit() }, failed)
			t.Error("the goroutine goes on")
		})
		wg.Wait()
	}
	if assert.Len(t, ends, 2, "each of them once") {
		assert.ErrorIs(t, ends[0], reactor.ErrGoexit)
		assert.ErrorIs(t, ends[1], reactor.ErrGoexit)
	}
}

func TestSubscribeFuncComputesWithoutAFunction(t *testing.T) {
	kept, complete := &owned{}, 0
	SubscribeFunc(context.Background(), Just(kept), nil, OnComplete(func() { complete++ }))
	assert.Equal(t, 1, kept.discarded)
	assert.Equal(t, 1, complete)
}

// Where somebody wants to hear of what happens within, or another publisher may have to be waited for, there is a
// subscription.
func TestSubscribeFuncDoesNotComputeAll(t *testing.T) {
	ctx, hooks := probe.Recorded()
	SubscribeFunc(ctx, Map(Just(1), func(int) int { panic(errOther) }), nil, OnError(func(error) {}))
	assert.Equal(t, []any{1}, hooks.Discarded)

	never := func(int) reactor.Publisher[int] { return Never[int]() }
	for _, src := range []reactor.Publisher[int]{
		MonoFlatMap(Just(1), never), Map(MonoFlatMap(Just(1), never), twice), TryMap(Map(MonoFlatMap(Just(1), never), twice), parsed),
	} {
		d := SubscribeFunc(context.Background(), src, nil)
		assert.False(t, d.IsDisposed())
		d.Dispose()
	}
	var up reactor.Subscription
	SubscribeFunc(context.Background(), Just(1), func(int) { t.Error("nobody has asked for it") }, OnSubscribe(func(s reactor.Subscription) { up = s }))
	up.Cancel()
}

func parsed(v int) (int, error) { return v, nil }

// Elements that come before SubscribeFunc returns go to the function without a look at the handle, which nobody
// has. Those that come later do not, on whichever goroutine.
func TestSubscribeFuncDisposedAboveLater(t *testing.T) {
	ctx, hooks := probe.Recorded()
	var c callbacks
	var d reactor.Disposable
	src := &laterCaller{Publisher: Map(Range(0, 3), func(v int) int {
		if v == 1 {
			d.Dispose()
		}
		return v
	})}
	d = c.subscribe(ctx, src)
	src.subscribe()
	assert.Equal(t, callbacks{items: []int{0}}, c)
	assert.Equal(t, []any{1}, hooks.Discarded)
}

// laterCaller subscribes to a publisher when it is told to.
type laterCaller struct {
	protocol.Op
	reactor.Publisher[int]
	subscribe func()
}

func (l *laterCaller) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	l.subscribe = func() { l.Publisher.Subscribe(ctx, s) }
}

// A source may subscribe for its subscriber on another goroutine before Subscribe has returned.
func TestSubscribeFuncDisposedAboveMeanwhile(t *testing.T) {
	ctx, hooks := probe.Recorded()
	var c callbacks
	var d reactor.Disposable
	begun, there := make(chan struct{}), make(chan struct{})
	src := &besideCaller{begun: begun, Publisher: Map(Range(0, 3), func(v int) int {
		switch v {
		case 0:
			close(begun)
		case 1:
			<-there
			d.Dispose()
		}
		return v
	})}
	d = c.subscribe(ctx, src)
	close(there)
	src.wg.Wait()
	assert.Equal(t, callbacks{items: []int{0}}, c)
	assert.Equal(t, []any{1}, hooks.Discarded)
}

// besideCaller subscribes to a publisher on a goroutine of its own, and returns when that has begun.
type besideCaller struct {
	protocol.Op
	reactor.Publisher[int]
	begun chan struct{}
	wg    sync.WaitGroup
}

func (e *besideCaller) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	e.wg.Go(func() { e.Publisher.Subscribe(ctx, s) })
	<-e.begun
}
