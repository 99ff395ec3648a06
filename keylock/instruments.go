package keylock

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/measured"
)

// instruments are what a manager reports to a meter; nil is no meter.
type instruments struct {
	meter                            executors.Meter
	prefix                           string
	keyCount, holders, waiters, left func(int64)
	counts                           [counters]func(int64)
	overrun                          func(time.Duration)

	tags  []string
	grant grantInstruments
	tagOf func(key string) string // of [WithKeyTag], or nil: then grant is not used
	byTag sync.Map                // from its results to *grantInstruments

	removed atomic.Bool
}

// grantInstruments are those that [WithKeyTag] divides.
type grantInstruments struct {
	acquired   func(int64)
	wait, hold func(time.Duration)
}

// noGrant measures nothing.
var noGrant = grantInstruments{acquired: func(int64) {}, wait: func(time.Duration) {}, hold: func(time.Duration) {}}

func (i *instruments) newGrant(tags ...string) grantInstruments {
	tags = append(slices.Clip(i.tags), tags...)
	return grantInstruments{
		acquired: i.meter.Counter(i.prefix+"acquired", tags...),
		wait:     i.meter.Timer(i.prefix+"wait", tags...),
		hold:     i.meter.Timer(i.prefix+"hold", tags...),
	}
}

// of returns the instruments for the grants of a key.
func (i *instruments) of(key string) *grantInstruments {
	if i.tagOf == nil {
		return &i.grant
	}
	value := ""
	failure.Guard(func() { value = i.tagOf(key) }, func(error) { value = "unknown" })
	if g, ok := i.byTag.Load(value); ok {
		return g.(*grantInstruments)
	}
	made := noGrant // a meter may refuse the value
	failure.Guard(func() { made = i.newGrant("key", value) }, func(err error) { reactor.DropError(context.Background(), err) })
	g, _ := i.byTag.LoadOrStore(value, &made)
	return g.(*grantInstruments)
}

var counterNames = [counters]string{
	waitTimeoutCount:  "wait_timeout",
	leaseExpiredCount: "lease_expired",
	leaseLostCount:    "lease_lost",
	overrunCount:      "overrun",
	queueFullCount:    "queue_full",
	reentrantCount:    "reentrant",
	panicCount:        "panic",
	closedCount:       "closed",
	regressedCount:    "token_regressed",
	skippedCount:      "skipped",
}

func newInstruments(m *Manager, set *settings) *instruments {
	if set.meter == nil {
		return nil
	}
	i := &instruments{meter: measured.Guarded(set.meter), prefix: strings.TrimSuffix(set.prefix, ".") + ".keylock."}
	tags := append([]string{"manager", m.name}, set.tags...)
	i.tags, i.tagOf = tags, set.keyTag
	i.keyCount = i.meter.Gauge(i.prefix+"keys", tags...)
	i.holders = i.meter.Gauge(i.prefix+"holders", tags...)
	i.waiters = i.meter.Gauge(i.prefix+"waiters", tags...)
	i.left = i.meter.Gauge(i.prefix+"late", tags...)
	if i.tagOf == nil {
		i.grant = i.newGrant()
	}
	for c, name := range counterNames {
		i.counts[c] = i.meter.Counter(i.prefix+name, tags...)
	}
	i.overrun = i.meter.Timer(i.prefix+"overrun_time", tags...)
	return i
}

func (i *instruments) count(c counter) {
	if i != nil {
		i.counts[c](1)
	}
}

func (i *instruments) waiting(n int64) {
	if i != nil {
		i.waiters(n)
	}
}

func (i *instruments) late(n int64) {
	if i != nil {
		i.left(n)
	}
}

func (i *instruments) overran(d time.Duration) {
	if i != nil {
		i.overrun(d)
	}
}

// granted counts a hold.
func (i *instruments) granted(h *hold) {
	if i != nil {
		g := i.of(h.e.key)
		g.acquired(1)
		i.holders(1)
		h.s.lock()
		waited := h.waited
		h.s.unlock()
		g.wait(waited)
		i.keys(h.s)
	}
}

// returned counts the end of a hold.
func (i *instruments) returned(h *hold) {
	if i != nil {
		i.holders(-1)
		i.of(h.e.key).hold(time.Duration(h.clk.now() - h.since.Load()))
	}
}

// keys corrects the number of keys by what has changed in s.
func (i *instruments) keys(s *shard) {
	if i == nil {
		return
	}
	s.lock()
	n := len(s.entries)
	change := n - s.reported
	s.reported = n
	s.unlock()
	if change != 0 {
		i.keyCount(int64(change))
	}
}

// remove removes the instruments, once: what has their names afterwards is another manager's.
func (i *instruments) remove() {
	if i == nil || i.removed.Swap(true) {
		return
	}
	names := append([]string{"keys", "holders", "waiters", "late", "acquired", "wait", "hold", "overrun_time"}, counterNames[:]...)
	for _, name := range names {
		i.meter.Remove(i.prefix + name)
	}
}
