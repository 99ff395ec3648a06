package sinks

import (
	"runtime"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
)

// FailureHandler decides whether to retry a signal that was not accepted. It gets the kind
// of the signal (reactor.KindNext, reactor.KindError or reactor.KindComplete), the result,
// and the time since this emission failed for the first time. It may wait before it
// returns. A handler that keeps no state may serve any number of emissions. A nil
// FailureHandler is [FailFast].
type FailureHandler func(signal reactor.SignalKind, result EmitResult, since time.Duration) (retry bool)

// FailFast reports false, always: it never tries again.
func FailFast(reactor.SignalKind, EmitResult, time.Duration) bool { return false }

// BusyLooping tries again, at once and as often as it can, while another goroutine emits,
// until d ≥ 0 has passed. The time is counted separately for each emission, so one handler
// may be kept and shared. It keeps a processor busy while it tries; [ManySink.EmitNextWait]
// waits instead.
func BusyLooping(d time.Duration) FailureHandler {
	argument.NotNegative("busyLooping", "duration", d)
	return func(_ reactor.SignalKind, result EmitResult, since time.Duration) bool {
		if result != FailNonSerialized || since >= d {
			return false
		}
		runtime.Gosched() // whoever emits may need this processor
		return true
	}
}

// retrying calls try until it succeeds or h gives up.
func retrying(h FailureHandler, signal reactor.SignalKind, try func() EmitResult) EmitResult {
	var begin time.Time // of the first failure
	for {
		result := try()
		if result == OK || h == nil {
			return result
		}
		if begin.IsZero() {
			begin = time.Now()
		}
		if !h(signal, result, time.Since(begin)) {
			return result
		}
	}
}
