package operators

import (
	"context"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// peekAll puts every peek operator behind src; log gets their events.
func peekAll(src reactor.Publisher[int], log *[]string) reactor.Publisher[int] {
	note := func(format string, args ...any) { *log = append(*log, fmt.Sprintf(format, args...)) }
	src = DoFirst(src, func() { note("first") })
	src = DoOnSubscribe(src, func(reactor.Subscription) { note("subscribe") })
	src = DoOnRequest(src, func(n int64) { note("request %d", n) })
	src = DoOnNext(src, func(v int) { note("next %d", v) })
	src = DoOnComplete(src, func() { note("complete") })
	src = DoOnError(src, func(err error) { note("error %v", err) })
	src = DoOnTerminate(src, func() { note("terminate") })
	src = DoAfterTerminate(src, func() { note("after") })
	src = DoOnCancel(src, func() { note("cancel") })
	src = DoFinally(src, func(how reactor.SignalKind) { note("finally %v", how) })
	return DoOnEach(src, func(_ context.Context, s reactor.Signal[int]) { note("%v", s) })
}

func TestPeekCompletion(t *testing.T) {
	var log []string
	p := probeOf[int](2)
	peekAll(FromSlice([]int{1, 2}), &log).Subscribe(context.Background(), p)
	p.Done(t, 1, 2)
	p.Cancel()
	assert.Equal(t, []string{
		"first", "subscribe", "request 2", "next 1", "onNext(1)", "next 2", "onNext(2)",
		"complete", "terminate", "onComplete()", "finally onComplete", "after",
		"cancel", // a stage that cancels what has ended is heard by DoOnCancel, not by DoFinally
	}, log)
}

func TestPeekError(t *testing.T) {
	var log []string
	run(peekAll(Error[int](errBoom), &log)).Failed(t, errBoom)
	assert.Equal(t, []string{
		"first", "subscribe", "request 9223372036854775807",
		"error boom", "terminate", "onError(boom)", "finally onError", "after",
	}, log)
}

func TestPeekCancel(t *testing.T) {
	var log []string
	p := probeOf[int](1)
	peekAll(FromSlice([]int{1, 2}), &log).Subscribe(context.Background(), p)
	p.Cancel()
	p.Cancel()
	assert.Equal(t, []string{
		"first", "subscribe", "request 1", "next 1", "onNext(1)", "cancel", "finally cancel",
	}, log)
}

// A failure of a stage below is a cancellation for the stages above it.
func TestPeekFailureBelow(t *testing.T) {
	var log []string
	fail := Map(peekAll(FromSlice([]int{1, 2}), &log), func(v int) int { panic(errBoom) })
	run(fail).Failed(t, errBoom)
	assert.Equal(t, []string{
		"first", "subscribe", "request 9223372036854775807", "next 1", "onNext(1)", "cancel", "finally cancel",
	}, log)
}

func TestPeekFailureAbove(t *testing.T) {
	var log []string
	fail := peekAll(Map(FromSlice([]int{1, 2}), func(v int) int { panic(errBoom) }), &log)
	run(fail).Failed(t, errBoom)
	assert.Contains(t, log, "finally onError")
	assert.NotContains(t, log, "cancel")
}

func TestPeekCallbacksThatPanicBecomeTheError(t *testing.T) {
	boom := func() { panic(errBoom) }
	for name, src := range map[string]reactor.Publisher[int]{
		"doFirst":         DoFirst(FromSlice([]int{1, 2}), boom),
		"doOnSubscribe":   DoOnSubscribe(FromSlice([]int{1, 2}), func(reactor.Subscription) { boom() }),
		"doOnSubscribe 0": DoOnSubscribe(Empty[int](), func(reactor.Subscription) { boom() }),
		"doOnNext":        DoOnNext(FromSlice([]int{1, 2}), func(int) { boom() }),
		"doOnComplete":    DoOnComplete(Empty[int](), boom),
		"doOnTerminate":   DoOnTerminate(Empty[int](), boom),
		"doOnSuccess":     DoOnSuccess(Just(1), func(int, bool) { boom() }),
		"doOnSuccess 0":   DoOnSuccess(Empty[int](), func(int, bool) { boom() }),
		"monoDoOnEach":    MonoDoOnEach(Just(1), func(context.Context, reactor.Signal[int]) { boom() }),
		"doOnEach":        DoOnEach(FromSlice([]int{1, 2}), func(context.Context, reactor.Signal[int]) { boom() }),
		"doOnEach 0":      DoOnEach(Empty[int](), func(context.Context, reactor.Signal[int]) { boom() }),
		"mono terminate":  MonoDoOnTerminate(Just(1), boom),
	} {
		t.Run(name, func(t *testing.T) {
			finally := reactor.SignalKind(0)
			p := run(DoFinally(src, func(how reactor.SignalKind) { finally = how }))
			p.Failed(t, errBoom)
			assert.Equal(t, reactor.KindError, finally)
		})
	}
}

func TestPeekErrorCallbacksThatPanicAddTheirError(t *testing.T) {
	for name, src := range map[string]reactor.Publisher[int]{
		"doOnError":          DoOnError(Error[int](errBoom), func(error) { panic(errOther) }),
		"doOnTerminate":      DoOnTerminate(Error[int](errBoom), func() { panic(errOther) }),
		"doOnEach":           DoOnEach(Error[int](errBoom), func(context.Context, reactor.Signal[int]) { panic(errOther) }),
		"mono doOnError":     MonoDoOnError(Error[int](errBoom), func(error) { panic(errOther) }),
		"mono doOnTerminate": MonoDoOnTerminate(Error[int](errBoom), func() { panic(errOther) }),
	} {
		t.Run(name, func(t *testing.T) {
			p := run(src)
			p.Failed(t, errBoom)
			p.Failed(t, errOther)
		})
	}
}

func TestPeekLateCallbacksThatPanicAreReported(t *testing.T) {
	boom := func() { panic(errBoom) }
	type stage = func(reactor.Publisher[int]) reactor.Publisher[int]
	for name, stage := range map[string]stage{
		"doAfterTerminate":      func(p reactor.Publisher[int]) reactor.Publisher[int] { return DoAfterTerminate(p, boom) },
		"mono doAfterTerminate": func(p reactor.Publisher[int]) reactor.Publisher[int] { return MonoDoAfterTerminate(p, boom) },
		"doFinally": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return DoFinally(p, func(reactor.SignalKind) { boom() })
		},
		"doOnRequest": func(p reactor.Publisher[int]) reactor.Publisher[int] {
			return DoOnRequest(p, func(int64) { boom() })
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			runWith(ctx, stage(Just(1))).Done(t, 1)
			if assert.Len(t, hooks.Errs, 1) {
				assert.ErrorIs(t, hooks.Errs[0].(error), errBoom)
			}
			runWith(ctx, stage(Error[int](errOther))).Failed(t, errOther)
			assert.Len(t, hooks.Errs, 2)
		})
	}
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, DoOnCancel(src, boom))
	p.Cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Len(t, hooks.Errs, 1)
}

