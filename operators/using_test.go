package operators

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/ledger"
	"github.com/goreactor/reactor/internal/racetest"
)

// resource counts what is done with it.
type resource struct {
	acquired, released int
	failAcquire        error
	failRelease        error
}

func (r *resource) acquire(context.Context) (*resource, error) {
	r.acquired++
	return r, r.failAcquire
}

func (r *resource) release(*resource) error { return r.Close() }

func (r *resource) Close() error { r.released++; return r.failRelease }

func (r *resource) using(src reactor.Publisher[int], opts ...UsingOption) reactor.Publisher[int] {
	return Using(r.acquire, func(*resource) reactor.Publisher[int] { return src }, r.release, opts...)
}

func (r *resource) mono(src reactor.Publisher[int], opts ...UsingOption) reactor.Publisher[int] {
	return MonoUsing(r.acquire, func(*resource) reactor.Publisher[int] { return src }, r.release, opts...)
}

func TestUsing(t *testing.T) {
	for name, c := range map[string]struct {
		src   reactor.Publisher[int]
		err   error
		items []int
	}{
		"elements": {FromSlice([]int{1, 2}), nil, []int{1, 2}},
		"empty":    {Empty[int](), nil, nil},
		"error":    {failing(1), errBoom, []int{1}},
	} {
		for _, late := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				r := &resource{}
				var opts []UsingOption
				if late {
					opts = append(opts, LateRelease())
				}
				var releasedBefore int
				p := run(DoOnTerminate(r.using(c.src, opts...), func() { releasedBefore = r.released }))
				if c.err != nil {
					p.assertFailed(t, c.err, c.items...)
				} else {
					p.assertCompleted(t, c.items...)
				}
				assert.Equal(t, resource{acquired: 1, released: 1}, *r)
				assert.Equal(t, late, releasedBefore == 0)
				p.cancel()
				assert.Equal(t, 1, r.released)
			})
		}
	}
}

func TestUsingAcquireFails(t *testing.T) {
	r := &resource{failAcquire: errBoom}
	run(r.using(Just(1))).assertFailed(t, errBoom)
	assert.Zero(t, r.released)
	run(Using(func(context.Context) (int, error) { panic(errBoom) },
		func(int) reactor.Publisher[int] { return Just(1) }, func(int) error { return nil })).assertFailed(t, errBoom)
}

func TestUsingUseFails(t *testing.T) {
	for _, use := range []func(*resource) reactor.Publisher[int]{
		func(*resource) reactor.Publisher[int] { panic(errBoom) },
		func(*resource) reactor.Publisher[int] { return nil },
	} {
		r := &resource{}
		p := run(Using(r.acquire, use, r.release))
		assert.Error(t, p.failure())
		assert.Equal(t, 1, r.released)
		r = &resource{failRelease: errOther}
		p = run(Using(r.acquire, use, r.release))
		assert.ErrorIs(t, p.failure(), errOther)
	}
}

func TestUsingReleaseFails(t *testing.T) {
	r := &resource{failRelease: errOther}
	run(r.using(JustAll(1, 2))).assertFailed(t, errOther, 1, 2)
	p := run(r.using(failing(1)))
	p.assertFailed(t, errOther, 1)
	p.assertFailed(t, errBoom, 1)

	ctx, hooks := recordHooks()
	runWith(ctx, r.using(JustAll(1, 2), LateRelease())).assertCompleted(t, 1, 2)
	runWith(ctx, r.using(failing(1), LateRelease())).assertFailed(t, errBoom, 1)
	p = probeOf[int](1)
	r.using(JustAll(1, 2)).Subscribe(ctx, p)
	p.cancel()
	p.assertOpen(t, 1)
	assert.Equal(t, []any{errOther, errOther, errOther}, hooks.droppedErrors)

	run(Using(r.acquire, func(*resource) reactor.Publisher[int] { return Just(1) },
		func(*resource) error { panic(errBoom) })).assertFailed(t, errBoom, 1)
}

