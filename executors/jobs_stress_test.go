package executors_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/programs"
)

// jobProgram is a scheduler, jobs, what is done to them, and an end, all at random. What must hold: runs of a job follow one another
// unless they may overlap, none is too early, none comes after the end, what was planned runs, figures are those of the runs, and
// each job ends.
type jobProgram struct {
	*programs.Program
	what    string
	start   time.Time
	books   programs.Book[jobBook]
	s       *executors.TaskScheduler
	size    int // workers, 0 for a goroutine for each run
	jumps   bool
	offset  atomic.Int64 // of the wall clock
	handler int          // of failures: 0 the default, 1 goes on, 2 ends
	running atomic.Int64

	mu     sync.Mutex
	ending time.Time // when the first shutdown began, else zero; mu
}

// jobBook is what is known of a job.
type jobBook struct {
	id      int
	method  string
	does    string
	length  time.Duration
	first   time.Time
	period  time.Duration
	most    int // times of its trigger
	allows  bool
	job     *executors.Job
	refused error

	cancelled                atomic.Bool
	starts, ends, fails, now atomic.Int64
	ended                    atomic.Int64 // of the last run, since the start
}

// wall is the wall clock.
func (p *jobProgram) wall() time.Time { return time.Now().Add(time.Duration(p.offset.Load())) }

// run is a run of a job.
func (p *jobProgram) run(ctx context.Context, b *jobBook) error {
	if n := p.running.Add(1); p.size > 0 && n > int64(p.size) {
		p.Fail("%d runs at a time on %d workers", n, p.size)
	}
	defer p.running.Add(-1)
	if n := b.now.Add(1); n > 1 && !b.allows {
		p.Fail("job %d: %d runs at a time", b.id, n)
	}
	n := b.starts.Add(1)
	now := time.Now()
	if !p.jumps {
		switch {
		case now.Before(b.first):
			p.Fail("job %d: the first run is at %v, before %v", b.id, now.Sub(p.start), b.first.Sub(p.start))
		case b.method == "WithFixedDelay" && n > 1 && now.Sub(p.start) < time.Duration(b.ended.Load())+b.period:
			p.Fail("job %d: run %d is at %v, the one before ended at %v", b.id, n, now.Sub(p.start), time.Duration(b.ended.Load()))
		case b.method == "AtFixedRate" && now.Before(b.first.Add(time.Duration(n-1)*b.period)):
			p.Fail("job %d: run %d is at %v, before %v", b.id, n, now.Sub(p.start), b.first.Add(time.Duration(n-1)*b.period).Sub(p.start))
		}
	}
	failed := true
	defer func() {
		if failed {
			b.fails.Add(1)
		}
		b.ended.Store(int64(p.Now()))
		b.ends.Add(1)
		b.now.Add(-1)
	}()
	switch b.does {
	case "sleeps", "yields":
		programs.Act(b.does, b.length)
	case "waits":
		if programs.Wait(ctx, 2*b.length) {
			return context.Cause(ctx)
		}
	}
	if n%3 == 0 {
		switch b.does {
		case "panics", "goexits":
			programs.Act(b.does, 0)
		case "fails":
			return programs.ErrTask
		case "cancels":
			b.cancelled.Store(true)
			b.job.Cancel(programs.ErrTask)
		}
	}
	failed = false
	return nil
}

// counted is a trigger with so many times.
type counted struct {
	p    *jobProgram
	b    *jobBook
	left atomic.Int64
}

func (c *counted) Next(at executors.TriggerContext) (time.Time, bool) {
	if c.left.Add(-1) < 0 {
		return time.Time{}, false
	}
	if at.LastScheduled.IsZero() {
		return at.Now.Add(c.b.period), true
	}
	return at.LastScheduled.Add(c.b.period), true
}

