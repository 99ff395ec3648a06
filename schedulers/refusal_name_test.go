package schedulers_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/schedulers"
)

func crawl(context.Context) {}

// The refusal of a pool names the task that was handed to the scheduler on top of it.
func TestRefusalsOfAPoolNameTheTask(t *testing.T) {
	pool, err := executors.NewThreadPool(1, 1, 0, executors.Bounded(1))
	require.NoError(t, err)
	s := schedulers.FromExecutorService(pool, "mine")
	defer s.Dispose()
	free := make(chan struct{})
	defer close(free)
	for range 2 { // one that runs, and one that waits
		_, err := s.Schedule(func(context.Context) { <-free })
		require.NoError(t, err)
	}
	refused := func(err error) string {
		t.Helper()
		r, ok := errors.AsType[*executors.RejectedError](err)
		require.True(t, ok, "%v", err)
		assert.ErrorIs(t, err, executors.ErrSaturated)
		return r.Task
	}
	const own = "github.com/goreactor/reactor/schedulers_test.crawl"
	assert.Equal(t, own, refused(s.Execute(crawl)))
	_, err = s.Schedule(crawl)
	assert.Equal(t, own, refused(err))
	_, err = s.NewWorker().Schedule(crawl)
	assert.Equal(t, own, refused(err))
	_, err = s.ScheduleAfter(crawl, 0)
	assert.Equal(t, own, refused(err))
	for name, p := range map[string]func() error{
		"publishOn": func() error {
			return operators.ForEach(t.Context(), operators.PublishOn(operators.Range(1, 3), s), func(int) {})
		},
		"subscribeOn": func() error {
			return operators.ForEach(t.Context(), operators.SubscribeOn(operators.Range(1, 3), s), func(int) {})
		},
	} {
		assert.Equal(t, `of fromExecutorService("mine")`, refused(p()), name)
	}
}
