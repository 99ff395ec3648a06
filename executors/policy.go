package executors

import (
	"context"
	"reflect"
)

// Policy decides about a task that a pool can't take: all workers are busy and the
// queue is full, or the pool is shut down. Its error goes to the submitter, unless
// one of the methods of r has run, accepted or discarded the task: then the
// submission has succeeded, and the error is ignored. If Reject returns nil and none
// of these methods has dealt with the task, the task is discarded.
//
// Reject is called on the goroutine of the submitter and may block it. If it blocks,
// it must watch the submitter's context and [Rejection.Stopping].
type Policy interface {
	// Reject decides about the task of r.
	Reject(r *Rejection) error
}

// PolicyFunc turns a function into a Policy.
type PolicyFunc func(r *Rejection) error

// Reject calls f.
func (f PolicyFunc) Reject(r *Rejection) error { return f(r) }

// The policies of Java's ThreadPoolExecutor. They have no state.
//
//	                saturated                        shut down
//	Abort           a *RejectedError                 a *RejectedError
//	CallerRuns      the submitter runs the task      a *RejectedError
//	Discard         dropped                          dropped
//	DiscardOldest   the head of the queue is         dropped
//	                dropped, then tried again
//
// A dropped task ends: its future fails with [ErrDiscarded]; a task without a
// future is reported to the pool's error handler. DiscardOldest never drops the
// task of a scheduler, and acts like Abort where there is nothing to drop: a pool
// without a queue has no oldest task.
var (
	Abort         Policy = PolicyFunc(func(r *Rejection) error { return r.Err() })
	CallerRuns    Policy = PolicyFunc(callerRuns)
	Discard       Policy = PolicyFunc(func(r *Rejection) error { r.Discard(); return nil })
	DiscardOldest Policy = PolicyFunc(discardOldest)
)

func callerRuns(r *Rejection) error {
	if r.Stopped() {
		return r.Err()
	}
	r.Run()
	return nil
}

func discardOldest(r *Rejection) error {
	for {
		if r.Stopped() {
			r.Discard()
			return nil
		}
		dropped := r.DropOldest()
		if r.Retry() {
			return nil
		}
		if !dropped && !r.Stopped() {
			return r.Err()
		}
	}
}

// Rejection is a task that a pool couldn't take, and what can be done with it. It
// is valid until Reject returns and is not safe for use by several goroutines.
type Rejection struct {
	pool    *ThreadPool
	e       entry
	ctx     context.Context // of the submitter; kept here, because after Retry the task, and e with it, may belong to a worker
	pc      uintptr         // of the task; kept here as ctx is
	answer  answer
	cause   error
	settled bool // the task was run, accepted or discarded
	dropped bool // DropOldest has made room
}

// Context returns the context of the submitter.
func (r *Rejection) Context() context.Context { return r.ctx }

// Pool returns the pool that could not take the task.
func (r *Rejection) Pool() *ThreadPool { return r.pool }

// Stopped reports whether the pool is shut down.
func (r *Rejection) Stopped() bool { return r.pool.IsShutdown() }

// Stopping returns a channel that is closed when the pool is shut down.
func (r *Rejection) Stopping() <-chan struct{} { return r.pool.stopping }

// Err returns the [*RejectedError] that [Abort] returns. Its kind is [ErrShutdown] if
// the pool is shut down by now, whatever the reason of the last refusal was.
func (r *Rejection) Err() error {
	kind := ErrSaturated
	if r.Stopped() {
		kind = ErrShutdown
	}
	return &RejectedError{Task: functionName(r.pc), Kind: kind, Stats: r.pool.Stats(), Cause: r.cause}
}

// Run runs the task on the calling goroutine, without the hooks and the counts of
// the pool. A panic is caught as on a worker.
func (r *Rejection) Run() {
	if r.settled {
		return
	}
	r.settled = true
	r.pool.runHere(r.e)
}

// Retry submits the task again and reports whether it was accepted.
func (r *Rejection) Retry() bool {
	if r.settled {
		return true
	}
	r.answer, r.cause = r.pool.offer(r.e)
	r.settled = r.answer == accepted
	return r.settled
}

// DropOldest discards the task at the head of the queue and reports whether there
// was one. Its place goes to [Rejection.Retry] first, and then to a submitter that
// waits for room.
func (r *Rejection) DropOldest() bool {
	return r.pool.dropOldest(&r.dropped)
}

// Discard drops the task: its future fails with [ErrDiscarded]. The task of a
// scheduler is refused instead.
func (r *Rejection) Discard() {
	if !r.settled && !r.e.essential() {
		r.settled = true
		r.pool.discardNew(r.e)
	}
}

// ask calls the policy. If that has dropped a task, the place may still be free: submitters that wait for room are let in, also if
// the policy does not return.
func (r *Rejection) ask() error {
	defer func() {
		if r.dropped {
			r.pool.letWaitersIn()
		}
	}()
	return r.pool.policy.Reject(r)
}

// reject lets the policy decide about e, on the goroutine of the submitter.
func (p *ThreadPool) reject(e entry, v answer, cause error) error {
	r := &Rejection{pool: p, e: e, ctx: e.context(), pc: e.pc(), answer: v, cause: cause}
	err := r.ask()
	if err == nil && !r.settled {
		if !e.essential() {
			r.Discard()
			return nil
		}
		err = r.Err()
	}
	if err != nil && !r.settled {
		p.lock()
		p.rejected++
		p.unlock()
		p.measure.refused()
		if e.h != nil {
			e.h.end(err)
		}
		return err
	}
	return nil
}

// pcOf returns where the code of a function begins.
func pcOf(fn any) uintptr {
	if v := reflect.ValueOf(fn); v.Kind() == reflect.Func {
		return v.Pointer()
	}
	return 0
}