// add adds a job.
func (p *jobProgram) add(r *rand.Rand) {
	b := &jobBook{
		method: programs.Pick(r, "At", "At", "AtFixedRate", "WithFixedDelay", "On"),
		does:   programs.Pick(r, "returns", "returns", "sleeps", "sleeps", "waits", "yields", "panics", "goexits", "fails", "cancels"),
		length: programs.Milliseconds(r, 1, 30), period: programs.Milliseconds(r, 1, 20), most: 1 + r.IntN(6),
	}
	var opts []executors.JobOption
	switch r.IntN(4) {
	case 0:
		opts, b.allows = append(opts, executors.Allow), p.size == 0
	case 1:
		opts = append(opts, executors.Queued(1+r.IntN(2)))
	}
	if b.allows && b.method == "WithFixedDelay" {
		b.allows = false
	}
	p.books.Enter(b, func(n int) { b.id = n })
	made := make(chan struct{})
	fn := func(ctx context.Context) error {
		<-made
		return p.run(ctx, b)
	}
	b.first = time.Now()
	var job *executors.Job
	var err error
	switch b.method {
	case "At":
		delay := programs.Milliseconds(r, -5, 34)
		b.first, b.most = b.first.Add(max(0, delay)), 1
		job, err = p.s.At(p.wall().Add(delay), fn, opts...)
	case "AtFixedRate":
		b.most = 0
		if r.IntN(2) == 0 {
			b.first = b.first.Add(b.length)
			opts = append(opts, executors.StartAt(p.wall().Add(b.length)))
		}
		job, err = p.s.AtFixedRate(b.period, fn, append(opts, executors.Missed(r.IntN(3)))...)
	case "WithFixedDelay":
		b.most = 0
		job, err = p.s.WithFixedDelay(b.period, fn, opts...)
	case "On":
		c := &counted{p: p, b: b}
		c.left.Store(int64(b.most))
		job, err = p.s.On(c, fn, opts...)
		b.first = b.first.Add(b.period)
	}
	p.mu.Lock()
	b.job, b.refused = job, err
	p.mu.Unlock()
	close(made)
}

