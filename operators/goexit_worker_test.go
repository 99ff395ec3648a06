package operators

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

// lanes counts the workers that were not disposed of.
type lanes struct {
	schedulers.Scheduler
	open atomic.Int64
}

type lane struct {
	schedulers.Worker
	of *lanes
}

func (l *lanes) NewWorker() schedulers.Worker {
	l.open.Add(1)
	return lane{l.Scheduler.NewWorker(), l}
}

func (l lane) Dispose() {
	if !l.IsDisposed() {
		l.of.open.Add(-1)
	}
	l.Worker.Dispose()
}

// What hears of the end ends the goroutine: the worker is given back all the same.
func TestGoexitAtTheEndLeavesNoWorker(t *testing.T) {
	for name, through := range map[string]func(src stream) stream{
		"completion": func(src stream) stream { return DoOnComplete(src, runtime.Goexit) },
		"error":      func(src stream) stream { return DoOnError(src, func(error) { runtime.Goexit() }) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := schedulers.NewParallel("goexit", 1)
				require.NoError(t, err)
				defer s.Dispose()
				l := &lanes{Scheduler: s}
				src := Hide(Range(0, 2))
				if name == "error" {
					src = Hide(Error[int](errBoom))
				}
				ctx, _ := probe.Recorded()
				through(SubscribeOn(src, l)).Subscribe(ctx, probeOf[int](9))
				synctest.Wait()
				assert.Zero(t, l.open.Load())
			})
		})
	}
}
