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
//
// A source that tells of its runs (see [Half.Attach]) pays nothing for an element: a signal
// that comes from elsewhere during a run is delivered at the end of the run. Code that ends
// the stream from elsewhere has cancelled the source before, so that the run is over when the
// source looks next. A source that delivers to several subscribers and does this itself pays
// nothing either: see [Host].
type Half struct {
	Down      Signals
	word      atomic.Uint64           // how many keep the end back, halfEnded, and the number of the run
	end       atomic.Pointer[halfEnd] // the terminal signal that counts, the first one; but see SourceEnd
	sent      atomic.Bool             // the terminal signal is delivered, or about to be; whoever sets it delivers
	calling   bool                    // touched by the source's signals only: within Deliver, outside of a run
	foreign   bool                    // touched by the source's signals only: within the function of Aside
	looks     bool                    // Down is a looker; set before Attach
	attaching uint8                   // attachRequested and so on; touched by Attach and its like and by the signals of the source
}

// The bits of Half.attaching: one byte, so that a Half is 40 bytes, for there is one in each subscription.
const (
	attachRequested = 1 << iota // a call of Attach is under way that wants only runs from within Request
	attachDeclined              // a source was turned down by such a call, because it tells of other runs
	attachAwaited               // a goroutine waits for the end, so that not all runs count: see AttachAwaited
	attachStraight              // with attachAwaited: elements go straight to where it waits, so that all runs count: see GoStraight
	attachWithin                // a call of PushWithin is under way
)

// What Half.word is made of. The bits below halfEnded count what keeps the end back: an element, a
// run, Hold, and by halfLodged a [Host].
const (
	halfHeld  = 1       // what an element, a run and Hold add
	halfEnded = 1 << 16 // the end has come from elsewhere
	halfRun   = 1 << 32 // counts where runs begin and end: odd within a run
)

// heldAt returns the part of a word without the number of the run. An end has come that nobody keeps back if it is halfEnded.
func heldAt(word uint64) uint64 { return word & (halfRun - 1) }

// runAt returns the number of the run.
func runAt(word uint64) uint32 { return uint32(word / halfRun) }

type halfEnd struct {
	err          error
	withdrawable bool // see EndUnlessWithdrawn
}

var halfComplete = &halfEnd{}

// Hold keeps terminal signals from elsewhere back until Release, because downstream has
// not got its subscription yet. It is called before anybody else knows the Half;
// elements may not come meanwhile.
func (h *Half) Hold() { h.word.Store(halfHeld) }

// Release ends what Hold began and delivers a terminal signal that came since.
func (h *Half) Release() {
	if h.letGo() {
		h.Settle()
	}
}

// letGo is Release without the delivery: if it reports true, the caller has to call Settle.
func (h *Half) letGo() bool { return heldAt(h.word.Add(^uint64(halfHeld-1))) == halfEnded }

// BeginRun says that signals of the source are about to come, and returns the number of the run: 0 if it does not count, see
// [Half.AttachAwaited].
func (h *Half) BeginRun() (run uint32) {
	if !h.counts() {
		return 0
	}
	return runAt(h.word.Add(halfRun + halfHeld))
}

// endRun ends a run, on the goroutine that has begun it, and delivers a terminal signal that came from
// elsewhere since. It does nothing if EndRun has ended the run already, or if the run does not count.
func (h *Half) endRun(run uint32) {
	if h.letRun(run) {
		h.Settle()
	}
}

// letRun is endRun without the delivery: if it reports true, the caller has to call Settle.
func (h *Half) letRun(run uint32) bool {
	for isRun(run) {
		chaos.Yield()
		word := h.word.Load()
		if runAt(word) != run {
			break
		}
		if over := word + halfRun - halfHeld; h.word.CompareAndSwap(word, over) {
			return heldAt(over) == halfEnded
		}
	}
	return false
}

// EndRun ends the run, if there is one, when the source has sent its last signal: where one source
// follows another, the next source may be at work, even on another goroutine, before this source
// returns.
func (h *Half) EndRun() {
	if run := runAt(h.word.Load()); isRun(run) {
		h.endRun(run)
	}
}

// Running reports, to the signals of the source, whether they come in a run that counts.
func (h *Half) Running() bool { return isRun(runAt(h.word.Load())) }

func isRun(run uint32) bool { return run&1 != 0 }

