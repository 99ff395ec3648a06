package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
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
					p.Failed(t, c.err, c.items...)
				} else {
					p.Done(t, c.items...)
				}
				assert.Equal(t, resource{acquired: 1, released: 1}, *r)
				assert.Equal(t, late, releasedBefore == 0)
				p.Cancel()
				assert.Equal(t, 1, r.released)
			})
		}
	}
}

func TestUsingAcquireFails(t *testing.T) {
	r := &resource{failAcquire: errBoom}
	run(r.using(Just(1))).Failed(t, errBoom)
	assert.Zero(t, r.released)
	run(Using(func(context.Context) (int, error) { panic(errBoom) },
		func(int) reactor.Publisher[int] { return Just(1) }, func(int) error { return nil })).Failed(t, errBoom)
}

func TestUsingUseFails(t *testing.T) {
	for _, use := range []func(*resource) reactor.Publisher[int]{
		func(*resource) reactor.Publisher[int] { panic(errBoom) },
		func(*resource) reactor.Publisher[int] { return nil },
	} {
		r := &resource{}
		p := run(Using(r.acquire, use, r.release))
		assert.Error(t, p.Failure())
		assert.Equal(t, 1, r.released)
		r = &resource{failRelease: errOther}
		p = run(Using(r.acquire, use, r.release))
		assert.ErrorIs(t, p.Failure(), errOther)
	}
}

func TestUsingReleaseFails(t *testing.T) {
	r := &resource{failRelease: errOther}
	run(r.using(JustAll(1, 2))).Failed(t, errOther, 1, 2)
	p := run(r.using(failing(1)))
	p.Failed(t, errOther, 1)
	p.Failed(t, errBoom, 1)

	ctx, hooks := probe.Recorded()
	runWith(ctx, r.using(JustAll(1, 2), LateRelease())).Done(t, 1, 2)
	runWith(ctx, r.using(failing(1), LateRelease())).Failed(t, errBoom, 1)
	p = probeOf[int](1)
	r.using(JustAll(1, 2)).Subscribe(ctx, p)
	p.Cancel()
	p.Open(t, 1)
	assert.Equal(t, []any{errOther, errOther, errOther}, hooks.Errs)

	run(Using(r.acquire, func(*resource) reactor.Publisher[int] { return Just(1) },
		func(*resource) error { panic(errBoom) })).Failed(t, errBoom, 1)
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
	p.Failed(t, reactor.ErrGoexit, 1)
}

func TestUsingFailureBelowReleases(t *testing.T) {
	for _, late := range []LateReleaseOption{false, true} {
		r := &resource{failRelease: errOther}
		ctx, hooks := probe.Recorded()
		fail := func(int) int { panic(errBoom) }
		runWith(ctx, Map(r.using(FromSlice([]int{1, 2}), late), fail)).Failed(t, errBoom)
		assert.Equal(t, 1, r.released)
		assert.Equal(t, []any{errOther}, hooks.Errs)
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
					p.Failed(t, c.err, c.items...)
				} else {
					p.Done(t, c.items...)
				}
				assert.Equal(t, 1, r.released)
				assert.Equal(t, bool(late), releasedBefore == 0)
			})
		}
	}
	ctx, hooks := probe.Recorded()
	r := &resource{failRelease: errOther}
	runWith(ctx, r.mono(Just(4))).Failed(t, errOther)
	assert.Equal(t, []any{4}, hooks.Discarded)
	runWith(ctx, Map(r.mono(Just(4), LateRelease()), func(int) int { panic(errBoom) })).Failed(t, errBoom)
	assert.Equal(t, []any{errOther}, hooks.Errs)
	assert.Equal(t, 2, r.released)
	// A source that should be a Mono and is not.
	runWith(ctx, r.mono(Concat(Just(1), Just(2), Error[int](errBoom)), LateRelease())).Done(t, 1)
	assert.Equal(t, []any{2}, hooks.Dropped)
}

func TestUsingCloser(t *testing.T) {
	r := &resource{}
	src := func(*resource) reactor.Publisher[int] { return Just(1) }
	run(UsingCloser(r.acquire, src)).Done(t, 1)
	run(MonoUsingCloser(r.acquire, src)).Done(t, 1)
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
		racetest.Race(func() { src.last().OnComplete() }, func() { p.Cancel() }, func() { p.Cancel() })
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

func TestMonoUsingCloser(t *testing.T) {
	closed := &closing{}
	open := func(context.Context) (*closing, error) { return closed, nil }
	p := run(MonoUsingCloser(open, func(*closing) reactor.Publisher[int] { return Just(1) }))
	p.Done(t, 1)
	assert.Equal(t, 1, closed.times)
	run(MonoUsingCloser(open, func(*closing) reactor.Publisher[int] { return Error[int](errBoom) })).Failed(t, errBoom)
	assert.Equal(t, 2, closed.times)
	run(MonoUsingCloser(func(context.Context) (*closing, error) { return nil, errBoom }, func(*closing) reactor.Publisher[int] {
		t.Error("there is nothing to use")
		return nil
	})).Failed(t, errBoom)
}

type closing struct{ times int }

func (c *closing) Close() error { c.times++; return nil }

// The resource is given back before the element goes down, which ends the stream.
func TestMonoUsingReleasesFirst(t *testing.T) {
	var got []any
	note := func(what any) { got = append(got, what) }
	src := MonoUsing(func(context.Context) (string, error) { note("acquire"); return "r", nil },
		func(string) reactor.Publisher[int] { return Just(1) },
		func(r string) error { note("release " + r); return nil })
	DoOnNext(src, func(v int) { note(v) }).Subscribe(t.Context(), probeOf[int](1))
	assert.Equal(t, []any{"acquire", "release r", 1}, got)

	failing := MonoUsing(func(context.Context) (string, error) { return "r", nil },
		func(string) reactor.Publisher[int] { return Just(1) }, func(string) error { return errBoom })
	run(failing).Failed(t, errBoom)
}
