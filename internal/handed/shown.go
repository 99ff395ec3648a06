package handed

import (
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/goid"
)

// showing is an error in the two forms that it has.
type showing struct{ shown, err error }

// shown knows what [Show] is showing.
var shown struct {
	sync.Mutex
	now   atomic.Int64        // how many there are
	calls map[uintptr]showing // the innermost one, by number of the goroutine
}

// Show calls fn with err as code outside is shown it, see [failure.Reported]. What hands that on to a stage meanwhile, on this
// goroutine, hands on a Goexit that was reported: see [Seen].
func Show(err error, fn func(shown error) bool) bool {
	if !failure.IsReported(err) {
		return fn(failure.Reported(err))
	}
	now, id := showing{failure.Reported(err), err}, goid.Number()
	shown.Lock()
	before, nested := shown.calls[id]
	if shown.calls == nil {
		shown.calls = make(map[uintptr]showing)
	}
	shown.calls[id] = now
	shown.now.Add(1)
	shown.Unlock()
	defer func() { // also if fn ends the goroutine
		shown.Lock()
		defer shown.Unlock()
		shown.now.Add(-1)
		if nested {
			shown.calls[id] = before
		} else {
			delete(shown.calls, id)
		}
	}()
	return fn(now.shown)
}

// Seen returns err, which comes from code outside, or what [Show] is showing that code if it is the same.
func Seen(err error) error {
	if shown.now.Load() == 0 || failure.IsReported(err) || !isGoexit(err) {
		return err
	}
	id := goid.Number()
	shown.Lock()
	defer shown.Unlock()
	if now, ok := shown.calls[id]; ok && now.shown == err {
		return now.err
	}
	return err
}
