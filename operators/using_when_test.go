package operators

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestUsingWhenOfAResourceThatSendsTooMuch(t *testing.T) {
	ctx, hooks := probe.Recorded()
	var log []string
	src := &puppet[int]{}
	p := runWith(ctx, UsingWhen(src, func(r int) reactor.Publisher[int] { return Just(r) }, cleanups(&log, nothing)))
	src.last().OnNext(1)
	src.last().OnNext(2)
	src.last().OnError(errBoom)
	src.last().OnComplete()
	p.Done(t, 1)
	assert.Equal(t, []any{2}, hooks.Dropped)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
	assert.EqualValues(t, 1, src.last().cancels.Load(), "one element is enough")
}

func TestUsingWhenUsedPublisherThatGoesOnAfterCancellation(t *testing.T) {
	ctx, hooks := probe.Recorded()
	var log []string
	used := &puppet[int]{}
	for _, build := range []func(reactor.Publisher[int], func(int) reactor.Publisher[int], AsyncCleanup[int, int]) reactor.Publisher[int]{
		UsingWhen[int, int, int], MonoUsingWhen[int, int, int],
	} {
		p := runWith(ctx, build(Just(1), func(int) reactor.Publisher[int] { return used }, cleanups(&log, nothing)))
		p.Cancel()
		used.last().OnError(errBoom)
		used.last().OnComplete()
	}
	used.last().OnNext(5)
	assert.Equal(t, []string{"cancel", "cancel"}, log)
	assert.Equal(t, []any{errBoom, errBoom}, hooks.Errs)
	assert.Equal(t, []any{5}, hooks.Discarded)
}

func TestUsingWhen(t *testing.T) {
	use := func(src reactor.Publisher[int]) func(int) reactor.Publisher[int] {
		return func(r int) reactor.Publisher[int] { return Map(src, func(v int) int { return r + v }) }
	}
	for name, resource := range map[string]reactor.Publisher[int]{
		"called":     Just(10),
		"subscribed": Hide(Just(10)),
		"several":    FromSlice([]int{10, 20}),
	} {
		t.Run(name, func(t *testing.T) {
			var log []string
			run(UsingWhen(resource, use(JustAll(1, 2)), cleanups(&log, nothing))).Done(t, 11, 12)
			run(UsingWhen(resource, use(failing(1)), cleanups(&log, nothing))).Failed(t, errBoom, 11)
			p := probeOf[int](1)
			UsingWhen(resource, use(JustAll(1, 2)), cleanups(&log, nothing)).Subscribe(context.Background(), p)
			p.Cancel()
			p.Cancel()
			p.Open(t, 11)
			assert.Equal(t, []string{"complete", "error", "cancel"}, log)

			log = nil
			run(MonoUsingWhen(resource, use(Just(1)), cleanups(&log, nothing))).Done(t, 11)
			run(MonoUsingWhen(resource, use(Empty[int]()), cleanups(&log, nothing))).Done(t)
			run(MonoUsingWhen(resource, use(Error[int](errBoom)), cleanups(&log, nothing))).Failed(t, errBoom)
			assert.Equal(t, []string{"complete", "complete", "error"}, log)
		})
	}
}

func TestUsingWhenOneCleanupForAll(t *testing.T) {
	n := 0
	one := AsyncCleanup[int, int]{Complete: func(int) reactor.Publisher[int] { n++; return nothing() }}
	run(UsingWhen(Just(1), func(int) reactor.Publisher[int] { return Just(1) }, one)).Done(t, 1)
	run(UsingWhen(Just(1), func(int) reactor.Publisher[int] { return failing(1) }, one)).Failed(t, errBoom, 1)
	p := run(UsingWhen(Just(1), func(int) reactor.Publisher[int] { return Never[int]() }, one))
	p.Cancel()
	assert.Equal(t, 3, n)
	assert.Panics(t, func() { UsingWhen[int](Just(1), nil, one) })
	assert.Panics(t, func() { UsingWhen(Just(1), func(int) reactor.Publisher[int] { return nil }, AsyncCleanup[int, int]{}) })
}

