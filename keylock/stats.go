package keylock

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"
)

// counter is the number of something that rises only.
type counter int

const (
	waitTimeoutCount counter = iota
	leaseExpiredCount
	leaseLostCount
	overrunCount
	queueFullCount
	reentrantCount
	panicCount
	closedCount
	regressedCount
	skippedCount
	counters
)

// Stats are the figures of a [Manager]. The figures of different keys are read one
// after the other while calls go on, so sums may be off by what happened meanwhile.
type Stats struct {
	Name    string
	Keys    int // keys that are held, waited for, or still remembered (see [IdleTTL])
	Holders int // keys that are held
	Waiters int // calls that wait in this process
	Late    int // functions that run although their Do has returned, see [ReleaseOnExpiry]

	Acquired       uint64 // grants
	WaitTimeouts   uint64
	LeasesExpired  uint64
	LeasesLost     uint64
	Overruns       uint64 // functions that ended after their lease
	QueueFull      uint64
	Reentrant      uint64 // calls refused with [ErrReentrant]
	Panics         uint64
	Closed         uint64 // calls refused with [ErrLocksClosed]
	TokenRegressed uint64
	Skipped        uint64 // runs of a job that did not get its key, see [Manager.Job]
}

// String returns for example "\"orders\" [keys 3, holders 2, waiters 5, acquired 17]".
func (s Stats) String() string {
	return fmt.Sprintf("%q [keys %d, holders %d, waiters %d, acquired %d]", s.Name, s.Keys, s.Holders, s.Waiters, s.Acquired)
}

// Stats returns a snapshot of the figures.
func (m *Manager) Stats() Stats {
	st := Stats{Name: m.name, Late: int(m.late.Load())}
	for i := range m.parts {
		s := &m.parts[i]
		s.lock()
		st.Keys += len(s.entries)
		st.Holders += s.held
		st.Waiters += s.waiting
		st.Acquired += s.acquired
		if m.backend != nil {
			n := s.contending()
			st.Holders -= n
			st.Waiters += n
		}
		s.unlock()
	}
	for c, to := range []*uint64{
		&st.WaitTimeouts, &st.LeasesExpired, &st.LeasesLost, &st.Overruns, &st.QueueFull, &st.Reentrant, &st.Panics,
		&st.Closed, &st.TokenRegressed, &st.Skipped,
	} {
		*to = m.counts[c].Load()
	}
	return st
}

// contending returns how many calls are the first of this process for their key, and wait for another
// process. The caller holds mu.
func (s *shard) contending() (n int) {
	for _, e := range s.entries {
		if e.holder != nil && e.holder.state == contending {
			n++
		}
	}
	return n
}

// Held is a key that somebody holds.
type Held struct {
	Key       string
	Token     uint64
	Age       time.Duration // time since the grant
	Left      time.Duration // rest of the lease; 0 if it is over, below 0 if nothing limits it
	Waiters   int
	Policy    Policy
	Operation string // the method that acquired it
}

// String returns for example "\"order-7\" [token 12, held 1.5s, left 500ms, waiters 3]".
func (h Held) String() string {
	left := "∞"
	if h.Left >= 0 {
		left = h.Left.String()
	}
	return fmt.Sprintf("%q [token %d, held %v, left %s, waiters %d]", h.Key, h.Token, h.Age, left, h.Waiters)
}

// Snapshot returns the keys that are held now, the longest hold first. The keys are
// read one after the other while calls go on.
func (m *Manager) Snapshot() []Held {
	var holds []*hold
	for i := range m.parts {
		s := &m.parts[i]
		s.lock()
		for _, e := range s.entries {
			if h := e.holder; h != nil {
				holds = append(holds, h)
			}
		}
		s.unlock()
	}
	list := make([]Held, 0, len(holds))
	for _, h := range holds {
		if v, ok := h.view(); ok {
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b Held) int {
		return cmp.Or(cmp.Compare(b.Age, a.Age), cmp.Compare(a.Key, b.Key))
	})
	return list
}

// view describes a hold, and reports whether it still is one.
func (h *hold) view() (Held, bool) {
	now := h.clk.now()
	h.s.lock()
	defer h.s.unlock()
	v := Held{
		Key: h.e.key, Token: h.token, Left: -1, Waiters: int(h.e.waiters),
		Policy: h.policy, Operation: h.op.String(),
	}
	if since := h.since.Load(); since != noTime { // else it was granted a moment ago
		v.Age = time.Duration(now - since)
	}
	switch {
	case h.state == expired:
		v.Left = 0
	case h.extra != nil && h.due != forever:
		v.Left = max(time.Duration(h.due-now), 0)
	}
	return v, h.state == held || h.state == expired
}

// add counts one of c.
func (m *Manager) add(c counter) {
	m.counts[c].Add(1)
	m.measure.count(c)
}

// count counts an error and returns it.
func (m *Manager) count(c counter, err *Error) error {
	m.add(c)
	return err
}

// reentrance is the error of a call that would wait for itself.
func (m *Manager) reentrance(op, key string) error {
	return m.count(reentrantCount, &Error{Op: op, Kind: ErrReentrant, Key: key})
}

// lapsed notes that a lease has ended before its release.
func (m *Manager) lapsed(h *hold, err *Error) {
	if err.Kind == ErrLeaseLost {
		m.add(leaseLostCount)
		if line, unlogged := m.lost.line(h.clk); line {
			m.warn("keylock: lease lost", "manager", m.name, "key", err.Key, "token", err.Token, "held", err.Held, "error", err, "unlogged", unlogged)
		}
		return
	}
	m.add(leaseExpiredCount)
}

// overran notes that a function has ended after its lease.
func (m *Manager) overran(h *hold) {
	now := h.clk.now()
	h.s.lock()
	err, since := h.err, h.since.Load()
	h.s.unlock()
	over := time.Duration(now-since) - err.Held
	m.add(overrunCount)
	m.measure.overran(over)
	if line, unlogged := m.outlived.line(h.clk); line {
		m.warn("keylock: a function has outlived its lease", "manager", m.name, "key", err.Key, "token", err.Token, "by", over, "unlogged", unlogged)
	}
}

// sparing lets one line a second into the log: leases that end together, because a store or a database is slow, are
// a burst that says the same of each.
type sparing struct {
	last     atomic.Int64 // of a clock; 0 before the first
	unlogged atomic.Uint64
}

// line reports whether what happens now has a line, and how often it had none since the last one.
func (s *sparing) line(c *clock) (ok bool, unlogged uint64) {
	now, last := max(1, c.now()), s.last.Load()
	// What is behind the last one comes from another clock.
	if last != 0 && now >= last && now-last < int64(time.Second) || !s.last.CompareAndSwap(last, now) {
		s.unlogged.Add(1)
		return false, 0
	}
	return true, s.unlogged.Swap(0)
}

// cameLate notes what a function returned whose caller had gone.
func (m *Manager) cameLate(h *hold, err error) {
	m.warn("keylock: a function has ended after its caller had gone", "manager", m.name, "key", h.e.key, "token", h.token, "error", err)
}

var _ slog.LogValuer = Held{}

// LogValue returns the fields as attributes.
func (h Held) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("key", h.Key), slog.Uint64("token", h.Token), slog.Duration("age", h.Age),
		slog.Duration("left", h.Left), slog.Int("waiters", h.Waiters),
	)
}
