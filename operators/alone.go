package operators

import "github.com/goreactor/reactor/internal/protocol"

// alone is for a stage that deals with an element of its source as it comes, without a queue and without being the owner of a
// drain, where there is demand for everything and nothing else is to be sent. What the source signals within such an element,
// from a function that is called with it, from downstream or from a request, waits here until that one is done with. So
// nothing ends the stream meanwhile but a cancellation. Touched by the signals of the source only.
type alone[T any] struct {
	busy    bool             // an element is being dealt with
	onWay   protocol.Calling // what comes of it is on its way down; for stages that let a failure of the source pass otherwise
	ended   bool             // meanwhile the source has
	failure error            // with this one, or nil
	behind  []T              // what has come meanwhile
}

// ends keeps the end of the source, which has come within an element, or reports false if there is one.
func (a *alone[T]) ends(err error) bool {
	if a.ended {
		return false
	}
	a.ended, a.failure = true, err
	return true
}

// left reports whether something waits.
func (a *alone[T]) left() bool { return a.ended || a.behind != nil }

// next returns the first element that waits, and false if there is none.
func (a *alone[T]) next() (v T, ok bool) {
	if len(a.behind) == 0 {
		a.behind = nil
		return v, false
	}
	v = a.behind[0]
	a.behind = a.behind[1:]
	return v, true
}

// end returns the end that waits, and false if there is none.
func (a *alone[T]) end() (err error, ok bool) {
	err, ok = a.failure, a.ended
	a.failure, a.ended = nil, false
	return err, ok
}
