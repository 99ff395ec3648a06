// Package sinks is for streams that are put into by hand: from callbacks, from requests
// that a server receives, from tests. A sink has an emitting side, and is at the same time
// a [reactor.Publisher] for its subscribers: flux.From(sink) and mono.FromDirect(sink)
// are where operators begin.
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
// TryEmitNext and its like say what has become of a signal by an [EmitResult]: it was
// accepted, or why not, and then the element is still the caller's. EmitNext and its like
// try again as long as a [FailureHandler] says so, and in the end dispose of the element as
// the result demands.
//
// The signals of a stream come one at a time, so emissions must not overlap. A sink looks
// after that: an emission while another goroutine emits fails with [FailNonSerialized]
// instead of being mixed in; [BusyLooping] tries again for a while, and
// [ManySink.EmitNextWait] waits, for its turn and for room. An emission from within
// the delivery of another, on the same goroutine, is accepted and delivered after it. The
// sinks of [Unsafe] do not look, for callers whose calls are serial anyway.
//
// A multicast sink with a buffer ends with its last subscriber, and what is emitted then is discarded: one whose
// subscribers come and go needs AutoCancel(false).
//
// An emission delivers on the goroutine that makes it, as far as there is demand; what
// waits is delivered by the request that it waits for.
package sinks