func TestUsingWhenWithoutAResource(t *testing.T) {
	var log []string
	use := func(int) reactor.Publisher[int] { t.Error("called"); return nil }
	for _, src := range []reactor.Publisher[int]{Empty[int](), Hide(Empty[int]())} {
		run(UsingWhen(src, use, cleanups(&log, nothing))).Done(t)
	}
	for _, src := range []reactor.Publisher[int]{
		Error[int](errBoom), Hide(Error[int](errBoom)), FromSupplier(func() int { panic(errBoom) }),
	} {
		run(UsingWhen(src, use, cleanups(&log, nothing))).Failed(t, errBoom)
	}
	never := &puppet[int]{}
	p := run(UsingWhen(never, use, cleanups(&log, nothing)))
	p.Cancel()
	assert.EqualValues(t, 1, never.last().cancels.Load())
	assert.Empty(t, log)
}

func TestUsingWhenLateResourceIsReleased(t *testing.T) {
	var log []string
	src := &puppet[int]{}
	p := run(UsingWhen(src, func(int) reactor.Publisher[int] { t.Error("used"); return nil }, cleanups(&log, nothing)))
	p.Cancel()
	src.last().OnNext(1)
	p.Open(t)
	assert.Equal(t, []string{"cancel"}, log)
}

func TestUsingWhenFunctionsThatFail(t *testing.T) {
	var log []string
	boom := func() reactor.Publisher[int] { panic(errOther) }
	broken := func() reactor.Publisher[int] { return Error[int](errOther) }
	one := func(int) reactor.Publisher[int] { return Just(1) }
	bad := func(int) reactor.Publisher[int] { return failing(1) }

	run(UsingWhen(Just(1), func(int) reactor.Publisher[int] { panic(errBoom) }, cleanups(&log, nothing))).Failed(t, errBoom)
	assert.Equal(t, []string{"error"}, log, "the resource is released")

	run(UsingWhen(Just(1), one, cleanups(&log, boom))).Failed(t, errOther, 1)
	p := run(UsingWhen(Just(1), bad, cleanups(&log, boom)))
	p.Failed(t, errOther, 1)
	p.Failed(t, errBoom, 1)

	p = run(UsingWhen(Just(1), one, cleanups(&log, broken)))
	p.Failed(t, errOther, 1)
	p.Failed(t, reactor.ErrCleanup, 1)
	p = run(UsingWhen(Just(1), bad, cleanups(&log, broken)))
	p.Failed(t, errOther, 1)
	p.Failed(t, errBoom, 1)
	p.Failed(t, reactor.ErrCleanup, 1)

	for _, fail := range []func() reactor.Publisher[int]{boom, broken} {
		ctx, hooks := probe.Recorded()
		p = runWith(ctx, UsingWhen(Just(1), func(int) reactor.Publisher[int] { return Never[int]() }, cleanups(&log, fail)))
		p.Cancel()
		p.Open(t)
		if assert.Len(t, hooks.Errs, 1) {
			assert.ErrorIs(t, hooks.Errs[0].(error), reactor.ErrCleanup)
			assert.ErrorIs(t, hooks.Errs[0].(error), errOther)
		}
		ctx, hooks = probe.Recorded()
		runWith(ctx, MonoUsingWhen(Just(1), one, cleanups(&log, fail))).Failed(t, errOther)
		assert.Equal(t, []any{1}, hooks.Discarded, "the element that was held back")
	}
}

func TestUsingWhenFailureBelowIsACancellation(t *testing.T) {
	var log []string
	src := UsingWhen(Just(1), func(int) reactor.Publisher[int] { return FromSlice([]int{1, 2}) }, cleanups(&log, nothing))
	run(Map(src, func(int) int { panic(errBoom) })).Failed(t, errBoom)
	assert.Equal(t, []string{"cancel"}, log)

	log = nil
	ctx, hooks := probe.Recorded()
	src = MonoUsingWhen(Just(1), func(int) reactor.Publisher[int] { return Just(5) }, cleanups(&log, nothing))
	runWith(ctx, Map(src, func(int) int { panic(errBoom) })).Failed(t, errBoom)
	assert.Equal(t, []string{"complete"}, log)
	assert.Equal(t, []any{5}, hooks.Discarded)
}

func TestUsingWhenCancelledDuringTheCleanup(t *testing.T) {
	for _, fails := range []bool{false, true} {
		var log []string
		ctx, hooks := probe.Recorded()
		cleaning := &puppet[int]{}
		src := MonoUsingWhen(Just(1), func(int) reactor.Publisher[int] { return Just(5) },
			cleanups(&log, func() reactor.Publisher[int] { return cleaning }))
		p := runWith(ctx, src)
		p.Cancel()
		assert.Zero(t, cleaning.last().cancels.Load(), "goes on")
		if fails {
			cleaning.last().OnError(errOther)
			assert.Len(t, hooks.Errs, 1)
		} else {
			cleaning.last().OnComplete()
		}
		p.Open(t)
		assert.Equal(t, []string{"complete"}, log)
		assert.Equal(t, []any{5}, hooks.Discarded)
	}
}

