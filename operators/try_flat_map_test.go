package operators_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

func TestTryFlatMap(t *testing.T) {
	twice := func(v string) (strs, error) {
		if v == "x" {
			return operators.Just("ignored"), reactortest.ErrMarble
		}
		return operators.FromSlice([]string{v, v}), nil
	}
	stage := func(opts ...operators.FlatMapOption) func(strs) strs {
		return func(src strs) strs { return operators.TryFlatMap(src, twice, opts...) }
	}
	play(t, diagram{"what the publishers send", "-a---b---|", "-(aa)(bb)|", stage()})
	play(t, diagram{"the first error ends it", "-a---x-c-|", "-(aa)#", stage()})
	play(t, diagram{"at the end if errors are delayed", "-a---x---c---|", "-(aa)----(cc)#", stage(operators.DelayErrors())})
	play(t, diagram{"the error of the source passes", "-a---#", "-(aa)#", stage()})

	failing := func(v int) (ints, error) { return operators.Just(v), failAt13(v) }
	t.Run("the element is discarded", func(t *testing.T) {
		s := between(func(src ints) ints { return operators.TryFlatMap(src, failing) })
		s.down.Request(9)
		for _, v := range []int{1, 13, 4} {
			s.up.OnNext(v)
		}
		assert.Equal(t, []any{1}, s.out)
		assert.Equal(t, errFailed, s.err)
		assert.Contains(t, s.discarded, 13)
		assert.Equal(t, 1, s.cancelled)
	})
	// Where the source is known, too, nothing is short-cut past the hooks.
	for name, src := range map[string]ints{"a known element": operators.Just(13), "an element that comes": operators.Hide(operators.Just(13))} {
		t.Run("onErrorContinue leaves out "+name, func(t *testing.T) {
			var told []any
			var failure error
			ended := false
			p := operators.OnErrorContinue(operators.TryFlatMap(src, failing), func(err error, v any) { failure, told = err, append(told, v) })
			operators.SubscribeFunc(context.Background(), p, func(int) { t.Error("an element") }, operators.OnComplete(func() { ended = true }))
			assert.Equal(t, errFailed, failure)
			assert.Equal(t, []any{13}, told)
			assert.True(t, ended)
		})
		t.Run("the hook for errors gets "+name, func(t *testing.T) {
			var told any
			ctx := reactor.WithHooks(context.Background(), reactor.Hooks{OperatorError: func(_ context.Context, err error, v any) error { told = v; return err }})
			operators.SubscribeFunc(ctx, operators.TryFlatMap(src, failing), nil, operators.OnError(func(error) {}))
			assert.Equal(t, 13, told)
		})
	}
}
