package schedulers

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestA6_1_Messages(t *testing.T) {
	cause := errors.New("pool is full")
	for _, c := range []struct {
		err  *RejectedError
		text string
	}{
		{&RejectedError{Reason: Disposed}, "scheduler unavailable"},
		{&RejectedError{Reason: WorkerDisposed}, "scheduler unavailable"},
		{&RejectedError{Reason: NotTimeCapable}, "scheduler is not capable of time-based scheduling"},
		{&RejectedError{Reason: ExecutorFailed, Cause: cause}, "scheduler unavailable: pool is full"},
		{&RejectedError{Reason: Capacity, Pending: 3, Capacity: 2},
			"task capacity of bounded elastic scheduler reached while scheduling 1 tasks (3/2)"},
		{&RejectedError{Reason: Capacity, Pending: 3, Capacity: 2, perTask: true},
			"task capacity of bounded elastic scheduler reached while scheduling a new tasks (3/2)"},
	} {
		assert.Equal(t, c.text, c.err.Error())
	}
}

func TestA6_1_CapacityNamesTheFigures(t *testing.T) {
	for text, build := range map[string]func(int, int, string, ...Option) (Scheduler, error){
		"task capacity of bounded elastic scheduler reached while scheduling 1 tasks (3/2)":     NewBoundedElastic,
		"task capacity of bounded elastic scheduler reached while scheduling a new tasks (3/2)": NewPerTaskBoundedElastic,
	} {
		bubble(t, func(t *testing.T) {
			s := must(build(1, 2, "t"))
			defer s.Dispose()
			w := s.NewWorker()
			release := blocked(t, w)
			require.NoError(t, w.Execute(nothing))
			require.NoError(t, w.Execute(nothing))
			err := w.Execute(nothing)
			assert.EqualError(t, err, text)
			var r *RejectedError
			require.ErrorAs(t, err, &r)
			assert.Equal(t, [2]int{3, 2}, [2]int{r.Pending, r.Capacity})
			release()
			synctest.Wait()
			w.Dispose()
		})
	}
}

func TestA6_2_RefusalLeavesNoTrace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := must(NewBoundedElastic(1, 1, "t", WithTTL(time.Second)))
		defer s.Dispose()
		release := blocked(t, s)
		require.NoError(t, s.Execute(nothing))
		before := s.Stats()
		assertRefuses(t, s, Capacity, ErrCapacity)
		after := s.Stats()
		assert.EqualValues(t, 8, after.Rejected-before.Rejected)
		after.Rejected, after.Slots[0].Rejected = 0, 0
		assert.Equal(t, before, after)
		release()
		synctest.Wait()
		assert.Zero(t, s.Stats().Slots[0].Holders)
		assert.Equal(t, 1, s.Stats().Idle)
		pass(3 * time.Second)
		assert.Zero(t, s.Stats().Workers, "nothing holds the slot")
	})
}

func TestA6_3_ErrorsIs(t *testing.T) {
	cause := errors.New("cause")
	for reason, is := range map[Reason]error{
		Disposed:       ErrUnavailable,
		WorkerDisposed: ErrUnavailable,
		Capacity:       ErrCapacity,
		NotTimeCapable: ErrNotTimeCapable,
		ExecutorFailed: ErrUnavailable,
	} {
		err := error(&RejectedError{Reason: reason, Cause: cause})
		assert.ErrorIs(t, err, reactor.ErrRejected)
		assert.ErrorIs(t, err, cause)
		for _, other := range []error{ErrUnavailable, ErrCapacity, ErrNotTimeCapable} {
			assert.Equal(t, is == other, errors.Is(err, other), "%v %v", reason, other)
		}
	}
	assert.Equal(t, "scheduler unavailable: a failure was reported with a nil error",
		(&RejectedError{Reason: ExecutorFailed}).Error())
}

func TestA6_4_TransientRefusalIsNotRemembered(t *testing.T) {
	refuse := true
	e := executors.Func(func(ctx context.Context, task executors.Task) error {
		if refuse {
			return errors.New("not now")
		}
		task(ctx)
		return nil
	})
	for _, trampoline := range []bool{false, true} {
		opts := []ExecutorOption{Named("t")}
		if trampoline {
			opts = append(opts, Trampoline())
		}
		s := FromExecutor(e, opts...)
		w := s.NewWorker()
		for _, l := range []lane{s, w} {
			refuse = true
			err := l.Execute(nothing)
			assert.EqualError(t, err, "scheduler unavailable: not now")
			assert.ErrorIs(t, err, ErrUnavailable)
			assert.False(t, s.IsDisposed())
			refuse = false
			ran := false
			require.NoError(t, l.Execute(func(context.Context) { ran = true }))
			assert.True(t, ran)
		}
	}
}
