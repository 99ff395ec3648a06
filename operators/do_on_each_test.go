package operators_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func TestDoOnEach(t *testing.T) {
	type key struct{}
	var got []string
	use := func(src ints) ints {
		return operators.ContextWriteValue(operators.DoOnEach(src, func(ctx context.Context, s reactor.Signal[int]) {
			got = append(got, fmt.Sprint(ctx.Value(key{}), " ", s))
		}), key{}, "me")
	}
	s := between(use)
	s.down.Request(1)
	s.up.OnNext(1)
	s.up.OnComplete()
	assert.Equal(t, []string{"me onNext(1)", "me onComplete()"}, got)
	assert.Equal(t, []any{1}, s.out)
	assert.True(t, s.completed)

	got = nil
	s = between(use)
	s.up.OnError(errFailed)
	assert.Equal(t, []string{"me onError(failed)"}, got)
	assert.Equal(t, errFailed, s.err)
}

func TestMonoDoOnEach(t *testing.T) {
	var got []string
	_, err := operators.Block(t.Context(), operators.MonoDoOnEach(operators.Just(1), func(_ context.Context, s reactor.Signal[int]) {
		got = append(got, s.String())
	}))
	assert.NoError(t, err)
	assert.Equal(t, []string{"onNext(1)", "onComplete()"}, got)
}
