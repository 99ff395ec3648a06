// Package sinks is for streams whose signals come from your own code: from callbacks, from
// requests that a server receives, from tests. A sink has an emitting side, and is at the
// same time a [reactor.Publisher] for its subscribers: to apply operators, begin with
// flux.From(sink) or mono.FromDirect(sink).
//
//	sinks.Empty[T]()                                     no element, an end for all who come
//	sinks.One[T]()                                       at most one element, for all who come
//	sinks.Many().Unicast().OnBackpressureBuffer[T]()     one subscriber, everything waits for it
//	sinks.Many().Unicast().OnBackpressureError[T]()      one subscriber, refuses what it has not asked for
//	sinks.Many().Multicast().OnBackpressureBuffer[T]()   many, at the pace of the slowest, bounded
//	sinks.Many().Multicast().DirectAllOrNothing[T]()     many, refuses what one of them has not asked for
//	sinks.Many().Multicast().DirectBestEffort[T]()       many, each gets what it has asked for
//	sinks.Many().Replay().All[T]()                       many, those who come later get everything
//	sinks.Many().Replay().Latest[T]()                    … the latest element
//	sinks.Many().Replay().Limit[T](…)                    … the latest ones, by number or age
//
// # Emitting
//
// TryEmitNext and its like return an [EmitResult], which says that the signal was accepted,
// or why it was not; an element that was not accepted is still the caller's. EmitNext and
// its like try again as long as a [FailureHandler] says so, and in the end deal with the
// element as the result demands.
//
// The signals of a stream come one at a time, so emissions must not overlap. A sink ensures
// that: an emission while another goroutine emits fails with [FailNonSerialized] instead of
// being mixed in; [BusyLooping] tries again for a while, and [ManySink.EmitNextWait] waits
// for its turn and for room. An emission from within the delivery of another emission, on
// the same goroutine, is accepted and delivered after that one. The sinks of [Unsafe] do
// not check for overlaps; they are for callers whose calls are serial anyway.
//
// A multicast sink with a buffer ends when its last subscriber cancels, and elements that
// are emitted after that are discarded: a sink whose subscribers come and go needs
// AutoCancel(false).
//
// An emission is delivered on the goroutine that makes it, as far as there is demand; an
// element that waits for demand is delivered on the goroutine of the request.
package sinks
