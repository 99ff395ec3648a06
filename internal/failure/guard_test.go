package failure

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
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
	racetest.Aside(func() { double(func(int) int { runtime.Goexit(); return 0 }) })
	assert.Len(t, failed, 2)
	assert.ErrorIs(t, failed[0], assert.AnError)
	assert.ErrorIs(t, failed[1], reactor.ErrGoexit)
}
