package schedulers

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/goid"
)

// Runner is a task that is an object.
type Runner interface {
	// Run is what the task does. See [Task] for its context.
	Run(ctx context.Context)
}

// Handle is a handle on a task, to be embedded in a struct of your own: if you have
// many tasks of one kind, each of which you may have to take back, you allocate
// nothing for them but your struct. The zero Handle has no task. A Handle must not be
// copied.
type Handle struct {
	own  handle
	task Runner // nil if there is none; a *taken around the user's if another kind of scheduler has it
}

// taken is a task on a scheduler that knows of no Handle. That scheduler may run the task, on
// this goroutine or another one, before it returns the Disposable of the task.
type taken struct {
	task Runner // immutable

	mu       sync.Mutex
	handle   Disposable // of the scheduler, nil until it is known; guarded by mu
	runner   uintptr    // goroutine of the run, 0 if there is none; guarded by mu
	disposed bool       // guarded by mu
	pending  bool       // handle is to be disposed when it is known; guarded by mu
}

// Run runs the task.
func (t *taken) Run(ctx context.Context) {
	t.runs(goid.Current())
	defer t.runs(0)
	t.task.Run(ctx)
}

func (t *taken) runs(on uintptr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runner = on
}

// known notes the Disposable of the task, when the scheduler has returned it.
func (t *taken) known(d Disposable) {
	t.mu.Lock()
	t.handle = d
	pending := t.pending
	t.mu.Unlock()
	if pending {
		d.Dispose()
	}
}

func (t *taken) dispose() {
	t.mu.Lock()
	d := t.handle
	t.disposed = true
	// The task that disposes itself is not to be cancelled later.
	t.pending = t.pending || d == nil && t.runner != goid.Current()
	t.mu.Unlock()
	if d != nil {
		d.Dispose()
	}
}

func (t *taken) isDisposed() bool {
	t.mu.Lock()
	d, disposed := t.handle, t.disposed
	t.mu.Unlock()
	return disposed || d != nil && d.IsDisposed()
}

// Schedule makes s run task, with h as its handle: see [Scheduler]. It may be called
// once. If s refuses the task, the error says why, and h can't be used any more.
func (h *Handle) Schedule(s Scheduler, task Runner) error {
	if task == nil {
		panic("schedulers: Schedule: task is nil")
	}
	if sh, ok := s.(*shared); ok {
		s = sh.Scheduler
	}
	err := h.schedule(s, task)
	if err != nil {
		h.task = nil // there is nothing to take back
	}
	return err
}

func (h *Handle) schedule(s Scheduler, task Runner) error {
	switch s := s.(type) {
	case *elastic:
		slot, err := s.direct()
		if err != nil {
			return err
		}
		if err = slot.scheduleOwned(h, task); err != nil {
			s.release(slot)
		}
		return err
	case *fixed:
		return s.next().scheduleOwned(h, task)
	}
	t := &taken{task: task}
	h.task = t
	d, err := s.Schedule(t.Run)
	if err == nil {
		t.known(d)
	}
	return err
}

// Dispose takes the scheduled task back or, while it runs, cancels its context: see
// [Disposable]. Without a task it does nothing.
func (h *Handle) Dispose() {
	if h.task == nil {
		return
	}
	if t, ok := h.task.(*taken); ok {
		t.dispose()
		return
	}
	h.own.Dispose()
}

// IsDisposed reports whether the scheduled task has ended or was disposed; without a
// task it reports false.
func (h *Handle) IsDisposed() bool {
	if h.task == nil {
		return false
	}
	if t, ok := h.task.(*taken); ok {
		return t.isDisposed()
	}
	return h.own.IsDisposed()
}

// runOwned is the function of every Handle whose task no hook or decorator has wrapped: only then is ctx sure to be the handle.
func runOwned(ctx context.Context) { ctx.(*handle).owner.task.Run(ctx) }

// scheduleOwned submits task for h. If what is called on the way ends the goroutine, h has a task only if that got into the slot.
func (s *slot) scheduleOwned(h *Handle, task Runner) error {
	own := &h.own
	own.init(s, nil)
	if s.outer == nil && len(scheduleHooks.load()) == 0 {
		h.task = task
		own.fn, own.owner = runOwned, h
		return s.submit(item{h: own})
	}
	own.fn = s.hooked(task.Run, nil)
	h.task = task
	if s.outer == nil {
		return s.submit(item{h: own})
	}
	var in atomic.Bool
	returned := false
	defer func() {
		if !returned && !in.Load() {
			h.task = nil
		}
	}()
	err := s.enter(own, func() error {
		err := s.submit(item{h: own})
		in.Store(err == nil)
		return err
	})
	returned = true
	return err
}
