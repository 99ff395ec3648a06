package operators_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
)

// figures is a meter that writes down what it is told, with the tags.
type figures struct{ lines []string }

func (f *figures) count(name string, tags []string) func(int64) {
	return func(n int64) {
		f.lines = append(f.lines, fmt.Sprintf("%s %+d", strings.Join(append([]string{name}, tags...), " "), n))
	}
}

func (f *figures) Counter(name string, tags ...string) func(int64) { return f.count(name, tags) }
func (f *figures) Gauge(name string, tags ...string) func(int64)   { return f.count(name, tags) }
func (f *figures) Timer(name string, tags ...string) func(time.Duration) {
	return func(d time.Duration) {
		f.lines = append(f.lines, fmt.Sprintf("%s %v", strings.Join(append([]string{name}, tags...), " "), d))
	}
}
func (f *figures) Remove(string) {}

// taken returns the lines since the last call, without what all have.
func (f *figures) taken() (lines []string) {
	for _, l := range f.lines {
		lines = append(lines, strings.NewReplacer("orders.", "", " type Flux region eu", "", " type Mono region eu", "").Replace(l))
	}
	f.lines = nil
	return lines
}

func TestMetrics(t *testing.T) {
	clock := reactortest.UseVirtualTime(t)
	meter := &figures{}
	listen := operators.Metrics[int64](meter, "orders.", "region", "eu")
	seconds := operators.Interval(time.Second)

	// Two elements and the end; what nobody asks for is not counted.
	reactortest.Subscribe(t, operators.Tap(operators.Take(seconds, 2), listen))
	clock.AdvanceBy(time.Minute)
	assert.Equal(t, []string{
		"subscribed +1", "active +1",
		"onNext.delay 1s", "onNext.delay 1s",
		"active -1", "flow.duration status completed 2s",
	}, meter.taken())

	// Demand in parts, and a cancellation between two elements.
	sub := reactortest.Subscribe(t, operators.Tap(seconds, listen), reactortest.InitialRequest(3))
	clock.AdvanceBy(time.Second)
	sub.Request(2)
	clock.AdvanceBy(500 * time.Millisecond)
	sub.Cancel()
	sub.Cancel()
	clock.AdvanceBy(time.Minute)
	assert.Equal(t, []string{
		"subscribed +1", "active +1", "requested +3", "onNext.delay 1s", "requested +2",
		"active -1", "flow.duration status cancelled 1.5s",
	}, meter.taken())

	reactortest.Subscribe(t, operators.Tap(operators.Empty[int64](), listen))
	assert.Equal(t, []string{"subscribed +1", "active +1", "active -1", "flow.duration status completedEmpty 0s"}, meter.taken())

	reactortest.Subscribe(t, operators.Tap(operators.Error[int64](errors.New("boom")), listen))
	assert.Equal(t, []string{"subscribed +1", "active +1", "active -1", "flow.duration status error 0s"}, meter.taken())
}

// Two subscriptions at a time have a clock each.
func TestMetricsOfSeveral(t *testing.T) {
	clock := reactortest.UseVirtualTime(t)
	meter := &figures{}
	src := operators.Tap(operators.Take(operators.Interval(time.Second), 2), operators.Metrics[int64](meter, "orders"))
	reactortest.Subscribe(t, src)
	clock.AdvanceBy(1500 * time.Millisecond)
	reactortest.Subscribe(t, src)
	clock.AdvanceBy(time.Minute)
	lines := meter.taken()
	assert.Len(t, slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return l != "onNext.delay type Flux 1s" }), 4)
	assert.Len(t, slices.DeleteFunc(lines, func(l string) bool { return l != "flow.duration status completed type Flux 2s" }), 2)
}

// A Mono ends with its element: who cancels then has not cancelled it.
func TestMonoMetrics(t *testing.T) {
	clock := reactortest.UseVirtualTime(t)
	meter := &figures{}
	listen := operators.MonoMetrics[int64](meter, "orders", "region", "eu")
	reactortest.Subscribe(t, operators.Take(operators.Tap(operators.Delay(time.Second), listen), 1))
	clock.AdvanceBy(time.Second)
	assert.Equal(t, []string{"subscribed +1", "active +1", "active -1", "flow.duration status completed 1s"}, meter.taken())

	reactortest.Subscribe(t, operators.Tap(operators.Empty[int64](), listen))
	assert.Equal(t, []string{"subscribed +1", "active +1", "active -1", "flow.duration status completedEmpty 0s"}, meter.taken())

	reactortest.Subscribe(t, operators.Tap(operators.Delay(time.Second), listen)).Cancel()
	assert.Equal(t, []string{"subscribed +1", "active +1", "active -1", "flow.duration status cancelled 0s"}, meter.taken())
}

func TestMetricsOfWrongArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: metrics: the meter is nil", func() { operators.Metrics[int](nil, "orders") })
	assert.PanicsWithValue(t, "reactor: metrics: the name is empty", func() { operators.Metrics[int](&figures{}, ".") })
	assert.PanicsWithValue(t, "reactor: metrics: tags are pairs of key and value, got 1 strings", func() { operators.MonoMetrics[int](&figures{}, "orders", strings.Fields("region")...) })
}
