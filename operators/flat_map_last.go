package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

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

// keepLast keeps v until there is demand, or somebody else has delivered. The drain has to look here then.
func (in *flatMapInner[R]) keepLast(v R) {
	in.offer(v) // it is the first one, so that there is room
	in.done.Store(true)
	in.m.full.left()
	chaos.Yield()
	in.flag()
}