// some returns a job that there is, or nil.
func (p *jobProgram) some(r *rand.Rand) *jobBook {
	b := p.books.Some(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	if b == nil || b.job == nil {
		return nil
	}
	return b
}

// end shuts the scheduler down, somehow.
func (p *jobProgram) end(r *rand.Rand) {
	p.mu.Lock()
	if p.ending.IsZero() {
		p.ending = time.Now()
	}
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(background, programs.Milliseconds(r, 0, 49))
	defer cancel()
	switch r.IntN(3) {
	case 0:
		_ = p.s.Shutdown()
	case 1:
		p.s.ShutdownNow()
	case 2:
		_ = p.s.Close(ctx)
	}
}

func (p *jobProgram) open(t *testing.T, r *rand.Rand) {
	opts := []executors.SchedulerOption{executors.PoolOptions(executors.WithErrorHandler(func(context.Context, error) {}))}
	if p.size = 1 + r.IntN(3); r.IntN(2) == 0 {
		opts = append(opts, executors.GoroutinePerRun(), executors.PoolSize(p.size))
		p.size = 0
	} else {
		opts = append(opts, executors.PoolSize(p.size))
	}
	p.handler = 1 + r.IntN(2)
	opts = append(opts, executors.OnJobError(func(_ *executors.Job, err error) error {
		if p.handler == 1 {
			return nil
		}
		return err
	}))
	if p.jumps = r.IntN(4) == 0; p.jumps {
		opts = append(opts, executors.WallClock(p.wall), executors.RearmEvery(programs.Milliseconds(r, 1, 10)))
	}
	wait := -1
	if r.IntN(3) == 0 {
		wait = r.IntN(40)
		opts = append(opts, executors.WaitOnShutdown(time.Duration(wait)*time.Millisecond))
	}
	p.what = fmt.Sprintf("%d workers, jumps %t, handler %d, wait %d", p.size, p.jumps, p.handler, wait)
	var err error
	p.s, err = executors.NewTaskScheduler(opts...)
	require.NoError(t, err)
}

// step is one of a client.
func (p *jobProgram) step(r *rand.Rand) {
	switch r.IntN(8) {
	case 0:
		if b := p.some(r); b != nil {
			b.cancelled.Store(true)
			b.job.Cancel(nil)
		}
	case 1:
		if b := p.some(r); b != nil {
			ctx, cancel := context.WithTimeout(background, b.length)
			_ = b.job.Wait(ctx)
			cancel()
		}
	case 2, 3:
		time.Sleep(programs.Milliseconds(r, 0, 19))
	case 4:
		if p.jumps {
			p.offset.Add(int64(programs.Milliseconds(r, -60, 139)))
		}
	case 5:
		if b := p.some(r); b != nil {
			if s := b.job.Stats(); s.Failures > s.Runs || s.Running > 1 && !b.allows {
				p.Fail("job %d: figures %+v", b.id, s)
			}
		}
	default:
		p.add(r)
	}
}

// play runs the program in a bubble, and returns what is wrong.
func (p *jobProgram) play(t *testing.T) []string {
	p.start = time.Now()
	p.open(t, p.Rand)
	programs.Crowd{Clients: 3, Steps: 10, Step: p.step, Ends: 2, Within: 150 * time.Millisecond, End: p.end}.Play(p.Rand, p.Seed, p.Number)
	limit, cancel := context.WithTimeout(background, time.Hour)
	defer cancel()
	require.NoError(t, p.s.AwaitTermination(limit), "%v", p)
	synctest.Wait()
	p.check()
	return p.Wrong(p)
}

// check looks at the books.
func (p *jobProgram) check() {
	if s := p.s.Stats(); s.Active+s.Queued+s.Workers+s.Delayed != 0 || s.Submitted != s.Completed+s.Discarded+s.Cancelled {
		p.Fail("figures after the end: %+v", s)
	}
	for _, b := range p.books.All() {
		wrong := p.About("job %d: ", b.id)
		starts := b.starts.Load()
		if starts != b.ends.Load() || b.now.Load() != 0 {
			wrong("%d runs have begun, %d have ended", starts, b.ends.Load())
		}
		if b.job == nil {
			if starts > 0 || !errors.Is(b.refused, executors.ErrShutdown) {
				wrong("it was refused, %v, and ran %d times", b.refused, starts)
			}
			continue
		}
		select {
		case <-b.job.Done():
		default:
			wrong("it has no end")
			continue
		}
		s, err := b.job.Stats(), b.job.Err()
		if int64(s.Runs) != starts || int64(s.Failures) != b.fails.Load() || s.Running != 0 || !s.Next.IsZero() || !s.Done {
			wrong("it ran %d times, %d failed; figures %+v", starts, b.fails.Load(), s)
		}
		if b.most > 0 && starts > int64(b.most) {
			wrong("it ran %d times of %d", starts, b.most)
		}
		if starts+int64(s.Skipped) != int64(b.most) && err == nil {
			wrong("it ended with success after %d runs and %d that were left out, of %d", starts, s.Skipped, b.most)
		}
		if err != nil && !errors.Is(err, executors.ErrCancelled) && b.fails.Load() == 0 {
			wrong("its end is %v", err)
		}
		// Nothing stands in the way of what was due long before the end.
		if due := b.first.Add(time.Second); b.method == "At" && !p.jumps && !b.cancelled.Load() && due.Before(p.ending) && starts == 0 {
			wrong("it never ran")
		}
		if p.size == 0 && b.method == "At" && !p.jumps && !b.cancelled.Load() && b.first.Before(p.ending) && starts == 0 {
			wrong("it never ran, with a goroutine of its own")
		}
	}
}

func (p *jobProgram) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %d: %s, ended after %v", p.Number, p.what, p.ending.Sub(p.start))
	for _, k := range p.books.All() {
		fmt.Fprintf(&b, "\n  job %d: %s of %d, %s for %v, first %v, period %v, allows %t, cancelled %t, refused %v; starts %d, ends %d, fails %d", k.id, k.method, k.most,
			k.does, k.length, k.first.Sub(p.start), k.period, k.allows, k.cancelled.Load(), k.refused, k.starts.Load(), k.ends.Load(), k.fails.Load())
		if k.job != nil {
			fmt.Fprintf(&b, "; %v, %v", k.job.Stats(), k.job.Err())
		}
	}
	return b.String()
}

// TestStressJobs runs random programs: REACTOR_POOLS says how many, REACTOR_POOLS_NUMBER which one of REACTOR_POOLS_SEED.
func TestStressJobs(t *testing.T) {
	programs.InBubbles(t, "REACTOR_POOLS", bubble, func(t *testing.T, p *programs.Program) []string { return (&jobProgram{Program: p}).play(t) })
}
