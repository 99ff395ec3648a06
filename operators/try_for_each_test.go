package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestTryForEach(t *testing.T) {
	var seen []int
	err := TryForEach(context.Background(), FromSlice([]int{1, 2, 3}), func(v int) error {
		seen = append(seen, v)
		if v == 2 {
			return errBoom
		}
		return nil
	})
	assert.Equal(t, errBoom, err)
	assert.Equal(t, []int{1, 2}, seen)
	assert.NoError(t, TryForEach(context.Background(), JustAll(1, 2), func(int) error { return nil }))
	assert.ErrorIs(t, TryForEach(context.Background(), Just(1), func(int) error { panic(errBoom) }), errBoom)
	assert.ErrorIs(t, TryForEach(context.Background(), failing(1), func(int) error { return nil }), errBoom)
	assert.Panics(t, func() { _ = TryForEach(context.Background(), Just(1), nil) })
	assert.Panics(t, func() { _ = ForEach(context.Background(), Just(1), nil) })
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{onSubscription: func(_ int, s *puppetSubscription[int]) {
		s.OnNext(1)
		s.OnNext(2)
		s.OnError(errOther)
	}}
	assert.Equal(t, errBoom, TryForEach(ctx, src, func(int) error { return errBoom }))
	assert.Equal(t, []any{2}, hooks.Discarded)
	assert.Equal(t, []any{errOther}, hooks.Errs)
}

func TestRun(t *testing.T) {
	came := 0
	assert.NoError(t, Run(t.Context(), DoOnNext(Range(1, 2), func(int) { came++ })))
	assert.Equal(t, 2, came)
	assert.Equal(t, errBoom, Run(t.Context(), Error[int](errBoom)))
	ended, end := context.WithCancelCause(t.Context())
	end(errBoom)
	assert.ErrorIs(t, Run(ended, Never[int]()), errBoom)
}
