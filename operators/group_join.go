package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/unicast"
)

// GroupJoin calls fn for each element of src with that element and its group, and emits
// the result. The group is a publisher of the elements of other that are alive while the
// element of src is alive; see [Join]. A group can be subscribed once.
//
//	src:      1 ------------- 2 ----- |
//	other:    --- 10 --- 20 ----- 30 |
//	          GroupJoin(other, each alive for 8 steps, pair)
//	out:      a ------------- b ----- |
//	group a:  --- 10 --|
//	group b:                  20 -30 -|
//
// An element is alive until the publisher that leftEnd or rightEnd returns for it sends
// something or completes. Everything is requested of those publishers and of both
// sources; src is subscribed first. Without demand for a result of fn the stream fails
// with reactor.ErrOverflow.
//
// A group keeps its elements, without bound, until its subscriber requests them, and
// completes when its element of src is alive no more. A cancelled group discards the
// elements that it holds.
//
// The stream and all groups complete when both sources have completed. The first error,
// of a source or of a publisher of leftEnd or rightEnd, or a panic of a function, cancels
// everything and ends the stream and the groups. Cancellation cancels the sources and
// those publishers; open groups fail with reactor.ErrCancelled. Elements of other that
// got into no group are discarded. The functions run, and elements come, on whatever
// goroutine delivers first; elements of a group may also come on the goroutine that
// requests from the group.
func GroupJoin[L, R, X, Y, O any](
	src reactor.Publisher[L], other reactor.Publisher[R],
	leftEnd func(L) reactor.Publisher[X], rightEnd func(R) reactor.Publisher[Y],
	fn func(L, reactor.Publisher[R]) O,
) reactor.Publisher[O] {
	argument.Given("groupJoin", "function for the end of the left", leftEnd != nil)
	argument.Given("groupJoin", "function for the end of the right", rightEnd != nil)
	argument.Given("groupJoin", "combiner", fn != nil)
	return &groupJoinPublisher[L, R, O]{
		src: protocol.Trust("groupJoin", src), other: protocol.Trust("groupJoin", other), fn: fn,
		leftEnd:  func(v L) trigger { return onSignal(protocol.Trust("groupJoin", leftEnd(v))) },
		rightEnd: func(v R) trigger { return onSignal(protocol.Trust("groupJoin", rightEnd(v))) },
	}
}

type groupJoinPublisher[L, R, O any] struct {
	protocol.Op
	src      reactor.Publisher[L]
	other    reactor.Publisher[R]
	leftEnd  triggerFor[L]
	rightEnd triggerFor[R]
	fn       func(L, reactor.Publisher[R]) O
}

func (p *groupJoinPublisher[L, R, O]) Subscribe(ctx context.Context, s reactor.Subscriber[O]) {
	g := &groupJoining[L, R, O]{fn: p.fn, groups: map[*joinElement[L]]*unicast.Publisher[R]{}}
	g.op, g.ctx, g.down = "groupJoin", ctx, protocol.Strict(ctx, s)
	g.pairing, g.leftEnd, g.rightEnd = g, p.leftEnd, p.rightEnd
	g.subscribe(p.src, p.other)
}

// groupJoining is the subscription of a groupJoin.
type groupJoining[L, R, O any] struct {
	joinStage[L, R, O]
	fn     func(L, reactor.Publisher[R]) O
	groups map[*joinElement[L]]*unicast.Publisher[R] // of the elements that are alive; owner of the drain
}

// leftCame implements pairing.
func (g *groupJoining[L, R, O]) leftCame(l *joinElement[L]) {
	group := unicast.New("groupJoin", g.ctx, queue.NewLinked[R](groupChunk), nil)
	g.groups[l] = group
	v := g.fn(l.value, group)
	l.used = true
	if g.requested.Load() == 0 {
		group.Abandon()
		g.overflow(v)
		return
	}
	g.InFlight.Send(g.PushDown, v)
	g.produced(1)
	for r := g.rights.first; r != nil && !g.cancelled.Load(); r = r.next {
		addToGroup(group, r)
	}
}

// rightCame implements pairing.
func (g *groupJoining[L, R, O]) rightCame(r *joinElement[R]) {
	for l := g.lefts.first; l != nil && !g.cancelled.Load(); l = l.next {
		addToGroup(g.groups[l], r)
	}
}

// addToGroup sends an element to a group, unless that was cancelled.
func addToGroup[R any](group *unicast.Publisher[R], r *joinElement[R]) {
	if group.Next(r.value) == unicast.OK {
		r.used = true
	}
}

// leftGone implements pairing.
func (g *groupJoining[L, R, O]) leftGone(l *joinElement[L], err error) {
	group := g.groups[l]
	delete(g.groups, l)
	switch {
	case group == nil: // its lifetime could not be started
	case err != nil:
		if !l.used {
			group.Abandon() // fn failed: nobody has got it
		}
		group.Error(err)
	default:
		group.Complete()
	}
}
