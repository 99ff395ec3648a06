package operators

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestFuture(t *testing.T) {
	ctx := context.Background()
	v, ok, err := ToFuture(ctx, Just(4)).Wait(ctx)
	assert.True(t, v == 4 && ok && err == nil)
	_, ok, err = ToFuture(ctx, Empty[int]()).Wait(ctx)
	assert.True(t, !ok && err == nil)
	_, ok, err = ToFuture(ctx, Error[int](errBoom)).Wait(ctx)
	assert.False(t, ok)
	assert.Equal(t, errBoom, err)

	hooked, hooks := probe.Recorded()
	v, ok, err = ToFuture(hooked, FromSlice([]int{1, 2, 3})).Wait(ctx)
	assert.True(t, v == 1 && ok && err == nil)
	assert.Equal(t, []any{2, 3}, hooks.Discarded)

	f := ToFuture(ctx, Just(4))
	<-f.Done()
	f.Cancel() // too late
	v, _, err = f.Wait(ctx)
	assert.True(t, v == 4 && err == nil)
}

func TestFutureCancel(t *testing.T) {
	src := &puppet[int]{}
	f := ToFuture(context.Background(), src)
	f.Cancel()
	_, _, err := f.Wait(context.Background())
	assert.Equal(t, reactor.ErrCancelled, err)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	run(FromFuture(f)).Failed(t, reactor.ErrCancelled)
}

func TestFutureWaitEndsWithItsContextOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &puppet[int]{}
		f := ToFuture(context.Background(), src)
		ctx, cancel := context.WithCancelCause(context.Background())
		go func() { synctest.Wait(); cancel(errOther) }()
		_, _, err := f.Wait(ctx)
		assert.Equal(t, errOther, err)
		src.last().OnNext(3)
		v, ok, err := f.Wait(context.Background())
		assert.True(t, v == 3 && ok && err == nil)
	})
}

func TestFutureRaces(t *testing.T) {
	for i := range racetest.Iterations(300) {
		src := &puppet[int]{}
		ctx, cancel := context.WithCancel(context.Background())
		f := ToFuture(ctx, src)
		p, q := probeOf[int](1), probeOf[int](0)
		FromFuture(f, SuppressCancel()).Subscribe(context.Background(), q)
		racetest.Race(
			func() { src.last().OnNext(1); src.last().OnComplete() },
			func() { FromFuture(f).Subscribe(context.Background(), p) },
			func() { q.Request(1) },
			func() {
				if i%2 == 0 {
					cancel()
				} else {
					q.Cancel()
				}
			},
		)
		<-f.Done()
		cancel()
		assert.Empty(t, p.Faults())
		assert.Empty(t, q.Faults())
	}
}

func TestToFuture(t *testing.T) {
	src := &puppet[int]{}
	f := ToFuture(t.Context(), src)
	select {
	case <-f.Done():
		t.Error("done before there is anything")
	default:
	}
	src.last().OnNext(7)
	v, ok, err := f.Wait(t.Context())
	assert.Equal(t, []any{7, true, nil}, []any{v, ok, err})
	_, ok, err = ToFuture(t.Context(), Empty[int]()).Wait(t.Context())
	assert.Equal(t, []any{false, nil}, []any{ok, err})
	_, _, err = ToFuture(t.Context(), Error[int](errBoom)).Wait(t.Context())
	assert.Equal(t, errBoom, err)
	open := ToFuture(t.Context(), src)
	open.Cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

// A source that has succeeded is not cancelled on top of it: a transaction would be rolled back.
func TestToFutureLeavesASourceAloneThatHasSucceeded(t *testing.T) {
	outcome := ""
	say := func(s string) func(int) stream {
		return func(int) stream { outcome += s; return Empty[int]() }
	}
	tx := UsingWhen(Just(1), func(int) stream { return Hide(Just(2)) }, AsyncCleanup[int, int]{
		Complete: say("commit"), Cancel: say("rollback"),
		Error: func(int, error) stream { outcome += "error"; return Empty[int]() },
	})
	f := ToFuture(t.Context(), tx)
	f.Cancel() // too late
	v, ok, err := f.Wait(t.Context())
	assert.Equal(t, []any{2, true, nil}, []any{v, ok, err})
	assert.Equal(t, "commit", outcome)

	src := &puppet[int]{}
	ctx, hooks := probe.Recorded()
	f = ToFuture(ctx, src)
	src.last().OnNext(1)
	f.Cancel()
	assert.Zero(t, src.last().cancels.Load())
	src.last().OnNext(2) // it has more than one: nobody else would end it
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Equal(t, []any{2}, hooks.Discarded)
	src.last().OnError(errBoom)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
	v, ok, err = f.Wait(t.Context())
	assert.Equal(t, []any{1, true, nil}, []any{v, ok, err})
}

// A zero Future would wait for ever, or close what is not there.
func TestAZeroFutureSaysThatItIsOne(t *testing.T) {
	const text = "reactor: toFuture: a zero Future has no result, it is made by ToFuture"
	for name, call := range map[string]func(f *Future[int]){
		"Cancel": func(f *Future[int]) { f.Cancel() },
		"Done":   func(f *Future[int]) { f.Done() },
		"Wait":   func(f *Future[int]) { _, _, _ = f.Wait(context.Background()) },
		"from":   func(f *Future[int]) { FromFuture(f) },
	} {
		assert.PanicsWithValue(t, text, func() { call(new(Future[int])) }, name)
	}
}

// watchedContext is a context that counts the watches over it that are ended.
type watchedContext struct {
	context.Context
	done  chan struct{}
	ended int
}

func (c *watchedContext) Done() <-chan struct{} { return c.done }

func (c *watchedContext) AfterFunc(func()) (stop func() bool) {
	return func() bool { c.ended++; return true }
}

// A function that hears of the cancellation may end the goroutine: the watch over the context is ended all the same.
func TestFutureCancelEndsTheWatchOverItsContext(t *testing.T) {
	ctx := &watchedContext{Context: t.Context(), done: make(chan struct{})}
	racetest.Aside(func() { ToFuture(ctx, DoOnCancel(Never[int](), runtime.Goexit)).Cancel() })
	assert.Equal(t, 1, ctx.ended)
}
