// Package reactor holds the contract that everything in this module speaks:
// the four Reactive Streams interfaces with context.Context in the place of
// Reactor's Context, the signals as values, the errors, and the hooks.
//
// Programs use this package directly for little but errors ([ErrTimeout],
// [PanicError]), signals and hooks. They build pipelines with
// [github.com/goreactor/reactor/flux] and [github.com/goreactor/reactor/mono] and
// pick where work runs with [github.com/goreactor/reactor/schedulers]. The rules
// for writing a Publisher or a Subscriber are here.
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
// Each element is delivered, or used up by a function that turns it into something
// else, or discarded (the stream accepted the element but will not deliver it: it
// was filtered out, or was still queued at cancellation), or reported as dropped
// (it arrived after the end). See [Hooks].
package reactor
