// Package stage is for writing operators and sources of your own. The operators of this
// library that treat one element at a time are written with it.
//
// An operator is a function from a publisher to a publisher. You write what it does to the elements
// as a definition, a type with one method; this package takes care of demand, cancellation, ends,
// panics and discarded elements:
//
//	// Pairwise emits fn(a, b) for each two neighbours.
//	func Pairwise[T, R any](src reactor.Publisher[T], fn func(a, b T) R) reactor.Publisher[R] {
//		stage.NotNil("pairwise", "function", fn)
//		return stage.Choose("pairwise", stage.Skips, src, pairwise[T, R]{fn})
//	}
//
//	type pairwise[T, R any] struct{ fn func(a, b T) R }
//
//	type neighbour[T any] struct {
//		stage.Control
//		last T
//		any  bool // there is a last
//	}
//
//	func (p pairwise[T, R]) Step(s *neighbour[T], next func(R)) func(T) {
//		fn := p.fn
//		return func(v T) {
//			last, any := s.last, s.any
//			s.last, s.any = v, true
//			if !any {
//				s.Skip() // requests another one in its place
//				return
//			}
//			next(fn(last, v))
//		}
//	}
//
// There are four kinds of stage:
//
//   - [Each] emits one element for each element of its source, and never ends by itself.
//   - [Choose] may leave elements out, and may end the stream.
//   - [Pull] is a source: it computes elements when they are asked for.
//   - An [Outlet] is for stages that keep elements until there is demand, or that several
//     goroutines feed. You then write the stage as a subscriber.
//
// Stages made in these ways are trusted: stages of this module do not check their signals, and pass
// signals to them unchecked, so they cost no more than the stages of this module. Package
// reactortest/tck checks that a stage deserves this trust.
//
// # Rules
//
// The functions of a definition run where the elements come from, one call at a time. They may
// panic: the stream then ends with a *reactor.PanicError, and [Name] gives that error the name of
// the operator. They call next, which is the stage below, at most once for each element, since no
// more was requested, and they call nothing that blocks. A stage that sends more elements than
// come, or sends elements at the end, needs an [Outlet].
//
// What a stage remembers belongs into its state, which each subscription has for itself, and never
// into the definition, which all subscriptions share. Step may be called more than once for one
// subscription, with the same state, and before Start is called on the state: so use the state only
// in the function that Step returns. Step must not panic.
package stage