func TestTryDoOnNextHooks(t *testing.T) {
	ctx, hooks := probe.Recorded()
	runWith(ctx, TryDoOnNext(FromSlice([]int{1, 2, 3}), func(v int) error {
		if v == 2 {
			return errBoom
		}
		return nil
	})).Failed(t, errBoom, 1)
	assert.ElementsMatch(t, []any{2, 3}, hooks.Discarded)
}

func TestMonoPeeks(t *testing.T) {
	var log []string
	note := func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	peeked := func(src reactor.Publisher[int]) reactor.Publisher[int] {
		src = DoOnSuccess(src, func(v int, ok bool) { note("success %d %v", v, ok) })
		src = MonoDoOnError(src, func(err error) { note("error %v", err) })
		src = MonoDoOnTerminate(src, func() { note("terminate") })
		src = MonoDoAfterTerminate(src, func() { note("after") })
		return MonoDoOnEach(src, func(_ context.Context, s reactor.Signal[int]) { note("%v", s) })
	}
	for _, c := range []struct {
		src  reactor.Publisher[int]
		want []string
	}{
		{Just(4), []string{"success 4 true", "terminate", "onNext(4)", "onComplete()", "after"}},
		{Empty[int](), []string{"success 0 false", "terminate", "onComplete()", "after"}},
		{Error[int](errBoom), []string{"error boom", "terminate", "onError(boom)", "after"}},
	} {
		log = nil
		run(peeked(c.src))
		assert.Equal(t, c.want, log)
	}
	// What fails after the element is no news to them.
	log = nil
	run(Map(peeked(Just(4)), func(int) int { panic(errBoom) })).Failed(t, errBoom)
	assert.Equal(t, []string{"success 4 true", "terminate", "onNext(4)", "onComplete()"}, log)
}

func TestPeekNilCallbacksPanic(t *testing.T) {
	src := Just(1)
	for _, fn := range []func(){
		func() { DoFirst(src, nil) }, func() { DoOnSubscribe(src, nil) }, func() { DoOnRequest(src, nil) },
		func() { DoOnNext(src, nil) }, func() { TryDoOnNext(src, nil) }, func() { DoOnComplete(src, nil) },
		func() { DoOnError(src, nil) }, func() { DoOnTerminate(src, nil) }, func() { DoAfterTerminate(src, nil) },
		func() { DoOnCancel(src, nil) }, func() { DoFinally(src, nil) }, func() { DoOnEach(src, nil) },
		func() { DoOnDiscard[int, int](src, nil) }, func() { DoOnSuccess(src, nil) },
		func() { DoOnError(src, func(error) {}, nil) },
		func() { DoOnErrorAs[int, *fs.PathError](src, nil) }, func() { ContextWrite(src, nil) },
	} {
		assert.Panics(t, fn)
	}
}
