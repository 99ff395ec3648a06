package protocol

import (
	"context"

	"github.com/goreactor/reactor"
)

// sending sends elements down: it has the function for that, and the element that is in flight.
// Only the goroutine that may send touches it; in most stages that is the owner of a drain. If an
// element fails, the guard of the loop decides what becomes of it. A stage with an [Outlet] has a
// [Sender] for that, a stage with a loop of its own a [LoopSender], and a stage that sends from the
// loop of upstream an [AheadSender].
//
// It has no methods: they would be compiled for every stage that embeds it and every type, called or not. An
// element goes down by [InFlight.Send], or by [Calling.Next] where it is in flight from a source.
type sending[T any] struct {
	PushDown func(T)     // hands elements to downstream; what [Push] returns
	InFlight InFlight[T] // the element on its way down, or in a function of the user
}

// LoopSender is embedded by a stage that has one downstream and no [Outlet]. It sends the elements
// of a [Drain], if the stage is [Fallible], or of another loop whose guard calls InFlight.Crash.
type LoopSender[T any] struct{ sending[T] }

// Fallible is a [Drainer] whose passes may fail, in a function of the user or downstream.
type Fallible interface {
	Drainer
	// Downstream returns the context of the subscription, the subscriber downstream, and
	// whether the stream is over for that subscriber.
	Downstream() (ctx context.Context, down Signals, over bool)
	// Fell is called if a pass has failed with err: it ends the stream as if downstream had
	// cancelled, but does not send the signal. It returns the error that downstream gets.
	Fell(err error) error
}

// DrainCrashed implements [Drainer].
func (s *LoopSender[T]) DrainCrashed(stage Drainer, err error) {
	f := stage.(Fallible)
	ctx, down, over := f.Downstream()
	defer func() { s.InFlight.Crash(ctx, down, over, err) }() // also if a function that Fell calls ends the goroutine
	err = f.Fell(err)
}

// AheadSender is embedded by a stage that, within OnNext, sends another element ahead of the one that
// has come. It does what [failure.Before] does, without a deferred function for each element.
type AheadSender[T any] struct {
	sending[T]
	came InFlight[T] // waits until what is in flight has arrived
	runs *Half       // of code that is called aside; nil if there is none
}

// Attach is [Half.Attach], in the place of that of the stage.
func (s *AheadSender[T]) Attach(h *Half, up reactor.Subscription) bool {
	told := h.Attach(up)
	if told && h.callsAside() {
		s.runs = h
	}
	return told
}

// SendAhead sends v down while came waits.
func (s *AheadSender[T]) SendAhead(ctx context.Context, v, came T) {
	if s.runs != nil {
		s.sendPassing(ctx, v, came)
		return
	}
	s.send(v, came)
}

func (s *AheadSender[T]) send(v, came T) {
	s.InFlight.Hold(v)
	s.came.Hold(came)
	s.PushDown(v)
	s.came.Clear()
	s.InFlight.Clear()
}

// sendPassing deals with what waits if v has come to code aside and that code has failed, because
// no guard and no OnError does so.
func (s *AheadSender[T]) sendPassing(ctx context.Context, v, came T) {
	defer func() {
		if s.runs.foreign {
			s.came.Discard(ctx)
		}
	}()
	s.send(v, came)
}

// Unwind is called by OnError, before anything else, for a failure of what SendAhead has sent. The
// guard upstream has the element that has come.
func (s *AheadSender[T]) Unwind(ctx context.Context, err error) {
	s.InFlight.Unwind(ctx, err)
	s.came.UnwindLate(ctx, err)
}
