// Package stage is what operators and sources of one's own are made of: those of this
// library that treat one element at a time are written with it.
//
// An operator is a function from a publisher to a publisher. What it does to the elements is
// a definition, a type with one method; demand, cancellation, ends, panics and discarded elements are
// the business of this package:
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
//   - [Each] emits one element for each, and never ends by itself.
//   - [Choose] may leave elements out, and may end the stream.
//   - [Pull] is a source: it computes elements when they are asked for.
//   - An [Outlet] is for stages that keep elements until there is demand, or that several goroutines feed. The
//     stage is then a subscriber that its author writes.
//
// What they make is trusted: stages of this module do not check its signals, and hand theirs over
// unchecked, so it costs what theirs cost. Package reactortest/tck checks that the trust is deserved.
//
// # Rules
//
// The functions of a definition run where the elements come from, one call at a time. They may
// panic: the stream then ends with a *reactor.PanicError. [Name] says which operator that is.
// They call next, which is the stage below, at most once for each element, since nobody has requested more,
// and nothing that blocks. What sends more elements than come, or some at the end, needs an [Outlet].
//
// What a stage remembers belongs into its state, of which each subscription has its own, and never
// into the definition, which all subscriptions share. Step may be called more than once for one
// subscription, with the same state, and before the state is told to Start: it looks at the state in the function
// that it returns. It must not panic.
package stage
