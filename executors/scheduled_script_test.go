package executors_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/programs"
)

// some returns a length of time that is like no other.
func (s *timedScript) some(most time.Duration) time.Duration {
	return time.Duration(1 + s.Rand.Int64N(int64(most)))
}

func (s *timedScript) task() *timedTask {
	r := s.Rand
	t := &timedTask{id: len(s.all), lengths: [2]time.Duration{s.some(10 * time.Millisecond), s.some(10 * time.Millisecond)}}
	t.method = programs.Pick(r, "ExecuteAfter", "TrackAfter", "SubmitAfter", "After", "AtFixedRate", "WithFixedDelay")
	t.waits = r.IntN(3) == 0
	t.rounds = 1 + r.IntN(12)
	t.ends = programs.Pick(r, "returns", "fails", "panics", "goexits")
	if r.IntN(4) > 0 {
		t.delay = s.some(programs.Pick(r, time.Millisecond, 20*time.Millisecond, 300*time.Millisecond))
	}
	if r.IntN(8) == 0 {
		t.delay = -t.delay
	}
	t.period = s.some(programs.Pick(r, 3*time.Millisecond, 30*time.Millisecond))
	t.missed = executors.Missed(r.IntN(3))
	if r.IntN(4) == 0 && strings.HasSuffix(t.method, "eAfter") || t.method == "SubmitAfter" && r.IntN(3) == 0 {
		t.deadline = s.now + s.some(30*time.Millisecond)
	}
	s.all = append(s.all, t)
	return t
}

// run is what t does.
func (s *timedScript) run(ctx context.Context, t *timedTask) error {
	s.mu.Lock()
	n := len(t.real.starts)
	t.real.starts = append(t.real.starts, s.Now())
	s.mu.Unlock()
	switch length := t.lengths[n%2]; {
	case !t.waits:
		time.Sleep(length)
	case ctx.Err() != nil || programs.Wait(ctx, length):
		return errCut
	}
	switch {
	case t.series() && n+1 != t.rounds:
	case t.ends == "fails":
		return errScript
	default:
		programs.Act(t.ends, 0)
	}
	return nil
}

// hand submits t to the pool.
func (s *timedScript) hand(t *timedTask) {
	ctx := background
	if t.deadline > 0 {
		with, cancel := context.WithTimeout(ctx, t.deadline-s.Now())
		ctx = with
		time.AfterFunc(time.Hour, cancel)
	}
	p, now := s.pool, &t.real
	task := func(ctx context.Context) { _ = s.run(ctx, t) }
	action := func(ctx context.Context) error { return s.run(ctx, t) }
	switch t.method {
	case "ExecuteAfter":
		now.withdraw, now.err = p.ExecuteAfter(ctx, t.delay, task)
	case "TrackAfter":
		now.withdraw, now.err = p.TrackAfter(ctx, t.delay, task, func(error) { now.dropped++ })
	case "SubmitAfter":
		f, err := p.SubmitAfter(ctx, t.delay, func(ctx context.Context) (int, error) { return t.id, s.run(ctx, t) })
		if now.err = err; err == nil {
			now.handle = &f.Handle
		}
	case "After":
		now.handle, now.err = p.After(t.delay, action)
	case "AtFixedRate":
		now.handle, now.err = p.AtFixedRate(t.delay, t.period, action, t.missed)
	case "WithFixedDelay":
		now.handle, now.err = p.WithFixedDelay(t.delay, t.period, action)
	}
}

// step does something to the pool and to the model.
func (s *timedScript) step() {
	r, p := s.Rand, s.pool
	note := func(format string, args ...any) {
		s.lines = append(s.lines, fmt.Sprintf("%v: ", s.now)+fmt.Sprintf(format, args...))
	}
	switch k := r.IntN(40); {
	case k < 20:
		t := s.task()
		note("task %d", t.id)
		s.hand(t)
		s.submit(t)
	case k < 27:
		if t := programs.Pick(r, s.all...); t != nil && !t.refused {
			note("cancel task %d", t.id)
			switch h := t.real.handle; {
			case h == nil:
				s.same("withdraw", t.real.withdraw(), s.withdraw(t, nil))
			case r.IntN(3) == 0:
				s.same("Remove", p.Remove(h), s.withdraw(t, nil))
			default:
				s.same("Cancel", h.Cancel(errScript), s.cancel(t, errScript))
			}
		}
	case k < 30:
		core := r.IntN(4)
		note("core %d", core)
		s.same("SetCore", p.SetCore(core), error(nil))
		grow, shrink := min(core-s.core, len(s.waiting)), core < s.core
		s.core = core
		if shrink {
			for i := range s.idle {
				s.idle[i] = s.now
			}
			s.reap()
		}
		for range grow {
			if s.workers < core && s.state != "stop" && s.state != "terminated" {
				s.hire()
			}
		}
	case k == 30:
		note("prestart")
		starts := max(0, s.core-s.workers)
		if s.state != "running" {
			starts = 0
		}
		s.same("PrestartAll", p.PrestartAll(), starts)
		for range starts {
			s.hire()
		}
	case k == 31:
		s.dropDelayed = !s.dropDelayed
		note("drop delayed %t", s.dropDelayed)
		p.SetDropDelayed(s.dropDelayed)
		if s.state == "shutdown" {
			s.shutdown(false)
		}
	case k == 32:
		s.keepPeriodic = !s.keepPeriodic
		note("keep periodic %t", s.keepPeriodic)
		p.SetKeepPeriodic(s.keepPeriodic)
		if s.state == "shutdown" {
			s.shutdown(false)
		}
	case k == 38 && r.IntN(4) == 0:
		note("shutdown")
		p.Shutdown()
		s.shutdown(false)
	case k == 39 && r.IntN(5) == 0:
		note("shutdown now")
		s.same("ShutdownNow", len(p.ShutdownNow()), len(s.shutdown(true)))
	}
}

