package executors_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/programs"
)

// scriptJob is a job of a jobScript, as it is to behave and as the model says it does. Times of the wall are since the start, too.
type scriptJob struct {
	id      int
	kind    string // at, rate, delay, periodic, periodic rate, counted, lenient or fixed
	lengths [2]time.Duration
	waits   bool   // for the end of its context, at most so long
	fails   int    // in each so many runs
	how     string // fails, panics or goexits
	first   time.Duration
	started bool // it has StartAt
	period  time.Duration
	most    int // times of a counted one
	missed  executors.Missed
	allow   bool
	queue   int

	asked   int
	next    time.Duration // on the wall, where the job waits for that
	planned bool
	look    time.Duration // when it looks at the wall
	seq     int
	runs    []*scriptRun
	pending []time.Duration
	last    scriptRun // due, start and end on the wall
	spent   bool      // the trigger has no further time
	refused bool
	over    bool
	outcome error
	starts  []time.Duration
	stats   executors.JobStats

	job  *executors.Job
	err  error
	real []time.Duration // starts; mu of the script
}

// scriptRun is a run of a job.
type scriptRun struct {
	due, start, end time.Duration // on the wall
	began, ends     time.Duration
	n               int
	cut             bool
}

// afterRun reports whether the next time depends on the end of a run.
func (j *scriptJob) afterRun() bool { return j.kind == "delay" || j.kind == "periodic" }

// jobScript plays a random script on a TaskScheduler and on a model of one, as poolScript does.
type jobScript struct {
	*programs.Program
	t      *testing.T
	s      *executors.TaskScheduler
	base   time.Time
	size   int
	perRun bool
	rearm  time.Duration
	wait   bool
	ends   bool // failures end a job
	all    []*scriptJob
	lines  []string
	mu     sync.Mutex
	offset time.Duration // of the wall; mu

	now  time.Duration // that of the model, like what follows
	shut bool
	busy int // workers
	seq  int
}

func (s *jobScript) wall() time.Duration { return s.now + s.offset }

// times asks the trigger of j.
func (s *jobScript) times(j *scriptJob) (at time.Duration, ok bool) {
	j.asked++
	first, now := j.asked == 1, s.wall()
	tick := func(after time.Duration) time.Duration { // of cron
		return after.Truncate(j.period) + j.period
	}
	switch j.kind {
	case "at":
		return j.first, first
	case "rate", "delay":
		if first {
			if j.started {
				return max(now, j.first), true
			}
			return now, true
		}
		if j.kind == "delay" {
			return j.last.end + j.period, true
		}
		return s.regular(j, j.last.due+j.period), true
	case "periodic", "periodic rate":
		switch {
		case first:
			return now + j.first, true
		case j.kind == "periodic":
			return j.last.end + j.period, true
		}
		return j.last.due + j.period, true
	case "counted":
		if first {
			return now + j.period, true
		}
		return j.last.due + j.period, j.asked <= j.most
	}
	switch {
	case first:
		return tick(now), true
	case j.kind == "fixed" || j.last.end < j.last.due:
		return tick(j.last.due), true
	}
	return tick(j.last.end), true
}

// regular is the first time from at on that a job at a fixed rate does not leave out.
func (s *jobScript) regular(j *scriptJob, at time.Duration) time.Duration {
	for j.missed == executors.MissedOne && at+j.period <= s.wall() || j.missed == executors.MissedSkip && at < s.wall() {
		at += j.period
	}
	return at
}

// plan lets j wait for a time.
func (s *jobScript) plan(j *scriptJob, at time.Duration) {
	if s.shut {
		s.end(j, &executors.CancelError{Cause: executors.ErrShutdown})
		return
	}
	s.seq++
	j.next, j.planned, j.seq = at, true, s.seq
	j.look = s.now + min(max(0, at-s.wall()), s.rearm)
}

// end ends j, and the contexts of its runs.
func (s *jobScript) end(j *scriptJob, err error) {
	if s.finish(j, err) {
		s.cut(j)
	}
}

// cut ends the contexts of the runs of j.
func (s *jobScript) cut(j *scriptJob) {
	for _, r := range j.runs {
		if j.waits {
			r.ends, r.cut = s.now, true
		}
	}
}

