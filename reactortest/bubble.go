package reactortest

import (
	"sync"
	"testing"
	"testing/synctest"

	"github.com/goreactor/reactor/schedulers"
)

// bubbles makes tests in bubbles take turns, because each has the schedulers of the process for
// itself.
var bubbles sync.Mutex

// Bubble runs fn in a bubble of testing/synctest with shared schedulers of its own: inside,
// schedulers.Single, Parallel and BoundedElastic are new, their goroutines and timers belong to
// the bubble, and at its end they are disposed and those from before come back. When everything
// in the bubble waits, time passes at once and exactly.
//
//	reactortest.Bubble(t, func(t *testing.T) {
//		reactortest.NewStepVerifier(t, flux.Interval(time.Hour)).
//			ThenAwait(2 * time.Hour).
//			ExpectNext(0, 1).
//			ThenCancel().
//			Verify()
//	})
//
// Tests with Bubble that run in parallel take turns. Other tests that run in parallel with such
// a test must not use the shared schedulers. fn has to dispose the schedulers that it makes
// itself. Bubble panics within another bubble.
func Bubble(t *testing.T, fn func(t *testing.T)) {
	t.Helper()
	if fn == nil {
		panic("reactortest: Bubble: the function is nil")
	}
	if settle() { // it would wait for its turn for ever
		panic("reactortest: Bubble: it is called within a bubble")
	}
	bubbles.Lock()
	defer bubbles.Unlock()
	synctest.Test(t, func(t *testing.T) {
		snapshot := schedulers.SetFactoryWithSnapshot(schedulers.DefaultFactory{})
		t.Cleanup(func() { schedulers.ResetFrom(snapshot) })
		fn(t)
	})
}