func TestUsingReleaseThatExitsItsGoroutine(t *testing.T) {
	p := probeOf[int](reactor.Unbounded)
	done := make(chan struct{})
	go func() {
		defer close(done)
		Using(func(context.Context) (int, error) { return 1, nil }, func(int) reactor.Publisher[int] { return Just(1) },
			func(int) error { runtime.Goexit(); return nil }).Subscribe(context.Background(), p)
	}()
	<-done
	p.assertFailed(t, reactor.ErrGoexit, 1)
}

func TestUsingFailureBelowReleases(t *testing.T) {
	for _, late := range []LateReleaseOption{false, true} {
		r := &resource{failRelease: errOther}
		ctx, hooks := recordHooks()
		fail := func(int) int { panic(errBoom) }
		runWith(ctx, Map(r.using(FromSlice([]int{1, 2}), late), fail)).assertFailed(t, errBoom)
		assert.Equal(t, 1, r.released)
		assert.Equal(t, []any{errOther}, hooks.droppedErrors)
	}
}

func TestMonoUsing(t *testing.T) {
	for name, c := range map[string]struct {
		src   reactor.Publisher[int]
		err   error
		items []int
	}{
		"element": {Just(1), nil, []int{1}},
		"empty":   {Empty[int](), nil, nil},
		"error":   {Error[int](errBoom), errBoom, nil},
	} {
		for _, late := range []LateReleaseOption{false, true} {
			t.Run(name, func(t *testing.T) {
				r := &resource{}
				var releasedBefore int
				note := func() { releasedBefore = r.released }
				p := run(MonoDoOnTerminate(r.mono(c.src, late), note))
				if c.err != nil {
					p.assertFailed(t, c.err, c.items...)
				} else {
					p.assertCompleted(t, c.items...)
				}
				assert.Equal(t, 1, r.released)
				assert.Equal(t, bool(late), releasedBefore == 0)
			})
		}
	}
	ctx, hooks := recordHooks()
	r := &resource{failRelease: errOther}
	runWith(ctx, r.mono(Just(4))).assertFailed(t, errOther)
	assert.Equal(t, []any{4}, hooks.discarded)
	runWith(ctx, Map(r.mono(Just(4), LateRelease()), func(int) int { panic(errBoom) })).assertFailed(t, errBoom)
	assert.Equal(t, []any{errOther}, hooks.droppedErrors)
	assert.Equal(t, 2, r.released)
	// A source that should be a Mono and is not.
	runWith(ctx, r.mono(Concat(Just(1), Just(2), Error[int](errBoom)), LateRelease())).assertCompleted(t, 1)
	assert.Equal(t, []any{2}, hooks.dropped)
}

func TestUsingCloser(t *testing.T) {
	r := &resource{}
	src := func(*resource) reactor.Publisher[int] { return Just(1) }
	run(UsingCloser(r.acquire, src)).assertCompleted(t, 1)
	run(MonoUsingCloser(r.acquire, src)).assertCompleted(t, 1)
	assert.Equal(t, resource{acquired: 2, released: 2}, *r)
	assert.Panics(t, func() { UsingCloser[int, *resource](nil, src) })
	assert.Panics(t, func() { Using[int](r.acquire, nil, r.release) })
	assert.Panics(t, func() { Using(r.acquire, src, nil) })
}

func TestUsingReleasesOnceInARace(t *testing.T) {
	for range racetest.Iterations(300) {
		r := make(chan struct{}, 3)
		src := &puppet[int]{}
		p := run(Using(func(context.Context) (int, error) { return 1, nil },
			func(int) reactor.Publisher[int] { return src }, func(int) error { r <- struct{}{}; return nil }))
		racetest.Race(func() { src.last().OnComplete() }, func() { p.cancel() }, func() { p.cancel() })
		assert.Len(t, r, 1)
	}
}

