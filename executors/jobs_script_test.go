package executors_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/executors/cron"
	"github.com/goreactor/reactor/internal/testkit/programs"
)

func (s *jobScript) some(most time.Duration) time.Duration {
	return time.Duration(1 + s.Rand.Int64N(int64(most)))
}

// run is what j does.
func (s *jobScript) run(ctx context.Context, j *scriptJob) error {
	s.mu.Lock()
	n := len(j.real)
	j.real = append(j.real, s.Now())
	s.mu.Unlock()
	switch length := j.lengths[n%2]; {
	case !j.waits:
		time.Sleep(length)
	case programs.Wait(ctx, length):
		return errCut
	}
	switch {
	case n%j.fails != j.fails-1:
	case j.how == "fails":
		return errScript
	default:
		programs.Act(j.how, 0)
	}
	return nil
}

// countedTimes is the trigger of counted jobs.
type countedTimes struct{ *scriptJob }

func (c countedTimes) Next(at executors.TriggerContext) (time.Time, bool) {
	if at.LastScheduled.IsZero() {
		return at.Now.Add(c.period), true
	}
	c.most--
	return at.LastScheduled.Add(c.period), c.most > 0
}

// add adds a job.
func (s *jobScript) add() {
	r := s.Rand
	j := &scriptJob{id: len(s.all), lengths: [2]time.Duration{s.some(20 * time.Millisecond), s.some(20 * time.Millisecond)}}
	j.kind = programs.Pick(r, "at", "rate", "delay", "periodic", "periodic rate", "counted")
	j.how = programs.Pick(r, "fails", "panics", "goexits")
	j.fails = 1 + r.IntN(9)
	j.waits = r.IntN(3) == 0
	j.period = 3*time.Millisecond + s.some(40*time.Millisecond)
	j.first = s.some(50 * time.Millisecond)
	j.most = 1 + r.IntN(6)
	j.missed = executors.Missed(r.IntN(3))
	if (s.perRun || s.size == 1) && r.IntN(4) == 0 {
		j.kind = programs.Pick(r, "lenient", "fixed")
		j.period = time.Duration(1+r.IntN(3)) * time.Second
		j.lengths[0] *= 100
		if j.period == 3*time.Second {
			j.period = 5 * time.Second
		}
	}
	var opts []executors.JobOption
	switch r.IntN(4) {
	case 0:
		j.allow = true // several may begin at a time: so they are all alike
		j.lengths[1], j.fails, j.waits = j.lengths[0], programs.Pick(r, 1, 1<<30), false
		opts = append(opts, executors.Allow)
	case 1:
		j.queue = 1 + r.IntN(2)
		opts = append(opts, executors.Queued(j.queue))
	}
	if j.started = r.IntN(2) == 0; j.started || j.kind == "at" {
		j.first += s.wall() - programs.Pick(r, 0, 0, 60*time.Millisecond)
		if j.started {
			opts = append(opts, executors.StartAt(s.base.Add(j.first)))
		}
	}
	opts = append(opts, j.missed)
	s.all = append(s.all, j)
	most := j.most
	fn := func(ctx context.Context) error { return s.run(ctx, j) }
	every := func() *cron.Expression {
		e, err := cron.Parse(fmt.Sprintf("0/%d * * * * *", j.period/time.Second))
		require.NoError(s.t, err)
		return e
	}
	switch j.kind {
	case "at":
		j.job, j.err = s.s.At(s.base.Add(j.first), fn, opts...)
	case "rate":
		j.job, j.err = s.s.AtFixedRate(j.period, fn, opts...)
	case "delay":
		j.job, j.err = s.s.WithFixedDelay(j.period, fn, opts...)
	case "periodic":
		j.job, j.err = s.s.On(executors.NewPeriodic(j.first, j.period), fn, opts...)
	case "periodic rate":
		j.job, j.err = s.s.On(executors.NewPeriodicAtFixedRate(j.first, j.period), fn, opts...)
	case "counted":
		own := *j
		j.job, j.err = s.s.On(countedTimes{&own}, fn, opts...)
	case "lenient":
		j.job, j.err = s.s.On(cron.Lenient(every(), time.UTC), fn, opts...)
	case "fixed":
		j.job, j.err = s.s.On(cron.Fixed(every(), time.UTC), fn, opts...)
	}
	j.most = most
	if at, _ := s.times(j); s.shut {
		j.refused = true
	} else {
		s.plan(j, at)
	}
}

// step does something to the scheduler and to the model.
func (s *jobScript) step() {
	r := s.Rand
	note := func(format string, args ...any) {
		s.lines = append(s.lines, fmt.Sprintf("%v, wall %v: ", s.now, s.wall())+fmt.Sprintf(format, args...))
	}
	switch k := r.IntN(20); {
	case k < 9:
		note("job %d", len(s.all))
		s.add()
	case k < 13:
		if j := programs.Pick(r, s.all...); j != nil && !j.refused {
			note("cancel %d", j.id)
			if got := j.job.Cancel(errScript); got == j.over {
				s.Fail("%v: job %d: Cancel %t", s.now, j.id, got)
			}
			s.end(j, &executors.CancelError{Cause: errScript})
		}
	case k < 16:
		by := s.some(programs.Pick(r, 30*time.Millisecond, 3*time.Second))
		if r.IntN(2) == 0 {
			by = -by
		}
		note("the clock jumps by %v", by)
		s.mu.Lock()
		s.offset += by
		s.mu.Unlock()
	case k == 16 && r.IntN(6) == 0:
		note("shutdown")
		if err := s.s.Shutdown(); err != nil {
			s.Fail("shutdown: %v", err)
		}
		s.shutdown(!s.wait)
	case k == 17 && r.IntN(6) == 0:
		note("shutdown now")
		s.s.ShutdownNow()
		s.shutdown(true)
	}
}

