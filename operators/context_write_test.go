package operators

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

type ctxKey string

func reading(key ctxKey) reactor.Publisher[any] {
	return Defer(func(ctx context.Context) reactor.Publisher[any] { return FromSlice([]any{ctx.Value(key), 0}) })
}

func TestContextWrite(t *testing.T) {
	src := ContextWriteValue(reading("a"), ctxKey("a"), "upper")
	run(src).Done(t, "upper", 0)
	src = ContextWriteValue(src, ctxKey("a"), "lower")
	run(src).Done(t, "upper", 0)
	src = ContextWriteValue(reading("a"), ctxKey("b"), 1)
	runWith(context.WithValue(context.Background(), ctxKey("a"), 2), src).Done(t, 2, 0)
	run(ContextWrite(Just(1), func(context.Context) context.Context { panic(errBoom) })).Failed(t, errBoom)
	run(ContextWrite(Just(1), func(context.Context) context.Context { return nil })).Failed(t, reactor.ErrIllegalArgument)
	assert.PanicsWithValue(t, "reactor: contextWrite: the key is nil", func() { ContextWriteValue(Just(1), nil, 1) })
	assert.PanicsWithValue(t, "reactor: contextWrite: the key is of type []int, which can't be compared", func() { ContextWriteValue(Just(1), []int{}, 1) })
}

func TestContextWriteWatchesAContextWithItsOwnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &puppet[int]{}
		var stop context.CancelFunc
		late, hooks := probe.Recorded()
		p := runWith(late, ContextWrite(src, func(ctx context.Context) context.Context {
			ctx, stop = context.WithTimeout(ctx, time.Second)
			return ctx
		}))
		src.last().OnNext(1)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		stop()
		p.Failed(t, context.DeadlineExceeded, 1)
		assert.EqualValues(t, 1, src.last().cancels.Load())
		src.last().OnNext(2)
		src.last().OnError(errBoom)
		assert.Empty(t, hooks.Dropped)
		assert.Equal(t, []any{2}, hooks.Discarded)
		assert.Equal(t, []any{errBoom}, hooks.Errs)
		p.Failed(t, context.DeadlineExceeded, 1)
	})
}

func TestContextWriteEndedBefore(t *testing.T) {
	src := &puppet[int]{}
	p := run(ContextWrite(src, func(ctx context.Context) context.Context {
		ctx, stop := context.WithCancelCause(ctx)
		stop(errBoom)
		return ctx
	}))
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Zero(t, src.last().requested.Load())
}

func TestContextWriteStopsWatching(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, over := range map[string]func(p *probe.Probe[int], src *puppet[int]){
			"complete": func(p *probe.Probe[int], src *puppet[int]) { src.last().OnComplete() },
			"error":    func(p *probe.Probe[int], src *puppet[int]) { src.last().OnError(errOther) },
			"cancel":   func(p *probe.Probe[int], src *puppet[int]) { p.Cancel() },
		} {
			src := &puppet[int]{}
			var stop context.CancelCauseFunc
			p := run(ContextWrite(src, func(ctx context.Context) context.Context {
				ctx, stop = context.WithCancelCause(ctx)
				return ctx
			}))
			over(p, src)
			stop(errBoom)
			synctest.Wait()
			assert.NotErrorIs(t, p.Failure(), errBoom, name)
			assert.Empty(t, p.Faults(), name)
		}
	})
}

// A source that watches the context too says nothing new.
func TestContextWriteHearsOfTheEndTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		var stop context.CancelCauseFunc
		p := runWith(ctx, ContextWrite(src, func(ctx context.Context) context.Context {
			ctx, stop = context.WithCancelCause(ctx)
			return ctx
		}))
		stop(errBoom)
		synctest.Wait()
		src.last().OnError(errBoom)
		src.last().OnError(errOther)
		p.Failed(t, errBoom)
		assert.Equal(t, []any{errOther}, hooks.Errs)
	})
}

func TestContextWriteWithoutAnEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	// Downstream watches its own context; a probe does not.
	runWith(ctx, ContextWrite(Just(1), context.WithoutCancel)).Done(t, 1)
}

func TestContextWriteIsSerial(t *testing.T) {
	for range racetest.Iterations(200) {
		l := ledger.New(t)
		why := errors.New("end")
		src := &puppet[*ledger.Element]{}
		var stop context.CancelCauseFunc
		p := probeOf[*ledger.Element](reactor.Unbounded)
		p.Each = func(e *ledger.Element) { l.Delivered(e) }
		ended := make(chan struct{})
		stage := DoFinally(ContextWrite(src, func(ctx context.Context) context.Context {
			ctx, stop = context.WithCancelCause(ctx)
			return ctx
		}), func(reactor.SignalKind) { close(ended) })
		stage.Subscribe(l.Context(context.Background()), p)
		elements := []*ledger.Element{l.Produce(), l.Produce(), l.Produce()}
		racetest.Race(func() {
			for _, e := range elements {
				src.last().OnNext(e)
			}
		}, func() { stop(why) })
		<-ended
		assert.Equal(t, why, p.Failure())
		assert.Empty(t, p.Faults())
		l.Check()
	}
}

func TestContextWriteValue(t *testing.T) {
	type key struct{}
	value := func() reactor.Publisher[any] {
		return Defer(func(ctx context.Context) reactor.Publisher[any] { return Just(ctx.Value(key{})) })
	}
	run(ContextWriteValue(value(), key{}, "a")).Done(t, "a")
	run(ContextWriteValue(ContextWriteValue(value(), key{}, "upper"), key{}, "lower")).Done(t, "upper")
	p := probeOf[any](1)
	ctx := context.WithValue(context.Background(), key{}, "outside")
	ContextWriteValue(value(), "another key", "a").Subscribe(ctx, p)
	p.Done(t, "outside")
}
