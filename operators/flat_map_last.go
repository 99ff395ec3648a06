package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// flatMapWhole is the subscriber of an inner publisher that calls a function: that publisher sends
// the element together with the end. The subscriber announces itself when it gets its subscription:
// if the function that subscribes knew the subscribers of flatMap, each program would compile that
// function for each type of element.
type flatMapWhole[R any] struct{ in *flatMapInner[R] }

func (w flatMapWhole[R]) OnSubscribe(up reactor.Subscription) { w.in.OnSubscribe(up) }

func (w flatMapWhole[R]) OnNext(v R) { w.in.last(v) }

func (w flatMapWhole[R]) OnError(err error) { w.in.OnError(err) }

func (w flatMapWhole[R]) OnComplete() { w.in.OnComplete() }

// takeWhole has a function that sends to in directly send its element and the end in one; up is its subscription.
func (in *flatMapInner[R]) takeWhole(up any) {
	if on, is := up.(*subscribeOnCall); is {
		up = on.call
	}
	switch s := up.(type) {
	case *funcSubscription[R]:
		s.whole = in.isWhole(&s.down)
	case *funcTask[R]:
		s.whole = in.isWhole(&s.down)
	case *callableSubscription[R, callable[R]]:
		s.whole = in.isWhole(&s.down)
	case *callableTask[R, callable[R]]:
		s.whole = in.isWhole(&s.down)
	}
}

// isWhole replaces down, if that is in.
func (in *flatMapInner[R]) isWhole(down *reactor.Subscriber[R]) bool {
	if d, _ := (*down).(*flatMapInner[R]); d != in {
		return false // there is a stage between the two
	}
	*down = flatMapWhole[R]{in}
	return true
}

// last is OnNext and OnComplete at once, for a publisher that has called a function, and sends its result: one turn
// for the two. That publisher calls nothing more, also if downstream fails.
func (in *flatMapInner[R]) last(v R) {
	m := in.m
	if m.stop.Load() {
		defer in.OnComplete() // also if the hook ends the goroutine
		m.drop(v)
		return
	}
	if m.asking.Here() || !m.drain.TryEnter() {
		in.keepLast(v)
		m.run()
		return
	}
	asked := m.requested.Load()
	if asked == 0 || m.stop.Load() {
		in.keepLast(v)
		m.loop()
		return
	}
	if !in.sendLast(v) {
		return
	}
	if asked != reactor.Unbounded {
		demand.Produced(&m.requested, 1)
	}
	m.full.left()
	m.slots.remove(in)
	more := int64(0)
	if m.done.Load() {
		m.drain.Announce() // it may have been the last publisher
	} else if m.up != nil && m.concurrency != reactor.Unbounded {
		more = 1
	}
	m.leave(more)
}

// sendLast sends v with the drain taken, or reports false: then the stream has ended, and the drain is left.
func (in *flatMapInner[R]) sendLast(v R) (ok bool) {
	defer func() {
		if !ok {
			protocol.Crash(in.m.ctx, in, failure.Recovered(recover()), v)
		}
	}()
	in.call.Next(in.m.PushDown, v)
	return true
}

// keepLast keeps v until there is demand, or until the goroutine that delivers is done. The drain
// has to look here then.
func (in *flatMapInner[R]) keepLast(v R) {
	in.offer(v) // it is the first one, so that there is room
	in.done.Store(true)
	in.m.full.left()
	chaos.Yield()
	in.flag()
}
