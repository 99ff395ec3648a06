package schedulers

import "context"

// Runner is a task that is an object.
type Runner interface {
	// Run is what the task does. See [Task] for its context.
	Run(ctx context.Context)
}

// Handle is a handle on a task that is a part of the struct it belongs to: who has many tasks of one kind, and
// may have to take each back, allocates nothing for them but that struct. The zero value has no task. A Handle
// must not be copied.
type Handle struct {
	own  handle
	task Runner // or taken, of another scheduler
}

// taken is the handle of a scheduler that knows of no Handle.
type taken struct{ Disposable }

// Run is not called.
func (taken) Run(context.Context) {}

// Schedule has s run task, with h as the handle: see [Scheduler]. It is called once. If s refuses the task, the
// error says why, and h is of no use any more.
func (h *Handle) Schedule(s Scheduler, task Runner) error {
	if task == nil {
		panic("schedulers: Schedule: task is nil")
	}
	if sh, ok := s.(*shared); ok {
		s = sh.Scheduler
	}
	h.task = task
	switch s := s.(type) {
	case *elastic:
		slot, err := s.direct()
		if err != nil {
			return err
		}
		if err = slot.scheduleOwned(h); err != nil {
			s.release(slot)
		}
		return err
	case *fixed:
		return s.next().scheduleOwned(h)
	}
	d, err := s.Schedule(task.Run)
	if err == nil {
		h.task = taken{d}
	}
	return err
}

// Dispose takes the task back, which has been scheduled, or cancels its context while it runs: see [Disposable].
func (h *Handle) Dispose() {
	if d, ok := h.task.(taken); ok {
		d.Dispose()
		return
	}
	h.own.Dispose()
}

// IsDisposed reports whether the task, which has been scheduled, has ended or was disposed.
func (h *Handle) IsDisposed() bool {
	if d, ok := h.task.(taken); ok {
		return d.IsDisposed()
	}
	return h.own.IsDisposed()
}

// runOwned is the task of every Handle that nobody has wrapped: whoever does may call it with another context.
func runOwned(ctx context.Context) { ctx.(*handle).owner.task.Run(ctx) }

// scheduleOwned submits the task of h.
func (s *slot) scheduleOwned(h *Handle) error {
	own := &h.own
	own.init(s, nil)
	if s.outer == nil && len(scheduleHooks.load()) == 0 {
		own.fn, own.owner = runOwned, h
		return s.submit(item{h: own})
	}
	own.fn = onSchedule(h.task.Run)
	if s.outer == nil {
		return s.submit(item{h: own})
	}
	return s.enter(own, func() error { return s.submit(item{h: own}) })
}
