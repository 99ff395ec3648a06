package executors

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/internal/measured"
)

// instruments are what a pool reports to a meter; nil is no meter.
type instruments struct {
	meter           Meter
	prefix          string
	submitted, fail func(int64)
	queued, active  func(int64)
	lag, completed  func(time.Duration)
	others          *atomic.Int32 // how many other pools with the same instruments have not ended; nil for a pool that shares with none
}

func newInstruments(p *ThreadPool, set *settings) *instruments {
	if set.meter == nil {
		return nil
	}
	m := &instruments{
		meter: measured.Guarded(set.meter), prefix: strings.TrimSuffix(set.prefix, ".") + ".executor.", others: set.others,
	}
	tags := append([]string{"executor", p.name}, set.tags...)
	m.submitted = m.meter.Counter(m.prefix+"submitted", tags...)
	m.fail = m.meter.Counter(m.prefix+"rejected", tags...)
	m.queued = m.meter.Gauge(m.prefix+"queued", tags...)
	m.active = m.meter.Gauge(m.prefix+"active", tags...)
	m.lag = m.meter.Timer(m.prefix+"lag", tags...)
	m.completed = m.meter.Timer(m.prefix+"completed", tags...)
	return m
}

// offered counts a task as waiting before anybody can start it, and returns the
// time.
func (m *instruments) offered(p *ThreadPool) int64 {
	m.queued(1)
	return p.now()
}

// decided counts the task as submitted or, if it was not accepted, takes it off those that wait.
func (m *instruments) decided(v answer) {
	if v == accepted {
		m.submitted(1)
	} else {
		m.queued(-1)
	}
}

// discarded counts a task that a policy has dropped before it waited: it was accepted all the same.
func (m *instruments) discarded() {
	if m != nil {
		m.submitted(1)
	}
}

// refused counts a refusal.
func (m *instruments) refused() {
	if m != nil {
		m.fail(1)
	}
}

// withdrawn counts a task that waited and will not run.
func (m *instruments) withdrawn() {
	if m != nil {
		m.queued(-1)
	}
}

// begin counts a task that waited since at as running, and returns the time.
func (m *instruments) begin(p *ThreadPool, at int64) int64 {
	now := p.now()
	m.queued(-1)
	m.active(1)
	m.lag(time.Duration(max(0, now-at)))
	return now
}

// end counts a task that was running since start as completed.
func (m *instruments) end(p *ThreadPool, start int64) {
	m.active(-1)
	m.completed(time.Duration(p.now() - start))
}

// remove removes the instruments, unless another pool still reports to them: they are removed by their names.
func (m *instruments) remove() {
	if m == nil || m.others != nil && m.others.Add(-1) >= 0 {
		return
	}
	for _, name := range []string{"submitted", "rejected", "queued", "active", "lag", "completed"} {
		m.meter.Remove(m.prefix + name)
	}
}
