package schedulers

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/goid"
)

// nonBlockingRoot is the outermost function of every goroutine that runs tasks
// which must not block. Its name on the stack is their mark.
//
//go:noinline
func nonBlockingRoot(s *slot) {
	here := placeOf(goid.Current())
	here.Add(1)
	defer here.Add(-1)
	s.loop()
}

// nonBlocking counts the goroutines that are below nonBlockingRoot, by a hash of what
// tells them apart: where there is none, there is no need to look at a stack.
var nonBlocking [1 << placeBits]atomic.Int32

const placeBits = 10

func hashOf(goroutine uintptr) uint64 {
	return uint64(goroutine) * 0x9e3779b97f4a7c15 >> (64 - placeBits)
}

func placeOf(goroutine uintptr) *atomic.Int32 { return &nonBlocking[hashOf(goroutine)] }

var nonBlockingName = runtime.FuncForPC(reflect.ValueOf(nonBlockingRoot).Pointer()).Name()

var blockingPredicates keyed[func(context.Context) bool]

// IsNonBlocking reports whether ctx belongs to a task on a worker that must not
// block: one of a single or parallel scheduler, or one that a predicate knows.
func IsNonBlocking(ctx context.Context) bool {
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

// RegisterNonBlocking adds a predicate that recognises, by the context, tasks of
// other workers that must not block. The returned function removes it.
func RegisterNonBlocking(key string, predicate func(context.Context) bool) (remove func()) {
	if predicate == nil {
		panic("schedulers: RegisterNonBlocking: predicate is nil")
	}
	blockingPredicates.set(key, predicate, true)
	return func() { blockingPredicates.remove(key) }
}

// ResetNonBlocking removes all predicates.
func ResetNonBlocking() { blockingPredicates.clear() }

// CheckBlocking returns an error that matches [reactor.ErrBlocking] if op, which is
// about to block, is called where that is not allowed: with the context of a task
// on a non-blocking worker, or, whatever ctx is, on the goroutine of such a
// worker. A goroutine started by a task is free to block. The check takes some
// nanoseconds on most goroutines, and microseconds, for a walk over the stack, on a few.
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
	return "one of a single or parallel scheduler" // its place was taken
}

// bottom is among how many frames at the bottom of a stack nonBlockingRoot is: below it
// are those of the slot, of its timer, and of the runtime.
const bottom = 8

// onNonBlockingGoroutine looks for nonBlockingRoot at the bottom of the stack.
func onNonBlockingGoroutine() bool {
	if placeOf(goid.Current()).Load() == 0 {
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
