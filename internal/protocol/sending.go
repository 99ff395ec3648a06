package protocol

import (
	"context"

	"github.com/goreactor/reactor"
)

// sending sends elements down and knows the one that is on its way. It belongs to whoever may send,
// which for most stages is the owner of a drain. What becomes of that element if it fails is settled
// by the guard: that of an [Outlet] has a [Sender], that of a [Drain] a [DrainSender], one around a
// loop of the stage's own calls InFlight.Crash.
type sending[T any] struct {
	push     func(T) // hands elements to downstream
	InFlight Hand[T] // the element on its way down, or in a function of the user
}

// SendTo sets who is downstream.
func (s *sending[T]) SendTo(down reactor.Subscriber[T]) { s.push = Push(down) }

// Forget lets go of downstream (§3.13).
func (s *sending[T]) Forget() { s.push = nil }

// Send sends v down.
func (s *sending[T]) Send(v T) {
	s.InFlight.Hold(v)
	s.push(v)
	s.InFlight.LetGo()
}

// SendInFlight sends down the element that InFlight holds already.
func (s *sending[T]) SendInFlight() {
	s.push(s.InFlight.Item())
	s.InFlight.LetGo()
}

// SendNext is Send within a loop, which calls InFlight.LetGo at its end.
func (s *sending[T]) SendNext(v T) {
	s.InFlight.Hold(v)
	s.push(v)
	s.InFlight.Sent()
}

// Pusher returns what Send hands elements to, for a loop so short that the call of SendNext counts:
// it does with InFlight what that does.
func (s *sending[T]) Pusher() func(T) { return s.push }

// DrainSender is embedded by a [Fallible] stage: it sends the elements of a [Drain] that has one
// downstream and no [Outlet].
type DrainSender[T any] struct{ sending[T] }

// Fallible is a [Drainer] whose passes may fail, in a function of the user or downstream.
type Fallible interface {
	Drainer
	// Downstream returns the context of the subscription, who is downstream, and whether the
	// stream is over for it.
	Downstream() (ctx context.Context, down Signals, over bool)
	// Fell is called if a pass has failed with err: it ends the stream, but for the signal, as if
	// downstream had cancelled. It returns what downstream is told.
	Fell(err error) error
}

// DrainCrashed implements [Drainer].
func (s *DrainSender[T]) DrainCrashed(stage Drainer, err error) {
	f := stage.(Fallible)
	ctx, down, over := f.Downstream()
	defer func() { s.InFlight.Crash(ctx, down, over, err) }() // also if a function that Fell calls ends the goroutine
	err = f.Fell(err)
}