func (s *jobScript) finish(j *scriptJob, err error) bool {
	if j.over {
		return false
	}
	j.over, j.outcome, j.planned, j.pending = true, err, false, nil
	return true
}

// due looks at the wall for j.
func (s *jobScript) due(j *scriptJob) {
	j.planned = false
	if j.kind == "rate" && s.wall()-j.next-(s.now-j.look) >= j.period {
		j.next = s.regular(j, j.next)
	}
	if s.wall() < j.next {
		s.plan(j, j.next)
		if !s.shut {
			j.look = s.now + min(max(100*time.Microsecond, j.next-s.wall()), s.rearm)
		}
		return
	}
	waits := !s.perRun || j.afterRun()
	if !waits {
		j.last = scriptRun{due: j.next, start: s.wall(), end: s.wall()}
	}
	switch {
	case len(j.runs) == 0 || j.allow:
		s.begin(j, j.next)
	case len(j.pending) < j.queue:
		j.pending = append(j.pending, j.next)
	default:
		j.stats.Skipped++
	}
	if !waits {
		s.advance(j)
	}
}

func (s *jobScript) begin(j *scriptJob, due time.Duration) {
	if !s.perRun {
		s.busy++
	}
	n := len(j.starts)
	j.starts = append(j.starts, s.now)
	j.runs = append(j.runs, &scriptRun{due: due, start: s.wall(), began: s.now, ends: s.now + j.lengths[n%2], n: n})
}

// advance asks for the next time.
func (s *jobScript) advance(j *scriptJob) {
	if j.over {
		return
	}
	if at, ok := s.times(j); ok {
		s.plan(j, at)
		return
	}
	j.spent = true
	if len(j.runs) == 0 && len(j.pending) == 0 {
		s.end(j, nil)
	}
}

// ran ends a run.
func (s *jobScript) ran(j *scriptJob, r *scriptRun) {
	j.runs = slices.DeleteFunc(j.runs, func(o *scriptRun) bool { return o == r })
	var failure error
	if r.cut {
		failure = errCut
	} else if r.n%j.fails == j.fails-1 {
		failure = map[string]error{"fails": errScript, "panics": errPanic, "goexits": errGoexit}[j.how]
	}
	j.stats.Runs++
	if failure != nil {
		j.stats.Failures++
	}
	j.stats.LastStart, j.stats.LastDuration, j.stats.LastError = s.base.Add(r.start), s.now-r.began, failure
	if !s.perRun || j.afterRun() {
		j.last = scriptRun{due: r.due, start: r.start, end: s.wall()}
	}
	switch {
	case failure != nil && s.ends:
		s.end(j, failure)
	case len(j.pending) > 0 && len(j.runs) == 0:
		at := j.pending[0]
		j.pending = j.pending[1:]
		if s.shut {
			s.end(j, &executors.CancelError{Cause: executors.ErrShutdown})
		} else {
			s.begin(j, at)
		}
	case !s.perRun || j.afterRun():
		s.advance(j)
	case j.spent && len(j.runs) == 0:
		s.end(j, nil)
	}
	if !s.perRun {
		s.busy--
	}
}

// shutdown takes nothing more.
func (s *jobScript) shutdown(force bool) {
	s.shut = true
	for _, j := range s.all {
		switch {
		case j.refused:
		case force:
			s.finish(j, &executors.CancelError{Cause: executors.ErrShutdown})
			s.cut(j)
		case j.planned && j.look > s.now:
			s.finish(j, &executors.CancelError{Cause: executors.ErrShutdown})
		}
	}
}

// until lets time pass.
func (s *jobScript) until(at time.Duration) {
	for {
		next, do := never, func() {}
		var first *scriptJob
		for _, j := range s.all {
			if j.planned && (first == nil || j.look < first.look || j.look == first.look && j.seq < first.seq) {
				first = j
			}
			for _, r := range j.runs {
				if r.ends < next {
					next, do = r.ends, func() { s.ran(j, r) }
				}
			}
		}
		if first != nil && s.busy < s.size && first.look <= next {
			next, do = first.look, func() { s.due(first) }
		}
		if next > at {
			s.now = max(s.now, at)
			return
		}
		s.now = max(s.now, next)
		do()
	}
}
