package schedulers

import (
	"context"
	"fmt"
	"reflect"
	"runtime"

	"github.com/goreactor/reactor"
)

// nonBlockingRoot is the outermost function of every goroutine that runs tasks
// which must not block. Its name on the stack marks those goroutines that have no place in running.
//
//go:noinline
func nonBlockingRoot(s *slot) { s.loop() }

var nonBlockingName = runtime.FuncForPC(reflect.ValueOf(nonBlockingRoot).Pointer()).Name()

var blockingPredicates keyed[func(context.Context) bool]

// IsNonBlocking reports whether ctx belongs to a task on a worker that must not
// block: a worker of a single or parallel scheduler, or one that a predicate of
// [RegisterNonBlocking] recognises.
func IsNonBlocking(ctx context.Context) bool {
	if ctx == nil {
		return false
	}
	if id, ok := ctx.Value(identityKey{}).(*identity); ok && id.nonBlocking {
		return true
	}
	for _, e := range blockingPredicates.load() {
		if e.fn(ctx) {
			return true
		}
	}
	return false
}

// RegisterNonBlocking adds a predicate that recognises, by their context, tasks on
// other workers that must not block. The returned function removes it, unless a later
// call with the same key has replaced it.
func RegisterNonBlocking(key string, predicate func(context.Context) bool) (remove func()) {
	if predicate == nil {
		panic("schedulers: RegisterNonBlocking: predicate is nil")
	}
	return blockingPredicates.install(key, predicate)
}

// ResetNonBlocking removes all predicates.
func ResetNonBlocking() { blockingPredicates.clear() }

// CheckBlocking returns an error that matches [reactor.ErrBlocking] if op, which is
// about to block, is called where that is not allowed: with the context of a task on
// a non-blocking worker, or, whatever ctx is, on the goroutine of such a worker. A
// goroutine started by a task is free to block. The check takes some nanoseconds;
// where more than a thousand workers are busy, it takes microseconds, because it
// walks over the stack.
func CheckBlocking(ctx context.Context, op string) error {
	if IsNonBlocking(ctx) {
		return reactor.Failure(op, reactor.ErrBlocking, "the context is of a task on %q; %s", WorkerName(ctx), wayOut)
	}
	if onNonBlockingGoroutine() {
		return reactor.Failure(op, reactor.ErrBlocking, "the goroutine is %s; %s", nonBlockingWorker(), wayOut)
	}
	return nil
}

// wayOut is what to do instead of blocking on a worker that must not.
const wayOut = "let FlatMap wait for the stream, or go to schedulers.BoundedElastic() first with PublishOn or SubscribeOn"

// nonBlockingWorker names the worker of the caller.
func nonBlockingWorker() string {
	if s := slotHere(); s != nil {
		return fmt.Sprintf("that of worker %q", s.id.name)
	}
	return "one of a single or parallel scheduler"
}

// bottom is how many frames at the bottom of a stack are searched for nonBlockingRoot: below it
// are only frames of the slot, of its timer, and of the runtime.
const bottom = 8

// onNonBlockingGoroutine looks for the caller among the loops that run, and where one of them
// is not listed, for nonBlockingRoot at the bottom of the stack.
func onNonBlockingGoroutine() bool {
	if s := slotHere(); s != nil {
		return s.id.nonBlocking
	}
	if unlisted.Load() == 0 {
		return false
	}
	var pcs [128]uintptr
	last := pcs[:0]
	for skip := 1; ; {
		n := runtime.Callers(skip, pcs[:])
		if n == 0 {
			break
		}
		last = pcs[max(0, n-bottom):n]
		if n < len(pcs) {
			break
		}
		skip += n - bottom // the next round sees these again
	}
	if len(last) == 0 {
		return false
	}
	frames := runtime.CallersFrames(last)
	for {
		f, more := frames.Next()
		if f.Function == nonBlockingName {
			return true
		}
		if !more {
			return false
		}
	}
}
