package executors_test

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/goreactor/reactor/executors"
)

// poolModel is a ThreadPool as somebody sees it who does one thing after the other and looks at the clock: what its documentation
// promises, without a lock or a goroutine. Times are since the start of the script.
type poolModel struct {
	policy     string
	keepAlive  time.Duration
	core, most int
	capacity   int
	ranked     bool
	coreLeaves bool
	broken     bool // no worker can be started

	now     time.Duration
	state   string
	workers int
	largest int
	idle    []time.Duration // since when, the longest first
	running []*scripted
	queue   []*scripted
	waiters []*scripted
	seq     int

	submitted, completed, discarded, cancelled, rejected, callerRuns int
	told                                                             []error       // what the error handler hears
	lag, took                                                        time.Duration // of all runs, from acceptance to start and from there to the end
}

// scripted is a task of the script, as it is to behave and as the model says it does.
type scripted struct {
	id, rank int
	method   string // Execute, Submit, Track, ExecuteWait or SubmitWait
	length   time.Duration
	waits    bool          // for the end of its context, at most so long
	ends     string        // returns, fails, panics or goexits
	deadline time.Duration // of its context, 0 for none
	nested   *scripted     // what it submits after half its time, or nil

	seq       int
	at        time.Duration // of its acceptance
	here      bool          // the submitter runs it
	running   bool
	end       time.Duration // of the run, unless its context ends
	nests     time.Duration // when it submits nested, 0 for not any more
	stopped   error         // why its context has ended
	starts    []time.Duration
	submitted bool  // the submission has returned
	refused   error // what that returned
	over      bool  // the future has ended
	outcome   error // with this
	dropped   int   // how often dropped was called
}

func (t *scripted) future() bool    { return t.method == "Submit" || t.method == "SubmitWait" }
func (t *scripted) essential() bool { return t.method == "Track" }
func (t *scripted) patient() bool   { return t.method == "ExecuteWait" || t.method == "SubmitWait" }

// expired reports whether the context of t has ended.
func (m *poolModel) expired(t *scripted) bool { return t.deadline > 0 && m.now >= t.deadline }

// settle ends the future of t, if it has one that has not ended.
func (t *scripted) settle(err error) {
	if t.future() && !t.over {
		t.over, t.outcome = true, err
	}
}

// submit is a submission, which has returned unless it waits for room.
func (m *poolModel) submit(t *scripted) {
	if m.expired(t) {
		t.submitted, t.refused = true, context.DeadlineExceeded
		return
	}
	err := m.admit(t)
	if err == executors.ErrSaturated && t.patient() && !m.broken {
		m.waiters = append(m.waiters, t)
		return
	}
	m.answer(t, err)
}

// answer is the answer to a submission that does not wait any more; err is why the pool does not take it.
func (m *poolModel) answer(t *scripted, err error) {
	t.submitted = true
	switch {
	case err == nil:
		return
	case m.policy == "caller runs" && m.state == "running":
		m.callerRuns++
		t.here = true
		m.begin(t)
	case m.policy == "discard oldest" && m.state == "running":
		i := slices.IndexFunc(m.queue, func(q *scripted) bool { return !q.essential() })
		if i < 0 {
			m.refuse(t, err)
			return
		}
		oldest := m.queue[i]
		m.queue = slices.Delete(m.queue, i, i+1)
		m.drop(oldest)
		m.answer(t, m.admit(t))
	case m.policy == "discard" || m.policy == "discard oldest":
		if t.essential() {
			m.refuse(t, err)
			return
		}
		m.submitted++
		m.drop(t)
	default:
		m.refuse(t, err)
	}
}

func (m *poolModel) refuse(t *scripted, err error) {
	m.rejected++
	t.refused = err
}

func (m *poolModel) drop(t *scripted) {
	m.discarded++
	if t.future() {
		t.settle(executors.ErrDiscarded)
	} else {
		m.told = append(m.told, executors.ErrDiscarded)
	}
}

// admit takes t, in the order of the documentation, or says why not.
func (m *poolModel) admit(t *scripted) error {
	switch {
	case m.state != "running":
		return executors.ErrShutdown
	case m.workers < m.core && !m.broken:
		m.hire()
		m.accept(t)
		m.begin(t)
	case len(m.idle) > 0:
		m.idle = m.idle[:len(m.idle)-1] // the one that is idle for the shortest time
		m.accept(t)
		m.begin(t)
	case m.workers > 0 && len(m.queue) < m.capacity:
		m.accept(t)
		m.enqueue(t)
	case m.workers < m.most && !m.broken:
		m.hire()
		m.accept(t)
		m.begin(t)
	default:
		return executors.ErrSaturated
	}
	return nil
}

func (m *poolModel) hire() {
	m.workers++
	m.largest = max(m.largest, m.workers)
}

func (m *poolModel) accept(t *scripted) {
	m.submitted++
	t.submitted, t.at = true, m.now
}

func (m *poolModel) enqueue(t *scripted) {
	m.seq++
	t.seq = m.seq
	m.queue = append(m.queue, t)
	if m.ranked {
		slices.SortStableFunc(m.queue, func(a, b *scripted) int { return a.rank - b.rank })
	}
}

// begin begins the run of t, on a worker or by the caller.
func (m *poolModel) begin(t *scripted) {
	t.starts = append(t.starts, m.now)
	t.running, t.end = true, m.now+t.length
	if !t.here {
		m.lag += m.now - t.at
	}
	if t.nested != nil {
		t.nests = m.now + t.length/2
	}
	m.running = append(m.running, t)
	if m.expired(t) {
		m.stop(t, context.DeadlineExceeded)
	}
}

