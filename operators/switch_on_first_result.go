package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// switchOnFirstResult receives the signals of the publisher that fn has returned, and is
// downstream's subscription.
type switchOnFirstResult[T, R any] struct {
	protocol.Inner
	stage      *switchOnFirstSubscriber[T, R]
	down       reactor.Subscriber[R]
	link       protocol.Deferred // to the publisher of fn
	keepSource bool

	// Touched by the signals of that publisher only.
	done bool
	call protocol.Calling // in down.OnNext
}

func (r *switchOnFirstResult[T, R]) OnSubscribe(up reactor.Subscription) { r.link.Set(up) }

func (r *switchOnFirstResult[T, R]) OnNext(v R) {
	if r.done {
		reactor.DropNext(r.stage.ctx, v)
		return
	}
	r.call.Deliver(r.down, v)
}

// Push implements protocol.Pusher.
func (r *switchOnFirstResult[T, R]) Push() func(R) {
	next := protocol.Push(r.down)
	return func(v R) {
		if r.done {
			reactor.DropNext(r.stage.ctx, v)
			return
		}
		r.call.Next(next, v)
	}
}

func (r *switchOnFirstResult[T, R]) OnError(err error) {
	if r.done {
		reactor.DropError(r.stage.ctx, err)
		return
	}
	r.done = true
	// The failure of an element on its way down gets there after a cancellation, too.
	if !r.link.Close() && !r.call.Failed() {
		reactor.DropError(r.stage.ctx, err)
		return
	}
	defer r.down.OnError(err) // also if a function that hears of the cancellation ends the goroutine
	r.stage.close()
}

func (r *switchOnFirstResult[T, R]) OnComplete() {
	if r.done {
		return
	}
	r.done = true
	if !r.link.Close() {
		return
	}
	defer r.down.OnComplete() // also if a function that hears of the cancellation ends the goroutine
	if !r.keepSource {
		r.stage.close()
	}
}

// fail ends the stream without a publisher of fn.
func (r *switchOnFirstResult[T, R]) fail(err error) {
	if r.link.Close() {
		r.down.OnError(err)
		return
	}
	reactor.DropError(r.stage.ctx, err)
}

// Request passes demand to the publisher of fn, when there is one.
func (r *switchOnFirstResult[T, R]) Request(n int64) { r.link.Request(n) }

// Cancel cancels the publisher of fn, and the source.
func (r *switchOnFirstResult[T, R]) Cancel() { r.link.CancelAnd(r.stage.close) }
