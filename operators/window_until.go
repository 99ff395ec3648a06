package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/stage/boundary"
)

// WindowUntil splits src into streams that end with an element for which last reports
// true.
//
//	src:  1 --- 2 --- 3 --- 4 --- 5 |
//	      WindowUntil(even)
//	out:  a --------- b --------- c |
//	a:    1 --- 2|
//	b:                3 --- 4|
//	c:                            5 |
//
// With [CutBefore] the windows begin with such an element instead; if it is the first
// element of src, an empty window comes before it:
//
//	      WindowUntil(even, CutBefore())
//	out:  a --- b --------- c ------|
//	a:    1 ----|
//	b:          2 --- 3 ----|
//	c:                      4 --- 5 |
//
// # Demand
//
// All windows share one prefetch: src is asked for 256 elements ([Prefetch]) whatever the
// demand is, and for more when elements have been delivered from their window, or
// discarded. A window is emitted with its first element; without demand it waits, together
// with the elements that follow. So windows that nobody reads use the prefetch up, and then
// everything stands still: read every window, or cancel it. A cancelled window takes the
// elements up to its end, and discards them; a src that emits on request emits them during
// that cancellation. Where the end of the window may be far away, cancel the stream of
// windows before the window, as [FlatMap] does: then nothing more is taken. [ConcatMap] and
// [SwitchMap], like those of Project Reactor, cancel in the other order.
//
// An error of src, or a panic of last, fails the open window and the stream. The open
// window still delivers its elements before the error; the stream fails at once, and
// windows that wait for demand are discarded with their elements. last runs on the
// goroutine of src. Windows come on the goroutine of src or on the one that requests.
//
// See [Window] for what all windows have in common.
func WindowUntil[T, W any](src reactor.Publisher[T], last func(T) bool, window func(reactor.Publisher[T]) W, opts ...WindowUntilOption) reactor.Publisher[W] {
	argument.Given("windowUntil", "predicate", last != nil)
	argument.Given("windowUntil", "function", window != nil)
	c := windowUntilConfig{prefetch: defaultHopPrefetch(), at: boundary.After}
	for _, o := range argument.Options("windowUntil", opts) {
		o.applyWindowUntil(&c)
	}
	return newWindowCut("windowUntil", src, func() boundary.Cutter[T] {
		return func(v T) boundary.Cut {
			if last(v) {
				return c.at
			}
			return boundary.None
		}
	}, func(w reactor.Publisher[T]) W { return window(w) }, c.prefetch)
}

// WindowUntilOption is an option of [WindowUntil]: [CutBefore] or [Prefetch].
type WindowUntilOption interface{ applyWindowUntil(*windowUntilConfig) }

type windowUntilConfig struct {
	prefetch int
	at       boundary.Cut
}

func (CutBeforeOption) applyWindowUntil(c *windowUntilConfig)  { c.at = boundary.Before }
func (o PrefetchOption) applyWindowUntil(c *windowUntilConfig) { c.prefetch = int(o) }