// cleanups returns a cleanup that logs, and whose publishers are made by src.
func cleanups(log *[]string, src func() reactor.Publisher[int]) AsyncCleanup[int, int] {
	note := func(s string) reactor.Publisher[int] { *log = append(*log, s); return src() }
	return AsyncCleanup[int, int]{
		Complete: func(int) reactor.Publisher[int] { return note("complete") },
		Error:    func(int, error) reactor.Publisher[int] { return note("error") },
		Cancel:   func(int) reactor.Publisher[int] { return note("cancel") },
	}
}

func nothing() reactor.Publisher[int] { return JustAll(7, 8) }

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
			run(UsingWhen(resource, use(JustAll(1, 2)), cleanups(&log, nothing))).assertCompleted(t, 11, 12)
			run(UsingWhen(resource, use(failing(1)), cleanups(&log, nothing))).assertFailed(t, errBoom, 11)
			p := probeOf[int](1)
			UsingWhen(resource, use(JustAll(1, 2)), cleanups(&log, nothing)).Subscribe(context.Background(), p)
			p.cancel()
			p.cancel()
			p.assertOpen(t, 11)
			assert.Equal(t, []string{"complete", "error", "cancel"}, log)

			log = nil
			run(MonoUsingWhen(resource, use(Just(1)), cleanups(&log, nothing))).assertCompleted(t, 11)
			run(MonoUsingWhen(resource, use(Empty[int]()), cleanups(&log, nothing))).assertCompleted(t)
			run(MonoUsingWhen(resource, use(Error[int](errBoom)), cleanups(&log, nothing))).assertFailed(t, errBoom)
			assert.Equal(t, []string{"complete", "complete", "error"}, log)
		})
	}
}

func TestUsingWhenOneCleanupForAll(t *testing.T) {
	n := 0
	one := AsyncCleanup[int, int]{Complete: func(int) reactor.Publisher[int] { n++; return nothing() }}
	run(UsingWhen(Just(1), func(int) reactor.Publisher[int] { return Just(1) }, one)).assertCompleted(t, 1)
	run(UsingWhen(Just(1), func(int) reactor.Publisher[int] { return failing(1) }, one)).assertFailed(t, errBoom, 1)
	p := run(UsingWhen(Just(1), func(int) reactor.Publisher[int] { return Never[int]() }, one))
	p.cancel()
	assert.Equal(t, 3, n)
	assert.Panics(t, func() { UsingWhen[int](Just(1), nil, one) })
	assert.Panics(t, func() { UsingWhen(Just(1), func(int) reactor.Publisher[int] { return nil }, AsyncCleanup[int, int]{}) })
}

func TestUsingWhenWithoutAResource(t *testing.T) {
	var log []string
	use := func(int) reactor.Publisher[int] { t.Error("called"); return nil }
	for _, src := range []reactor.Publisher[int]{Empty[int](), Hide(Empty[int]())} {
		run(UsingWhen(src, use, cleanups(&log, nothing))).assertCompleted(t)
	}
	for _, src := range []reactor.Publisher[int]{
		Error[int](errBoom), Hide(Error[int](errBoom)), FromSupplier(func() int { panic(errBoom) }),
	} {
		run(UsingWhen(src, use, cleanups(&log, nothing))).assertFailed(t, errBoom)
	}
	never := &puppet[int]{}
	p := run(UsingWhen(never, use, cleanups(&log, nothing)))
	p.cancel()
	assert.EqualValues(t, 1, never.last().cancels.Load())
	assert.Empty(t, log)
}

func TestUsingWhenLateResourceIsReleased(t *testing.T) {
	var log []string
	src := &puppet[int]{}
	p := run(UsingWhen(src, func(int) reactor.Publisher[int] { t.Error("used"); return nil }, cleanups(&log, nothing)))
	p.cancel()
	src.last().OnNext(1)
	p.assertOpen(t)
	assert.Equal(t, []string{"cancel"}, log)
}

