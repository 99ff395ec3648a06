package operators_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestTryDoOnNextContext(t *testing.T) {
	type key struct{}
	var seen []any
	s := between(func(src ints) ints {
		return operators.ContextWriteValue(operators.TryDoOnNextContext(src, func(ctx context.Context, v int) error {
			seen = append(seen, v, ctx.Value(key{}))
			return failAt13(v)
		}), key{}, "me")
	})
	s.down.Request(3)
	assert.EqualValues(t, 3, s.requested)
	s.up.OnNext(1)
	s.up.OnNext(13)
	assert.Equal(t, []any{1, "me", 13, "me"}, seen)
	assert.Equal(t, []any{1}, s.out)
	assert.Equal(t, errFailed, s.err)
	assert.Equal(t, 1, s.cancelled)
	assert.Equal(t, []any{13}, s.discarded)
}
