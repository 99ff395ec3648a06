package keylock

import "github.com/goreactor/reactor"

// takeFree takes the key for a hold that waits, if it is free, and reports whether it
// has. Its timers are not set yet.
func (h *hold) takeFree() bool {
	now := h.clk.now()
	h.s.lock()
	defer h.s.unlock()
	// If h does not wait any more, whoever has ended the wait is about to tell it why.
	if h.state != waiting || h.e.holder != nil {
		return false
	}
	h.s.leave(h)
	h.s.grant(h.e, h)
	h.start(now)
	return true
}

// nudge tells the first of those who wait that the key is free ([Barging]).
func (h *hold) nudge() {
	sink := h.waiter()
	if sink == nil {
		h.wake(nil)
		return
	}
	asked := false
	defer func() {
		if !asked { // the clock has not returned: the next one has its turn
			h.giveUpAnd(func() { h.refuse(h.unreturned()) })
		}
	}()
	took := h.takeFree()
	asked = true
	if !took {
		return
	}
	err := h.unreturned()
	defer func() { sink.settled(err) }()
	err = h.watchOrRelease()
}

// unreturned is the error of a stream that was about to take its key when the clock or the meter ended the goroutine.
func (h *hold) unreturned() error {
	return &Error{Op: h.op.String(), Kind: reactor.ErrGoexit, Key: h.e.key}
}
