package operators

import (
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
)

// WindowFor splits src into streams: each has the elements that come within d.
//
//	src:  1 - 2 - 3 - 4 - 5 |
//	      WindowFor(7 steps)
//	out:  a ---- b ---- c --|
//	a:    1 - 2 -|
//	b:           3 - 4 -|
//	c:                  5 --|
//
// See [WindowOther] for demand, errors and cancellation; here the time sets the
// boundaries. With [OpenEvery] a window of length d begins each time that option says,
// the first one at once, so that windows overlap or the elements between them are
// discarded; see [WindowWhen].
//
// Timers are those of schedulers.Parallel() unless [On] names another scheduler; if
// they are refused, the stream fails with reactor.ErrRejected. A duration ≤ 0 panics.
func WindowFor[T, W any](src reactor.Publisher[T], d time.Duration, window func(reactor.Publisher[T]) W, opts ...WindowForOption) reactor.Publisher[W] {
	argument.Positive("windowFor", "duration", d)
	argument.Given("windowFor", "function", window != nil)
	c := windowForConfig{every: d}
	for _, o := range argument.Options("windowFor", opts) {
		o.applyWindowFor(&c)
	}
	on := On(timerOf("windowFor", c.on))
	// Called from here, the function brings the name along into its failures.
	named := func(w reactor.Publisher[T]) W { return window(w) }
	if c.every == d {
		return newWindowOther("windowFor", src, Interval(d, on), named)
	}
	return newWindowWhen("windowFor", src, Interval(c.every, InitialDelay(0), on),
		func(int64) reactor.Publisher[int64] { return Delay(d, on) }, named, c.verbatim)
}

// WindowForOption is an option of [WindowFor]: [OpenEvery], [On] or [Verbatim].
type WindowForOption interface{ applyWindowFor(*windowForConfig) }

type windowForConfig struct {
	every    time.Duration
	on       []SchedulerOption
	verbatim bool
}

func (o VerbatimOption) applyWindowFor(c *windowForConfig) { c.verbatim = bool(o) }

func (o OpenEveryOption) applyWindowFor(c *windowForConfig) {
	c.every = time.Duration(o)
	argument.Positive("windowFor", "time between two windows", c.every)
}

func (o SchedulerOption) applyWindowFor(c *windowForConfig) { c.on = append(c.on, o) }
