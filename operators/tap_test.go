package operators

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// listening returns a listener that logs everything.
func listening(log *[]string) *SignalListener[int] {
	note := func(format string, args ...any) { *log = append(*log, fmt.Sprintf(format, args...)) }
	return &SignalListener[int]{
		First:             func() { note("first") },
		Context:           func(ctx context.Context) context.Context { return context.WithValue(ctx, ctxKey("a"), 1) },
		Subscription:      func() { note("subscription") },
		Request:           func(n int64) { note("request %d", n) },
		Cancel:            func() { note("cancel") },
		Next:              func(v int) { note("next %d", v) },
		Complete:          func() { note("complete") },
		Error:             func(err error) { note("error %v", err) },
		AfterComplete:     func() { note("after complete") },
		AfterError:        func(err error) { note("after error %v", err) },
		Finally:           func(how reactor.SignalKind) { note("finally %v", how) },
		MalformedNext:     func(v int) { note("malformed next %d", v) },
		MalformedComplete: func() { note("malformed complete") },
		MalformedError:    func(err error) { note("malformed error %v", err) },
	}
}

func tapped(src reactor.Publisher[int], log *[]string) reactor.Publisher[int] {
	return Tap(src, func(context.Context) *SignalListener[int] { return listening(log) })
}

func TestTap(t *testing.T) {
	var log []string
	p := probeOf[int](2)
	tapped(FromSlice([]int{1, 2}), &log).Subscribe(context.Background(), p)
	p.Done(t, 1, 2)
	assert.Equal(t, []string{"first", "subscription", "request 2", "next 1", "next 2", "complete", "after complete", "finally onComplete"}, log)

	log = nil
	run(tapped(Error[int](errBoom), &log)).Failed(t, errBoom)
	assert.Equal(t, []string{"error boom", "after error boom", "finally onError"}, log[3:])

	log = nil
	p = probeOf[int](1)
	tapped(FromSlice([]int{1, 2}), &log).Subscribe(context.Background(), p)
	p.Cancel()
	p.Cancel()
	assert.Equal(t, []string{"next 1", "cancel", "finally cancel"}, log[3:])

	log = nil
	run(Map(tapped(FromSlice([]int{1, 2}), &log), func(int) int { panic(errBoom) })).Failed(t, errBoom)
	assert.Equal(t, []string{"next 1", "cancel", "finally cancel"}, log[3:])

	log = nil
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p = runWith(ctx, tapped(src, &log))
	src.last().OnComplete()
	src.last().OnNext(3)
	src.last().OnComplete()
	src.last().OnError(errBoom)
	p.Done(t)
	assert.Equal(t, []string{"malformed next 3", "malformed complete", "malformed error boom"}, log[6:])
	assert.Equal(t, []any{3}, hooks.Dropped)
	assert.Equal(t, []any{errBoom}, hooks.Errs)

	seen := Tap(Defer(func(ctx context.Context) reactor.Publisher[int] { return Just(ctx.Value(ctxKey("a")).(int)) }),
		func(context.Context) *SignalListener[int] { return listening(&log) })
	run(seen).Done(t, 1)
	run(Tap(Just(1), func(context.Context) *SignalListener[int] { return nil })).Done(t, 1)
	run(Tap(FromSlice([]int{1, 2}), func(context.Context) *SignalListener[int] { return &SignalListener[int]{} })).Done(t, 1, 2)
	run(Tap(Just(1), func(context.Context) *SignalListener[int] {
		return &SignalListener[int]{Context: func(context.Context) context.Context { return nil }}
	})).Failed(t, reactor.ErrIllegalArgument)
	assert.Panics(t, func() { Tap(Just(1), nil) })
}

