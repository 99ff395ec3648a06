package operators

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// switchMapInner receives the signals of one inner publisher.
type switchMapInner[T, R any] struct {
	protocol.Inner
	main  *switchMapSubscriber[T, R]
	up    reactor.Subscription // set by OnSubscribe
	link  protocol.Deferred    // to up, for demand and cancellation while the publisher lives
	state atomic.Uint32
	sent  int64            // touched by the signals of this publisher; read by the loop once it is retired
	call  protocol.Calling // in down.OnNext; touched by the signals of this publisher only
}

const (
	switchIdle    = iota
	switchSending // in the middle of a signal
	switchLeaving // the same, and has been replaced
	switchRetired // replaced, or failed
	switchEnded   // completed
)

// retire cancels the publisher and reports whether it is silent from now on. If not, it
// runs the loop when it is.
func (in *switchMapInner[T, R]) retire() (silent bool) {
	in.link.Cancel()
	for {
		chaos.Yield()
		switch in.state.Load() {
		case switchIdle:
			if in.state.CompareAndSwap(switchIdle, switchRetired) {
				return true
			}
		case switchSending:
			if in.state.CompareAndSwap(switchSending, switchLeaving) {
				return false
			}
		case switchLeaving:
			return false
		case switchEnded:
			// Reactor cancels a publisher that is replaced also when it has completed.
			if in.state.CompareAndSwap(switchEnded, switchRetired) {
				in.up.Cancel()
			}
			return true
		default:
			return true
		}
	}
}

// enter begins a signal, or reports false if the publisher was replaced.
func (in *switchMapInner[T, R]) enter() bool {
	return in.state.CompareAndSwap(switchIdle, switchSending)
}

// isOver reports whether nothing more will come.
func (in *switchMapInner[T, R]) isOver() bool { return in.state.Load() >= switchRetired }

func (in *switchMapInner[T, R]) OnSubscribe(up reactor.Subscription) {
	in.up = up
	in.link.Set(up)
}

func (in *switchMapInner[T, R]) OnNext(v R) {
	s := in.main
	switch {
	case s.stop.Load():
		pending.Discard(s.discard, v)
		return
	case in.enter():
	case in.state.Load() == switchEnded:
		reactor.DropNext(s.ctx, v)
		return
	default:
		pending.Discard(s.discard, v)
		return
	}
	in.sent++
	in.call.Next(s.push, v)
	if !in.state.CompareAndSwap(switchSending, switchIdle) {
		in.state.Store(switchRetired)
		s.loop.Run(s)
	}
}

// Push implements protocol.Pusher.
func (in *switchMapInner[T, R]) Push() func(R) { return in.OnNext }

func (in *switchMapInner[T, R]) OnError(err error) {
	s := in.main
	if in.call.Failed() {
		// It is the failure of an element on its way down from here.
		defer in.end(switchRetired) // also if what follows ends the goroutine
		s.fell(err)
		return
	}
	if s.stop.Load() || !in.enter() {
		reactor.DropError(s.ctx, err)
		return
	}
	if !s.failures.Add(err) {
		reactor.DropError(s.ctx, err)
	}
	in.end(switchRetired)
}

func (in *switchMapInner[T, R]) OnComplete() {
	if in.enter() {
		in.end(switchEnded)
	}
}

// end leaves the last signal.
func (in *switchMapInner[T, R]) end(state uint32) {
	in.link.Close()
	chaos.Yield()
	in.state.Store(state)
	in.main.loop.Run(in.main)
}
