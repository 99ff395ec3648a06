package executors

import (
	"math"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/timers"
)

// schedule is the queue of a [ScheduledPool]: tasks wait for their time in it, and
// then for a worker. Times are nanoseconds of the pool's clock.
type schedule struct {
	waiting      timers.Queue // pool.mu
	delayed      int          // tasks in waiting that came with a delay; pool.mu
	periodic     int          // tasks in waiting that have a series; pool.mu
	runDelayed   bool         // one-shot tasks outlive a shutdown; pool.mu
	keepPeriodic bool         // periodic tasks outlive a shutdown; pool.mu
	alarm        timers.Alarm // calls fired when the first task is due; set only while a worker is idle; pool.mu
}

// series is what a periodic task has in addition.
type series struct {
	period time.Duration // from start to start
	delay  time.Duration // from end to start; either period or delay is 0
	missed Missed
}

func (q *schedule) len() int { return q.waiting.Len() }

// offer is not used: tasks come with a time, by plant.
func (q *schedule) offer(entry) bool { return false }

func (q *schedule) dropOldest() (entry, bool) { return entry{}, false }

func (q *schedule) poll(now int64) (entry, bool) {
	if q.waiting.Len() == 0 {
		return entry{}, false
	}
	n := q.waiting.Overdue(now)
	if n == nil {
		return entry{}, false
	}
	q.take(timers.Owner[Handle](n))
	return entry{h: timers.Owner[Handle](n), at: n.Due}, true
}

// put adds h, whose node has the due time. It counts, so that Stats, which holds the pool's
// lock, need not look at all tasks.
func (q *schedule) put(h *Handle, delayed bool, now int64) {
	h.delayed = delayed
	if delayed {
		q.delayed++
	}
	if h.periodic {
		q.periodic++
	}
	q.waiting.Push(&h.node, now)
}

// take takes out h, which must be in waiting.
func (q *schedule) take(h *Handle) {
	if h.delayed {
		q.delayed--
	}
	if h.periodic {
		q.periodic--
	}
	q.waiting.Remove(&h.node)
}

func (q *schedule) remove(h *Handle) bool {
	if !h.node.Waits() {
		return false
	}
	q.take(h)
	return true
}

func (q *schedule) drain() []entry { return q.drop(nil) }

// closing takes out the tasks that do not outlive a shutdown. It looks at the tasks only if
// some of them may not. The caller holds the pool's lock.
func (q *schedule) closing(p *ThreadPool) []entry {
	if q.runDelayed && (q.keepPeriodic || q.periodic == 0) {
		return nil
	}
	now := p.now()
	return q.drop(func(n *timers.Node) bool {
		if timers.Owner[Handle](n).periodic {
			return !q.keepPeriodic
		}
		return !q.runDelayed && n.Due > now
	})
}

// drop takes out the tasks for which which is true, all if which is nil, in the order of
// their times.
func (q *schedule) drop(which func(n *timers.Node) bool) []entry {
	nodes := q.waiting.Sorted(which)
	list := make([]entry, len(nodes))
	for i, n := range nodes {
		list[i].h = timers.Owner[Handle](n)
		q.take(timers.Owner[Handle](n))
	}
	return list
}

// plantOrReject accepts a task for a later time, or lets the policy decide.
func (p *ThreadPool) plantOrReject(h *Handle, delay time.Duration) error {
	if p.plant(h, delay) {
		return nil
	}
	return p.reject(entry{h: h}, refusedStopped, nil)
}

// plant accepts a task for a later time, unless the pool is shut down.
func (p *ThreadPool) plant(h *Handle, delay time.Duration) bool {
	if p.measure != nil {
		p.measure.offered(p)
	}
	p.mu.Lock()
	v := refusedStopped
	soon := false // idle workers are to be given the task, or the alarm is to be set for it
	if p.state == poolRunning {
		v = accepted
		now := p.now()
		h.node.Due = timers.Later(now, max(0, delay))
		p.accept(&entry{h: h})
		p.scheduled.put(h, delay > 0, now)
		soon = h.node.Due <= now || !p.scheduled.alarm.SetBefore(h.node.Due)
	}
	switch {
	case v == accepted && (p.workers < p.core || p.workers == 0):
		w := p.hire()
		p.mu.Unlock()
		p.startForPlanted(w)
	case soon && len(p.idle) > 0:
		p.dispatch() // unlocks
	default:
		p.mu.Unlock()
	}
	p.decided(v)
	return v == accepted
}

