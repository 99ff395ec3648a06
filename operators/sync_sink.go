package operators

import (
	"context"
	"errors"

	"github.com/goreactor/reactor"
)

// SyncSink takes what one call of a function produces: at most one element, then at
// most one end. The sink is valid only during that call; to keep it for later, or to
// use it from another goroutine, is an error that nobody detects.
type SyncSink[T any] struct {
	ctx   context.Context
	value T
	err   error
	state syncState
}

type syncState uint8

const (
	syncNext     syncState = 1 << iota // value is set
	syncComplete                       // ended well
	syncError                          // ended with err
	syncEnded    = syncComplete | syncError
)

// Next provides the element. A second element in the same call ends the stream with
// [reactor.ErrIllegalState]; an element after the end is reported as dropped.
func (s *SyncSink[T]) Next(v T) {
	switch {
	case s.state&syncEnded != 0:
		reactor.DropNext(s.ctx, v)
	case s.state&syncNext != 0:
		s.Error(errSecond)
		reactor.Discard(s.ctx, v)
	default:
		s.value = v
		s.state |= syncNext
	}
}

// Error ends the stream with err, after the element if there is one. An error
// after the end is reported as dropped.
func (s *SyncSink[T]) Error(err error) {
	if s.state&syncEnded != 0 {
		reactor.DropError(s.ctx, err)
		return
	}
	s.err = reactor.NonNil(err)
	s.state |= syncError
}

// Complete ends the stream successfully, after the element if there is one.
func (s *SyncSink[T]) Complete() {
	if s.state&syncEnded == 0 {
		s.state |= syncComplete
	}
}

// Context returns the context of the subscription. A cancellation of the stream does not
// end it.
func (s *SyncSink[T]) Context() context.Context { return s.ctx }

// errSecond stands for the error of a second element until the operator gives it its name.
var errSecond = errors.New("more than one element in one call")

// failure returns the error that the operator op ends with.
func (s *SyncSink[T]) failure(op string) error {
	if s.err == errSecond {
		return reactor.Failure(op, reactor.ErrIllegalState, "%v", errSecond)
	}
	return s.err
}

// dropFailure reports the error as dropped, if there is one: the stream has ended without it. An element is none of its
// business any more.
func (s *SyncSink[T]) dropFailure(op string) {
	state := s.state
	s.state = 0
	if state&syncError != 0 {
		reactor.DropError(s.ctx, s.failure(op))
	}
}

// reset makes the sink ready for the next call.
func (s *SyncSink[T]) reset() { s.state = 0 }

// take removes the element.
func (s *SyncSink[T]) take() T {
	v := s.value
	s.value = *new(T)
	s.state &^= syncNext
	return v
}