// emitter is a subscription whose signals come in runs: from within Request, or from within the pass
// of a drain. Such a subscription passes through a stage unchanged only if the stage sends nothing that
// does not come from a signal of upstream, on its goroutine; a test over all stages watches that.
type emitter interface {
	// Attach lets h know when signals begin to come and when there are no more until the next run.
	// It is called before the first request, and reports false if another Half is told already, or
	// if h wants other runs ([Half.WantsRequested]). A stage that stands in front of upstream
	// attaches h to that.
	Attach(h *Half) bool
}

// Attach lets h know of the runs of up, if up tells of them, and reports whether up does: then no
// element comes outside of a run, and no run begins after the end, where another source may follow.
// It is called in OnSubscribe, before anything is requested.
func (h *Half) Attach(up reactor.Subscription) bool {
	e, ok := up.(emitter)
	return ok && e.Attach(h)
}

// AttachRequested is Attach to runs from within Request, on the goroutine that
// requests.
func (h *Half) AttachRequested(up reactor.Subscription) (told bool) {
	h.attaching |= attachRequested
	told = h.Attach(up)
	h.attaching &^= attachRequested
	return told
}

// AttachAny is AttachRequested or, if up has only other runs, Attach.
func (h *Half) AttachAny(up reactor.Subscription) (told, requested bool) {
	if h.AttachRequested(up) {
		return true, true
	}
	return h.attaching&attachDeclined != 0 && h.Attach(up), false
}

// WantsRequested reports, to a source that tells of other runs, whether h wants only runs from
// within Request.
func (h *Half) WantsRequested() bool {
	if h.attaching&attachRequested == 0 {
		return false
	}
	h.attaching |= attachDeclined
	return true
}

// Within hands an element to next in a run of its own, or reports false if a terminal signal was
// faster; the caller then discards v. It is for a source that tells of no runs, behind a stage that
// has promised runs.
func (h *Half) Within[T any](next func(T), v T) bool {
	run := uint32(0)
	if h.attaching&attachAwaited == 0 { // else a run would save the stages below nothing
		run = h.BeginRun()
	}
	live := !h.Ended()
	if live {
		next(v)
	}
	h.endRun(run)
	return live
}

// Aside calls fn with v within a run, for code that is not part of the stream, such as the body of
// a range loop: a panic or Goexit of fn passes the guard of the source, with its stack.
func (h *Half) Aside[T any](fn func(T, error) bool, v T) bool {
	h.foreign = true
	more := fn(v, nil)
	h.foreign = false
	return more
}

// callsAside reports whether the elements of the runs may go to the function of Aside: then there is no Down
// that gets an end from h.
func (h *Half) callsAside() bool { return h.Down == nil }

// Deliver hands an element of the source to down, for which h.Down stands, or reports
// false if a terminal signal was faster; the caller then discards v.
func (h *Half) Deliver[T any](down reactor.Subscriber[T], v T) bool {
	word := h.word.Load()
	switch {
	case isRun(runAt(word)):
		if h.Ended() {
			return false
		}
		down.OnNext(v)
		return true
	case !h.enter(word):
		return false
	}
	down.OnNext(v)
	if h.Leave() {
		h.Settle()
	}
	return true
}

// DeliverTo is Deliver to what [Push] returned for down.
func (h *Half) DeliverTo[T any](next func(T), v T) bool {
	word := h.word.Load()
	switch {
	case isRun(runAt(word)):
		if h.Ended() {
			return false
		}
		next(v)
		return true
	case !h.enter(word):
		return false
	}
	next(v)
	if h.Leave() {
		h.Settle()
	}
	return true
}

// Enter is the first part of [Half.DeliverTo], for an element outside of a run: it reports false if
// a terminal signal was faster. Leave is the second part. Unlike DeliverTo, both are inlined.
func (h *Half) Enter() bool { return h.enter(h.word.Load()) }

// enter keeps the end back for an element, outside of a run, or reports false if the end has come, or is kept back already.
func (h *Half) enter(word uint64) bool {
	if heldAt(word) != 0 || !h.word.CompareAndSwap(word, word+halfHeld) {
		return false
	}
	chaos.Yield()
	h.calling = true
	return true
}

// Leave ends what Enter began. If it reports true, a terminal signal has come since Enter, and the
// caller has to call Settle.
func (h *Half) Leave() bool {
	h.calling = false
	chaos.Yield()
	return h.letGo()
}

