package protocol

import (
	"runtime"
	"testing"

	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/stretchr/testify/assert"
)

func TestEmitEach(t *testing.T) {
	ctx, hooks := capture()
	r := &receiver{}
	var told []int64
	next := func(sent int64) (int, bool) {
		told = append(told, sent)
		return int(sent) + 1, sent < 3
	}
	sent, ok := EmitEach(ctx, r, next)
	assert.True(t, ok)
	assert.Equal(t, int64(3), sent)
	assert.Equal(t, []int{1, 2, 3}, r.values)
	assert.Equal(t, []int64{0, 1, 2, 3}, told)
	assert.Empty(t, hooks.discarded)

	for name, fail := range map[string]func(){"panic": func() { panic(assert.AnError) }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := capture()
			r := &receiver{onNext: func(v int) {
				if v == 2 {
					fail()
				}
			}}
			racetest.Aside(func() { _, ok = EmitEach(ctx, r, next) })
			assert.Len(t, r.values, 2)
			assert.Len(t, r.errs, 1)
			assert.Equal(t, []any{2}, hooks.discarded)
			if name == "panic" {
				assert.False(t, ok)
			}
		})
	}
	ctx, hooks = capture()
	r = &receiver{}
	_, ok = EmitEach(ctx, r, func(sent int64) (int, bool) {
		if sent == 1 {
			panic(assert.AnError)
		}
		return 1, true
	})
	assert.False(t, ok)
	assert.Len(t, r.errs, 1)
	assert.Empty(t, hooks.discarded, "the first one has arrived")
}
