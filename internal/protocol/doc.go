// Package protocol is the one place where the state of the Reactive Streams
// protocol is kept: demand, the drain loop, deferred and swapped subscriptions,
// serialised terminal signals, the edges to foreign code, and what becomes of a
// panic. Operators are written in terms of these pieces.
//
// # Inside and outside
//
// Subscribers of this module embed [Inner], its publishers embed [Op]. Signals between two such
// stages are trusted and pass unchecked. Where a subscriber or publisher from outside enters,
// [Strict] wraps the subscriber and [Trust] the publisher; the wrappers enforce the rules and watch
// the context.
//
// # Panics
//
// A panic of a user function unwinds through OnNext calls to the nearest guard. Guards stand around
// every place that starts to emit: source loops, drain passes, timers, and emissions from any call
// other than OnNext. No stage pays for a guard per element. The guard regards its own side as
// cancelled, discards the element in flight and sends OnError down, through the very stages that
// were unwound. A stage that emits from a drain keeps that element in an [InFlight].
//
// Such an OnError reaches a stage while its own OnNext has not returned, which can never happen
// otherwise (§1.3). A stage that holds a drain or serialiser token during OnNext, or whose OnError
// does more than clean up as on cancellation and pass the error on, therefore marks the call with a
// plain bool (set before, cleared after), and when OnError finds it set, cleans up as if downstream
// had cancelled and passes the error down untouched: the failure is downstream of the stage, which
// has nothing to do with it.
//
// runtime.Goexit takes the same path with reactor.ErrGoexit. Nothing stops it: each guard on the
// way of its goroutine sees it. The innermost guard deals with it as with a panic. For the error
// that the other guards get, [failure.IsSettled] reports true: they clean up and send it down, but
// the element that they have in flight arrived further in, so they let go of it without discarding
// it. An element that waits behind such an element, and is in flight for a guard as well, then
// belongs to the stage: [failure.Before], [InFlight.UnwindLate]. Code after a guarded call does not
// run; where it has to, see [failure.InTurn] and [failure.Persist].
package protocol
