package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestDoAfterTerminate(t *testing.T) {
	for name, end := range map[string]func(s *stepwise[int]){
		"completion": func(s *stepwise[int]) { s.up.OnComplete() },
		"error":      func(s *stepwise[int]) { s.up.OnError(errFailed) },
	} {
		t.Run(name, func(t *testing.T) {
			calls, before := 0, false
			var s *stepwise[int]
			s = between(func(src ints) ints {
				return operators.DoAfterTerminate(src, func() { calls++; before = !s.completed && s.err == nil })
			})
			s.down.Request(1)
			s.up.OnNext(1)
			assert.Zero(t, calls)
			end(s)
			assert.Equal(t, 1, calls)
			assert.False(t, before, "called when downstream has the end")
		})
	}
	s := between(func(src ints) ints { return operators.DoAfterTerminate(src, func() { t.Error("called") }) })
	s.down.Cancel()
	assert.Equal(t, 1, s.cancelled)
}

// The end was delivered: what the function does then is reported.
func TestDoAfterTerminateFunctionPanics(t *testing.T) {
	s := between(func(src ints) ints { return operators.DoAfterTerminate(src, func() { panic("late") }) })
	s.up.OnComplete()
	assert.True(t, s.completed)
	assert.Len(t, s.droppedErrs, 1)
}
