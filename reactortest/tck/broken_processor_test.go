package tck

import (
	"context"
	"sync"

	"github.com/goreactor/reactor"
)

// defect is what is wrong with a processor of the self-check.
type defect int

const (
	failsFirstOnly  defect = 1 << iota // a failure reaches the first subscriber only
	swallowsFailure                    // a failure is not passed on
	asksOnce                           // does not ask upstream again
)

// relay is a processor that sends to each of its subscribers, from a queue of its own, and keeps the
// rules but for its defects.
type relay struct {
	buffer int64
	defect defect

	mu    sync.Mutex // guards all below
	up    reactor.Subscription
	outs  []*relayOut
	early []int // elements that came before there was a subscriber
	asked int64 // of upstream, and not received yet
	over  bool
	last  error
}

func (r *relay) OnSubscribe(up reactor.Subscription) {
	if up == nil {
		panic("nil subscription")
	}
	r.mu.Lock()
	again := r.up != nil
	if !again {
		r.up = up
	}
	r.mu.Unlock()
	switch {
	case again:
		up.Cancel()
	case r.defect&asksOnce != 0:
		up.Request(1)
	default:
		r.refill()
	}
}

// refill asks upstream for what the fullest queue has room for.
func (r *relay) refill() {
	r.mu.Lock()
	fullest := len(r.early)
	for _, o := range r.outs {
		fullest = max(fullest, o.length())
	}
	n := r.buffer - int64(fullest) - r.asked
	up := r.up
	if n <= 0 || up == nil || r.over || r.defect&asksOnce != 0 {
		r.mu.Unlock()
		return
	}
	r.asked += n
	r.mu.Unlock()
	up.Request(n)
}

func (r *relay) current() []*relayOut {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*relayOut(nil), r.outs...)
}

func (r *relay) OnNext(v int) {
	r.mu.Lock()
	over := r.over
	r.asked--
	outs := append([]*relayOut(nil), r.outs...)
	if len(outs) == 0 && !over {
		r.early = append(r.early, v)
	}
	r.mu.Unlock()
	if over {
		return
	}
	for _, o := range outs {
		o.put(reactor.NextSignal(v))
	}
	r.refill()
}

func (r *relay) end(err error) {
	r.mu.Lock()
	r.over, r.last = true, err
	r.mu.Unlock()
	for i, o := range r.current() {
		switch {
		case err == nil:
			o.put(reactor.CompleteSignal[int]())
		case r.defect&swallowsFailure == 0 && (i == 0 || r.defect&failsFirstOnly == 0):
			o.put(reactor.ErrorSignal[int](err))
		}
	}
}

func (r *relay) OnError(err error) {
	if err == nil {
		panic("nil error")
	}
	r.end(err)
}

func (r *relay) OnComplete() { r.end(nil) }

func (r *relay) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	if s == nil {
		panic("nil subscriber")
	}
	o := &relayOut{r: r, down: s}
	r.mu.Lock()
	over, last := r.over, r.last
	for _, v := range r.early {
		o.queue = append(o.queue, reactor.NextSignal(v))
	}
	r.early = nil
	if !over {
		r.outs = append(r.outs, o)
	}
	r.mu.Unlock()
	if ctx.Err() == nil {
		o.stop = context.AfterFunc(ctx, func() { o.fail(context.Cause(ctx)) })
	}
	s.OnSubscribe(o)
	switch {
	case ctx.Err() != nil:
		o.fail(context.Cause(ctx))
	case over && last != nil:
		o.put(reactor.ErrorSignal[int](last))
	case over:
		o.put(reactor.CompleteSignal[int]())
	}
}

func (r *relay) leave(o *relayOut) {
	r.mu.Lock()
	for i, other := range r.outs {
		if other == o {
			r.outs = append(r.outs[:i:i], r.outs[i+1:]...)
			break
		}
	}
	up, idle := r.up, len(r.outs) == 0 && !r.over
	if idle {
		r.over = true
	}
	r.mu.Unlock()
	if idle && up != nil {
		up.Cancel()
	}
}

type relayOut struct {
	r    *relay
	stop func() bool

	mu     sync.Mutex // guards all below
	down   reactor.Subscriber[int]
	queue  []reactor.Signal[int]
	demand int64
	busy   bool
	gone   bool
}

func (o *relayOut) length() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue)
}

func (o *relayOut) put(s reactor.Signal[int]) {
	o.mu.Lock()
	o.queue = append(o.queue, s)
	o.mu.Unlock()
	o.drain()
}

func (o *relayOut) fail(err error) {
	o.mu.Lock()
	o.queue = []reactor.Signal[int]{reactor.ErrorSignal[int](err)}
	o.mu.Unlock()
	o.drain()
}

func (o *relayOut) drain() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.busy {
		return
	}
	o.busy = true
	defer func() { o.busy = false }()
	for len(o.queue) > 0 && !o.gone {
		s := o.queue[0]
		if !s.IsTerminal() {
			if o.demand == 0 {
				return
			}
			o.demand--
		}
		o.queue = o.queue[1:]
		down := o.down
		if s.IsTerminal() {
			o.gone, o.down = true, nil
			if o.stop != nil {
				o.stop()
			}
		}
		o.mu.Unlock()
		s.Accept(down)
		o.mu.Lock()
	}
}

func (o *relayOut) Request(n int64) {
	if n <= 0 {
		o.fail(reactor.IllegalRequest(n))
		return
	}
	o.mu.Lock()
	if o.demand += n; o.demand < 0 {
		o.demand = reactor.Unbounded
	}
	o.mu.Unlock()
	o.drain()
	o.r.refill()
}

func (o *relayOut) Cancel() {
	o.mu.Lock()
	again := o.gone
	o.gone, o.down, o.queue = true, nil, nil
	o.mu.Unlock()
	if o.stop != nil {
		o.stop()
	}
	if !again {
		o.r.leave(o)
	}
}
