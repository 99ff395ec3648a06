package measured

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
)

type meter struct {
	add     func(int64)
	record  func(time.Duration)
	removed func(string)
}

func (m meter) Counter(string, ...string) func(int64)       { return m.add }
func (m meter) Gauge(string, ...string) func(int64)         { return m.add }
func (m meter) Timer(string, ...string) func(time.Duration) { return m.record }
func (m meter) Remove(name string)                          { m.removed(name) }

// dropped calls fn and returns the errors that were reported as dropped meanwhile.
func dropped(t *testing.T, fn func()) (errs []error) {
	t.Helper()
	defer reactor.SetHooks("measured", reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { errs = append(errs, err) }})()
	fn()
	return errs
}

func TestGuardedPassesOn(t *testing.T) {
	var added []int64
	var recorded []time.Duration
	var removed []string
	m := Guarded(meter{
		add:     func(n int64) { added = append(added, n) },
		record:  func(d time.Duration) { recorded = append(recorded, d) },
		removed: func(name string) { removed = append(removed, name) },
	})
	assert.Empty(t, dropped(t, func() {
		m.Counter("c")(1)
		m.Gauge("g")(-2)
		m.Timer("t")(3)
		m.Remove("c")
	}))
	assert.Equal(t, []int64{1, -2}, added)
	assert.Equal(t, []time.Duration{3}, recorded)
	assert.Equal(t, []string{"c"}, removed)
}

func TestGuardedReports(t *testing.T) {
	m := Guarded(meter{
		add:     func(int64) { panic("add") },
		record:  func(time.Duration) { panic("record") },
		removed: func(string) { panic("remove") },
	})
	for want, fn := range map[string]func(){
		"add":    func() { m.Counter("c")(1) },
		"record": func() { m.Timer("t")(1) },
		"remove": func() { m.Remove("c") },
	} {
		errs := dropped(t, fn)
		require.Len(t, errs, 1)
		var p *reactor.PanicError
		require.ErrorAs(t, errs[0], &p)
		assert.Equal(t, want, p.Value)
		assert.Equal(t, "meter", p.Op)
	}
}

func TestGuardedNeedsFunctions(t *testing.T) {
	assert.PanicsWithValue(t, `reactor: the meter measured.meter returned no function for the gauge "g"`,
		func() { Guarded(meter{}).Gauge("g") })
}
