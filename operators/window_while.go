package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/stage/boundary"
)

// WindowWhile splits src into streams of neighbouring elements for which keep reports
// true. The elements in between mark boundaries and are discarded.
//
//	src:  1 --- 3 --- 4 --- 5 --- 7 |
//	      WindowWhile(odd)
//	out:  a --------------- b ------|
//	a:    1 --- 3 ----|
//	b:                      5 --- 7 |
//
// There is an empty window before each boundary that directly follows another boundary,
// or that is the first element.
//
// See [WindowUntil] for demand, errors, cancellation and the goroutine.
func WindowWhile[T, W any](src reactor.Publisher[T], keep func(T) bool, window func(reactor.Publisher[T]) W, opts ...WindowWhileOption) reactor.Publisher[W] {
	argument.Given("windowWhile", "predicate", keep != nil)
	argument.Given("windowWhile", "function", window != nil)
	c := windowWhileConfig{prefetch: defaultHopPrefetch()}
	for _, o := range argument.Options("windowWhile", opts) {
		o.applyWindowWhile(&c)
	}
	return newWindowCut("windowWhile", src, func() boundary.Cutter[T] {
		return func(v T) boundary.Cut {
			if keep(v) {
				return boundary.None
			}
			return boundary.Out
		}
	}, func(w reactor.Publisher[T]) W { return window(w) }, c.prefetch)
}

// WindowWhileOption is an option of [WindowWhile]: [Prefetch].
type WindowWhileOption interface{ applyWindowWhile(*windowWhileConfig) }

type windowWhileConfig struct{ prefetch int }

func (o PrefetchOption) applyWindowWhile(c *windowWhileConfig) { c.prefetch = int(o) }
