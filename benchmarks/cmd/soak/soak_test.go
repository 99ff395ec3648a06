package main

import (
	"bytes"
	"flag"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBadArgumentsAreOneLine(t *testing.T) {
	for _, c := range []struct{ arg, value, want string }{
		{"-for", "2", `invalid value "2" for flag -for: parse error (-h lists the arguments)`},
		{"-for", "1s", "-for must be at least two periods of 500ms for each of 30 windows, not 1s"},
		{"-for", "29999ms", "-for must be at least two periods of 500ms for each of 30 windows, not 29.999s"},
		{"-windows", "9223372036854775807", "-for must be at least two periods of 500ms for each of 9223372036854775807 windows, not 30m0s"},
		{"-period", "2562047h", "-for must be at least two periods of 2562047h0m0s for each of 30 windows, not 30m0s"},
		{"-pipelines", "0", "-pipelines must be at least 1, not 0"},
		{"-windows", "9", "-windows must be at least 10, not 9"},
		{"-period", "0s", "-period must be positive, not 0s"},
		{"-for=1m", "2m", `unknown argument "2m"`},
	} {
		_, err := parse([]string{c.arg, c.value})
		assert.EqualError(t, err, c.want)
	}
	_, err := parse([]string{"-for", "30s"})
	assert.NoError(t, err)
	_, err = parse([]string{"-h"})
	assert.ErrorIs(t, err, flag.ErrHelp)
}

// In virtual time a hop takes none, and half an hour is over soon.
func TestPipelinesFailAndGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, err := parse([]string{"-pipelines", "32", "-for", "5m", "-windows", "10"})
		require.NoError(t, err)
		var out bytes.Buffer
		assert.NoError(t, run(o, &out), "%s", &out)
		assert.Regexp(t, `(?m)^ok +retries: [1-9]\d* after faults, [1-9]\d* after timeouts$`, out.String())
		assert.Regexp(t, `(?m)^ok +goroutines that are left at the end: 0$`, out.String())
		assert.NotContains(t, out.String(), "short")
	})
}

// flat are windows in which nothing grows.
func flat(change func(i int, w *window)) []window {
	all := make([]window, 30)
	for i := range all {
		all[i] = window{heap: 50e6, goroutines: 500, elements: 20, p99: time.Millisecond, faults: 1, silences: 1}
		if change != nil {
			change(i, &all[i])
		}
	}
	return all
}

func TestJudgeSeesWhatGrows(t *testing.T) {
	o := options{long: 30 * time.Second, windows: 30, pipelines: 10, period: 500 * time.Millisecond}
	for _, c := range []struct {
		change func(i int, w *window)
		left   int
		short  string
	}{
		{nil, 0, ""},
		{func(i int, w *window) { w.heap += uint64(i) * 1e6 }, 0, "heap after a collection: 59.5 MB, then 75.5 MB"},
		{func(i int, w *window) { w.goroutines += 5 * i }, 0, "goroutines: 548, then 628"},
		{func(i int, w *window) { w.p99 *= time.Duration(1 + i/20*4) }, 0, "99th percentile of a hop: 1ms, then 5ms"},
		{func(i int, w *window) {
			if i == 20 {
				w.elements = 11
			}
		}, 0, "elements: at least 55 % of those without faults in each window"},
		{func(_ int, w *window) { w.silences = 0 }, 0, "retries: 30 after faults, 0 after timeouts"},
		{func(_ int, w *window) { w.faults = 0 }, 0, "retries: 0 after faults, 30 after timeouts"},
		{nil, 1, "goroutines that are left at the end: 1"},
		{func(i int, w *window) {
			if i < 6 { // while it warms up
				w.heap, w.goroutines, w.p99, w.elements = 1, 1, 1, 0
			}
		}, 0, ""},
	} {
		short := ""
		for _, claim := range judge(flat(c.change), o, c.left) {
			if !claim.ok {
				short += claim.text
			}
		}
		assert.Equal(t, c.short, short)
	}
}

func TestHistogram(t *testing.T) {
	last := -1
	for _, d := range []time.Duration{-1, 0, 1, 7, 8, 9, 15, 16, 17, 18, 31, 32, 1000, time.Millisecond, time.Hour, 1<<63 - 1} {
		at := step(d)
		assert.GreaterOrEqual(t, at, last, "%v", d)
		assert.LessOrEqual(t, lowest(at), max(d, 0), "%v", d)
		assert.Less(t, float64(max(d, 0)), 1.125*float64(lowest(at))+1, "%v", d)
		last = at
	}
	var h histogram
	for i := range 100 {
		h.add(time.Duration(i) * time.Microsecond)
	}
	assert.InEpsilon(t, float64(98*time.Microsecond), float64(h.take(99)), 0.125)
	assert.Zero(t, h.take(99), "each is taken once")
}
