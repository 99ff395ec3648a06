package operators

import (
	"context"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/places"
	"github.com/goreactor/reactor/internal/stage/single"
)

// MonoPublish shares one run of src, which sends at most one element, inside the function
// fn: fn gets a publisher of that run, may use it several times, and returns the result.
// src runs once for each subscription of the result.
//
//	src:  ------ 1 |
//	      MonoPublish(x => zip(x, x))
//	out:  ------ (1, 1) |
//
// src is subscribed right after the result of fn, with unbounded demand. The outcome of
// src goes to all who have subscribed to the shared publisher by then; without a
// subscriber it waits for the first one. Later subscribers get the end only. When the
// result ends or is cancelled, src is cancelled, and a subscriber that comes after that
// gets an empty end. A panic of fn ends the stream.
func MonoPublish[T, R any, P reactor.Publisher[R]](src reactor.Publisher[T], fn func(reactor.Publisher[T]) P) reactor.Publisher[R] {
	argument.Given("publish", "function", fn != nil)
	return &monoPublishPublisher[T, R]{
		src: protocol.Trust("publish", src),
		fn: func(shared reactor.Publisher[T]) reactor.Publisher[R] {
			return protocol.Trust[R]("publish", fn(shared))
		},
	}
}

type monoPublishPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(reactor.Publisher[T]) reactor.Publisher[R]
}

func (p *monoPublishPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	down := protocol.Strict(ctx, s)
	shared := &monoPublish[T]{ctx: ctx}
	var result reactor.Publisher[R]
	if !failure.Guard(
		func() { result = p.fn(shared) },
		func(err error) {
			err = reactor.OperatorError(ctx, err, nil)
			defer shared.end(reactor.ErrorSignal[T](err)) // fn may have subscribed somebody; also if downstream ends the goroutine
			protocol.Fail(down, err)
		},
	) {
		return
	}
	failure.InTurn(func() {
		result.Subscribe(ctx, &monoPublishResult[T, R]{down: down, shared: shared})
	}, func() {
		if !shared.up.IsCancelled() {
			p.src.Subscribe(ctx, shared.source())
		}
	})
}

// monoPublish is the publisher that fn gets.
type monoPublish[T any] struct {
	protocol.Op
	ctx context.Context
	up  protocol.Deferred // to src

	mu      sync.Mutex
	signal  reactor.Signal[T]                  // guarded by mu: the outcome of src; the completion alone once an element was handed out
	heard   bool                               // guarded by mu: somebody gets the outcome
	over    bool                               // guarded by mu: the result has ended
	waiting places.List[*monoPublishSharer[T]] // guarded by mu
	value   T                                  // guarded by mu: the element, as long as somebody holds it
	holders int                                // guarded by mu: those who have yet to ask for it
	taken   bool                               // guarded by mu: somebody has
}

