package schedulers_test

// What must hold while a random program (programs_test.go) runs: when a run begins, of the context of a task, of a refusal, when a
// disposal has returned, and of the figures. What must hold in the end is in programs_balance_test.go.

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/programs"
	"github.com/goreactor/reactor/schedulers"
)

// outside reports whether somebody else has disposed k, its worker or the scheduler, or is about to. The caller holds mu.
func (p *program) outside(k *task) bool {
	if p.closing > 0 && (k.series && !p.traits.slots || p.traits.here) {
		return true // a graceful disposal disposes the series of an executor, and a pool that ends what a caller runs
	}
	other := func(by *task) bool { return by != k }
	return slices.ContainsFunc(k.by, other) || slices.ContainsFunc(k.lane.by, other) || slices.ContainsFunc(p.forced, other)
}

// over returns when somebody else had disposed k, its worker, or the scheduler by force, else 0. The caller holds mu.
func (p *program) over(k *task) time.Duration {
	first := time.Duration(0)
	for _, at := range []time.Duration{k.disposed, k.lane.disposed, p.forcing} {
		if at > 0 && (first == 0 || at < first) {
			first = at
		}
	}
	return first
}

// mayBeMissing reports whether there is a reason for k not to run. The caller holds mu.
func (p *program) mayBeMissing(k *task) bool {
	return len(k.by) > 0 || len(k.lane.by) > 0 || len(p.forced) > 0 || p.drops && k.delayed || p.foreign || p.traits.loses
}

// begins checks what must hold when the n-th run begins.
func (p *program) begins(k *task, n int64) {
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	wrong := p.About("task %d, run %d at %v: ", k.id, n, now)
	if n-1 != k.ends.Load() {
		wrong("it runs still")
	}
	if !k.series && n > 1 {
		wrong("it has run before")
	}
	if due := k.due + time.Duration(n-1)*max(0, k.period); now < due {
		wrong("too early, before %v", due)
	}
	if k.submitted && !k.accepted {
		wrong("it was refused")
	}
	if at := p.over(k); at > 0 && now > at {
		wrong("it was disposed at %v", at)
	}
	if k.series && p.closing > 0 && now > p.closing && !p.foreign {
		wrong("the scheduler was disposed at %v", p.closing)
	}
	if k.series && k.stops && k.fails.Load() > 0 {
		wrong("it has failed before")
	}
	if p.traits.ordered && (k.lane.w != nil || p.traits.lane) {
		p.inOrder(k, n, wrong)
	}
}

// inOrder checks that nothing of the lane waits that comes before the n-th run of k. The caller holds mu.
func (p *program) inOrder(k *task, n int64, wrong func(string, ...any)) {
	if k.series && k.period <= 0 {
		return
	}
	due := k.due + time.Duration(n-1)*k.period
	for _, o := range k.lane.tasks {
		starts := o.starts.Load()
		switch {
		case o == k, !o.accepted, len(o.by) > 0, p.mayBeMissing(o):
			continue
		case o.series && (o.period <= 0 || starts != o.ends.Load() || o.stops || p.closing > 0), !o.series && starts > 0:
			continue
		}
		before := o.due + time.Duration(starts)*o.period
		if before < due || before == due && !o.series && !k.series && o.returned < k.began {
			wrong("due at %v, but task %d, which is due at %v, has not run", due, o.id, before)
		}
	}
}

// look looks at the context, which ends only for a disposal from outside.
func (p *program) look(ctx context.Context, k *task) {
	_ = ctx.Done() // who never asks for that need not be told
	err := ctx.Err()
	p.mu.Lock()
	defer p.mu.Unlock()
	k.ctx = ctx
	if err != nil && !p.outside(k) && !p.foreign {
		p.Fail("task %d: its context has ended, %v, %v", k.id, err, context.Cause(ctx))
	}
}

// waited looks at the context that the task has waited for the end of.
func (p *program) waited(ctx context.Context, k *task, ended bool) {
	cause := context.Cause(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	k.ctx = ctx
	switch at := p.over(k); {
	case ended && !p.outside(k) && !p.foreign:
		p.Fail("task %d: its context has ended, %v", k.id, cause)
	case ended && !p.foreign && !p.traits.here && !errors.Is(cause, schedulers.ErrTaskDisposed):
		p.Fail("task %d: its context has ended for %v", k.id, cause)
	case !ended && at > 0 && at < p.now() && !p.traits.immediate:
		p.Fail("task %d: it was disposed at %v and not told until %v", k.id, at, p.now())
	}
}

// refused checks that there is such a reason to refuse k. The caller holds mu.
func (p *program) refused(k *task, err error) {
	var why *schedulers.RejectedError
	timed := p.traits.timed && (k.lane.w == nil || p.traits.workersTimed)
	switch {
	case errors.Is(err, programs.ErrTask):
		p.refusedByDecorator.Add(1)
	case !errors.As(err, &why) || !errors.Is(err, reactor.ErrRejected):
		p.Fail("task %d was refused by %T %v", k.id, err, err)
	case why.Reason == schedulers.Disposed && p.closing == 0,
		why.Reason == schedulers.WorkerDisposed && len(k.lane.by) == 0 && (p.source == nil || p.closing == 0),
		why.Reason == schedulers.Capacity && (p.traits.limit == 0 || why.Pending <= why.Capacity || why.Capacity != p.traits.limit),
		why.Reason == schedulers.NotTimeCapable && (timed || !k.delayed),
		why.Reason == schedulers.ExecutorFailed && !p.traits.loses && !p.foreign && p.closing == 0:
		p.Fail("task %d was refused at %v: %v, %d", k.id, p.now(), err, why.Reason)
	}
}

// closed checks that what was accepted before a graceful disposal is over behind it.
func (p *program) closed(accepted []*task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.forced) > 0 || p.foreign {
		return
	}
	for _, k := range accepted {
		if k.starts.Load() != k.ends.Load() || !k.series && k.starts.Load() == 0 && !p.mayBeMissing(k) {
			p.Fail("a graceful disposal is over at %v, but not task %d", p.now(), k.id)
		}
	}
}

// stats looks at the figures.
func (p *program) stats() {
	series := 0
	for _, k := range p.books.All() {
		if k.series {
			series++
		}
	}
	s := p.s.Stats()
	if s.Workers > s.Capacity && s.Capacity > 0 || p.traits.threads > 0 && (s.Running > p.traits.threads || p.traits.slots && s.Capacity > p.traits.threads) {
		p.Fail("figures: %+v", s)
	}
	for _, sl := range s.Slots {
		// One more is on the way to a slot that does nothing, and runs of a series come back.
		if p.traits.limit > 0 && sl.Queued > p.traits.limit+1+series || sl.Queued < sl.Delayed || sl.Holders < 0 {
			p.Fail("figures: %+v", sl)
		}
	}
}
