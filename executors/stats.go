package executors

import (
	"fmt"
	"strconv"
)

// Stats is a snapshot of a pool, taken under its lock, so that
//
//	Submitted = Completed + Active + Queued + Discarded + Cancelled
//
// holds exactly.
type Stats struct {
	Name  string
	State string // "running", "shutdown", "stop", "tidying" or "terminated"

	Core     int // workers that are started before the queue is used
	Max      int // most workers
	Workers  int // workers that exist
	Idle     int // workers that wait for a task
	Largest  int // most workers there ever were, without those that could not be started
	Capacity int // room of the queue, [Unlimited] without a limit

	Active    int    // tasks that run now; one counts until its worker has found the next one or rests
	Queued    int    // tasks that wait, delayed ones included
	Delayed   int    // tasks among them that came with a delay, whether it is over or not
	Submitted uint64 // tasks accepted; each run of a periodic task is one
	Completed uint64 // runs that ended, however
	Discarded uint64 // tasks dropped by a policy
	Cancelled uint64 // tasks withdrawn before their start

	Rejected   uint64 // refusals, which are not in Submitted
	CallerRuns uint64 // tasks that the submitter ran, which are not in Submitted either
}

// Tasks returns how many tasks there were and are: completed, active, queued.
func (s Stats) Tasks() uint64 { return s.Completed + uint64(s.Active) + uint64(s.Queued) }

// String returns for example "\"io\" [running, workers 2/2, active 2, queued 10/10,
// completed 7]".
func (s Stats) String() string {
	return fmt.Sprintf("%q [%s, workers %d/%s, active %d, queued %d/%s, completed %d]",
		s.Name, s.State, s.Workers, limit(s.Max), s.Active, s.Queued, limit(s.Capacity), s.Completed)
}

// limit returns n as a text, with a sign for [Unlimited].
func limit(n int) string {
	if n == Unlimited {
		return "∞"
	}
	return strconv.Itoa(n)
}

// Stats returns a snapshot.
func (p *ThreadPool) Stats() Stats {
	if !p.made() {
		return Stats{State: "not made"}
	}
	p.lock()
	defer p.unlock()
	s := Stats{
		Name:       p.name,
		State:      p.state.String(),
		Core:       p.core,
		Max:        p.most,
		Workers:    p.workers,
		Idle:       len(p.idle),
		Largest:    p.largest,
		Capacity:   p.capacity,
		Active:     p.active,
		Queued:     p.queue.len(),
		Submitted:  p.submitted,
		Completed:  p.completed,
		Discarded:  p.discarded,
		Cancelled:  p.cancelled,
		Rejected:   p.rejected,
		CallerRuns: p.callerRuns,
	}
	if p.scheduled != nil {
		s.Delayed = p.scheduled.delayed
	}
	return s
}
