package sinks

import (
	"runtime"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// FailureHandler decides whether a signal that was not accepted shall be tried again. It
// is told which signal that was, reactor.KindNext, reactor.KindError or
// reactor.KindComplete, and may wait before it answers. A nil FailureHandler is
// [FailFast].
type FailureHandler func(signal reactor.SignalKind, result EmitResult) (retry bool)

// FailFast never tries again.
func FailFast(reactor.SignalKind, EmitResult) bool { return false }

// BusyLooping tries again, at once and without end, while another goroutine emits, until
// d from now on has passed. It is for one emission, or a few: the time is counted from
// this call.
func BusyLooping(d time.Duration) FailureHandler {
	protocol.NotNegative("busyLooping", "duration", d)
	deadline := time.Now().Add(d)
	return func(_ reactor.SignalKind, result EmitResult) bool {
		if result != FailNonSerialized || !time.Now().Before(deadline) {
			return false
		}
		runtime.Gosched() // whoever emits may need this processor
		return true
	}
}

// retrying calls try until it succeeds or h gives up.
func retrying(h FailureHandler, signal reactor.SignalKind, try func() EmitResult) EmitResult {
	for {
		result := try()
		if result == OK || h == nil || !h(signal, result) {
			return result
		}
	}
}
