package schedulers

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
)

// hastyService calls a function before the one who delays a task gets to know how to
// withdraw it.
type hastyService struct {
	*testService
	meanwhile func()
}

func (s *hastyService) ExecuteAfter(ctx context.Context, task executors.Task, d time.Duration) (func() bool, error) {
	withdraw, err := s.testService.ExecuteAfter(ctx, task, d)
	s.meanwhile()
	return withdraw, err
}

// A task that is disposed while the executor takes it does not stay there.
func TestA9_6_TaskDisposedWhileItIsHandedOver(t *testing.T) {
	svc := &hastyService{testService: newTestService()}
	x := FromExecutorService(svc, "hasty")
	defer x.Dispose()
	w := x.NewWorker()
	svc.meanwhile = w.Dispose
	d, err := w.ScheduleAfter(func(context.Context) { t.Error("disposed before it was due") }, time.Hour)
	require.NoError(t, err)
	assert.True(t, d.IsDisposed())
	svc.mu.Lock()
	defer svc.mu.Unlock()
	assert.Empty(t, svc.timers)
}
