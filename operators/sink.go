package operators

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
)

// OverflowStrategy says what becomes of an element that a sink gets when there is no
// demand. It is an option of [Create] and [Push].
type OverflowStrategy uint8

// The strategies.
const (
	// OverflowBuffer keeps elements, without bound, until they are requested. It is the
	// default.
	OverflowBuffer OverflowStrategy = iota
	// OverflowDrop discards the element.
	OverflowDrop
	// OverflowLatest keeps the newest element and discards the one before it.
	OverflowLatest
	// OverflowError ends the stream with reactor.ErrOverflow and discards the
	// element.
	OverflowError
	// OverflowIgnore sends the element without demand. Downstream must be able to take
	// it; most operators can't.
	OverflowIgnore
)

// String returns the name, for example "drop".
func (s OverflowStrategy) String() string {
	names := [...]string{"buffer", "drop", "latest", "error", "ignore"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("OverflowStrategy(%d)", uint8(s))
}

// CreateOption is an option of [Create] and [Push].
type CreateOption interface{ applyCreate(*createConfig) }

type createConfig struct{ strategy OverflowStrategy }

func (s OverflowStrategy) applyCreate(c *createConfig) { c.strategy = s }

// FluxSink is where the producer of [Create] puts what it has for one subscriber. Its
// methods may be called at any time; after the end, or after a cancellation, they do no
// harm.
type FluxSink[T any] struct {
	core sinkCore[T]
}

// Next sends v; without demand the overflow strategy decides what becomes of v. Next
// does not block and does not fail. After a cancellation v is discarded; after the end
// v is reported as dropped.
func (s *FluxSink[T]) Next(v T) { s.core.next(v) }

// Error ends the stream with err, behind the elements that are still buffered. An
// error that comes too late is reported as dropped.
func (s *FluxSink[T]) Error(err error) { s.core.fail(reactor.NonNil(err)) }

// Complete ends the stream, behind the elements that are still buffered.
func (s *FluxSink[T]) Complete() { s.core.end(nil) }

// Requested returns the demand that is open now, reactor.Unbounded if it is unlimited.
// An element that was sent has used its part of the demand, also while it waits because
// another goroutine is delivering an element.
func (s *FluxSink[T]) Requested() int64 { return s.core.requested() }

// IsCancelled reports whether a further element is of no use: the subscriber has
// cancelled, or the stream has ended.
func (s *FluxSink[T]) IsCancelled() bool { return s.core.state.Load() != 0 }

// OnRequest calls fn with each demand as it comes, on the goroutine that requests, and
// at once with the demand that is open so far. Calls may overlap. A call may come
// inside a call of Next, if the element of that Next leads to the request: so fn must
// not hold a lock while it sends. A panic of fn ends the stream. OnRequest may be
// called once; a second call panics.
func (s *FluxSink[T]) OnRequest(fn func(n int64)) { s.core.onRequest(fn) }

// OnCancel calls fn once if the subscriber cancels, on the goroutine that
// cancels; at once if that has happened. Several functions are called in order.
func (s *FluxSink[T]) OnCancel(fn func()) {
	argument.Given("create", "function given to OnCancel", fn != nil)
	s.core.disposal.onCancel(s.core.ctx, fn)
}

// OnDispose calls fn once when the stream is over, be it by completion, failure
// or cancellation; at once if it is over. Several functions are called in order.
func (s *FluxSink[T]) OnDispose(fn func()) {
	argument.Given("create", "function given to OnDispose", fn != nil)
	s.core.disposal.onDispose(s.core.ctx, fn)
}

// Context returns a context for the producer, with the values and the deadline of the
// subscription's context. It ends when the stream is over, be it by completion, failure
// or cancellation, before the functions given to OnDispose are called. Its cause after a
// cancellation is reactor.ErrCancelled, or that of the subscription's context if the end
// of that context cancelled the stream. The first call makes the context.
func (s *FluxSink[T]) Context() context.Context { return s.core.disposal.context(s.core.ctx) }
