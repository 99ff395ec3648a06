package schedulers

import (
	"time"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/timers"
)

// The states of a task with a handle. Whoever moves the state out of stateQueued, the loop
// to start the task or a disposer to withdraw it, owns its function.
const (
	stateQueued          uint32 = iota
	stateRunning                // the loop runs it
	stateRunningDisposed        // the loop runs it, and it was disposed since
	stateDone                   // it has ended
	stateCancelled              // it was withdrawn before its start
)

// handle is a task that can be disposed. It is also the context of the task.
type handle struct {
	taskContext
	fn    Task         // cleared by who has moved the state out of stateQueued
	w     *worker      // nil for a direct task; immutable
	timed *timedHandle // the timedHandle that this one is a part of, or nil; immutable
	owner *Handle      // the Handle that this one is a part of, if no hook or decorator has wrapped the task, else nil; immutable
}

// timedHandle is a handle with a due time.
type timedHandle struct {
	node timers.Node // first; due in nanoseconds since the base of the slot; slot.mu
	handle
	series *series // nil for one run; immutable
	prev   *timedHandle
	next   *timedHandle // neighbours among the timed tasks of the worker; slot.mu
}

// series is what a periodic task has in addition.
type series struct {
	period      time.Duration
	stopOnError bool
}

func newHandle(s *slot, w *worker, fn Task) *handle {
	h := &handle{fn: fn, w: w}
	h.init(s, w)
	return h
}

func newTimedHandle(s *slot, w *worker, fn Task) *timedHandle {
	h := &timedHandle{handle: handle{fn: fn, w: w}}
	h.init(s, w)
	h.timed = h
	return h
}

func (h *handle) init(s *slot, w *worker) {
	h.id.Store(&s.id)
	h.up = &s.ctx
	if w != nil {
		h.up = &w.root.taskContext
	}
}

// periodic reports whether the task runs more than once.
func (h *handle) periodic() bool { return h.timed != nil && h.timed.series != nil }

// direct returns 1 for a task of no worker, else 0.
func (h *handle) direct() int {
	if h.w == nil {
		return 1
	}
	return 0
}

// slot returns the slot that the task is in.
func (h *handle) slot() *slot { return h.id.Load().slot }

// Dispose withdraws the task or, while it runs, cancels its context.
func (h *handle) Dispose() {
	for {
		s := h.slot()
		chaos.Yield()
		s.mu.Lock()
		if h.slot() == s {
			s.dispose(h) // unlocks
			return
		}
		s.mu.Unlock() // it has moved
	}
}

// IsDisposed reports whether the task has ended or was disposed.
func (h *handle) IsDisposed() bool {
	s := h.slot()
	switch {
	case h.state.Load() >= stateRunningDisposed:
		return true
	case h.periodic() && s.noSeries.Load():
		return true
	}
	return h.w != nil && h.w.disposed.Load() || s.killed.Load()
}

// finishedHandle is the handle on a task that has ended before anybody could hold
// it.
type finishedHandle struct{}

func (finishedHandle) Dispose()         {}
func (finishedHandle) IsDisposed() bool { return true }
