package schedulers

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/logged"
)

// keyed is a list of functions in the order in which their keys were first set.
// Reading is one atomic load; a list that was read is never changed.
type keyed[F any] struct {
	mu       sync.Mutex // serialises writers
	installs uint64     // calls of set; guarded by mu
	list     atomic.Pointer[[]keyedEntry[F]]
}

type keyedEntry[F any] struct {
	key     string
	fn      F
	install uint64 // which call of set has installed fn
}

func (k *keyed[F]) load() []keyedEntry[F] {
	if p := k.list.Load(); p != nil {
		return *p
	}
	return nil
}

// none reports whether there is no function: an empty list is not stored.
func (k *keyed[F]) none() bool { return k.list.Load() == nil }

// set installs fn under key; if key has a function, that is replaced in its place, or
// kept if replace is false. It reports whether key had one.
func (k *keyed[F]) set(key string, fn F, replace bool) (had bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.put(key, fn, replace)
}

// install is set with replace, and returns a function that removes fn, unless fn was
// replaced by then.
func (k *keyed[F]) install(key string, fn F) (remove func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.put(key, fn, true)
	install := k.installs
	return func() { k.removeFirst(func(e keyedEntry[F]) bool { return e.install == install }) }
}

// put is set for a caller that holds mu.
func (k *keyed[F]) put(key string, fn F, replace bool) (had bool) {
	k.installs++
	e := keyedEntry[F]{key, fn, k.installs}
	list := slices.Clone(k.load())
	i := slices.IndexFunc(list, func(e keyedEntry[F]) bool { return e.key == key })
	switch {
	case i < 0:
		list = append(list, e)
	case replace:
		list[i] = e
	default:
		return true
	}
	k.list.Store(&list)
	return i >= 0
}

// remove takes out key and returns its function; an unknown key is ignored.
func (k *keyed[F]) remove(key string) (old F, had bool) {
	return k.removeFirst(func(e keyedEntry[F]) bool { return e.key == key })
}

// removeFirst takes out the first one that match accepts, and returns it.
func (k *keyed[F]) removeFirst(match func(keyedEntry[F]) bool) (old F, had bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := slices.Clone(k.load())
	i := slices.IndexFunc(list, match)
	if i < 0 {
		return old, false
	}
	old = list[i].fn
	if list = slices.Delete(list, i, i+1); len(list) == 0 {
		k.list.Store(nil)
	} else {
		k.list.Store(&list)
	}
	return old, true
}

func (k *keyed[F]) clear() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list.Store(nil)
}

var (
	scheduleHooks keyed[func(Task) Task]
	errorHandlers keyed[func(context.Context, error)]
)

// OnScheduleHook installs a function that may wrap every task when it is scheduled:
// once per call, not once per run of a periodic task. Hooks of several keys are all
// applied, in the order in which the keys were first set, the first one innermost; a
// hook with the same key replaces the earlier one in its place. [Immediate] applies
// no hooks. If the hook returns nil or panics, the task stays as it is; the panic is
// logged. The returned function removes the hook, unless a later call has replaced
// it.
func OnScheduleHook(key string, hook func(Task) Task) (remove func()) {
	if hook == nil {
		panic("schedulers: OnScheduleHook: hook is nil")
	}
	return scheduleHooks.install(key, hook)
}

// ResetOnScheduleHook removes the hook of key, if there is one.
func ResetOnScheduleHook(key string) { scheduleHooks.remove(key) }

// ResetOnScheduleHooks removes all schedule hooks.
func ResetOnScheduleHooks() { scheduleHooks.clear() }

// OnSchedule applies the schedule hooks to task, for schedulers implemented
// elsewhere.
func OnSchedule(task Task) Task { return onSchedule(task) }

func onSchedule(task Task) Task {
	hooks := scheduleHooks.load()
	if len(hooks) == 0 || isUndecorated(task) {
		return task
	}
	for _, e := range hooks {
		task = callHook(e, task)
	}
	return task
}

// callHook applies one hook, on the goroutine of the submitter, who does not expect the panic
// of a hook: it is logged.
func callHook(e keyedEntry[func(Task) Task], task Task) (wrapped Task) {
	defer func() {
		if r := recover(); r != nil {
			stack := string(debug.Stack())
			logged.Safely(func() { slog.Error("schedulers: schedule hook panicked", "hook", e.key, "panic", r, "stack", stack) })
		}
		if wrapped == nil {
			wrapped = task
		}
	}()
	return e.fn(task)
}

// Undecorated returns a task to which no schedule hook is applied. It is for tasks
// that live as long as a component does: a hook that captures the state of a
// request would keep the state of the first request for ever.
//
//go:noinline
func Undecorated(task Task) Task {
	checkTask("Undecorated", task)
	return func(ctx context.Context) { task(ctx) }
}

// All functions that Undecorated returns share their code, which nothing else
// does, as long as it is not inlined.
var undecoratedCode = reflect.ValueOf(Undecorated(func(context.Context) {})).Pointer()

func isUndecorated(task Task) bool { return reflect.ValueOf(task).Pointer() == undecoratedCode }

// withMarkOf returns outer, which calls inner, with the mark of Undecorated if inner has
// it.
func withMarkOf(inner, outer Task) Task {
	if isUndecorated(inner) {
		return Undecorated(outer)
	}
	return outer
}

// OnHandleError installs a function that receives the panics of tasks: a
// [*reactor.PanicError] with value and stack, or [reactor.ErrGoexit]. ctx is the
// context of the task, so [WorkerName] works. All installed handlers are called, in
// the order in which their keys were first set; without a handler the error is
// logged. The panic of a handler is logged and does no other harm. The returned
// function removes the handler, unless a later call has replaced it.
func OnHandleError(key string, handler func(ctx context.Context, err error)) (remove func()) {
	if handler == nil {
		panic("schedulers: OnHandleError: handler is nil")
	}
	return errorHandlers.install(key, handler)
}

// ResetOnHandleError removes the handler of key, if there is one.
func ResetOnHandleError(key string) { errorHandlers.remove(key) }

// ResetOnHandleErrors removes all error handlers.
func ResetOnHandleErrors() { errorHandlers.clear() }

// handleError reports what a task threw.
func handleError(ctx context.Context, err error) {
	handlers := errorHandlers.load()
	if len(handlers) == 0 {
		logTaskError(ctx, err)
		return
	}
	failure.Persist(len(handlers), func(i int) bool {
		callHandler(ctx, handlers[i], err) // may end the goroutine
		return true
	})
}

func logTaskError(ctx context.Context, err error) {
	attrs := []any{"worker", WorkerName(ctx), "error", err}
	if p, ok := errors.AsType[*reactor.PanicError](err); ok {
		attrs = append(attrs, "stack", string(p.Stack))
	}
	logged.Safely(func() { slog.Error("schedulers: task failed", attrs...) })
}

func callHandler(ctx context.Context, e keyedEntry[func(context.Context, error)], err error) {
	defer func() {
		if r := recover(); r != nil {
			logged.Safely(func() { slog.Error("schedulers: error handler panicked", "handler", e.key, "panic", r, "error", err) })
		}
	}()
	e.fn(ctx, err)
}
