package chainfuzz

import (
	"errors"
	"slices"
)

// stream is all that a chain emits to somebody who asks for everything.
type stream struct {
	items []int
	end   error // nil: it completes
	// vague is set by operators whose outcome depends on when things happen, such
	// as a merge of sources that end in an error. Then only the rules of the
	// protocol are checked.
	vague bool
	// async is set where signals may come from another goroutine than the one that
	// requests.
	async bool
}

// The ways in which a chain may fail.
var (
	errSource = errors.New("source failed")
	errPanic  = errors.New("function panicked")
	errTry    = errors.New("function failed")
	errEmpty  = errors.New("nothing there")
)

// with returns s with other elements and the same end.
func (s stream) with(items []int) stream {
	s.items = items
	return s
}

// each applies fn to every element; fn appends to out and may end the stream, with
// an error or, returning false, with success.
func (s stream) each(fn func(out []int, v int) ([]int, bool, error)) stream {
	out := []int{}
	for _, v := range s.items {
		var more bool
		var err error
		if out, more, err = fn(out, v); err != nil {
			s.end = err
			return s.with(out)
		} else if !more {
			s.end = nil
			return s.with(out)
		}
	}
	return s.with(out)
}

// then appends other if s completes.
func (s stream) then(other stream) stream {
	if s.end != nil {
		return s
	}
	s.items = slices.Concat(s.items, other.items)
	s.end = other.end
	s.vague = s.vague || other.vague
	s.async = s.async || other.async
	return s
}

// vagueIfItFails is for operators that let errors overtake elements.
func (s stream) vagueIfItFails() stream {
	s.vague = s.vague || s.end != nil
	return s
}

func (s stream) asynchronous() stream {
	s.async = true
	return s
}
