// Package flux is where pipelines are built: it holds [Flux], a stream of any number of elements,
// and its operators. This page describes what all operators have in common; the comment of each
// method says what that operator does about demand, errors, cancellation and goroutines.
//
//	totals := flux.FromSlice(lines).
//		TryMap(ParseOrder).                     // func(string) (Order, error)
//		Filter(Order.Open).
//		FlatMap(price, flux.Concurrency(4)).    // func(Order) mono.Mono[Quote]
//		PublishOn(schedulers.BoundedElastic()).
//		Timeout(2 * time.Second).
//		Map(total)
//
//	for cents, err := range totals.All(ctx) { … }
//
// # Cold and hot
//
// A Flux is a small immutable value that describes what will happen. Nothing runs before somebody
// subscribes, and each subscription runs everything anew: with two subscribers, a function that
// reads a file reads it twice. Such a stream is cold. [Flux.Share], [Flux.Publish], [Flux.Replay]
// and [Flux.Cache] turn it into a hot stream, whose subscribers share a run; the streams of package
// sinks are hot from the start. The zero Flux is empty.
//
// These calls subscribe. A loop over [Flux.All], [Flux.Collect], [Flux.ForEach], [Flux.Run] and the
// methods whose names begin with Block wait for the end of the stream (BlockFirst waits for the
// first element); [Flux.SubscribeFunc] and [Flux.SubscribeWith] do not wait.
//
// # Demand
//
// A subscriber requests as many elements as it can take, and gets no more than that. Demand goes up
// through all stages to the source, which computes that many elements. Most stages pass demand on
// unchanged. Filter requests one more element for each that it leaves out, Buffer requests as many
// as fill a slice, and stages with a queue (PublishOn, FlatMap, Zip…) request elements ahead of
// demand: 256 or 32, or as many as [Prefetch] says. A loop over All requests as it goes; Collect
// and its like request everything. Where a source can't wait for demand, one of the OnBackpressure
// methods decides what becomes of elements that nobody has requested; without such a method the
// stream fails with reactor.ErrOverflow rather than keep elements without bound. ([Create] keeps
// them, unless an [OverflowStrategy] says otherwise.)
//
// # Where work runs
//
// No operator starts a goroutine except [Flux.ToChan], and no source except [FromChan], which has
// to wait for its channel. Each stage is called by the stage above it, so a chain runs on the
// goroutine on which its source emits. A source that computes its elements emits on the goroutine
// that requests them, as a rule the one that subscribes. [Flux.SubscribeOn] moves the source, and
// all stages up to the next PublishOn, to a worker; [Flux.PublishOn] moves the stages that follow
// it. Operators of time run on a worker of schedulers.Parallel, unless [On] gives them another
// scheduler. Operators that merge emit on whatever goroutine brings an element. The signals to one
// subscriber never overlap, wherever they come from, and each happens before the next.
//
// Functions that block belong on schedulers.BoundedElastic. The operators for them pass the context
// to the function: TryMapContext, mono.FromFunc.
//
// # Errors and panics
//
// An error ends a stream: everything above is cancelled, the subscriber gets the error once, and
// nothing follows. Functions that can fail have methods of their own (TryMap, TryFilter, …). The
// methods whose names begin with OnError replace the error or what comes after it, Retry subscribes
// again, and [DelayErrors] lets the other sources of an operator run to their end first.
//
// A panic of a function becomes such an error: a *reactor.PanicError with the operator, the value
// and the stack. runtime.Goexit becomes reactor.ErrGoexit. Neither takes the process down. Errors
// that can't reach a subscriber any more go to the hook for dropped errors. A wrong argument (a nil
// function, a size of 0) panics where the chain is put together; the panic names the operator and
// the value.
//
// # The end of the context
//
// The whole chain shares the context of the subscription: functions that take a context get it, and
// so do inner publishers. When it ends, everything is cancelled, and the subscriber gets
// context.Cause once. Leaving a loop over All, or cancelling a subscription, cancels everything as
// well, but sends no signal. [Flux.ContextWrite] changes the context for all stages above it: put
// values there, not into the worker.
//
// # Elements that nobody gets
//
// An element that was accepted and will not be delivered (filtered out, left in a queue at a
// cancellation, passed to a function that failed) goes to the discard hook exactly once: see
// [Flux.DoOnDiscard] and reactor.WithHooks. The hook is the place to close what elements own. An
// element that comes after the end is reported as dropped. Without a hook nothing is done, and it
// costs nothing. If a function panics, the element is the one that the source has sent, not what
// functions before have made of it: where such a result has to be closed, return an error (TryMap)
// and do not panic.
//
// # Options
//
// Operators take options as their last arguments: FlatMap(fn, flux.Concurrency(8),
// flux.DelayErrors()). Each operator has a type for the options that it accepts ([FlatMapOption]);
// any other option does not compile. The functions that make an option are listed under the type
// that they return, for example [ConcurrencyOption].
//
// # Names and diagrams
//
// Names are Reactor's, unless Go has a better-known word: docs/naming.md has the table and the
// rules. In the diagrams time goes from left to right; f is the stream whose method is called, and
// out is the result. A number or a letter is an element, [1 2] a slice, | completion, # an error, x
// a cancellation.
package flux
