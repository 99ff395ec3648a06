package protocol

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
)

// Host is a subscription to somebody who takes turns anyway to deliver: to several, one after the other, or what several
// send. It keeps what a [Half] would do for each element: an end from elsewhere is left with it, and delivered when
// nothing is on its way to anybody. Before each element it asks whether the subscription was cancelled.
type Host interface {
	// Lodged says that ends from elsewhere are left with it: see [Half.Lodge].
	Lodged()
	// Tell delivers the end that h has got from elsewhere. The caller has cancelled the
	// subscription before.
	Tell(h *Half)
}

// HostOf returns the Host behind a subscription, which passes through stages as an [emitter]
// does, or nil if there is none. It is called in OnSubscribe, before anything is requested.
func HostOf(up reactor.Subscription) Host {
	if u, ok := up.(interface{ Host() Host }); ok {
		return u.Host()
	}
	return nil
}

// QuitHost cancels the subscription at the Host that h has lodged with, which is behind up, past the stages between, if
// elements come from there by the function of PushGuarded. It is for somebody who wants no more, when another goroutine has
// begun to cancel up, which may take long: the stages hear of it from that one.
func (h *Half) QuitHost(up reactor.Subscription) {
	if host, ok := HostOf(up).(interface{ Quit() }); ok {
		host.Quit()
	}
}

// guardedPusher is a [Pusher] that has another function for a [Host]: that function checks
// before each element whether the subscription was cancelled. It also has a method Quit for
// [Half.QuitHost].
type guardedPusher[T any] = interface {
	// PushGuarded is Push of [Pusher], and called in its place.
	PushGuarded() func(T)
}

// PushGuarded is [Push] for a [Host].
func PushGuarded[T any](s reactor.Subscriber[T]) func(T) {
	if p, ok := s.(guardedPusher[T]); ok {
		return p.PushGuarded()
	}
	return Push(s)
}

// halfLodged stands for a Host among those who keep the end of a Half back.
const halfLodged = 1 << 8

// Lodge leaves it to a [Host] to keep the signals serial: nothing is done for an element any more,
// and who ends the stream from elsewhere asks IsLodged afterwards, and then tells the Host. The
// source has not begun yet.
func (h *Half) Lodge(with Host) {
	with.Lodged()
	h.word.Add(halfRun + halfLodged)
}

// IsLodged reports whether a [Host] has to be told of an end from elsewhere.
func (h *Half) IsLodged() bool { return h.word.Load()&halfLodged != 0 }

// Turn is the Drain of a [Host].
type Turn struct {
	Drain
	// By, if not nil, takes the place of the Drain, which nobody takes then: By lets one caller at a time deliver, and that caller
	// calls Settle afterwards. Active reports whether anything is being delivered. By
	// is set before the Turn is used.
	By interface{ Active() bool }

	late atomic.Pointer[lateEnd] // the ends from elsewhere that wait, the latest one first, or nil
}

// Run is Drain.Run, see Loop.
func (t *Turn) Run(o Drainer) {
	if t.Announce() {
		t.Loop(o)
	}
}

// Loop is Drain.Loop; afterwards it delivers the ends that have waited for that, also if a function
// has ended the goroutine.
func (t *Turn) Loop(o Drainer) {
	clean := false
	defer func() {
		if !clean {
			t.Resume(o, recover())
		}
	}()
	for {
		o.DrainPass()
		if t.release() {
			break
		}
	}
	clean = true
	t.Settle()
}

// Leave is Drain.Leave, see Loop.
func (t *Turn) Leave(o Drainer) {
	if t.release() {
		t.Settle()
	} else {
		t.Loop(o)
	}
}

// Resume is called by the guard around a delivery, with what the guard has recovered: the stage crashes, and
// another pass is made.
func (t *Turn) Resume(o Drainer, r any) {
	defer t.pass(o) // also if a function that hears of the crash ends the goroutine
	crashed(o, failure.Recovered(r))
}

// pass makes a pass for Resume, whose caller is the owner.
func (t *Turn) pass(o Drainer) {
	if t.By == nil {
		t.Loop(o)
		return
	}
	clean := false
	defer func() {
		if !clean {
			t.Resume(o, recover())
		}
	}()
	o.DrainPass()
	clean = true
}

// Tell implements [Host], after the subscription was cancelled: a delivery that begins later has
// nothing for it any more.
func (t *Turn) Tell(h *Half) {
	t.keep(&lateEnd{half: h})
	chaos.Yield()
	t.settle()
}

// active reports whether anything is being delivered.
func (t *Turn) active() bool {
	if t.By != nil {
		return t.By.Active()
	}
	return t.Active()
}

// keep adds a list of ends to those that wait.
func (t *Turn) keep(list *lateEnd) {
	last := list
	for last.next != nil {
		last = last.next
	}
	for {
		old := t.late.Load()
		last.next = old
		chaos.Yield()
		if t.late.CompareAndSwap(old, list) {
			return
		}
	}
}

// Settle delivers the ends that wait, unless something is being delivered: the goroutine that delivers settles
// afterwards.
func (t *Turn) Settle() {
	if t.Unsettled() {
		t.settle()
	}
}

// Unsettled reports whether an end waits.
func (t *Turn) Unsettled() bool { return t.late.Load() != nil }

func (t *Turn) settle() {
	for t.late.Load() != nil && !t.active() {
		chaos.Yield()
		list := t.late.Swap(nil)
		chaos.Yield()
		if list != nil && t.active() {
			t.keep(list) // it may hold an end that has come since, of a subscription to which an element is on its way
			continue
		}
		list.deliver()
	}
}

// lateEnd is an end from elsewhere that waits.
type lateEnd struct {
	half *Half
	next *lateEnd
}

// deliver delivers the ends of a list, also the ends behind one whose delivery ends the
// goroutine.
func (l *lateEnd) deliver() {
	clean := false
	defer func() {
		if !clean {
			l.deliver()
		}
	}()
	for l != nil {
		half := l.half
		l = l.next
		half.Settle()
	}
	clean = true
}
