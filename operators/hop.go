package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// hop is the part of publishOn that has nothing to do with the type of the elements,
// and the subscription that is handed down: demand, the ends of the stream, and the
// tasks on the worker in which the elements are delivered.
type hop struct {
	ctx      context.Context
	down     protocol.Signals
	worker   schedulers.Worker
	up       reactor.Subscription // set by begin
	elements hopElements
	op       string // for errors
	prefetch int64
	eager    bool

	err  error       // written by upstream's signals before done
	done atomic.Bool // upstream has ended

	demand    atomic.Int64 // open demand of downstream
	cancelled atomic.Bool
	drain     protocol.TaskDrain

	// What follows belongs to the owner of drain.
	over   bool // terminal signal sent, failed downstream, or cancelled
	refill protocol.Refill
}

// hopElements is the part of the stage that has the elements. All but isEmpty belongs
// to the owner of drain.
type hopElements interface {
	// isEmpty reports whether nothing is queued.
	isEmpty() bool
	// deliver sends up to n elements down. It returns how many it took out of
	// the queue, and false if it stopped because the stream was cancelled.
	deliver(n int) (k int, all bool)
	// inHand returns the element that is on its way down.
	inHand() (v any, ok bool)
	// drop discards everything but the element in hand.
	drop()
}

// init is called once, before anything else.
func (h *hop) init(ctx context.Context, down protocol.Signals, w schedulers.Worker, c publishOnConfig, elements hopElements) {
	h.ctx, h.down, h.worker, h.elements = ctx, down, w, elements
	h.op, h.prefetch, h.eager = c.op, c.demand, c.eager
	h.refill = protocol.NewRefill(c.demand)
	h.drain.Init(h, w)
}

func (h *hop) begin(up reactor.Subscription) {
	h.up = up
	h.down.OnSubscribe(h)
	up.Request(h.prefetch)
}

// end takes the terminal signal of upstream.
func (h *hop) end(err error) {
	if h.done.Load() {
		if err != nil {
			reactor.DropError(h.ctx, err)
		}
		return
	}
	h.err = err
	h.done.Store(true)
	h.drain.Run()
}

// Request adds to the demand of downstream.
func (h *hop) Request(n int64) {
	protocol.AddDemand(&h.demand, n)
	h.drain.Run()
}

// Cancel stops upstream and discards what is queued.
func (h *hop) Cancel() {
	if h.cancelled.Swap(true) {
		return
	}
	h.up.Cancel()
	h.drain.Cancel()
}

// DrainPass delivers what it can, on the worker.
func (h *hop) DrainPass() {
	for turn := hopTurn; !h.ended(); {
		if turn <= 0 && !h.elements.isEmpty() {
			h.drain.Yield()
			return
		}
		n := min(h.demand.Load(), h.refill.Left(), hopBatch)
		if n == 0 {
			return
		}
		k, all := h.elements.deliver(int(n))
		if k == 0 {
			return
		}
		turn -= k
		if !all {
			continue
		}
		if h.demand.Load() != reactor.Unbounded {
			protocol.Produced(&h.demand, int64(k))
		}
		if n := h.refill.Consumed(int64(k)); n > 0 {
			h.up.Request(n)
		}
	}
}

// ended reports whether nothing more is to be delivered. It is what ends the
// stream: with the terminal signal, or because of a cancellation.
func (h *hop) ended() bool {
	if h.over {
		h.elements.drop()
		return true
	}
	if h.cancelled.Load() {
		h.release()
		return true
	}
	if !h.done.Load() || !h.elements.isEmpty() && (!h.eager || h.err == nil) {
		return false
	}
	h.over = true
	h.elements.drop()
	protocol.Finish(h.down, h.err)
	h.worker.Dispose()
	return true
}

// DrainCrashed ends the stream because downstream failed.
func (h *hop) DrainCrashed(err error) {
	over := h.over
	v, inHand := h.elements.inHand()
	h.up.Cancel()
	h.release()
	switch {
	case over:
		reactor.DropError(h.ctx, err)
	case inHand:
		protocol.Crash(h.ctx, h.down, err, v)
	default:
		h.down.OnError(err)
	}
}

// DrainRejected ends the stream because the scheduler refuses to deliver.
func (h *hop) DrainRejected(err error) {
	if h.over || h.cancelled.Load() {
		return
	}
	h.up.Cancel()
	h.release()
	h.down.OnError(rejected(h.ctx, h.op, err, nil))
}

// release discards what is held and gives the worker back.
func (h *hop) release() {
	h.over = true
	h.elements.drop()
	h.worker.Dispose()
}

// unasked is the error of a stage that got v without having asked for it.
func unasked(ctx context.Context, op string, prefetch int64, v any) error {
	return reactor.OperatorError(ctx, reactor.Failure(op, reactor.ErrOverflow,
		"the source sent more than the %d elements it was asked for", prefetch), v)
}