func TestTapPanics(t *testing.T) {
	boom := func() { panic(errBoom) }
	for name, l := range map[string]SignalListener[int]{
		"first":        {First: boom},
		"context":      {Context: func(context.Context) context.Context { panic(errBoom) }},
		"subscription": {Subscription: boom},
		"next":         {Next: func(int) { boom() }},
		"complete":     {Complete: boom},
	} {
		t.Run(name, func(t *testing.T) {
			p := run(Tap(Just(1), func(context.Context) *SignalListener[int] { return &l }))
			assert.ErrorIs(t, p.Failure(), errBoom)
			assert.Empty(t, p.Faults())
		})
	}
	run(Tap(Just(1), func(context.Context) *SignalListener[int] { panic(errBoom) })).Failed(t, errBoom)

	// As with DoOnComplete, an end that fails is none: upstream is cancelled.
	var log []string
	src := &puppet[int]{}
	run(Tap(src, func(context.Context) *SignalListener[int] {
		l := listening(&log)
		l.Complete = boom
		return l
	}))
	src.last().OnComplete()
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Len(t, log, 6)
	assert.Equal(t, "finally onError", log[5], "and the listener hears of the error, not of a cancellation")

	p := run(Tap(Error[int](errOther), func(context.Context) *SignalListener[int] {
		return &SignalListener[int]{Error: func(error) { boom() }}
	}))
	p.Failed(t, errBoom)
	p.Failed(t, errOther)

	for _, own := range []bool{false, true} {
		ctx, hooks := probe.Recorded()
		var failures []any
		l := &SignalListener[int]{
			Request:       func(int64) { boom() },
			AfterComplete: boom,
			Finally:       func(reactor.SignalKind) { boom() },
		}
		if own {
			l.Failed = func(err error) { failures = append(failures, err) }
		}
		runWith(ctx, Tap(Just(1), func(context.Context) *SignalListener[int] { return l })).Done(t, 1)
		assert.Len(t, append(failures, hooks.Errs...), 3)
		assert.Equal(t, own, len(failures) == 3)
	}
	ctx, hooks := probe.Recorded()
	runWith(ctx, Tap(Just(1), func(context.Context) *SignalListener[int] {
		return &SignalListener[int]{AfterComplete: boom, Failed: func(error) { panic(errOther) }}
	})).Done(t, 1)
	assert.Len(t, hooks.Errs, 1)
}

func TestTapRaces(t *testing.T) {
	for range racetest.Iterations(200) {
		ends := make(chan reactor.SignalKind, 3)
		src := &puppet[int]{}
		p := run(Tap(src, func(context.Context) *SignalListener[int] {
			return &SignalListener[int]{Finally: func(how reactor.SignalKind) { ends <- how }}
		}))
		racetest.Race(func() { src.last().OnComplete() }, func() { p.Cancel() }, func() { p.Cancel() })
		assert.Len(t, ends, 1)
	}
}

// logged runs src with Log and returns the lines without their times.
func logged(src reactor.Publisher[int], level slog.Level, opts ...LogOption) []string {
	var out bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	p := probeOf[int](3)
	Log(src, append(opts, LogTo(logger))...).Subscribe(context.Background(), p)
	if !p.Over() {
		p.Cancel()
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func TestLog(t *testing.T) {
	assert.Equal(t, []string{
		"level=INFO msg=onSubscribe category=reactor",
		"level=INFO msg=request category=reactor n=3",
		"level=INFO msg=onNext category=reactor value=1",
		"level=INFO msg=onNext category=reactor value=2",
		"level=INFO msg=onComplete category=reactor",
	}, logged(JustAll(1, 2), slog.LevelInfo))
	assert.Equal(t, []string{
		"level=WARN msg=onNext category=orders value=1",
		"level=ERROR msg=onError category=orders error=boom",
	}, logged(failing(1), slog.LevelInfo, LogCategory("orders"), LogLevel(slog.LevelWarn),
		LogSignals(reactor.KindNext, reactor.KindError)))
	for _, none := range []LogOption{LogSignals(), LogSignals([]reactor.SignalKind{}...)} {
		assert.Equal(t, logged(Just(1), slog.LevelInfo), logged(Just(1), slog.LevelInfo, none), "without any kinds everything is logged")
	}
	assert.Equal(t, []string{"level=INFO msg=cancel category=reactor"},
		logged(Never[int](), slog.LevelInfo, LogSignals(reactor.KindCancel)))
	assert.Equal(t, []string{""}, logged(failing(1), slog.LevelInfo, LogLevel(slog.LevelDebug)))
	assert.Panics(t, func() { LogTo(nil) })
}

func TestLogUnboundedDemandByDefault(t *testing.T) {
	var out bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	defer slog.SetDefault(old)
	run(Log(Just(1), LogSignals(reactor.KindRequest))).Done(t, 1)
	assert.Contains(t, out.String(), "msg=request category=reactor n=unbounded")
}

// A listener that ends the goroutine of what comes after the end does not keep it from the hooks.
func TestTapGoexitOfALateSignal(t *testing.T) {
	ctx, hooks := probe.Recorded()
	sub := func() *puppetSubscription[int] {
		src := &puppet[int]{}
		runWith(ctx, Tap(src, func(context.Context) *SignalListener[int] {
			return &SignalListener[int]{MalformedNext: func(int) { runtime.Goexit() }, MalformedError: func(error) { runtime.Goexit() }}
		}))
		src.last().OnComplete()
		return src.last()
	}
	racetest.Aside(func() { sub().OnNext(1) })
	racetest.Aside(func() { sub().OnError(errBoom) })
	_, dropped, errs := hooks.Seen()
	assert.Equal(t, []any{1}, dropped)
	assert.Contains(t, errs, any(errBoom))
}