// same notes what the pool and the model do not agree on.
func (s *timedScript) same(what string, got, want any) {
	if got != want {
		s.Fail("%v: %s: %v, want %v", s.now, what, got, want)
	}
}

// compare compares the pool with the model.
func (s *timedScript) compare() {
	got := s.pool.Stats()
	want := executors.Stats{
		Name: got.Name, State: s.state, Core: s.core, Max: math.MaxInt, Workers: s.workers, Idle: len(s.idle), Largest: s.largest, Capacity: math.MaxInt,
		Active: len(s.running), Queued: len(s.waiting), Submitted: uint64(s.submitted), Completed: uint64(s.completed), Cancelled: uint64(s.cancelled),
		Rejected: uint64(s.rejected),
	}
	for _, t := range s.waiting {
		if t.delayed {
			want.Delayed++
		}
	}
	if got != want {
		s.Fail("%v: figures\n  %+v, want\n  %+v", s.now, got, want)
	}
	if s.meter != nil {
		s.meter.check(s.Program, got, 0, s.lag, s.took)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.same("told", s.told, s.mustTell)
	for _, t := range s.all {
		wrong := s.About("%v: task %d: ", s.now, t.id)
		if fmt.Sprint(t.real.starts) != fmt.Sprint(t.starts) {
			wrong("it began at %v, want %v", t.real.starts, t.starts)
		}
		if (t.real.err != nil) != t.refused || t.real.err != nil && !errors.Is(t.real.err, executors.ErrShutdown) || t.real.dropped != t.dropped {
			wrong("refused %v, dropped %d, want %t, %d", t.real.err, t.real.dropped, t.refused, t.dropped)
		}
		if h := t.real.handle; h != nil && (h.IsDone() != t.settled || !alike(h.Err(), t.outcome) || isClosed(h.Finished()) != t.over) {
			wrong("ended %t with %v, over %t, want %t, %v, %t", h.IsDone(), h.Err(), isClosed(h.Finished()), t.settled, t.outcome, t.over)
		}
	}
}

// reach lets time pass and compares.
func (s *timedScript) reach() {
	synctest.Wait()
	s.until(s.Now())
	s.compare()
}

// play plays the script, and returns what is wrong.
func (s *timedScript) play(t *testing.T) []string {
	s.state, s.core = "running", s.Rand.IntN(4)
	opts := []executors.Option{executors.WithErrorHandler(func(_ context.Context, err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, ok := errors.AsType[*reactor.PanicError](err); ok || err == reactor.ErrGoexit {
			s.told++
		}
	})}
	if s.Rand.IntN(2) == 0 {
		s.meter = &sums{of: map[string]int64{}}
		opts = append(opts, executors.WithMeter(s.meter, "x"))
	}
	if s.dropDelayed = s.Rand.IntN(2) == 0; s.dropDelayed {
		opts = append(opts, executors.DropDelayed())
	}
	if s.keepPeriodic = s.Rand.IntN(2) == 0; s.keepPeriodic {
		opts = append(opts, executors.KeepPeriodic())
	}
	var err error
	s.pool, err = executors.NewScheduledPool(s.core, opts...)
	require.NoError(t, err)
	s.lines = append(s.lines, fmt.Sprintf("core %d, drop delayed %t, keep periodic %t", s.core, s.dropDelayed, s.keepPeriodic))
	for range 5 + s.Rand.IntN(50) {
		pass(s.some(programs.Pick(s.Rand, time.Millisecond, 4*time.Millisecond, 15*time.Millisecond)))
		s.reach()
		s.step()
		s.reach()
		if len(s.Wrong(s)) > 0 {
			break
		}
	}
	pass(400 * time.Millisecond)
	s.reach()
	s.pool.Shutdown()
	s.shutdown(false)
	s.reach()
	s.pool.ShutdownNow()
	time.Sleep(2 * time.Hour) // contexts end
	return s.Wrong(s)
}

// String describes the script.
func (s *timedScript) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "script %d", s.Number)
	for _, t := range s.all {
		fmt.Fprintf(&b, "\n  task %d: %s, %v, waits %t, delay %v, period %v, missed %d, %s in run %d, deadline %v", t.id, t.method, t.lengths, t.waits, t.delay, t.period,
			t.missed, t.ends, t.rounds, t.deadline)
	}
	return b.String() + "\n  " + strings.Join(s.lines, "\n  ")
}

// TestScheduledPoolsAgainstAModel plays random scripts: REACTOR_POOLS says how many, REACTOR_POOLS_NUMBER which one of REACTOR_POOLS_SEED.
func TestScheduledPoolsAgainstAModel(t *testing.T) {
	programs.InBubbles(t, "REACTOR_POOLS", bubble, func(t *testing.T, p *programs.Program) []string { return (&timedScript{Program: p}).play(t) })
}
