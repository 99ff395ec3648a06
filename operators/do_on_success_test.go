package operators_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestDoOnSuccess(t *testing.T) {
	for name, c := range map[string]struct {
		src  ints
		want []any
	}{
		"an element": {operators.Just(1), []any{1, true}},
		"none":       {operators.Empty[int](), []any{0, false}},
		"an error":   {operators.Error[int](errFailed), nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []any
			_, _, err := operators.BlockOptional(t.Context(), operators.DoOnSuccess(c.src, func(v int, ok bool) { got = append(got, v, ok) }))
			assert.Equal(t, c.want, got)
			if c.want == nil {
				assert.Equal(t, errFailed, err)
			}
		})
	}
}

// The end of a Mono is known when its element comes.
func TestMonoDoOnTerminate(t *testing.T) {
	calls := 0
	s := between(func(src ints) ints { return operators.MonoDoOnTerminate(src, func() { calls++ }) })
	s.down.Request(1)
	s.up.OnNext(1)
	assert.Equal(t, 1, calls)
	s.up.OnComplete()
	assert.Equal(t, 1, calls)
	s = between(func(src ints) ints { return operators.MonoDoOnTerminate(src, func() { calls++ }) })
	s.up.OnError(errFailed)
	assert.Equal(t, 2, calls)
	assert.Equal(t, errFailed, s.err)
}

func TestMonoDoAfterTerminate(t *testing.T) {
	calls := 0
	s := between(func(src ints) ints { return operators.MonoDoAfterTerminate(src, func() { calls++ }) })
	s.down.Request(1)
	s.up.OnNext(1)
	s.up.OnComplete()
	assert.Equal(t, 1, calls)
	assert.Equal(t, []any{1}, s.out)
	assert.True(t, s.completed)
}

func TestMonoDoOnError(t *testing.T) {
	var got []error
	see := func(err error) { got = append(got, err) }
	src := operators.MonoDoOnError(operators.MonoDoOnError(operators.Error[int](errFailed), see), see, operators.WhenIs(errors.ErrUnsupported))
	_, err := operators.Block(t.Context(), src)
	assert.Equal(t, errFailed, err)
	assert.Equal(t, []error{errFailed}, got, "one of them looks for another error")
	_, err = operators.Block(t.Context(), operators.MonoDoOnError(operators.Just(1), see))
	assert.NoError(t, err)
	assert.Len(t, got, 1)
}
