package keylock

import (
	"context"
	"crypto/rand"
	"fmt"
	"hash/maphash"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// Manager grants keys to one caller at a time. Its methods may be called from any
// goroutine. Make one with [New]; it runs no goroutine and needs no closing. The zero Manager
// has no keys to grant: its calls fail, or panic if they return no error, with reactor.ErrIllegalState.
type Manager struct {
	name    string // immutable, like each field that has no comment and no lock or atomics of its own
	call    call
	barging bool
	clocks  *clocks
	measure *instruments
	logger  *slog.Logger // nil for slog.Default()
	nonce   string
	onSlow  func(Held)
	slow    time.Duration

	backend   Backend // nil without other processes
	owner     string
	ttl       time.Duration
	margin    time.Duration
	lockDelay time.Duration
	highest   atomic.Uint64 // token of the backend seen so far
	sessions  atomic.Int64  // goroutines that talk to the backend
	marks     marks

	seed   maphash.Seed
	tokens atomic.Uint64 // of the last grant
	counts [counters]atomic.Uint64
	late   atomic.Int64 // functions that run although their Do has returned

	lost, outlived sparing // lines for the log

	closing atomic.Bool
	closed  chan struct{} // closed when nothing is held any more after a shutdown
	once    sync.Once     // of that
	parts   [shards]shard
}

// managers numbers those without a name.
var managers atomic.Uint64

// New returns a manager without keys. The error names each option that can't be used
// and its value.
func New(opts ...Option) (*Manager, error) {
	set, err := newSettings(opts)
	if err != nil {
		return nil, err
	}
	m := &Manager{
		name: set.name, call: set.call, barging: set.barging, clocks: newClocks(set.clock, set.sched), logger: set.logger,
		nonce: rand.Text(), onSlow: set.onSlow, slow: set.slowAfter, backend: set.backend, ttl: set.ttl,
		seed: maphash.MakeSeed(), closed: make(chan struct{}),
	}
	if m.name == "" {
		m.name = "keylock-" + strconv.FormatUint(managers.Add(1), 10)
	}
	m.owner = m.name + "/" + m.nonce
	m.margin = max(m.ttl/10, 250*time.Millisecond)
	if m.lockDelay = set.lockDelay; m.lockDelay < 0 {
		m.lockDelay = m.margin
	}
	if m.backend != nil && m.margin >= m.ttl {
		return nil, fmt.Errorf("keylock: New: %w", errArgument("WithBackend: ttl > %v required but it was %v", m.margin, m.ttl))
	}
	if c, ok := m.backend.(LockDelayChecker); ok {
		if err := c.CheckLockDelay(m.lockDelay); err != nil {
			return nil, fmt.Errorf("keylock: New: LockDelay: %v: %w", m.lockDelay, err)
		}
	}
	m.measure = newInstruments(m, set)
	for i := range m.parts {
		m.parts[i].m, m.parts[i].idle.ttl = m, set.idleTTL
	}
	return m, nil
}

// String returns the name.
func (m *Manager) String() string { return m.name }

func (m *Manager) shardOf(key string) *shard {
	return &m.parts[maphash.String(m.seed, key)%shards]
}

// warn writes a line into the log. A log that panics is reported, and takes nothing with it.
func (m *Manager) warn(msg string, args ...any) {
	logger := m.logger
	if logger == nil {
		logger = slog.Default()
	}
	failure.Guard(func() { logger.Warn(msg, args...) }, func(err error) { reactor.DropError(context.Background(), err) })
}

// goOn does what is left to do when h has let go of its key: next is who has it now,
// and watch is what pass said.
func (m *Manager) goOn(h *hold, next *hold, watch bool) {
	defer m.settled() // whatever the others do
	if watch {
		h.s.watch(h.clk)
	}
	if next != nil {
		m.goOnTo(next)
	}
	m.measure.keys(h.s)
}

// goOnTo tells next that it has its key. If next can't hold the key, the key goes to the one behind it, and so on; a stream that
// ends the goroutine when it is told does not keep those behind it from being told.
func (m *Manager) goOnTo(next *hold) {
	s, clean := next.s, false
	defer func() {
		if clean {
			return
		}
		defer m.measure.keys(s)
		if next != nil {
			m.goOnTo(next)
		}
	}()
	for next != nil {
		h := next
		next = nil
		var refusal error
		if next, refusal = m.granted(h); refusal != nil {
			h.refuse(refusal)
		}
	}
	clean = true
}

// granted tells h that it has its key. If h can't hold the key, because the clock refuses a timer, granted passes the key on: it
// returns the next holder, or nil, and the error with which the caller has to refuse h.
func (m *Manager) granted(h *hold) (next *hold, refusal error) {
	if m.backend != nil {
		h.compete()
		return nil, nil
	}
	if m.barging {
		h.nudge()
		return nil, nil
	}
	begun := false
	defer func() {
		if !begun { // the clock has ended the goroutine
			go m.goOnWithout(h)
		}
	}()
	err := h.begin()
	begun = true
	if err == nil {
		defer h.wake(nil) // also if the meter ends the goroutine
		m.measure.granted(h)
		return nil, nil
	}
	return m.ungrant(h, err)
}

// goOnWithout passes the key of h on, and refuses h, which does not know of the grant: on a goroutine of its own, because the clock has
// ended that of granted.
func (m *Manager) goOnWithout(h *hold) {
	defer m.settled() // that of goOn came too early
	next, refusal := m.ungrant(h, reactor.ErrGoexit)
	if refusal != nil {
		defer h.refuse(refusal)
	}
	if next != nil {
		m.goOnTo(next)
	}
}

// ungrant takes the key from a holder that can't hold it because of err, and that does not know of the grant. It returns
// what granted does.
func (m *Manager) ungrant(h *hold, err error) (next *hold, refusal error) {
	h.s.lock()
	if h.state != held {
		h.s.unlock()
		m.measure.granted(h)
		return nil, nil // its caller has given it back already, which has been counted
	}
	h.state = refused
	h.until.Store(0)
	stop := h.unset(true)
	next, watch := h.s.pass(h.e, h.clk)
	h.s.unlock()
	told := false
	defer func() {
		if !told { // the clock has not returned
			h.refuse(h.noTimer(err))
		}
	}()
	defer stop.all()
	if watch {
		h.s.watch(h.clk)
	}
	told = true
	return next, h.noTimer(err)
}

// settled ends a shutdown if nothing is held and nobody waits any more.
func (m *Manager) settled() {
	if !m.closing.Load() {
		return
	}
	if m.sessions.Load() > 0 {
		return
	}
	for i := range m.parts {
		s := &m.parts[i]
		s.lock()
		busy := s.held+s.waiting > 0
		s.unlock()
		if busy {
			return
		}
	}
	m.once.Do(func() { close(m.closed) })
}

// Acquire waits for key and returns the right to it, which the caller has to release.
// If ctx ends after that, the context of the lease ends too, but the key is not given
// back, and [Lease.Valid] still reports true.
//
// The error matches [ErrWaitTimeout], [ErrQueueFull], [ErrReentrant], [ErrLocksClosed],
// reactor.ErrIllegalArgument for an option that can't be used, or reactor.ErrBlocking
// if the goroutine would have to wait and must not (this is checked only if it would
// have to wait); it is context.Cause(ctx) if ctx ended first.
func (m *Manager) Acquire(ctx context.Context, key string, opts ...CallOption) (Lease, error) {
	c, err := m.callOf("Acquire", key, opts)
	if err != nil {
		return Lease{}, err
	}
	h, err := m.acquire(ctx, byAcquire, key, &c)
	if err != nil {
		return Lease{}, err
	}
	return Lease{h}, nil
}

// TryAcquire returns the right to key if key is free, and reports whether it was.
// [WaitTime] has no effect here; an option that can't be used panics. With a [Backend]
// it waits for the answers of the backend, for each at most as long as a record lives.
// It also reports false if there is no answer, and within [LockDelay] after an earlier
// record has expired. [Manager.Acquire] with WaitTime(0) does the same with a context,
// which limits the wait for the backend, and with an error that says why.
func (m *Manager) TryAcquire(key string, opts ...CallOption) (Lease, bool) {
	c, err := m.callOf("TryAcquire", key, opts)
	if err != nil {
		panic(err.Error())
	}
	c.wait = 0
	h, err := m.acquire(context.Background(), byTryAcquire, key, &c)
	return Lease{h}, err == nil
}
