package protocol

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// persisted runs steps on a goroutine of its own and returns which were made.
func persisted(n int, step func(i int) bool) (made []int) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		Persist(n, func(i int) bool { made = append(made, i); return step(i) })
	}()
	<-done
	return made
}

func TestPersist(t *testing.T) {
	assert.Equal(t, []int{0, 1, 2}, persisted(3, func(int) bool { return true }))
	assert.Equal(t, []int{0, 1}, persisted(3, func(i int) bool { return i == 0 }), "it ends where a step says so")
	assert.Empty(t, persisted(0, func(int) bool { return true }))
	assert.Equal(t, []int{0, 1, 2, 3}, persisted(4, func(i int) bool {
		if i%2 == 0 {
			runtime.Goexit()
		}
		return true
	}))
	assert.Equal(t, []int{0, 1}, persisted(4, func(i int) bool {
		if i == 0 {
			runtime.Goexit()
		}
		return false
	}), "also while the goroutine ends")
	assert.Equal(t, []int{0, 1}, persisted(2, func(int) bool { runtime.Goexit(); return true }))
}

func TestApply(t *testing.T) {
	var failed []error
	double := func(fn func(int) int) (r int, ok bool) {
		return Apply(fn, 2, func(v int, err error) {
			assert.Equal(t, 2, v)
			failed = append(failed, err)
		})
	}
	r, ok := double(func(v int) int { return 2 * v })
	assert.True(t, ok)
	assert.Equal(t, 4, r)
	assert.Empty(t, failed)
	_, ok = double(func(int) int { panic(assert.AnError) })
	assert.False(t, ok)
	goexiting(func() { double(func(int) int { runtime.Goexit(); return 0 }) })
	assert.Len(t, failed, 2)
	assert.ErrorIs(t, failed[0], assert.AnError)
	assert.ErrorIs(t, failed[1], reactor.ErrGoexit)
}

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
			goexiting(func() { _, ok = EmitEach(ctx, r, next) })
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
