// Package vectors runs the golden vectors: small programs with everything that
// Project Reactor itself was observed to do when it ran them. testdata/FORMAT.md
// describes them and decides every question.
//
// The package parses a vector, builds its program out of the operators that the
// families register (ops_*.go), drives it under virtual time on one goroutine, and
// compares. To register an operator:
//
//	func init() {
//		RegisterFluxOp("map", func(b *Builder, f flux.Flux[Value], a *Args) Publisher {
//			if b.Try() {
//				return f.TryMap(a.TryFn("fn"))
//			}
//			return f.Map(a.Fn("fn"))
//		})
//	}
//
// The functions return a flux.Flux[Value] or a mono.Mono[Value]; that decides
// which operators may follow. User functions that throw in the format panic
// here. An operator that has a form for functions that return errors uses it when
// [Builder.Try] says so: every program is run once in each form.
package vectors
