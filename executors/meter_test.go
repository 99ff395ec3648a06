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

// A key without a value is refused, and the slice stays the caller's.
func TestAMeterNeedsPairsOfTags(t *testing.T) {
	_, err := executors.NewThreadPool(1, 1, time.Minute, executors.Unbounded(), executors.WithMeter(tagMeter{}, "app", "zone"))
	assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	assert.EqualError(t, err, "executors: WithMeter: tags are pairs of key and value, got 1 strings: illegal argument")

	tags := []string{"zone", "eu"}
	option := executors.WithMeter(tagMeter{t: t}, "app", tags...)
	tags[1] = "us"
	p, err := executors.NewThreadPool(1, 1, time.Minute, executors.Unbounded(), executors.WithName("p"), option)
	require.NoError(t, err)
	p.Shutdown()
}

// tagMeter looks at the tags.
type tagMeter struct {
	brokenMeter
	t *testing.T
}

func (m tagMeter) Counter(_ string, tags ...string) func(int64) {
	assert.Equal(m.t, []string{"executor", "p", "zone", "eu"}, tags)
	return func(int64) {}
}
func (tagMeter) Remove(string) {}
