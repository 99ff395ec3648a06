package pending

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// receiver writes down what it gets.
type receiver struct {
	onNext func(int)
	values []int
	errs   []error
}

func (r *receiver) OnSubscribe(reactor.Subscription) {}

func (r *receiver) OnNext(v int) {
	r.values = append(r.values, v)
	if r.onNext != nil {
		r.onNext(v)
	}
}

func (r *receiver) OnError(err error) { r.errs = append(r.errs, err) }
func (r *receiver) OnComplete()       {}

func TestEmitEach(t *testing.T) {
	ctx, hooks := probe.Recorded()
	r := &receiver{}
	var told []int64
	next := func(sent int64) (int, bool) {
		told = append(told, sent)
		return int(sent) + 1, sent < 3
	}
	sent, ok := emitEach(ctx, r, next)
	assert.True(t, ok)
	assert.Equal(t, int64(3), sent)
	assert.Equal(t, []int{1, 2, 3}, r.values)
	assert.Equal(t, []int64{0, 1, 2, 3}, told)
	assert.Empty(t, hooks.Discarded)

	for name, fail := range map[string]func(){"panic": func() { panic(assert.AnError) }, "Goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			r := &receiver{onNext: func(v int) {
				if v == 2 {
					fail()
				}
			}}
			racetest.Aside(func() { _, ok = emitEach(ctx, r, next) })
			assert.Len(t, r.values, 2)
			assert.Len(t, r.errs, 1)
			assert.Equal(t, []any{2}, hooks.Discarded)
			if name == "panic" {
				assert.False(t, ok)
			}
		})
	}
	ctx, hooks = probe.Recorded()
	r = &receiver{}
	_, ok = emitEach(ctx, r, func(sent int64) (int, bool) {
		if sent == 1 {
			panic(assert.AnError)
		}
		return 1, true
	})
	assert.False(t, ok)
	assert.Len(t, r.errs, 1)
	assert.Empty(t, hooks.Discarded, "the first one has arrived")
}
