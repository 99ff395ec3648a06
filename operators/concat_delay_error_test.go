package operators

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
)

// What must still happen after a function has ended its goroutine: the loop is
// not stuck.
func TestConcatDelayErrorGoesOnAfterGoexit(t *testing.T) {
	p := probeOf[int](reactor.Unbounded)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ConcatDelayError(
			Map(FromSlice([]int{1, 2}), func(v int) int {
				if v == 2 {
					runtime.Goexit()
				}
				return v
			}),
			FromSlice([]int{3, 4}),
			Just(5),
		).Subscribe(context.Background(), p)
	}()
	<-done
	p.assertFailed(t, reactor.ErrGoexit, 1, 3, 4, 5)
}

func TestConcatDelayError(t *testing.T) {
	run(ConcatDelayError[int]()).assertCompleted(t)
	run(ConcatDelayError(Just(1), Just(2))).assertCompleted(t, 1, 2)
	run(ConcatDelayError(failing(1), Just(2))).assertFailed(t, errBoom, 1, 2)
	run(ConcatDelayError(failing(1))).assertFailed(t, errBoom, 1)
	p := run(ConcatDelayError(failing(1), Just(2), Error[int](errOther)))
	p.assertFailed(t, errBoom, 1, 2)
	assert.Equal(t, errors.Join(errBoom, errOther), p.failure())
}

func TestConcatDelayErrorCancelledReportsWhatItHeldBack(t *testing.T) {
	ctx, hooks := recordHooks()
	p := probeOf[int](1)
	ConcatDelayError(failing(1), Never[int]()).Subscribe(ctx, p)
	p.assertOpen(t, 1)
	p.cancel()
	assert.Equal(t, []any{errBoom}, hooks.droppedErrors)
}
