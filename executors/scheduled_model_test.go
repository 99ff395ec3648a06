package executors_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/programs"
)

// timedTask is a task of a timedScript, as it is to behave and as the model says it does.
type timedTask struct {
	id       int
	method   string // ExecuteAfter, TrackAfter, SubmitAfter, After, AtFixedRate or WithFixedDelay
	lengths  [2]time.Duration
	waits    bool // for the end of its context, at most so long
	delay    time.Duration
	period   time.Duration // from start to start, or from end to start
	missed   executors.Missed
	rounds   int           // it ends in this run
	ends     string        // so: returns, fails, panics or goexits
	deadline time.Duration // of its context, 0 for none

	due, end  time.Duration
	seq       int
	delayed   bool
	running   bool
	starts    []time.Duration
	refused   bool
	over      bool  // it will not run any more
	settled   bool  // its outcome is known
	outcome   error // its future ends with
	dropped   int
	cancelled bool

	real struct { // mu of the script
		starts   []time.Duration
		err      error
		handle   *executors.Handle
		withdraw func() bool
		dropped  int
	}
}

func (t *timedTask) series() bool { return t.method == "AtFixedRate" || t.method == "WithFixedDelay" }

// timedScript plays a random script on a ScheduledPool and on a model of one, as poolScript does.
type timedScript struct {
	*programs.Program
	pool  *executors.ScheduledPool
	all   []*timedTask
	lines []string
	meter *sums // nil for none

	mu   sync.Mutex
	told int // tasks whose failure the error handler has heard of; mu

	// The model.
	now          time.Duration
	state        string
	core         int
	dropDelayed  bool
	keepPeriodic bool
	workers      int
	largest      int
	idle         []time.Duration // since when they may leave, the longest first; never if they may not
	reaps        time.Duration   // when the first one is looked at, 0 for never
	waiting      []*timedTask
	running      []*timedTask
	seq          int

	submitted, completed, cancelled, rejected, mustTell int
	lag, took                                           time.Duration
}

const (
	never     = time.Duration(math.MaxInt64)
	keepAlive = 10 * time.Millisecond
)

// plant lets t wait for its time.
func (s *timedScript) plant(t *timedTask, due time.Duration, delayed bool) {
	s.seq++
	t.due, t.seq, t.delayed = due, s.seq, delayed
	s.waiting = append(s.waiting, t)
	slices.SortFunc(s.waiting, func(a, b *timedTask) int {
		if a.due != b.due {
			return int(a.due - b.due)
		}
		return a.seq - b.seq
	})
	s.submitted++
}

// submit is a submission.
func (s *timedScript) submit(t *timedTask) {
	if s.state != "running" {
		s.rejected++
		t.refused = true
		return
	}
	s.plant(t, s.now+max(0, t.delay), t.delay > 0)
	if s.workers < s.core || s.workers == 0 {
		s.hire()
		return
	}
	s.dispatch()
}

func (s *timedScript) hire() {
	s.workers++
	s.largest = max(s.largest, s.workers)
	s.takes()
}

// dispatch gives what is due to who has nothing to do.
func (s *timedScript) dispatch() {
	for len(s.idle) > 0 && len(s.waiting) > 0 && s.waiting[0].due <= s.now {
		s.idle = s.idle[:len(s.idle)-1]
		s.begin()
	}
}

// begin begins the first task that waits.
func (s *timedScript) begin() {
	t := s.waiting[0]
	s.waiting = s.waiting[1:]
	s.running = append(s.running, t)
	t.running, t.end = true, s.now+t.lengths[len(t.starts)%2]
	t.starts = append(t.starts, s.now)
	s.lag += s.now - t.due
	if t.waits && t.deadline > 0 && t.deadline <= s.now {
		t.end = s.now
	}
}

// takes is what a worker does that has nothing to do.
func (s *timedScript) takes() {
	switch {
	case len(s.waiting) > 0 && s.waiting[0].due <= s.now:
		s.begin()
	case s.state != "running" && len(s.waiting) == 0:
		s.workers--
		s.wind()
	default:
		since := never
		if s.surplus() {
			since = s.now
		}
		s.idle = append(s.idle, since)
		s.arm()
	}
}

func (s *timedScript) surplus() bool {
	return s.workers > s.core && (s.workers > 1 || len(s.waiting) == 0)
}

func (s *timedScript) arm() {
	if s.reaps > 0 || len(s.idle) == 0 || !s.surplus() {
		return
	}
	if s.idle[0] == never {
		s.idle[0] = s.now
	}
	s.reaps = s.idle[0] + keepAlive
}

// reap lets workers leave that had nothing to do for long enough.
func (s *timedScript) reap() {
	s.reaps = 0
	for len(s.idle) > 0 && s.surplus() && s.idle[0] != never && s.idle[0]+keepAlive <= s.now {
		s.idle = s.idle[1:]
		s.workers--
		defer s.wind()
	}
	s.arm()
}

