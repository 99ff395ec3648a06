// Package flux is where pipelines are built: [Flux], a stream of any number of elements, and its
// operators. What holds for all of them is written here; what an operator does about demand,
// errors, cancellation and goroutines stands with its method.
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
// A Flux is a value that says what would happen, small, and never changed. Nothing runs before somebody
// subscribes, and each subscription runs everything anew: a function that reads a file reads it twice for
// two subscribers. Such a stream is cold. [Flux.Share], [Flux.Publish], [Flux.Replay] and
// [Flux.Cache] make a hot one of it, whose subscribers share a run; what package sinks makes is
// hot from the start. The zero Flux is empty.
//
// Who subscribes: a loop over [Flux.All], [Flux.Collect], [Flux.ForEach], [Flux.Run] and what begins with
// Block, which wait for the end or, BlockFirst, for the first element; [Flux.SubscribeFunc] and [Flux.SubscribeWith], which do not.
//
// # Demand
//
// A subscriber says how many elements it can take, and gets no more than that. Demand goes up through all
// stages to the source, which computes that many. Most stages pass it on as it is; Filter asks for another
// element in the place of one that it leaves out, Buffer for as many as fill a slice; stages with a queue (PublishOn, FlatMap, Zip…)
// ask ahead on their own account, 256 or 32 elements, or as [Prefetch] says. A loop over All asks as it goes;
// Collect and its like ask for everything. Where a source can't be asked to wait, one of the OnBackpressure
// methods says what becomes of what nobody wants yet; without it the stream fails with
// reactor.ErrOverflow rather than keep elements without bound. ([Create] keeps them, unless an [OverflowStrategy] says otherwise.)
//
// # Where work runs
//
// No operator starts a goroutine, but [Flux.ToChan]; of the sources [FromChan] does, which has to wait. A stage is a call from the stage above; so a chain runs where its source emits, and a
// source that computes emits where it is asked: on the goroutine that subscribes. [Flux.SubscribeOn] moves the source, and all up to
// the next PublishOn, to a worker; [Flux.PublishOn] moves what follows it. Operators of time run on a worker of
// schedulers.Parallel, unless [On] gives them another scheduler. Operators that merge emit on whatever
// goroutine brings an element. Signals to one subscriber never overlap, wherever they come from, and one happens before the next.
//
// What blocks belongs on schedulers.BoundedElastic. Functions that may block get the context:
// TryMapContext, mono.FromFunc.
//
// # Errors and panics
//
// An error is the end of a stream: what is above is cancelled, the subscriber gets it once, nothing
// follows. Functions that can fail have a method of their own (TryMap, TryFilter, …). What begins
// with OnError replaces the error or what comes after it, Retry subscribes again, [DelayErrors] lets
// the other sources of an operator run on before.
//
// A panic of a function becomes such an error, a *reactor.PanicError with the operator, the value and the
// stack; runtime.Goexit becomes reactor.ErrGoexit. Neither takes the process down. Errors that nobody can get any more go to the hook for
// dropped errors. A wrong argument (a nil function, a size of 0) panics where the chain is
// put together, and names the operator and the value.
//
// # The end of the context
//
// The context of a subscription is that of the whole chain: functions that take one get it, and so do inner streams.
// When it ends, everything is cancelled, and the subscriber gets context.Cause, once. Leaving a loop over All, or
// cancelling a subscription, cancels everything, too, without a signal. [Flux.ContextWrite] changes the
// context for all that stands above it: values belong there, not into the worker.
//
// # Elements that nobody gets
//
// An element that was accepted and will not be delivered (filtered out, left in a queue at a cancellation, in the hands
// of a function that failed) goes to the discard hook, exactly once: [Flux.DoOnDiscard], or reactor.WithHooks.
// That is the place to close what elements own. One that comes after the end is reported as dropped. Without a hook
// nothing is done, and nothing is paid.
//
// # Options
//
// Operators take options as their last arguments: FlatMap(fn, flux.Concurrency(8), flux.DelayErrors()). What an operator
// accepts is the type of its options ([FlatMapOption]); another one does not compile. The functions that make an option are listed under its
// type, for example [ConcurrencyOption].
//
// # Names and diagrams
//
// Names are Reactor's, unless Go has a better-known word: docs/naming.md has the table and the rules. In the diagrams
// time goes from left to right: f is the stream whose method it is, out what comes of it. A number or a letter is an
// element, [1 2] a slice, | completion, # an error, x a cancellation.
package flux
