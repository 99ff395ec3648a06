package resubscribe

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// Succession is the subscription of a stage with several sources, one after the other: a [protocol.Arbiter] that
// tells stages below of their runs. A source that tells of its runs tells the stages below itself; of another
// source each element is a run by itself ([Succession.Send]).
type Succession struct {
	protocol.Arbiter

	// Touched by the signals of upstream only; half also by Attach, before the first request.
	half   *protocol.Half // nil if nobody wants to be told
	runs   bool           // the source tells half of its runs
	within bool           // no element of the source comes outside of runs that count, see [protocol.Half.AttachNext]
	begun  bool           // the source is subscribed: if there is a half, runs and within are known
}

// Attach lets h know of the runs of the sources.
func (s *Succession) Attach(h *protocol.Half) bool {
	if h.WantsRequested() || s.half != nil {
		return false
	}
	s.half = h
	if s.begun { // the stage hands itself down when the first source is there
		s.runs, s.within = h.AttachNext(s.Upstream())
	}
	return true
}

// Set is [protocol.Arbiter.Set].
func (s *Succession) Set(up reactor.Subscription) {
	s.begun = true
	if s.half != nil {
		s.runs, s.within = s.half.AttachNext(up)
	}
	s.Arbiter.Set(up)
}

// Next is [protocol.Arbiter.Next]. The next source may be at work, on another goroutine even, before the source that has ended
// returns: so the run of the latter ends here.
func (s *Succession) Next(n int64) (live bool) {
	if s.runs {
		s.half.EndRun()
	}
	s.runs, s.within, s.begun = false, false, false
	return s.Arbiter.Next(n)
}

// Straight reports whether the elements of the source need no [Succession.Send], for the function that it is
// given.
func (s *Succession) Straight() bool { return s.begun && (s.runs || s.half == nil) }

// Send hands an element to next, or reports false if the stream has ended meanwhile; the caller then discards v.
func (s *Succession) Send[T any](next func(T), v T) bool {
	if s.runs || s.half == nil {
		next(v)
		return true
	}
	return s.half.Within(next, v)
}

// isWithin reports, to a Push that is under way, whether all elements for the function that Push returns come within runs that count:
// those of the source or, where another stage above has called this Push, those that it has promised.
func (s *Succession) isWithin() bool { return s.within || s.half != nil && s.half.IsWithin() }

// Push returns the function that hands elements of the source to down. Another source may need another one.
func (s *Succession) Push[T any](down reactor.Subscriber[T]) func(T) {
	if s.within {
		return s.half.PushWithin(down)
	}
	return protocol.Push(down)
}
