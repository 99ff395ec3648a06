package executors_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
)

type brokenMeter struct{}

func (brokenMeter) Counter(string, ...string) func(int64) { return func(int64) { panic("counter") } }
func (brokenMeter) Gauge(string, ...string) func(int64)   { return func(int64) { panic("gauge") } }
func (brokenMeter) Timer(string, ...string) func(time.Duration) {
	return func(time.Duration) { panic("timer") }
}
func (brokenMeter) Remove(string) { panic("remove") }

// A meter that fails loses no task and no worker: it is reported.
func TestAMeterThatFails(t *testing.T) {
	var dropped atomic.Int64
	defer reactor.SetHooks("meter", reactor.Hooks{ErrorDropped: func(context.Context, error) { dropped.Add(1) }})()
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded(), executors.WithMeter(brokenMeter{}, "app"))
		for i := range 3 {
			f := accept[*executors.Future[int]](t)(p.Submit(background, value(i)))
			v, err := f.Get(background)
			require.NoError(t, err)
			assert.Equal(t, i, v)
		}
		p.Shutdown()
		require.NoError(t, p.AwaitTermination(background))
	})
	assert.NotZero(t, dropped.Load())
}

// A meter that makes no instrument is told of at once.
func TestAMeterWithoutFunctions(t *testing.T) {
	assert.PanicsWithValue(t, `reactor: the meter executors_test.emptyMeter returned no function for the counter "app.executor.submitted"`,
		func() {
			_, _ = executors.NewThreadPool(1, 1, time.Minute, executors.Unbounded(), executors.WithMeter(emptyMeter{}, "app"))
		})
}

type emptyMeter struct{ brokenMeter }

func (emptyMeter) Counter(string, ...string) func(int64) { return nil }
