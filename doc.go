// Package reactor holds the contract that everything in this module speaks:
// the four Reactive Streams interfaces with context.Context in the place of
// Reactor's Context, the signals as values, the errors, and the hooks.
//
// Programs name this package for little but errors ([ErrTimeout], [PanicError]),
// signals and hooks. They build pipelines with
// [github.com/goreactor/reactor/flux] and
// [github.com/goreactor/reactor/mono] and pick where work runs with
// [github.com/goreactor/reactor/schedulers]. Whoever writes a Publisher or a
// Subscriber finds the rules for that here.
//
// # The protocol
//
// A [Subscriber] passed to [Publisher.Subscribe] receives
//
//	OnSubscribe OnNext* (OnError | OnComplete)?
//
// one call at a time, each call happening before the next, and never more
// OnNext calls than it asked for through [Subscription.Request]. Rules are
// quoted by their number in the Reactive Streams specification, for example
// §3.9.
//
// # The context
//
// The context given to Subscribe flows from the subscriber up to the source.
// Values in it are visible to every operator and to every user function that
// takes a context. When it ends, the subscription is cancelled and the
// subscriber receives, once, OnError(context.Cause(ctx)).
//
// # Nothing is lost silently
//
// An element is delivered, or used up by a function that makes something else of
// it, or discarded (the stream accepted it but will not deliver it: filtered out,
// still queued at cancellation), or reported as dropped (it arrived after the end). See [Hooks].
package reactor
