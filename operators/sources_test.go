package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestDoOnNextGoesOnUnderOnErrorContinue(t *testing.T) {
	boom := func(v int) error {
		if v == 2 {
			return errBoom
		}
		return nil
	}
	for name, src := range map[string]reactor.Publisher[int]{
		"doOnNext":    DoOnNext(FromSlice([]int{1, 2, 3}), func(v int) { mustNot(boom(v)) }),
		"tryDoOnNext": TryDoOnNext(FromSlice([]int{1, 2, 3}), boom),
	} {
		t.Run(name, func(t *testing.T) {
			var seen []any
			run(OnErrorContinue(src, func(err error, v any) {
				assert.ErrorIs(t, err, errBoom)
				seen = append(seen, v)
			})).Done(t, 1, 3)
			assert.Equal(t, []any{2}, seen)
		})
	}
}

func mustNot(err error) {
	if err != nil {
		panic(err)
	}
}

func TestTryDoOnNextAfterItsEnd(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, TryDoOnNext(src, func(int) error { return errBoom }))
	src.last().OnNext(1)
	src.last().OnNext(2)
	p.Failed(t, errBoom)
	assert.Equal(t, []any{2}, hooks.Dropped)
}

func TestDirectSources(t *testing.T) {
	for name, c := range map[string]struct {
		src reactor.Publisher[int]
		ok  bool
		err error
	}{
		"just":      {Just(1), true, nil},
		"empty":     {Empty[int](), false, nil},
		"error":     {Error[int](errBoom), false, errBoom},
		"errorFrom": {ErrorFrom[int](func() error { return errBoom }), false, errBoom},
		"callable":  {FromSupplier(func() int { return 1 }), true, nil},
		"runnable":  {FromRunnable[int](func() error { return errBoom }), false, errBoom},
	} {
		t.Run(name, func(t *testing.T) {
			_, ok, err := computed(context.Background(), c.src)
			assert.Equal(t, c.ok, ok)
			assert.Equal(t, c.err, err)
		})
	}
	for _, src := range []reactor.Publisher[int]{Hide(Just(1)), Map(FromSlice([]int{1, 2}), func(v int) int { return v })} {
		assert.False(t, isComputable(src))
	}
}

func TestGenerateCancelledInTheCallThatEnds(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](5)
	p.Each = func(int) { p.Cancel() }
	GenerateStateless(func(s *SyncSink[int]) {
		assert.Equal(t, ctx, s.Context())
		s.Next(1)
		s.Error(errBoom)
	}).Subscribe(ctx, p)
	p.Open(t, 1)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

func TestFromSeq2FailsAfterCancellation(t *testing.T) {
	for _, demand := range []int64{3, reactor.Unbounded} {
		ctx, hooks := probe.Recorded()
		p := probeOf[int](0)
		FromSeq2(func(yield func(int, error) bool) {
			if yield(1, nil) {
				p.Cancel()
				yield(0, errBoom)
			}
		}).Subscribe(ctx, p)
		p.Request(demand)
		p.Open(t, 1)
		assert.Equal(t, []any{errBoom}, hooks.Errs)
	}
}