func TestUsingWhenCleanupDoesNotSeeTheEndOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.WithValue(context.Background(), ctxKey("a"), 3))
	var seen context.Context
	clean := AsyncCleanup[int, int]{Complete: func(int) reactor.Publisher[int] {
		return Defer(func(ctx context.Context) reactor.Publisher[int] { seen = ctx; return Empty[int]() })
	}}
	p := runWith(ctx, UsingWhen(Just(1), func(int) reactor.Publisher[int] { return Never[int]() }, clean))
	cancel(errors.New("over"))
	p.Cancel()
	assert.NoError(t, seen.Err())
	assert.Equal(t, 3, seen.Value(ctxKey("a")))
}

func TestUsingWhenRaces(t *testing.T) {
	for i := range racetest.Iterations(300) {
		l := ledger.New(t)
		cleaned := make(chan string, 3)
		done := func(s string) reactor.Publisher[int] { cleaned <- s; return Empty[int]() }
		resource, used := &puppet[int]{}, &puppet[*ledger.Element]{}
		build := UsingWhen[*ledger.Element, int, int]
		if i%2 == 0 {
			build = MonoUsingWhen[*ledger.Element, int, int]
		}
		p := probeOf[*ledger.Element](reactor.Unbounded)
		p.Each = func(e *ledger.Element) { l.Delivered(e) }
		build(resource, func(int) reactor.Publisher[*ledger.Element] { return used }, AsyncCleanup[int, int]{
			Complete: func(int) reactor.Publisher[int] { return done("complete") },
			Cancel:   func(int) reactor.Publisher[int] { return done("cancel") },
		}).Subscribe(l.Context(context.Background()), p)
		e := l.Produce()
		racetest.Race(func() {
			resource.last().OnNext(1)
			if used.count() == 0 {
				l.Discarded(e)
				return
			}
			used.last().OnNext(e)
			used.last().OnComplete()
		}, func() { p.Cancel() })
		assert.Len(t, cleaned, 1)
		assert.Empty(t, p.Faults())
		l.Check()
	}
}

func TestMonoUsingWhen(t *testing.T) {
	for name, c := range map[string]struct {
		used reactor.Publisher[int]
		want []string
	}{
		"an element":  {Just(1), []string{"complete r"}},
		"no element":  {Empty[int](), []string{"complete r"}},
		"an error":    {Error[int](errBoom), []string{"fail r boom"}},
		"it is never": {Never[int](), []string{"cancel r"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			done := func(format string, args ...any) reactor.Publisher[struct{}] {
				got = append(got, fmt.Sprintf(format, args...))
				return Empty[struct{}]()
			}
			p := run(MonoUsingWhen(Just("r"), func(string) reactor.Publisher[int] { return c.used }, AsyncCleanup[string, struct{}]{
				Complete: func(r string) reactor.Publisher[struct{}] { return done("complete %s", r) },
				Error:    func(r string, err error) reactor.Publisher[struct{}] { return done("fail %s %v", r, err) },
				Cancel:   func(r string) reactor.Publisher[struct{}] { return done("cancel %s", r) },
			}))
			p.Cancel()
			assert.Equal(t, c.want, got)
		})
	}
}

// A publisher of more than one element keeps the last one; the others are discarded.
func TestMonoUsingWhenOfSeveralElements(t *testing.T) {
	ctx, hooks := probe.Recorded()
	runWith(ctx, MonoUsingWhen(Just(1), always(JustAll(7, 8, 9)), AsyncCleanup[int, int]{Complete: always(Empty[int]())})).Done(t, 9)
	assert.Equal(t, []any{7, 8}, hooks.Discarded)
}

// More than the one element of a Mono comes while the stream is cancelled.
func TestMonoUsingWhenSendsTooMuchWhileItIsCancelled(t *testing.T) {
	racetest.Rounds(t, racetest.Iterations(20000), func() ([]func(), func()) {
		ctx, hooks := probe.Recorded()
		var log []string
		used := &puppet[int]{}
		p := runWith(ctx, MonoUsingWhen(Just(1), func(int) reactor.Publisher[int] { return used }, cleanups(&log, nothing)))
		used.last().OnNext(1)
		return []func(){p.Cancel, func() { used.last().OnNext(2) }}, func() { assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded) }
	})
}
