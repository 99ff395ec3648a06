package schedulers

import (
	"context"
	"fmt"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
)

// Workers, tasks and their contexts can be printed while they are at work: with the race detector this fails if one
// prints its fields.
func TestWhatWorksCanBePrinted(t *testing.T) {
	number := regexp.MustCompile(`p-\d+`) // of a worker: they are counted through the whole process
	printed := func(v any) string { return number.ReplaceAllString(fmt.Sprint(v), "p-1") }
	parallel, err := NewParallel("p", 1)
	require.NoError(t, err)
	pool, err := executors.NewScheduledPool(1)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		s            Scheduler
		worker, task string
	}{
		"parallel": {parallel, `worker "p-1"`, `task of worker "p-1"`},
		"timed":    {Timed(NewSingle("s"), newTestMeter(), "x"), `worker of timed(single("s"))`, ""},
		"pool":     {FromScheduledPool(pool, Named("on")), `worker of fromScheduledPool("on")`, `task of fromScheduledPool("on")`},
	} {
		w := c.s.NewWorker()
		var runs atomic.Int64
		var seen atomic.Value
		d, err := w.SchedulePeriodically(func(ctx context.Context) { seen.Store(printed(ctx)); runs.Add(1) }, 0, time.Microsecond)
		require.NoError(t, err)
		for runs.Load() < 100 {
			_ = w.Execute(func(context.Context) {})
			assert.Equal(t, c.worker, printed(w), name)
			if task := printed(d); c.task != "" {
				assert.Equal(t, c.task, task, name)
			}
		}
		if name == "parallel" {
			assert.Equal(t, c.task, seen.Load())
		}
		w.Dispose()
		c.s.Dispose()
	}
	assert.Equal(t, "worker of immediate", fmt.Sprint(Immediate().NewWorker()))
	assert.Equal(t, "task", fmt.Sprint(new(Handle)))
}