// wind lets the pool end.
func (s *timedScript) wind() {
	if s.state == "running" || len(s.waiting) > 0 {
		return
	}
	s.workers -= len(s.idle)
	s.idle = nil
	if s.workers == 0 {
		s.state, s.reaps = "terminated", 0
	}
}

// ran ends a run of t.
func (s *timedScript) ran(t *timedTask) {
	s.running = slices.DeleteFunc(s.running, func(r *timedTask) bool { return r == t })
	t.running = false
	s.completed++
	s.took += s.now - t.starts[len(t.starts)-1]
	var err error
	if cut := t.end != t.starts[len(t.starts)-1]+t.lengths[(len(t.starts)-1)%2]; t.waits && cut {
		err = errCut
	} else if !t.series() || len(t.starts) == t.rounds {
		err = map[string]error{"fails": errScript, "panics": errPanic, "goexits": errGoexit}[t.ends]
	}
	switch untold := t.method == "ExecuteAfter" || t.method == "TrackAfter"; {
	case untold && (err == errPanic || err == errGoexit):
		s.mustTell++
		t.over = true
	case t.series() && err == nil && !t.cancelled && (s.state == "running" || s.state == "shutdown" && s.keepPeriodic):
		s.plant(t, s.next(t), true)
	case t.series() && err == nil:
		s.ends(t, &executors.CancelError{Cause: executors.ErrShutdown})
	default:
		s.ends(t, err)
	}
	s.takes()
}

// next is the time of the run of t after the one that is over.
func (s *timedScript) next(t *timedTask) time.Duration {
	if t.method == "WithFixedDelay" {
		return s.now + t.period
	}
	due := t.due + t.period
	switch t.missed {
	case executors.MissedOne:
		for due+t.period <= s.now {
			due += t.period
		}
	case executors.MissedSkip:
		for due < s.now {
			due += t.period
		}
	}
	return due
}

// ends notes that t will not run any more, and with what it has ended unless that is known.
func (s *timedScript) ends(t *timedTask, err error) {
	t.over = true
	s.settle(t, err)
}

func (s *timedScript) settle(t *timedTask, err error) {
	if !t.settled {
		t.settled, t.outcome = true, err
	}
}

// withdraw takes t out of what waits, and reports whether it was there.
func (s *timedScript) withdraw(t *timedTask, cause error) bool {
	i := slices.Index(s.waiting, t)
	if i < 0 {
		return false
	}
	s.waiting = slices.Delete(s.waiting, i, i+1)
	s.cancelled++
	s.ends(t, &executors.CancelError{Cause: cause})
	if s.state == "running" {
		if len(s.waiting) == 0 {
			s.arm()
		}
		return true
	}
	s.wind()
	return true
}

// cancel cancels t, and ends the context of its run.
func (s *timedScript) cancel(t *timedTask, cause error) bool {
	if s.withdraw(t, cause) {
		return true
	}
	if !t.running || t.settled {
		return false
	}
	t.cancelled = true
	s.settle(t, &executors.CancelError{Cause: cause})
	s.stop(t)
	return true
}

// stop ends the context of the run of t.
func (s *timedScript) stop(t *timedTask) {
	if t.waits && t.running {
		t.end = s.now
	}
}

// shutdown shuts the model down, and returns what was dropped.
func (s *timedScript) shutdown(force bool) []*timedTask {
	if s.state == "terminated" {
		return nil
	}
	if s.state == "running" {
		s.state = "shutdown"
	}
	if force {
		s.state = "stop"
	}
	var left []*timedTask
	s.waiting = slices.DeleteFunc(s.waiting, func(t *timedTask) bool {
		drops := s.state == "stop" && force || s.state == "shutdown" && (t.series() && !s.keepPeriodic || !t.series() && s.dropDelayed && t.due > s.now)
		if drops {
			left = append(left, t)
			s.cancelled++
			s.ends(t, &executors.CancelError{Cause: executors.ErrShutdown})
			if t.method == "TrackAfter" {
				t.dropped++
			}
		}
		return drops
	})
	if force {
		for _, t := range s.running {
			s.stop(t)
		}
	}
	s.wind()
	return left
}

// until lets time pass.
func (s *timedScript) until(at time.Duration) {
	for {
		next, do := never, func() {}
		if s.reaps > 0 {
			next, do = s.reaps, s.reap
		}
		if len(s.idle) > 0 && len(s.waiting) > 0 && s.waiting[0].due < next {
			next, do = s.waiting[0].due, s.dispatch
		}
		for _, t := range s.running {
			if t.end < next {
				next, do = t.end, func() { s.ran(t) }
			}
		}
		for _, t := range s.all {
			if t.deadline > s.now && t.deadline < next {
				next, do = t.deadline, func() { s.expire(t) }
			}
		}
		if next > at {
			s.now = max(s.now, at)
			return
		}
		s.now = max(s.now, next)
		do()
	}
}

// expire ends the context of t.
func (s *timedScript) expire(t *timedTask) {
	switch {
	case t.refused:
	case t.method == "SubmitAfter":
		s.cancel(t, context.DeadlineExceeded)
	default:
		s.stop(t)
	}
}

var errCut = errors.New("its context has ended")
