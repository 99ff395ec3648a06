// Package mono holds [Mono], a stream of at most one element, and its operators: what a call returns that
// takes time, as a value.
//
//	quote := mono.FromFunc(func(ctx context.Context) (Quote, error) { return fetch(ctx, id) }).
//		SubscribeOn(schedulers.BoundedElastic()).
//		Timeout(time.Second).
//		Retry(mono.Times(2))
//
//	q, err := quote.Block(ctx)
//
// # Cold and hot
//
// Nothing runs before somebody subscribes, and each subscription runs everything anew. [Mono.Cache] and
// [Mono.Share] keep one outcome for all. The zero Mono is empty. A Mono ends with an element,
// without one, or with an error; Block returns reactor.ErrNoElements for the second, BlockOptional reports it, and
// [Mono.DefaultIfEmpty] and [Mono.SwitchIfEmpty] replace it. Functions that leave something out return (value, ok); there is no null.
//
// # Demand
//
// A Mono runs when it is asked for its element, which most subscribers do at once. Completion and errors need no
// demand.
//
// # Where work runs
//
// No operator starts a goroutine: [FromFunc] and [FromCallable] call their function on the goroutine that
// asks for the element, which most subscribers do where they subscribe. (Only [FromChan], which has to wait, has one of its own.) [Mono.SubscribeOn] moves it to a worker, [Mono.PublishOn] moves what follows. So two Monos that are zipped
// run one after the other unless each has a SubscribeOn. Operators of time use schedulers.Parallel, or what [On] says.
//
// # Errors, panics and the end of the context
//
// As in package flux: an error is the end; a panic of a function becomes a *reactor.PanicError; what begins with OnError, and
// Retry, deal with both. The context of the subscription reaches every function that takes one; its end cancels the
// chain and is the error of the stream, as context.Cause. A wrong argument panics where the chain is put together.
//
// # Elements that nobody gets
//
// An element that was there and is not delivered goes to the discard hook ([Mono.DoOnDiscard]), once; one that comes too late is
// reported as dropped.
//
// # Options, names, diagrams
//
// As in package flux. A Mono becomes a Flux by flux.From(m), and has the methods of a Flux then; what returns many elements for
// one, such as flux.FlatMapMany, is a function of package flux, because mono does not import it.
package mono