func (p *monoPublish[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &monoPublishSharer[T]{p: p, ctx: ctx, down: protocol.Strict(ctx, s)}
	defer p.add(sub) // also if downstream ends the goroutine
	sub.down.OnSubscribe(sub)
}

// add has sub wait for the outcome, or gives it that.
func (p *monoPublish[T]) add(sub *monoPublishSharer[T]) {
	p.mu.Lock()
	signal := p.signal
	if signal.Kind() == 0 && p.over {
		signal = reactor.CompleteSignal[T]() // nothing comes any more
	}
	switch {
	case sub.over:
	case signal.Kind() == 0:
		p.waiting.Add(sub)
	default:
		p.spend(sub)
	}
	p.mu.Unlock()
	sub.settle(signal)
}

// end takes the outcome of src.
func (p *monoPublish[T]) end(sig reactor.Signal[T]) {
	p.mu.Lock()
	waiting, over := p.waiting.Take(), p.over
	p.signal = sig
	if len(waiting) > 0 {
		p.spend(waiting...)
	}
	p.mu.Unlock()
	chaos.Yield()
	failure.Persist(len(waiting)+1, func(i int) bool { // each may end the goroutine
		if i < len(waiting) {
			waiting[i].settle(sig)
		} else if over {
			p.drop() // what nobody got
		}
		return true
	})
}

// spend gives an element to those, and replaces it by the end behind it. Whether an error is heard shows when it is told:
// who waits may leave before. mu is held.
func (p *monoPublish[T]) spend(to ...*monoPublishSharer[T]) {
	v, some := p.signal.Value()
	if !some {
		return
	}
	p.heard = true
	p.signal = reactor.CompleteSignal[T]()
	if len(to) > 0 {
		p.value, p.holders = v, len(to)
	}
	for _, sub := range to {
		sub.holds = true
	}
}

// let records that a subscriber that held the element no longer does; after the last one nobody has
// it. mu is held.
func (p *monoPublish[T]) let() T {
	v := p.value
	if p.holders--; p.holders == 0 {
		p.value = *new(T)
	}
	return v
}

// monoPublishSharer is one subscriber of the shared publisher. The element belongs to all
// subscribers that have subscribed in time: a subscriber that leaves without it discards it only if
// that subscriber is the last one and nobody has got the element.
type monoPublishSharer[T any] struct {
	places.Place // among those who wait
	p            *monoPublish[T]
	ctx          context.Context
	down         reactor.Subscriber[T]

	asked bool // guarded by p.mu
	holds bool // the element is there for it; guarded by p.mu
	over  bool // it has had it, has ended or was cancelled; guarded by p.mu
}

// settle delivers the outcome: an element waits for demand.
func (s *monoPublishSharer[T]) settle(sig reactor.Signal[T]) {
	switch sig.Kind() {
	case 0:
	case reactor.KindNext:
		s.deliver(false)
	default:
		if s.finish() {
			protocol.Finish(s.down, sig.Err())
		}
	}
}

// finish reports whether the end is to be sent.
func (s *monoPublishSharer[T]) finish() bool {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	over := s.over
	s.over = true
	s.p.heard = s.p.heard || !over && s.p.signal.Kind() != 0 // one that comes late is told an end that src has not sent
	return !over
}

// deliver sends the element if it is there and asked for.
func (s *monoPublishSharer[T]) deliver(asked bool) {
	s.p.mu.Lock()
	s.asked = s.asked || asked
	if s.over || !s.asked || !s.holds {
		s.p.mu.Unlock()
		return
	}
	s.over = true
	s.p.taken = true
	v := s.p.let()
	s.p.mu.Unlock()
	single.Last(s.ctx, s.down, v)
}

func (s *monoPublishSharer[T]) Request(int64) { s.deliver(true) }

func (s *monoPublishSharer[T]) Cancel() {
	p := s.p
	p.mu.Lock()
	if s.over {
		p.mu.Unlock()
		return
	}
	s.over = true
	p.waiting.Remove(s)
	if !s.holds {
		p.mu.Unlock()
		return
	}
	v := p.let()
	last := p.holders == 0 && !p.taken
	p.mu.Unlock()
	if last {
		reactor.Discard(s.ctx, v)
	}
}

// release cancels src, and drops an outcome that no subscriber got.
func (p *monoPublish[T]) release() {
	defer p.drop() // also if a function that hears of what follows ends the goroutine
	p.up.Cancel()
}

// drop is called when the result has ended, and for an outcome that comes later. It discards an element, or
// reports an error as dropped, that nobody got.
func (p *monoPublish[T]) drop() {
	p.mu.Lock()
	p.over = true
	sig, heard := p.signal, p.heard
	if sig.Kind() != 0 {
		p.heard = true
		p.spend()
	}
	p.mu.Unlock()
	if heard {
		return
	}
	if v, ok := sig.Value(); ok {
		reactor.Discard(p.ctx, v)
	} else if err := sig.Err(); err != nil {
		reactor.DropError(p.ctx, err)
	}
}

// source returns the subscriber of src.
func (p *monoPublish[T]) source() reactor.Subscriber[T] { return &monoPublishSource[T]{shared: p} }

type monoPublishSource[T any] struct {
	protocol.Inner
	shared *monoPublish[T]
	done   bool // touched by the signals of src only
}

func (s *monoPublishSource[T]) OnSubscribe(up reactor.Subscription) {
	if s.shared.up.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (s *monoPublishSource[T]) OnNext(v T) {
	if s.done {
		reactor.DropNext(s.shared.ctx, v)
		return
	}
	s.done = true
	s.shared.end(reactor.NextSignal(v))
}

func (s *monoPublishSource[T]) OnError(err error) {
	if s.done {
		reactor.DropError(s.shared.ctx, err)
		return
	}
	s.done = true
	s.shared.end(reactor.ErrorSignal[T](err))
}

func (s *monoPublishSource[T]) OnComplete() {
	if !s.done {
		s.done = true
		s.shared.end(reactor.CompleteSignal[T]())
	}
}

// monoPublishResult passes the result down and cancels src when that is over.
type monoPublishResult[T, R any] struct {
	protocol.Inner
	down   reactor.Subscriber[R]
	up     reactor.Subscription // set by OnSubscribe
	shared *monoPublish[T]
}

func (s *monoPublishResult[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *monoPublishResult[T, R]) OnNext(v R) { s.down.OnNext(v) }

func (s *monoPublishResult[T, R]) OnError(err error) {
	defer s.shared.release() // also if downstream ends the goroutine
	s.down.OnError(err)
}

func (s *monoPublishResult[T, R]) OnComplete() {
	defer s.shared.release() // also if downstream ends the goroutine
	s.down.OnComplete()
}

func (s *monoPublishResult[T, R]) Request(n int64) { s.up.Request(n) }

func (s *monoPublishResult[T, R]) Cancel() {
	defer s.shared.release() // also if a function that hears of what follows ends the goroutine
	s.up.Cancel()
}
