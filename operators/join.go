package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// Join combines each element of src with each element of other while both are alive. An
// element is alive until the publisher that leftEnd or rightEnd returns for it sends
// something or completes.
//
//	src:    1 ---------- 2 ------- |
//	other:  --- 10 --- 20 ----- 30 |
//	        Join(other, each alive for 5 steps, sum)
//	out:    --- 11 ----- 22 --- 32 |
//
// Everything is requested of those publishers and of both sources; src is subscribed
// first. An element that comes is combined with all live elements of the other side, in
// the order in which those came. A combination without demand fails the stream with
// reactor.ErrOverflow: put a buffer behind Join where that can happen. Demand is read
// when an element comes: what is requested while the combinations of that element go down
// counts for the next element.
//
// The stream completes when both sources have completed. The first error, of a source or
// of a publisher of leftEnd or rightEnd, or a panic of a function, cancels everything and
// ends the stream. Cancellation cancels the sources and those publishers. Elements that
// were never combined are discarded. The functions run, and elements come, on whatever
// goroutine delivers first.
func Join[L, R, X, Y, O any](
	src reactor.Publisher[L], other reactor.Publisher[R],
	leftEnd func(L) reactor.Publisher[X], rightEnd func(R) reactor.Publisher[Y],
	fn func(L, R) O,
) reactor.Publisher[O] {
	argument.Given("join", "function for the end of the left", leftEnd != nil)
	argument.Given("join", "function for the end of the right", rightEnd != nil)
	argument.Given("join", "combiner", fn != nil)
	return &joinPublisher[L, R, O]{
		src: protocol.Trust("join", src), other: protocol.Trust("join", other), fn: fn,
		leftEnd:  func(v L) trigger { return onSignal(protocol.Trust("join", leftEnd(v))) },
		rightEnd: func(v R) trigger { return onSignal(protocol.Trust("join", rightEnd(v))) },
	}
}

type joinPublisher[L, R, O any] struct {
	protocol.Op
	src      reactor.Publisher[L]
	other    reactor.Publisher[R]
	leftEnd  triggerFor[L]
	rightEnd triggerFor[R]
	fn       func(L, R) O
}

func (p *joinPublisher[L, R, O]) Subscribe(ctx context.Context, s reactor.Subscriber[O]) {
	j := &joining[L, R, O]{fn: p.fn}
	j.op, j.ctx, j.down = "join", ctx, protocol.Strict(ctx, s)
	j.pairing, j.leftEnd, j.rightEnd = j, p.leftEnd, p.rightEnd
	j.subscribe(p.src, p.other)
}

// joining is the subscription of a join.
type joining[L, R, O any] struct {
	joinStage[L, R, O]
	fn func(L, R) O
}

// leftCame implements pairing. A cancellation meanwhile doesn't interrupt it: all
// combinations of one element go down, as in Reactor.
func (j *joining[L, R, O]) leftCame(l *joinElement[L]) {
	demand, sent := j.requested.Load(), int64(0)
	for r := j.rights.first; r != nil; r = r.next {
		if !j.pair(l, r, sent < demand) {
			return
		}
		sent++
	}
	j.produced(sent)
}

// rightCame implements pairing.
func (j *joining[L, R, O]) rightCame(r *joinElement[R]) {
	demand, sent := j.requested.Load(), int64(0)
	for l := j.lefts.first; l != nil; l = l.next {
		if !j.pair(l, r, sent < demand) {
			return
		}
		sent++
	}
	j.produced(sent)
}

// pair combines two elements, and reports whether there was demand.
func (j *joining[L, R, O]) pair(l *joinElement[L], r *joinElement[R], wanted bool) bool {
	v := j.fn(l.value, r.value)
	l.used, r.used = true, true
	if !wanted {
		j.overflow(v)
		return false
	}
	j.InFlight.Send(j.PushDown, v)
	return true
}

// leftGone implements pairing.
func (j *joining[L, R, O]) leftGone(*joinElement[L], error) {}
