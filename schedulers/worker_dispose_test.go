package schedulers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
)

// slowMeter takes its time to note that a task waits no more.
type slowMeter struct{}

func (slowMeter) Counter(string, ...string) func(int64) { return func(int64) {} }

func (slowMeter) Gauge(string, ...string) func(int64) {
	return func(n int64) {
		if n < 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

func (slowMeter) Timer(string, ...string) func(time.Duration) { return func(time.Duration) {} }
func (slowMeter) Remove(string)                               {}

// A worker that is disposed drops what waits before it ends the context of the task that runs: whose end would let the next one begin.
func TestWorkerOfAnExecutorDropsWhatWaitsFirst(t *testing.T) {
	meter := executors.WithMeter(slowMeter{}, "t")
	for name, open := range map[string]func() Scheduler{
		"service": func() Scheduler {
			p, err := executors.NewThreadPool(1, 1, time.Second, executors.Unbounded(), meter)
			require.NoError(t, err)
			return FromExecutorService(p, "t")
		},
		"pool": func() Scheduler {
			p, err := executors.NewScheduledPool(1, meter)
			require.NoError(t, err)
			return FromScheduledPool(p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := open()
				defer s.Dispose()
				for range 10 {
					w, runs := s.NewWorker(), 0
					require.NoError(t, w.Execute(func(ctx context.Context) { <-ctx.Done() }))
					synctest.Wait()
					for range 20 {
						require.NoError(t, w.Execute(func(context.Context) { runs++ }))
						if name == "pool" {
							accept(t)(w.ScheduleAfter(func(context.Context) { runs++ }, time.Millisecond))
							accept(t)(w.ScheduleAfter(func(context.Context) { runs++ }, time.Minute))
						}
					}
					pass(time.Second)
					w.Dispose()
					pass(2 * time.Minute)
					assert.Zero(t, runs)
				}
			})
		})
	}
}

// So does a graceful disposal with the series of a pool.
func TestGracefulDisposalEndsTheSeriesThatWaitFirst(t *testing.T) {
	for range 10 {
		bubble(t, func(t *testing.T) {
			p, err := executors.NewScheduledPool(1, executors.WithMeter(slowMeter{}, "t"))
			require.NoError(t, err)
			s, runs := FromScheduledPool(p), 0
			accept(t)(s.SchedulePeriodically(func(ctx context.Context) { <-ctx.Done() }, 0, time.Minute))
			pass(time.Second)
			for range 20 {
				accept(t)(s.SchedulePeriodically(func(context.Context) { runs++ }, 0, time.Minute))
			}
			require.NoError(t, s.DisposeGracefully(t.Context()))
			assert.Zero(t, runs)
		})
	}
}
