package schedulers

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// stubbornDelayer delays tasks, and what takes them back does not return.
type stubbornDelayer struct {
	*testService
	fail func()
}

func (s *stubbornDelayer) ExecuteAfter(ctx context.Context, d time.Duration, task executors.Task) (func() bool, error) {
	_, err := s.testService.ExecuteAfter(ctx, d, task)
	return func() bool { s.fail(); return true }, err
}

// What an executor does when a task is taken back keeps nothing in the books, and none of the worker's tasks alive.
func TestA9_6_WithdrawalThatDoesNotReturn(t *testing.T) {
	for name, fail := range map[string]func(){"panics": func() { panic("withdraw") }, "ends": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				catchErrors(t)
				svc := &stubbornDelayer{newTestService(), fail}
				x := FromExecutorService(svc, "stubborn")
				defer x.Dispose()
				w := x.NewWorker()
				var handles []Disposable
				for range 3 {
					handles = append(handles, accept(t)(w.ScheduleAfter(func(context.Context) { t.Error("its worker was disposed") }, time.Hour)))
				}
				racetest.Aside(w.Dispose)
				for _, d := range handles {
					assert.True(t, d.IsDisposed())
				}
				assert.EqualValues(t, 3, x.Stats().Dropped)
				pass(2 * time.Hour)
				synctest.Wait()
			})
		})
	}
}
