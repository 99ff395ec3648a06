// Package mono holds [Mono], a stream of at most one element, and its operators. A Mono represents,
// as a value, the result of a call that takes time.
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
// Nothing runs before somebody subscribes, and each subscription runs everything anew. [Mono.Cache]
// and [Mono.Share] keep one outcome for all subscribers. The zero Mono is empty. A Mono ends with
// an element, without an element, or with an error. If it ends without an element, Block returns
// reactor.ErrNoElements and BlockOptional reports it; [Mono.DefaultIfEmpty] and
// [Mono.SwitchIfEmpty] replace such an end. Functions that may have no result return (value, ok);
// there is no null.
//
// # Demand
//
// A Mono runs when its element is requested, which most subscribers do at once. Completion and
// errors need no demand.
//
// # Where work runs
//
// No operator starts a goroutine: [FromFunc] and [FromCallable] call their function on the
// goroutine that requests the element, and most subscribers request it where they subscribe. (Only
// [FromChan], which has to wait for its channel, has a goroutine of its own.) [Mono.SubscribeOn]
// moves the call to a worker, [Mono.PublishOn] moves the stages that follow. So two Monos that are
// zipped run one after the other unless each has a SubscribeOn. Operators of time use
// schedulers.Parallel, or the scheduler that [On] names.
//
// # Errors, panics and the end of the context
//
// As in package flux: an error ends the stream; a panic of a function becomes a
// *reactor.PanicError; Retry and the methods whose names begin with OnError deal with both. The
// context of the subscription reaches every function that takes a context; its end cancels the
// chain, and its context.Cause is the error of the stream. A wrong argument panics where the chain
// is put together.
//
// # Elements that nobody gets
//
// An element that has come and will not be delivered goes to the discard hook ([Mono.DoOnDiscard])
// once; an element that comes too late is reported as dropped.
//
// # Options, names, diagrams
//
// As in package flux. flux.From(m) makes a Flux of a Mono, which then has the methods of a Flux. An
// operator that returns many elements for one, such as flux.FlatMapMany, is a function of package
// flux, because mono does not import flux.
package mono
