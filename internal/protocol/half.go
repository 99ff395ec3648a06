package protocol

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
)

// Half serialises the signals of one source, which are serial already, with
// terminal signals from elsewhere (a timer, another publisher, a context). The
// source's elements go down directly, by Deliver; a terminal signal that comes during
// an element is delivered right after it. The first terminal signal wins.
type Half struct {
	Down    Signals
	wip     atomic.Int32            // 0 idle, +1 while an element is on its way, +1 for ever once terminated
	end     atomic.Pointer[halfEnd] // the terminal signal; first one wins
	calling bool                    // touched by the source's signals only: inside Deliver
}

type halfEnd struct{ err error }

var halfComplete = &halfEnd{}

// Hold keeps terminal signals from elsewhere back until Release: downstream has
// not got its subscription yet. It is called before anybody else knows the Half;
// elements may not come meanwhile.
func (h *Half) Hold() { h.wip.Store(1) }

// Release ends what Hold began and delivers a terminal signal that came since.
func (h *Half) Release() {
	if h.wip.Add(-1) != 0 {
		h.deliver()
	}
}

// Deliver hands an element of the source to down, which h.Down stands for, or
// reports false if a terminal signal was faster; the caller then discards v.
func Deliver[T any](h *Half, down reactor.Subscriber[T], v T) bool {
	if !h.enter() {
		return false
	}
	down.OnNext(v)
	h.leave()
	return true
}

// DeliverTo is [Deliver] to what [Push] returned for down.
func DeliverTo[T any](h *Half, next func(T), v T) bool {
	if !h.enter() {
		return false
	}
	next(v)
	h.leave()
	return true
}

func (h *Half) enter() bool {
	if h.wip.Load() != 0 || !h.wip.CompareAndSwap(0, 1) {
		return false
	}
	chaos.Yield()
	h.calling = true
	return true
}

func (h *Half) leave() {
	h.calling = false
	chaos.Yield()
	h.Release()
}

// Calling reports, to the signals of the source, whether an element is on its way
// down. An error that comes then is the failure of its journey, see SourceEnd.
func (h *Half) Calling() bool { return h.calling }

// End delivers a terminal signal from elsewhere: OnError(err), or OnComplete if
// err is nil. It reports whether this one is the one that counts; if not, the
// caller reports err as dropped.
func (h *Half) End(err error) bool {
	if !h.claim(err) {
		return false
	}
	chaos.Yield()
	if h.wip.Add(1) == 1 {
		h.deliver()
	}
	return true
}

// SourceEnd is End for the terminal signal of the source itself. It also takes the failure of an
// element's journey downstream, which unwinds to here while Deliver has not returned. That takes
// the place of an end that has come meanwhile, and not only because it was first: the stages on the
// way learn from it what becomes of what they have in hand. The result is the error that nobody
// gets, err or the one that was replaced, or nil: the caller reports it as dropped.
func (h *Half) SourceEnd(err error) (unheard error) {
	if !h.calling {
		if !h.End(err) {
			unheard = err
		}
		return unheard
	}
	// Deliver holds one of wip and will not return to give it back: nobody else delivers.
	h.calling = false
	chaos.Yield()
	if replaced := h.end.Swap(endWith(err)); replaced != nil {
		unheard = replaced.err
	}
	h.deliver()
	return unheard
}

// claim records the terminal signal unless there is one.
func (h *Half) claim(err error) bool {
	return h.end.CompareAndSwap(nil, endWith(err))
}

func endWith(err error) *halfEnd {
	if err == nil {
		return halfComplete
	}
	return &halfEnd{err}
}

func (h *Half) deliver() {
	if end := h.end.Load(); end.err != nil {
		h.Down.OnError(end.err)
	} else {
		h.Down.OnComplete()
	}
}

// Ended reports whether a terminal signal has come.
func (h *Half) Ended() bool { return h.end.Load() != nil }
