package operators

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
)

// OverflowStrategy says what becomes of elements that a sink gets while there is no
// demand. It is an option of [Create] and [Push].
type OverflowStrategy uint8

// The strategies.
const (
	// OverflowBuffer keeps elements, as many as there are, until they are
	// requested. It is the default.
	OverflowBuffer OverflowStrategy = iota
	// OverflowDrop discards the element.
	OverflowDrop
	// OverflowLatest keeps the newest element and discards the one before it.
	OverflowLatest
	// OverflowError ends the stream with reactor.ErrOverflow and discards the
	// element.
	OverflowError
	// OverflowIgnore sends the element all the same. Downstream has to be able
	// to bear that: most operators are not.
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

// FluxSink is where a producer puts what it has for one subscriber; see [Create].
// Its methods may be called at any time; after the end, or after cancellation,
// they do no harm.
type FluxSink[T any] struct {
	core sinkCore[T]
}

// Next sends an element, or what the overflow strategy makes of it if there is no
// demand. It does not block and does not fail; after cancellation v is discarded,
// after the end it is reported as dropped.
func (s *FluxSink[T]) Next(v T) { s.core.next(v) }

// Error ends the stream with err, behind the elements that are still buffered. An
// error that comes too late is reported as dropped.
func (s *FluxSink[T]) Error(err error) { s.core.fail(reactor.NonNil(err)) }

// Complete ends the stream, behind the elements that are still buffered.
func (s *FluxSink[T]) Complete() { s.core.end(nil) }

// Requested returns the demand that is open now, reactor.Unbounded if it is
// unlimited. An element that was sent takes its part of it, also while it waits
// because another one is being delivered elsewhere.
func (s *FluxSink[T]) Requested() int64 { return s.core.requested() }

// IsCancelled reports whether there is no use in sending more: the subscriber has
// cancelled, or the stream has ended.
func (s *FluxSink[T]) IsCancelled() bool { return s.core.state.Load() != 0 }

// OnRequest calls fn with each demand as it comes, at once with what is open so
// far, on the goroutine that requests; calls may overlap, and one may begin within a
// Next, whose element has led to the request: fn must not hold a lock while it sends. A
// panic of fn ends the stream. OnRequest may be called once; a second call panics.
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
// subscription's: it ends when the stream is over, be it by completion, failure or
// cancellation, before the functions given to OnDispose are called. The cause of a
// cancellation is reactor.ErrCancelled, or that of the context of the subscription, whose
// end cancels the stream. It is made at the first call.
func (s *FluxSink[T]) Context() context.Context { return s.core.disposal.context(s.core.ctx) }
