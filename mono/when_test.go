package mono_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
)

// When of publishers of several types, and of a slice, ends when and as When does.
func TestWhenOfSeveralTypes(t *testing.T) {
	boom, bang := errors.New("boom"), errors.New("bang")
	after := func(n int, err error) mono.Mono[int64] {
		return mono.Delay(time.Duration(n) * time.Second).TryMap(func(v int64) (int64, error) { return v, err })
	}
	type when func(a, b mono.Mono[int64], opts ...mono.WhenOption) mono.Mono[struct{}]
	text := func(m mono.Mono[int64]) mono.Mono[string] {
		return m.Map(func(v int64) string { return fmt.Sprint(v) })
	}
	calls := map[string]when{
		"When2": func(a, b mono.Mono[int64], opts ...mono.WhenOption) mono.Mono[struct{}] {
			return mono.When2(a, text(b), opts...)
		},
		"When3 in front": func(a, b mono.Mono[int64], opts ...mono.WhenOption) mono.Mono[struct{}] {
			return mono.When3(a, text(b), mono.Just(true), opts...)
		},
		"When3 at the end": func(a, b mono.Mono[int64], opts ...mono.WhenOption) mono.Mono[struct{}] {
			return mono.When3(mono.Empty[bool](), a, text(b), opts...)
		},
		"When4 in front": func(a, b mono.Mono[int64], opts ...mono.WhenOption) mono.Mono[struct{}] {
			return mono.When4(a, text(b), mono.Just(true), mono.Just('x'), opts...)
		},
		"When4 at the end": func(a, b mono.Mono[int64], opts ...mono.WhenOption) mono.Mono[struct{}] {
			return mono.When4(mono.Just(true), mono.Empty[rune](), a, text(b), opts...)
		},
		"WhenSlice": func(a, b mono.Mono[int64], opts ...mono.WhenOption) mono.Mono[struct{}] {
			return mono.WhenSlice([]mono.Mono[int64]{a, b}, opts...)
		},
	}
	for name, call := range calls {
		for _, c := range []struct {
			name    string
			a, b    error
			delayed bool
			after   time.Duration
			want    []error
		}{
			{"both complete", nil, nil, false, 2 * time.Second, nil},
			{"the first fails", boom, nil, false, time.Second, []error{boom}},
			{"the second fails", nil, bang, false, 2 * time.Second, []error{bang}},
			{"the first fails, the others go on", boom, nil, true, 2 * time.Second, []error{boom}},
			{"both fail", boom, bang, true, 2 * time.Second, []error{boom, bang}},
		} {
			t.Run(name+": "+c.name, func(t *testing.T) {
				reactortest.Bubble(t, func(t *testing.T) {
					var opts []mono.WhenOption
					if c.delayed {
						opts = append(opts, mono.DelayErrors())
					}
					start := time.Now()
					_, ok, err := call(after(1, c.a), after(2, c.b), opts...).BlockOptional(t.Context())
					assert.False(t, ok)
					assert.Equal(t, c.after, time.Since(start))
					for _, want := range c.want {
						assert.ErrorIs(t, err, want)
					}
					assert.Equal(t, c.want == nil, err == nil)
				})
			})
		}
	}
}

func TestWhenSliceOfNone(t *testing.T) {
	_, ok, err := mono.WhenSlice([]mono.Mono[int]{}).BlockOptional(t.Context())
	assert.False(t, ok)
	assert.NoError(t, err)
}
