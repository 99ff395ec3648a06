package operators

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
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
	p.Failed(t, reactor.ErrGoexit, 1, 3, 4, 5)
}

func TestConcatDelayError(t *testing.T) {
	run(ConcatDelayError[int]()).Done(t)
	run(ConcatDelayError(Just(1), Just(2))).Done(t, 1, 2)
	run(ConcatDelayError(failing(1), Just(2))).Failed(t, errBoom, 1, 2)
	run(ConcatDelayError(failing(1))).Failed(t, errBoom, 1)
	p := run(ConcatDelayError(failing(1), Just(2), Error[int](errOther)))
	p.Failed(t, errBoom, 1, 2)
	assert.Equal(t, errors.Join(errBoom, errOther), p.Failure())
}

func TestConcatDelayErrorCancelledReportsWhatItHeldBack(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](1)
	ConcatDelayError(failing(1), Never[int]()).Subscribe(ctx, p)
	p.Open(t, 1)
	p.Cancel()
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}
