package executors_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/executors"
)

// Who gives up a number of functions cancels those that wait before the others: whose end would let them begin.
func TestInvokeCancelsWhatWaitsFirst(t *testing.T) {
	untilCancelled := func(ctx context.Context) (int, error) {
		<-ctx.Done()
		return 0, context.Cause(ctx)
	}
	soon := func(context.Context) (int, error) {
		time.Sleep(time.Minute)
		return 7, nil
	}
	bubble(t, func(t *testing.T) {
		meter := executors.WithMeter(&lazyMeter{sums{of: map[string]int64{}}}, "t")
		p := newPool(t, 2, 2, executors.Bounded(20), meter)
		runs := 0
		counts := func(context.Context) (int, error) { runs++; return 0, errors.New("it runs") }
		fns := []func(context.Context) (int, error){untilCancelled, soon, untilCancelled}
		for range 10 {
			fns = append(fns, counts)
		}
		n, err := p.InvokeAny(background, fns)
		assert.NoError(t, err)
		assert.Equal(t, 7, n)
		pass(time.Hour)
		assert.Zero(t, runs, "one has succeeded")

		fns[1] = untilCancelled
		for range 20 {
			fns = append(fns, counts)
		}
		_, err = p.InvokeAll(background, fns)
		assert.ErrorIs(t, err, executors.ErrSaturated)
		pass(time.Hour)
		assert.Zero(t, runs, "one was refused")
	})
}

// What runs when another function is refused learns why it is cancelled.
func TestInvokeAllSaysWhyItCancels(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Direct(), executors.WithPolicy(executors.PolicyFunc(func(r *executors.Rejection) error {
			pass(time.Second) // the first one runs
			return r.Err()
		})))
		var why error
		fn := func(ctx context.Context) (int, error) {
			<-ctx.Done()
			why = context.Cause(ctx)
			return 0, why
		}
		_, err := p.InvokeAll(background, []func(context.Context) (int, error){fn, fn})
		assert.ErrorIs(t, err, executors.ErrSaturated)
		pass(time.Second)
		assert.ErrorIs(t, why, executors.ErrSaturated)
	})
}
