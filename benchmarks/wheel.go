package benchmarks

import (
	"sync"
	"time"
)

// wheel is a timing wheel by hand: lists of tasks by the millisecond in which they are due,
// modulo the number of lists, under a lock.
type wheel struct {
	begin time.Time
	mu    sync.Mutex
	tick  int64           // that was looked at last; mu
	lists [4096]wheelTask // rings, whose first is none; mu
	end   chan struct{}
}

type wheelTask struct {
	prev, next *wheelTask
	due        int64
	run        func()
}

func newWheel() *wheel {
	w := &wheel{begin: time.Now(), end: make(chan struct{})}
	for i := range w.lists {
		w.lists[i].prev, w.lists[i].next = &w.lists[i], &w.lists[i]
	}
	go w.turn()
	return w
}

func (w *wheel) now() int64 { return int64(time.Since(w.begin) / time.Millisecond) }

// turn looks once a millisecond.
func (w *wheel) turn() {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-w.end:
			return
		}
		var due []func()
		w.mu.Lock()
		for now := w.now(); w.tick < now; {
			w.tick++
			list := &w.lists[w.tick%int64(len(w.lists))]
			for t := list.next; t != list; {
				next := t.next
				if t.due <= w.tick {
					due = append(due, t.run)
					t.leave()
				}
				t = next
			}
		}
		w.mu.Unlock()
		for _, run := range due {
			run()
		}
	}
}

// after runs a function in the millisecond after the delay.
func (w *wheel) after(d time.Duration, run func()) *wheelTask {
	t := &wheelTask{run: run}
	at := int64((time.Since(w.begin) + d + time.Millisecond - 1) / time.Millisecond)
	w.mu.Lock()
	t.due = max(at, w.tick+1)
	list := &w.lists[t.due%int64(len(w.lists))]
	t.prev, t.next = list.prev, list
	list.prev.next, list.prev = t, t
	w.mu.Unlock()
	return t
}

func (w *wheel) cancel(t *wheelTask) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.next == nil {
		return false
	}
	t.leave()
	return true
}

// leave takes the task out of its list.
func (t *wheelTask) leave() {
	t.prev.next, t.next.prev = t.next, t.prev
	t.prev, t.next = nil, nil
}

func handWheel() (func(time.Duration, delayedTask) any, func(any) bool, func()) {
	w := newWheel()
	return func(d time.Duration, task delayedTask) any { return w.after(d, task.plain) },
		func(handle any) bool { return w.cancel(handle.(*wheelTask)) },
		func() { close(w.end) }
}
