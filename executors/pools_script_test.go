package executors_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/programs"
)

// poolScript plays a random script on a pool and on poolModel, step by step. After each step nothing is left to happen at that time, and
// both must agree: on each figure, on when each run began, to the nanosecond, and on what each submitter and each future has heard.
type poolScript struct {
	*programs.Program
	what  string
	pool  *executors.ThreadPool
	model poolModel
	all   []*scripted
	lines []string // what was done
	spawn bool     // workers are started by a function, which fails while the model says so

	meter *sums // nil for none

	mu   sync.Mutex
	real map[*scripted]*played
	told []error // what the error handler has heard; mu
}

// played is what has become of a task in the pool; mu of the script.
type played struct {
	starts    []time.Duration
	submitted bool
	refused   error
	future    *executors.Future[int]
	withdraw  func() bool
	dropped   int
}

// open makes the pool, and the model of it.
func (s *poolScript) open(t *testing.T) {
	r, m := s.Rand, &s.model
	m.state = "running"
	m.core = r.IntN(4)
	m.most = max(1, m.core+r.IntN(3))
	m.keepAlive = programs.Pick(r, 0, time.Millisecond, 20*time.Millisecond)
	policies := map[string]executors.Policy{
		"abort": executors.Abort, "caller runs": executors.CallerRuns, "discard": executors.Discard, "discard oldest": executors.DiscardOldest,
	}
	m.policy = programs.Pick(r, "abort", "caller runs", "discard", "discard oldest")
	m.capacity = programs.Pick(r, executors.Unlimited, 0, 1, 2, 5)
	var queue executors.Queue
	switch m.ranked = m.capacity > 0 && r.IntN(2) == 0; {
	case m.ranked:
		m.capacity = min(m.capacity, 7)
		queue = executors.Priority(m.capacity, func(ctx context.Context) int { return ctx.Value(bookKey{}).(int) })
	case m.capacity == executors.Unlimited:
		queue = executors.Unbounded()
	case m.capacity == 0:
		queue = executors.Direct()
	default:
		queue = executors.Bounded(m.capacity)
	}
	opts := []executors.Option{
		executors.WithPolicy(policies[m.policy]),
		executors.WithErrorHandler(func(_ context.Context, err error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.told = append(s.told, err)
		}),
	}
	if s.spawn = r.IntN(4) == 0; s.spawn {
		opts = append(opts, executors.WithSpawn(func(_ string, run func()) error {
			s.mu.Lock()
			broken := m.broken
			s.mu.Unlock()
			if broken {
				return errScript
			}
			go run()
			return nil
		}))
	}
	if r.IntN(2) == 0 {
		s.meter = &sums{of: map[string]int64{}}
		opts = append(opts, executors.WithMeter(s.meter, "x"))
	}
	s.what = fmt.Sprintf("%s, core %d, most %d, keep alive %v, capacity %d, ranked %t, spawn %t", m.policy, m.core, m.most, m.keepAlive, m.capacity, m.ranked, s.spawn)
	var err error
	s.pool, err = executors.NewThreadPool(m.core, m.most, m.keepAlive, queue, opts...)
	require.NoError(t, err)
}

// some returns a length of time that is like no other.
func (s *poolScript) some(most time.Duration) time.Duration {
	return time.Duration(1 + s.Rand.Int64N(int64(most)))
}

// task makes a task, which may submit another one.
func (s *poolScript) task(nests bool) *scripted {
	r := s.Rand
	t := &scripted{id: len(s.all), rank: r.IntN(3), length: s.some(20 * time.Millisecond)}
	t.method = programs.Pick(r, "Execute", "Submit", "Track", "Execute", "Submit", "ExecuteWait", "SubmitWait")
	t.ends = programs.Pick(r, "returns", "returns", "fails", "panics", "goexits")
	if s.model.policy == "caller runs" && t.ends == "goexits" || !nests && t.patient() || s.spawn && t.patient() {
		t.method, t.ends = "Submit", "returns"
	}
	t.waits = r.IntN(3) == 0
	if r.IntN(4) == 0 {
		t.deadline = s.Now() + s.some(30*time.Millisecond)
	}
	s.all = append(s.all, t)
	s.mu.Lock()
	s.real[t] = new(played)
	s.mu.Unlock()
	if nests && !t.waits && s.model.policy != "caller runs" && r.IntN(4) == 0 {
		t.nested = s.task(false)
	}
	return t
}