// stop ends the context of t, whose run ends if it waits for that.
func (m *poolModel) stop(t *scripted, why error) {
	if t.stopped == nil {
		t.stopped = why
		if t.waits {
			t.end = m.now
		}
	}
}

// ran ends the run of t, and lets its worker go on.
func (m *poolModel) ran(t *scripted) {
	m.running = slices.DeleteFunc(m.running, func(r *scripted) bool { return r == t })
	t.running = false
	var err error
	switch {
	case t.waits && t.stopped != nil:
		err = t.stopped
	case t.ends == "fails":
		err = errScript
	case t.ends == "panics":
		err = errPanic
	case t.ends == "goexits":
		err = errGoexit
	}
	if !t.future() && (err == errPanic || err == errGoexit) {
		m.told = append(m.told, err)
	}
	t.settle(err)
	if t.here {
		return
	}
	m.completed++
	m.took += m.now - t.starts[0]
	m.takes()
}

// takes is what a worker does that has nothing to do.
func (m *poolModel) takes() {
	switch {
	case m.workers > m.most:
		m.workers--
	case len(m.queue) > 0:
		t := m.queue[0]
		m.queue = m.queue[1:]
		m.begin(t)
	case len(m.waiters) > 0 && m.state == "running":
		t := m.waiters[0]
		m.waiters = m.waiters[1:]
		m.accept(t)
		m.begin(t)
	case m.state != "running", m.keepAlive == 0 && m.surplus():
		m.workers--
	default:
		m.idle = append(m.idle, m.now)
	}
	m.room()
}

// room lets in who waits, and lets the pool end.
func (m *poolModel) room() {
	for len(m.waiters) > 0 && m.admit(m.waiters[0]) == nil {
		m.waiters = m.waiters[1:]
	}
	if m.state != "running" && len(m.queue) == 0 {
		m.workers -= len(m.idle)
		m.idle = nil
		if m.workers == 0 {
			m.state = "terminated"
		}
	}
}

// surplus reports whether a worker may leave.
func (m *poolModel) surplus() bool {
	return (m.workers > m.core || m.coreLeaves) && (m.workers > 1 || len(m.queue) == 0)
}

// leaves lets the worker leave that is idle longest.
func (m *poolModel) leaves() {
	m.idle = m.idle[1:]
	m.workers--
	m.room()
}

// reconsider begins the idle times anew.
func (m *poolModel) reconsider() {
	for i := range m.idle {
		m.idle[i] = m.now
	}
}

// withdraw takes t out of the queue, and reports whether it was there.
func (m *poolModel) withdraw(t *scripted, cause error) bool {
	i := slices.Index(m.queue, t)
	if i < 0 {
		return false
	}
	m.queue = slices.Delete(m.queue, i, i+1)
	m.cancelled++
	t.settle(&executors.CancelError{Cause: cause})
	m.room()
	return true
}

// cancel cancels a future.
func (m *poolModel) cancel(t *scripted, cause error) {
	if m.withdraw(t, cause) || t.over || !t.running {
		return
	}
	t.settle(&executors.CancelError{Cause: cause})
	why := error(&executors.CancelError{Cause: cause})
	m.stop(t, why)
}

// expire ends the context of t.
func (m *poolModel) expire(t *scripted) {
	switch i := slices.Index(m.waiters, t); {
	case i >= 0:
		m.waiters = slices.Delete(m.waiters, i, i+1)
		t.submitted, t.refused = true, context.DeadlineExceeded
	case t.future():
		m.cancel(t, context.DeadlineExceeded)
	case t.running:
		m.stop(t, context.DeadlineExceeded)
	}
}

// shutdown takes nothing more, and returns what waits if it is by force.
func (m *poolModel) shutdown(force bool) (left []*scripted) {
	if m.state == "running" {
		m.state = "shutdown"
	}
	if force && m.state != "terminated" {
		m.state = "stop"
	}
	waiters := m.waiters
	m.waiters = nil
	for _, t := range waiters {
		m.answer(t, executors.ErrShutdown)
	}
	if force {
		left, m.queue = m.queue, nil
		for _, t := range left {
			m.cancelled++
			t.settle(&executors.CancelError{Cause: executors.ErrShutdown})
			if t.essential() {
				t.dropped++
			}
		}
		for _, t := range m.running {
			m.stop(t, executors.ErrShutdown)
		}
	}
	m.room()
	return left
}

// until lets time pass. all are the tasks there are.
func (m *poolModel) until(at time.Duration, all []*scripted) {
	for {
		next, do := time.Duration(math.MaxInt64), func() {}
		if len(m.idle) > 0 && m.surplus() {
			next, do = m.idle[0]+m.keepAlive, m.leaves
		}
		for _, t := range m.running {
			if t.nests > 0 && t.nests < next {
				next, do = t.nests, func() { t.nests = 0; m.submit(t.nested) }
			}
			if t.end < next {
				next, do = t.end, func() { m.ran(t) }
			}
		}
		for _, t := range all {
			if t.deadline > m.now && t.deadline < next {
				next, do = t.deadline, func() { m.expire(t) }
			}
		}
		if next > at {
			m.now = max(m.now, at)
			return
		}
		m.now = max(m.now, next)
		do()
	}
}
