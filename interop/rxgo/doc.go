// Package rxgo connects Flux with the Observables of RxGo (github.com/reactivex/rxgo/v2), so
// that a program can be moved step by step. Its name is that of the other package, so one of
// the two needs another name where both are imported:
//
//	import (
//		"github.com/goreactor/reactor/interop/rxgo"
//		rx "github.com/reactivex/rxgo/v2"
//	)
//
//	orders := rxgo.ToFlux[Order](observable)   // an Observable as the source of a Flux
//	observable := rxgo.FromFlux(orders)        // a Flux as the source of an Observable
//
// [ToFlux] reads an item when there is demand for it, checks its type, ends at the first
// error, and makes sure that no producer waits for ever after a cancellation. [FromFlux]
// subscribes once for each Observe and requests an element when the one before has been read.
// docs/from-rxgo.md says what does not survive the passage, and in which order to move a
// program.
//
// This is the only package of the module that imports anything but the standard library.
// Programs that don't import it neither link nor download RxGo.
package rxgo
