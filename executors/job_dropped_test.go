package executors_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/executors"
)

// A run that a decorator or a hook has kept from its job is none under way: the job has ended, and its figures say so.
func TestRunThatIsDroppedIsNotUnderWay(t *testing.T) {
	ofRun := func(ctx context.Context) bool { return strings.Contains(executors.WorkerName(ctx), "-run-") }
	for name, opt := range map[string]executors.Option{
		"decorator": executors.WithDecorator(func(task executors.Task) executors.Task {
			return func(ctx context.Context) {
				if !ofRun(ctx) {
					task(ctx)
				}
			}
		}),
		"hook": executors.WithHooks(executors.Hooks{Before: func(ctx context.Context) context.Context {
			if ofRun(ctx) {
				goexit()
			}
			return ctx
		}}),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newTaskScheduler(t, quiet, executors.GoroutinePerRun(), executors.PoolOptions(opt))
				job := accept[*executors.Job](t)(s.AtFixedRate(time.Second, noError))
				pass(0)
				assert.True(t, isClosed(job.Done()))
				assert.Zero(t, job.Stats().Running, "%v", job.Stats())
			})
		})
	}
}
