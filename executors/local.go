package executors

import (
	"context"
	"runtime"

	"github.com/goreactor/reactor/internal/goid"
)

// Local is a place for a value of type T that a task can find without being
// passed it, for example a scratch buffer for functions deep inside the task. It
// is what a ThreadLocal on a pooled thread should have been: the pool empties it
// after every task, so that a task never sees the value of another one.
//
// Put what belongs to a request, such as an identity or a transaction, into the
// context instead. A Local is a package-level variable, usually; its zero value is
// ready to use, and it must not be copied.
type Local[T any] struct {
	// New makes the value of a task when it is first asked for; nil means the
	// zero value.
	New func() T
}

// Of returns the value of the task whose context is ctx or a parent of ctx. It must
// be called on the goroutine of that task, while the task runs, on a worker of a
// pool: everywhere else it panics, because nobody would clean up. It also panics in a
// task that its submitter runs because of [CallerRuns], on a worker or not.
func (l *Local[T]) Of(ctx context.Context) *T {
	var id *identity
	if ctx != nil {
		id, _ = ctx.Value(identityKey{}).(*identity)
	}
	if id == nil || id.worker == nil || id.worker.runner.Load() != goid.Current() {
		panic("executors: Local.Of: not on the goroutine of the task")
	}
	w := id.worker
	if v, ok := w.scratch[l].(*T); ok {
		return v
	}
	v := new(T)
	if l.New != nil {
		*v = l.New()
	}
	if w.scratch == nil {
		w.scratch = map[any]any{}
	}
	w.scratch[l] = v
	return v
}

// Dedicated returns a task that runs task on a goroutine of its own and waits for
// it. It is for tasks that change the goroutine or thread they run on, as
// [runtime.LockOSThread] without an unlock does: the thread ends with that
// goroutine, and the worker stays clean. A panic or [runtime.Goexit] in task happens
// in the returned task too.
func Dedicated(task Task) Task {
	if task == nil {
		panic("executors: Dedicated: task is nil")
	}
	return func(ctx context.Context) {
		var thrown any
		returned, panicked := false, false
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() {
				if !returned {
					thrown = recover()
					panicked = thrown != nil
				}
			}()
			task(ctx)
			returned = true
		}()
		<-done
		if panicked {
			panic(thrown)
		}
		if !returned {
			runtime.Goexit()
		}
	}
}