func TestUsingWhenFunctionsThatFail(t *testing.T) {
	var log []string
	boom := func() reactor.Publisher[int] { panic(errOther) }
	broken := func() reactor.Publisher[int] { return Error[int](errOther) }
	one := func(int) reactor.Publisher[int] { return Just(1) }
	bad := func(int) reactor.Publisher[int] { return failing(1) }

	run(UsingWhen(Just(1), func(int) reactor.Publisher[int] { panic(errBoom) }, cleanups(&log, nothing))).assertFailed(t, errBoom)
	assert.Equal(t, []string{"error"}, log, "the resource is released")

	run(UsingWhen(Just(1), one, cleanups(&log, boom))).assertFailed(t, errOther, 1)
	p := run(UsingWhen(Just(1), bad, cleanups(&log, boom)))
	p.assertFailed(t, errOther, 1)
	p.assertFailed(t, errBoom, 1)

	p = run(UsingWhen(Just(1), one, cleanups(&log, broken)))
	p.assertFailed(t, errOther, 1)
	p.assertFailed(t, reactor.ErrCleanup, 1)
	p = run(UsingWhen(Just(1), bad, cleanups(&log, broken)))
	p.assertFailed(t, errOther, 1)
	p.assertFailed(t, errBoom, 1)
	p.assertFailed(t, reactor.ErrCleanup, 1)

	for _, fail := range []func() reactor.Publisher[int]{boom, broken} {
		ctx, hooks := recordHooks()
		p = runWith(ctx, UsingWhen(Just(1), func(int) reactor.Publisher[int] { return Never[int]() }, cleanups(&log, fail)))
		p.cancel()
		p.assertOpen(t)
		if assert.Len(t, hooks.droppedErrors, 1) {
			assert.ErrorIs(t, hooks.droppedErrors[0].(error), reactor.ErrCleanup)
			assert.ErrorIs(t, hooks.droppedErrors[0].(error), errOther)
		}
		ctx, hooks = recordHooks()
		runWith(ctx, MonoUsingWhen(Just(1), one, cleanups(&log, fail))).assertFailed(t, errOther)
		assert.Equal(t, []any{1}, hooks.discarded, "the element that was held back")
	}
}

func TestUsingWhenFailureBelowIsACancellation(t *testing.T) {
	var log []string
	src := UsingWhen(Just(1), func(int) reactor.Publisher[int] { return FromSlice([]int{1, 2}) }, cleanups(&log, nothing))
	run(Map(src, func(int) int { panic(errBoom) })).assertFailed(t, errBoom)
	assert.Equal(t, []string{"cancel"}, log)

	log = nil
	ctx, hooks := recordHooks()
	src = MonoUsingWhen(Just(1), func(int) reactor.Publisher[int] { return Just(5) }, cleanups(&log, nothing))
	runWith(ctx, Map(src, func(int) int { panic(errBoom) })).assertFailed(t, errBoom)
	assert.Equal(t, []string{"complete"}, log)
	assert.Equal(t, []any{5}, hooks.discarded)
}

func TestUsingWhenCancelledDuringTheCleanup(t *testing.T) {
	for _, fails := range []bool{false, true} {
		var log []string
		ctx, hooks := recordHooks()
		cleaning := &puppet[int]{}
		src := MonoUsingWhen(Just(1), func(int) reactor.Publisher[int] { return Just(5) },
			cleanups(&log, func() reactor.Publisher[int] { return cleaning }))
		p := runWith(ctx, src)
		p.cancel()
		assert.Zero(t, cleaning.last().cancels.Load(), "goes on")
		if fails {
			cleaning.last().OnError(errOther)
			assert.Len(t, hooks.droppedErrors, 1)
		} else {
			cleaning.last().OnComplete()
		}
		p.assertOpen(t)
		assert.Equal(t, []string{"complete"}, log)
		assert.Equal(t, []any{5}, hooks.discarded)
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
	p.cancel()
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
		p.onNext = func(e *ledger.Element) { l.Delivered(e) }
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
		}, func() { p.cancel() })
		assert.Len(t, cleaned, 1)
		assert.Empty(t, p.faults)
		l.Check()
	}
}
