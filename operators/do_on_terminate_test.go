package operators_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
)

func TestDoOnTerminate(t *testing.T) {
	for name, end := range map[string]func(s *stepwise[int]){
		"completion": func(s *stepwise[int]) { s.up.OnComplete() },
		"error":      func(s *stepwise[int]) { s.up.OnError(errFailed) },
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			var s *stepwise[int]
			s = between(func(src ints) ints {
				return operators.DoOnTerminate(src, func() { calls++; assert.True(t, !s.completed && s.err == nil, "called before the end goes down") })
			})
			s.down.Request(1)
			s.up.OnNext(1)
			assert.Zero(t, calls)
			end(s)
			assert.Equal(t, 1, calls)
			assert.True(t, s.completed || s.err == errFailed)
		})
	}
	s := between(func(src ints) ints { return operators.DoOnTerminate(src, func() { t.Error("called") }) })
	s.down.Cancel()
	assert.Equal(t, 1, s.cancelled)
}
