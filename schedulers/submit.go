package schedulers

import "time"

// The four ways into a slot, for a worker or, with a nil worker, direct. They are
// what Scheduler and Worker have in common. Each has a detour for slots with
// decorators.

func (s *slot) execute(task Task, w *worker) error {
	checkTask("Execute", task)
	if !scheduleHooks.none() {
		task = s.hook(task, w)
	}
	var h *handle
	if w != nil {
		h = &w.root
	}
	if s.outer == nil {
		return s.submit(item{task, h})
	}
	return s.through(task, w, func(task Task) error { return s.submit(item{task, h}) })
}

func (s *slot) schedule(task Task, w *worker) (Disposable, error) {
	checkTask("Schedule", task)
	h := newHandle(s, w, s.hooked(task, w))
	var err error
	if s.outer == nil {
		err = s.submit(item{h: h})
	} else {
		err = s.enter(h, func() error { return s.submit(item{h: h}) })
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (s *slot) scheduleAfter(task Task, delay time.Duration, w *worker) (Disposable, error) {
	if delay <= 0 {
		return s.schedule(task, w)
	}
	checkTask("ScheduleAfter", task)
	h := newTimedHandle(s, w, s.hooked(task, w))
	var err error
	if s.outer == nil {
		err = s.submitTimed(h, delay)
	} else {
		err = s.enter(&h.handle, func() error { return s.submitTimed(h, delay) })
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (s *slot) schedulePeriodically(task Task, initial, period time.Duration, set periodicSettings, w *worker) (Disposable, error) {
	checkTask("SchedulePeriodically", task)
	h := newTimedHandle(s, w, s.hooked(task, w))
	h.series = &series{period: period, stopOnError: set.stopOnError}
	var err error
	if s.outer == nil {
		err = s.submitSeries(h, initial)
	} else {
		err = s.enter(&h.handle, func() error { return s.submitSeries(h, initial) })
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

// enter sends a handle through the decorators.
func (s *slot) enter(h *handle, submit func() error) error {
	return s.through(h.fn, h.w, func(task Task) error {
		h.fn = task
		return submit()
	})
}

// hooked applies the schedule hooks, if there are any, to a task of w, or to a direct one if w is nil.
func (s *slot) hooked(task Task, w *worker) Task {
	if scheduleHooks.none() {
		return task
	}
	return s.hook(task, w)
}

func (s *slot) hook(task Task, w *worker) Task {
	returned := false
	defer func() {
		if !returned { // Goexit in a hook
			s.giveBack(w)
		}
	}()
	task = onSchedule(task)
	returned = true
	return task
}