// run is what t does.
func (s *poolScript) run(ctx context.Context, t *scripted) error {
	s.mu.Lock()
	p := s.real[t]
	p.starts = append(p.starts, s.Now())
	s.mu.Unlock()
	switch {
	case t.nested != nil:
		time.Sleep(t.length / 2)
		s.submit(t.nested)
		time.Sleep(t.length - t.length/2)
	case !t.waits:
		time.Sleep(t.length)
	case ctx.Err() != nil || programs.Wait(ctx, t.length):
		return context.Cause(ctx)
	}
	switch t.ends {
	case "fails":
		return errScript
	default:
		programs.Act(t.ends, 0)
		return nil
	}
}

// submit submits t to the pool.
func (s *poolScript) submit(t *scripted) {
	ctx := context.WithValue(background, bookKey{}, t.rank)
	if t.deadline > 0 {
		with, cancel := context.WithTimeout(ctx, t.deadline-s.Now())
		ctx = with
		time.AfterFunc(time.Hour, cancel)
	} else if t.id%2 == 0 && !s.model.ranked {
		ctx = background // which a pool knows
	}
	task := func(ctx context.Context) { _ = s.run(ctx, t) }
	compute := func(ctx context.Context) (int, error) { return t.id, s.run(ctx, t) }
	var now played
	switch t.method {
	case "Execute":
		now.refused = s.pool.Execute(ctx, task)
	case "ExecuteWait":
		now.refused = s.pool.ExecuteWait(ctx, task)
	case "Submit":
		now.future, now.refused = s.pool.Submit(ctx, compute)
	case "SubmitWait":
		now.future, now.refused = s.pool.SubmitWait(ctx, compute)
	case "Track":
		now.withdraw, now.refused = s.pool.Track(ctx, task, func(error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.real[t].dropped++
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.real[t]
	p.submitted, p.refused, p.future, p.withdraw = true, now.refused, now.future, now.withdraw
}

// step does something to the pool and to the model.
func (s *poolScript) step() {
	r, m, p := s.Rand, &s.model, s.pool
	note := func(format string, args ...any) {
		s.lines = append(s.lines, fmt.Sprintf("%v: ", m.now)+fmt.Sprintf(format, args...))
	}
	switch k := r.IntN(40); {
	case k < 22:
		t := s.task(true)
		note("task %d", t.id)
		m.submit(t)
		if t.patient() {
			go s.submit(t)
		} else {
			s.submit(t)
		}
	case k < 27:
		if t := programs.Pick(r, s.all...); t != nil {
			note("cancel task %d", t.id)
			s.cancel(t)
		}
	case k < 30:
		core := r.IntN(4)
		if len(m.waiters) > 0 {
			core = min(core, m.core) // new workers and those who wait would race for what there is
		}
		most := max(1, core+r.IntN(3))
		note("resize %d %d", core, most)
		s.resize(core, most)
	case k == 30:
		d := programs.Pick(r, 0, time.Millisecond, 10*time.Millisecond)
		note("keep alive %v", d)
		s.same("SetKeepAlive", p.SetKeepAlive(d) == nil, d > 0 || !m.coreLeaves)
		if d > 0 || !m.coreLeaves {
			m.keepAlive = d
			m.reconsider()
		}
	case k < 33:
		leaves := r.IntN(2) == 0
		note("core leaves %t", leaves)
		s.same("AllowCoreTimeout", p.AllowCoreTimeout(leaves) == nil, m.keepAlive > 0 || !leaves)
		if m.keepAlive > 0 || !leaves {
			m.coreLeaves = leaves
			m.reconsider()
		}
	case k == 33:
		note("prestart")
		starts := m.workers < m.core && m.state == "running" && !m.broken
		s.same("PrestartOne", p.PrestartOne(), starts)
		if starts {
			m.hire()
			m.takes()
		}
	case k < 36 && s.spawn:
		s.mu.Lock()
		m.broken = !m.broken
		s.mu.Unlock()
		note("broken %t", m.broken)
	case k == 38 && r.IntN(5) == 0:
		note("shutdown")
		p.Shutdown()
		m.shutdown(false)
	case k == 39 && r.IntN(5) == 0:
		note("shutdown now")
		left, want := p.ShutdownNow(), m.shutdown(true)
		s.same("ShutdownNow", len(left), len(want))
	}
}

// cancel cancels t, or takes it back.
func (s *poolScript) cancel(t *scripted) {
	s.mu.Lock()
	p := *s.real[t]
	s.mu.Unlock()
	m := &s.model
	switch {
	case p.withdraw != nil:
		s.same("withdraw", p.withdraw(), m.withdraw(t, nil))
	case p.future == nil:
	case s.Rand.IntN(3) == 0:
		s.same("Remove", s.pool.Remove(&p.future.Handle), m.withdraw(t, nil))
	default:
		was := t.over
		s.same("Cancel", p.future.Cancel(errScript), !was)
		m.cancel(t, errScript)
	}
}

// resize changes the sizes.
func (s *poolScript) resize(core, most int) {
	m := &s.model
	s.same("Resize", s.pool.Resize(core, most), error(nil))
	grow := min(core-m.core, len(m.queue))
	shrink := core < m.core
	m.core, m.most = core, most
	for m.workers > most && len(m.idle) > 0 {
		m.leaves()
	}
	if shrink {
		m.reconsider()
	}
	before := m.workers
	for range grow {
		if m.workers < core && m.state != "stop" && m.state != "terminated" && (!m.broken || before == 0) {
			m.hire()
			m.takes()
		}
	}
	m.room()
}

// same notes what the pool and the model do not agree on.
func (s *poolScript) same(what string, got, want any) {
	if got != want {
		s.Fail("%s: %v, want %v", what, got, want)
	}
}

// compare compares the pool with the model.
func (s *poolScript) compare() {
	m, got := &s.model, s.pool.Stats()
	want := executors.Stats{
		Name: got.Name, State: m.state, Core: m.core, Max: m.most, Workers: m.workers, Idle: len(m.idle), Largest: m.largest, Capacity: m.capacity,
		Queued: len(m.queue), Submitted: uint64(m.submitted), Completed: uint64(m.completed), Discarded: uint64(m.discarded),
		Cancelled: uint64(m.cancelled), Rejected: uint64(m.rejected), CallerRuns: uint64(m.callerRuns),
	}
	want.Active = m.workers - len(m.idle)
	if got != want {
		s.Fail("%v: figures\n  %+v, want\n  %+v", m.now, got, want)
	}
	if s.meter != nil {
		s.meter.check(s.Program, got, len(m.waiters), m.lag, m.took)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.all {
		p, wrong := s.real[t], s.About("%v: task %d: ", m.now, t.id)
		if fmt.Sprint(p.starts) != fmt.Sprint(t.starts) {
			wrong("it began at %v, want %v", p.starts, t.starts)
		}
		if p.submitted != t.submitted || !alike(p.refused, t.refused) || p.dropped != t.dropped {
			wrong("submitted %t, refused %v, dropped %d, want %t, %v, %d", p.submitted, p.refused, p.dropped, t.submitted, t.refused, t.dropped)
		}
		if f := p.future; f != nil && (f.IsDone() != t.over || !alike(f.Err(), t.outcome)) {
			wrong("ended %t with %v, want %t, %v", f.IsDone(), f.Err(), t.over, t.outcome)
		}
	}
	if len(s.told) != len(m.told) {
		s.Fail("%v: told %v, want %v", m.now, s.told, m.told)
		return
	}
	for i, err := range s.told {
		if !alike(err, m.told[i]) {
			s.Fail("%v: told %v, want %v", m.now, err, m.told[i])
		}
	}
}

// reach lets time pass and compares.
func (s *poolScript) reach() {
	synctest.Wait()
	s.model.until(s.Now(), s.all)
	s.compare()
}

// play plays the script, and returns what is wrong.
func (s *poolScript) play(t *testing.T) []string {
	s.real = map[*scripted]*played{}
	s.open(t)
	for range 5 + s.Rand.IntN(50) {
		pass(s.some(programs.Pick(s.Rand, time.Millisecond, 4*time.Millisecond, 15*time.Millisecond)))
		s.reach()
		s.step()
		s.reach()
		if len(s.Wrong(s)) > 0 {
			break
		}
	}
	pass(time.Minute)
	s.reach()
	s.pool.Shutdown()
	s.model.shutdown(false)
	s.reach()
	s.pool.ShutdownNow()
	time.Sleep(2 * time.Hour) // contexts end
	return s.Wrong(s)
}

// String describes the script.
func (s *poolScript) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "script %d: %s", s.Number, s.what)
	for _, t := range s.all {
		nested := -1
		if t.nested != nil {
			nested = t.nested.id
		}
		fmt.Fprintf(&b, "\n  task %d: %s, rank %d, %v, waits %t, %s, deadline %v, nested %d", t.id, t.method, t.rank, t.length, t.waits, t.ends, t.deadline, nested)
	}
	return b.String() + "\n  " + strings.Join(s.lines, "\n  ")
}

// TestPoolsAgainstAModel plays random scripts: REACTOR_POOLS says how many, REACTOR_POOLS_NUMBER which one of REACTOR_POOLS_SEED.
func TestPoolsAgainstAModel(t *testing.T) {
	programs.InBubbles(t, "REACTOR_POOLS", bubble, func(t *testing.T, p *programs.Program) []string { return (&poolScript{Program: p}).play(t) })
}
