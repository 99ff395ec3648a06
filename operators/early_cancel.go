package operators

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// earlyCancel is set by a stage that is about to cancel its source, after an inner publisher. If
// that is a window or a group, the source may send the next one in between: discarding it
// would ask for yet another, and so on to the end of the source. So the OnNext that
// gets an element then cancels the source first.
type earlyCancel struct{ atomic.Bool }

// leave cancels the source, once, if that is still to be done.
func (d *earlyCancel) leave(up reactor.Subscription) {
	if d.Load() && d.Swap(false) {
		up.Cancel()
	}
}

// refuse is leave for an element that comes when nothing is wanted any more, and discards it.
func (d *earlyCancel) refuse[T any](up reactor.Subscription, discard func(any), v T) {
	defer pending.Discard(discard, v) // also if a function that hears of what follows ends the goroutine
	d.leave(up)
}
