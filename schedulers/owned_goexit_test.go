package schedulers

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// exitingDecorator ends the goroutine when it wraps a slot, or when it is given a task.
type exitingDecorator struct{ makes, takes bool }

func (d *exitingDecorator) Decorate(_, _ string, e executors.Executor) executors.Executor {
	if d.makes {
		runtime.Goexit()
	}
	return executors.Func(func(ctx context.Context, task executors.Task) error {
		if d.takes {
			runtime.Goexit()
		}
		return e.Execute(ctx, task)
	})
}

// A Handle whose task did not get into the scheduler, because what is called on the way has ended the goroutine, has no task:
// who disposes it, as clean-up does, takes nothing out.
func TestHandleWhoseSubmissionDoesNotReturn(t *testing.T) {
	for _, k := range kinds {
		for name, install := range map[string]func() (remove func()){
			"hook": func() func() {
				return OnScheduleHook("test", func(Task) Task { runtime.Goexit(); return nil })
			},
			"decorator": func() func() {
				d := &exitingDecorator{takes: true}
				SetExecutorDecorator("test", d)
				return func() { d.takes = false; RemoveExecutorDecorator("test") }
			},
			"decorator of a new slot": func() func() {
				d := &exitingDecorator{}
				SetExecutorDecorator("test", d)
				d.makes = k.name != "single" && k.name != "parallel" // those have their slots
				d.takes = !d.makes
				return func() { d.makes, d.takes = false, false; RemoveExecutorDecorator("test") }
			},
		} {
			t.Run(k.name+"/"+name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					catchErrors(t)
					remove := install()
					s := k.make()
					defer s.Dispose()
					h := new(Handle)
					racetest.Aside(func() {
						defer h.Dispose()
						_ = h.Schedule(s, runner(func(context.Context) { t.Error("nobody has taken it") }))
					})
					remove()
					assert.False(t, h.IsDisposed())
					for range 8 {
						require.NoError(t, s.Execute(nothing))
						synctest.Wait()
					}
					st := s.Stats()
					assert.Zero(t, st.Dropped, "%+v", st)
					assert.Zero(t, st.Busy, "%+v", st)
					for _, slot := range st.Slots {
						assert.Zero(t, slot.Holders, "%+v", slot)
					}
				})
			})
		}
	}
}