// Calling reports, to the signals of a source that tells of no runs, whether an element is on its
// way down. An error that comes then is the failure of its journey, see SourceEnd.
func (h *Half) Calling() bool { return h.calling }

// Falling reports, to the signals of the source, whether an error that comes now is, or may be, the
// failure of an element on its way down: within a run the two can't be told apart.
func (h *Half) Falling() bool { return h.calling || h.Running() }

// End delivers a terminal signal from elsewhere: OnError(err), or OnComplete if err is
// nil. It reports whether this signal is the one that counts; if not, the caller
// reports err as dropped.
func (h *Half) End(err error) bool {
	if !h.claim(err) {
		return false
	}
	h.endClaimed()
	return true
}

// EndUnlessWithdrawn is End with an error that [Half.Withdraw] can take back. The caller knows that
// the error is the first terminal signal; EndUnlessWithdrawn reports false if Withdraw was faster.
func (h *Half) EndUnlessWithdrawn(err error) bool {
	if !h.end.CompareAndSwap(nil, &halfEnd{err, true}) {
		return false
	}
	h.endClaimed()
	return true
}

// endClaimed delivers the end that was recorded, unless somebody keeps it back.
func (h *Half) endClaimed() {
	chaos.Yield()
	if heldAt(h.word.Add(halfEnded)) == halfEnded {
		h.Settle()
	}
}

// SourceEnd is End for the terminal signal of the source itself. It also takes the failure of an
// element's journey downstream, which unwinds to here while Deliver has not returned. That failure
// replaces an end that has come meanwhile, and not only because it was first: the stages on the way
// learn from it what becomes of the elements that they have in flight. The result is the error that
// nobody gets, err or the one that was replaced, or nil: the caller reports it as dropped.
//
// Within a run an error of the source can't be told from such a failure, and counts as one.
func (h *Half) SourceEnd(err error) (unheard error) {
	switch {
	case !h.calling && !h.Running():
		if !h.End(err) {
			unheard = err
		}
		return unheard
	case !h.calling && err == nil && !h.claim(nil):
		return nil // what came from elsewhere is delivered at the end of the run
	}
	// Deliver, or the run, keeps the end back: nobody else delivers it, unless that has begun before.
	h.calling = false
	chaos.Yield()
	if h.sent.Swap(true) {
		return err
	}
	if replaced := h.end.Swap(endWith(err)); replaced != nil {
		unheard = replaced.err
	}
	h.tell()
	return unheard
}

// Unwind is for an error of the source that does not end the stream, because the stream was ended
// or cancelled from elsewhere. The error may be the failure of an element on its way down: then
// Deliver, or Within, was unwound, and nobody else comes to deliver the end that has waited for
// that element.
func (h *Half) Unwind() {
	switch {
	case h.calling:
		if h.Leave() {
			h.Settle()
		}
	case !h.IsLodged(): // a Host looks again
		h.EndRun()
	}
}

// claim records the terminal signal unless there is one.
func (h *Half) claim(err error) bool {
	return h.end.CompareAndSwap(nil, endWith(err))
}

func endWith(err error) *halfEnd {
	if err == nil {
		return halfComplete
	}
	return &halfEnd{err: err}
}

// Settle sends the terminal signal, once.
func (h *Half) Settle() {
	if !h.sent.Swap(true) {
		h.tell()
	}
}

// Withdraw takes back the error that EndUnlessWithdrawn has recorded, and returns it. It is called
// by the one who would get that error. It returns nil if no error is recorded, and then none will
// be, or if the error is being delivered already.
func (h *Half) Withdraw() (err error) {
	if h.end.CompareAndSwap(nil, halfComplete) { // EndUnlessWithdrawn may be still to come, after a cancellation that takes long
		return nil
	}
	if end := h.end.Load(); end != nil && end.withdrawable && !h.sent.Swap(true) {
		err = end.err
		h.end.Store(halfComplete) // as tell does
	}
	return err
}

// tell delivers the terminal signal, for the caller that has set sent. It does not keep the error, because somebody may keep
// the subscription after the end.
func (h *Half) tell() {
	err := h.end.Load().err
	h.end.Store(halfComplete)
	Finish(h.Down, err)
}

// Ended reports whether a terminal signal has come.
func (h *Half) Ended() bool { return h.end.Load() != nil }