// reach lets time pass and compares.
func (s *jobScript) reach() {
	synctest.Wait()
	s.until(s.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.all {
		wrong := s.About("%v: job %d: ", s.now, j.id)
		if j.refused != (j.err != nil) || j.refused && !errors.Is(j.err, executors.ErrShutdown) {
			wrong("refused %v, want %t", j.err, j.refused)
		}
		if fmt.Sprint(j.real) != fmt.Sprint(j.starts) {
			wrong("it began at %v, want %v", j.real, j.starts)
		}
		if j.refused || j.err != nil {
			continue
		}
		if isClosed(j.job.Done()) != j.over || !alike(j.job.Err(), j.outcome) {
			wrong("ended %t with %v, want %t, %v", isClosed(j.job.Done()), j.job.Err(), j.over, j.outcome)
		}
		got, want := j.job.Stats(), j.stats
		if !alike(got.LastError, want.LastError) {
			wrong("last error %v, want %v", got.LastError, want.LastError)
		}
		want.Name, want.LastError, want.Running, want.Done = got.Name, got.LastError, len(j.runs), j.over
		if j.planned {
			want.Next = s.base.Add(j.next)
		}
		got.Next, got.LastStart, want.Next, want.LastStart = got.Next.UTC(), got.LastStart.UTC(), want.Next.UTC(), want.LastStart.UTC()
		if got != want {
			wrong("figures\n  %+v, want\n  %+v", got, want)
		}
	}
}

// play plays the script, and returns what is wrong.
func (s *jobScript) play(t *testing.T) []string {
	r := s.Rand
	s.t, s.base, s.size, s.perRun = t, time.Now().Round(0), 1+r.IntN(3), r.IntN(2) == 0
	s.rearm = 30 * time.Second
	if s.perRun || s.size == 1 { // else several workers look at the wall at the same time
		s.rearm = programs.Pick(r, 7*time.Millisecond, 100*time.Millisecond, 30*time.Second) + s.some(time.Millisecond)
	}
	s.ends, s.wait, s.offset = r.IntN(2) == 0, r.IntN(2) == 0, time.Minute // so that the wall does not go back behind the base
	opts := []executors.SchedulerOption{
		executors.PoolSize(s.size), executors.RearmEvery(s.rearm),
		executors.PoolOptions(executors.WithErrorHandler(func(context.Context, error) {})),
		executors.WallClock(func() time.Time {
			s.mu.Lock()
			defer s.mu.Unlock()
			return time.Now().Add(s.offset)
		}),
		executors.OnJobError(func(_ *executors.Job, err error) error {
			if s.ends {
				return err
			}
			return nil
		}),
	}
	if s.perRun {
		opts = append(opts, executors.GoroutinePerRun())
	}
	if s.wait {
		opts = append(opts, executors.WaitOnShutdown(0))
	}
	var err error
	s.s, err = executors.NewTaskScheduler(opts...)
	require.NoError(t, err)
	s.lines = append(s.lines, fmt.Sprintf("size %d, per run %t, rearm %v, ends %t, wait %t", s.size, s.perRun, s.rearm, s.ends, s.wait))
	for range 5 + r.IntN(20) {
		pass(s.some(programs.Pick(r, time.Millisecond, 20*time.Millisecond, 300*time.Millisecond)))
		s.reach()
		s.step()
		s.reach()
		if len(s.Wrong(s)) > 0 {
			break
		}
	}
	s.s.ShutdownNow()
	s.shutdown(true)
	s.reach()
	pass(time.Minute)
	s.reach()
	require.NoError(t, s.s.AwaitTermination(background))
	return s.Wrong(s)
}

// String describes the script.
func (s *jobScript) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "script %d", s.Number)
	for _, j := range s.all {
		fmt.Fprintf(&b, "\n  job %d: %s, %v, waits %t, %s in each %d, first %v %t, period %v, most %d, missed %d, allow %t, queue %d", j.id, j.kind, j.lengths, j.waits,
			j.how, j.fails, j.first, j.started, j.period, j.most, j.missed, j.allow, j.queue)
	}
	return b.String() + "\n  " + strings.Join(s.lines, "\n  ")
}

// TestJobsAgainstAModel plays random scripts: REACTOR_POOLS says how many, REACTOR_POOLS_NUMBER which one of REACTOR_POOLS_SEED.
func TestJobsAgainstAModel(t *testing.T) {
	programs.InBubbles(t, "REACTOR_POOLS", bubble, func(t *testing.T, p *programs.Program) []string { return (&jobScript{Program: p}).play(t) })
}