// startForPlanted starts a worker for a task that was accepted.
func (p *ThreadPool) startForPlanted(w *worker) {
	started, returned := false, false
	defer func() {
		if !started {
			p.mu.Lock()
			p.dispatch() // an idle worker has to run the task; unlocks
		}
		if !returned { // spawn ends the goroutine: plant does not call decided
			p.decided(accepted)
		}
	}()
	started = p.start(w)
	returned = true
}

// dispatch gives tasks that are due to idle workers, and sets the alarm for the next task. The
// caller holds mu, which is released.
func (p *ThreadPool) dispatch() {
	var busy []*worker
	if n := len(p.idle); n > 0 && p.queue.len() > 0 {
		now := p.now()
		for ; n > 0; n-- {
			e, ok := p.queue.poll(now)
			if !ok {
				break
			}
			w := p.idle[n-1]
			p.idle[n-1], p.idle = nil, p.idle[:n-1]
			p.assign(w, e)
			busy = append(busy, w)
		}
	}
	p.armDue()
	p.mu.Unlock()
	for _, w := range busy {
		w.signal()
	}
}

// armDue sets the alarm to the time of the first task, if a worker is idle: a busy worker
// looks by itself when its task has ended. The caller holds mu.
func (p *ThreadPool) armDue() {
	q := p.scheduled
	if len(p.idle) == 0 || q.waiting.Len() == 0 {
		return
	}
	if due := q.waiting.WakeAt(); !q.alarm.SetBefore(due) {
		q.alarm.Set(p.clock, due, time.Duration(due-p.now()), p.fired)
	}
}

// fired is called by the alarm, on a goroutine of the clock.
func (p *ThreadPool) fired() {
	p.mu.Lock()
	p.scheduled.alarm.Stop()
	p.dispatch() // unlocks
}

// again plans the next run of a periodic task, whose run is over, unless it is
// cancelled or the pool is shut down. The caller tells the meter of the answer.
func (p *ThreadPool) again(h *Handle) answer {
	q, s := p.scheduled, h.series()
	p.offeredAgain(h)
	p.mu.Lock()
	v := accepted
	if p.state >= poolStop || p.state == poolShutdown && !q.keepPeriodic || h.IsDone() {
		v = refusedStopped
	} else {
		now := p.now()
		h.node.Due = s.next(h.node.Due, now)
		p.accept(&entry{h: h})
		q.put(h, true, now)
		if h.node.Due > now { // else the caller, a worker, takes the next task now: an idle worker need not be woken
			p.armDue()
		}
	}
	p.mu.Unlock()
	return v
}

// offeredAgain counts the next run of a periodic task before it is planned. If the meter ends the goroutine there is none,
// and the handle ends.
func (p *ThreadPool) offeredAgain(h *Handle) {
	if p.measure == nil {
		return
	}
	returned := false
	defer func() {
		if !returned {
			h.conclude(reactor.ErrGoexit, true)
		}
	}()
	p.measure.offered(p)
	returned = true
}

// next returns when the next run is due, given that the last one was due at due and has ended at now.
func (s *series) next(due, now int64) int64 {
	if s.delay > 0 {
		return timers.Later(now, s.delay)
	}
	due = timers.Later(due, s.period)
	late := now - due
	if due == math.MaxInt64 || late < 0 {
		return due
	}
	period := int64(s.period)
	switch s.missed {
	case MissedOne:
		due += late / period * period
	case MissedSkip:
		if late > 0 {
			due = timers.Later(due+(late-1)/period*period, s.period)
		}
	}
	return due
}
