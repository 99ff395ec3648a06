package operators

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// companionPublisher is a source that a companion publisher subscribes again and again:
// RetryWhen and RepeatWhen with a function. S is what the companion is told of an end.
type companionPublisher[T, S any] struct {
	protocol.Op
	op  string
	src reactor.Publisher[T]
	// attach makes the companion and subscribes it; it may panic.
	attach func(context.Context, *companionFeed[S], companionOwner)
	// drive makes the subscriber of src.
	drive    func(*companionStage[T, S]) reactor.Subscriber[T]
	verbatim bool
}

func (p *companionPublisher[T, S]) Subscribe(ctx context.Context, down reactor.Subscriber[T]) {
	s := &companionStage[T, S]{src: p.src, ctx: ctx}
	s.ToTheEnded = p.verbatim
	s.down = protocol.Strict(ctx, down)
	s.out.Down = s.down
	s.self = p.drive(s)
	s.out.Down.OnSubscribe(s)
	if failure.Guard(
		func() { p.attach(ctx, &s.feed, s) },
		func(err error) { s.companionEnded(reactor.OperatorError(ctx, err, nil)) },
	) && !s.IsCancelled() {
		// Not in the loop: the companion's answer to the end of src subscribes src before
		// the companion's own end, which may come right behind it.
		s.src.Subscribe(ctx, s.self)
	}
}

// companionStage is what the two operators have in common; the subscriber of src embeds
// it. The elements of src and the end of the companion come from different goroutines: out
// serialises them.
type companionStage[T, S any] struct {
	protocol.Inner
	protocol.Quiet
	protocol.Arbiter
	src      reactor.Publisher[T]
	self     reactor.Subscriber[T] // the subscriber that embeds the stage
	ctx      context.Context       // for the next subscription of src; owner of the loop
	down     reactor.Subscriber[T]
	out      protocol.Half
	feed     companionFeed[S]
	other    protocol.Deferred // to the companion
	produced int64             // elements since the last swap; touched by the signals of src only
	waiting  atomic.Bool       // src has ended, and its end was signalled
	wanted   bool              // src is to be subscribed; written before the loop is announced to, read by its owner
	loop     protocol.Drain
}

func (s *companionStage[T, S]) OnSubscribe(up reactor.Subscription) { s.Set(up) }

func (s *companionStage[T, S]) OnNext(v T) {
	s.produced++
	if !s.out.Deliver(s.down, v) {
		reactor.Discard(s.ctx, v)
	}
}

// Cancel cancels the companion and src.
func (s *companionStage[T, S]) Cancel() {
	defer s.Arbiter.Cancel() // also if a function that hears of it ends the goroutine
	s.other.Cancel()
}

// finish ends the stream with the end of src, or with a failure of what is downstream.
func (s *companionStage[T, S]) finish(err error) {
	failure.InTurn(s.other.Cancel, func() {
		if unheard := s.out.SourceEnd(err); unheard != nil {
			reactor.DropError(s.ctx, unheard)
		}
	})
}

// signal tells the companion of an end of src, and asks it for its answer.
func (s *companionStage[T, S]) signal(v S) {
	n := s.produced
	s.produced = 0
	if !s.Next(n) {
		return
	}
	s.waiting.Store(true)
	s.feed.offer(v)
	// After the signal: the answer is one to that.
	s.other.Request(1)
}

// companionStarted implements companionOwner.
func (s *companionStage[T, S]) companionStarted(up reactor.Subscription) { s.other.Set(up) }

// companionAnswered implements companionOwner: src is subscribed again.
func (s *companionStage[T, S]) companionAnswered(v any) {
	if !s.waiting.CompareAndSwap(true, false) {
		return // more than it was asked for
	}
	if values, ok := v.(context.Context); ok {
		s.ctx = overlay{s.ctx, values}
	}
	s.wanted = true
	s.loop.Run(s)
}

// companionEnded implements companionOwner: so does the stream.
func (s *companionStage[T, S]) companionEnded(err error) {
	s.other.Close()
	failure.InTurn(s.Arbiter.Cancel, func() {
		if !s.out.End(err) && err != nil {
			reactor.DropError(s.ctx, err)
		}
	})
}

// DrainPass implements protocol.Drainer.
func (s *companionStage[T, S]) DrainPass() {
	if s.wanted {
		s.wanted = false
		if !s.IsCancelled() {
			s.src.Subscribe(s.ctx, s.self)
		}
	}
}

// companionOwner is a stage as its companion sees it.
type companionOwner interface {
	companionStarted(reactor.Subscription)
	companionAnswered(v any)
	companionEnded(err error)
}

// attachCompanion returns the function that makes a companion of X and subscribes it.
func attachCompanion[S, X any, P reactor.Publisher[X]](op string, fn func(reactor.Publisher[S]) P) func(context.Context, *companionFeed[S], companionOwner) {
	return func(ctx context.Context, feed *companionFeed[S], owner companionOwner) {
		protocol.Trust[X](op, fn(feed)).Subscribe(ctx, companionSubscriber[X]{owner: owner})
	}
}

type companionSubscriber[X any] struct {
	protocol.Inner
	owner companionOwner
}

func (s companionSubscriber[X]) OnSubscribe(up reactor.Subscription) { s.owner.companionStarted(up) }
func (s companionSubscriber[X]) OnNext(v X)                          { s.owner.companionAnswered(v) }
func (s companionSubscriber[X]) OnError(err error)                   { s.owner.companionEnded(err) }
func (s companionSubscriber[X]) OnComplete()                         { s.owner.companionEnded(nil) }

// companionFeed is the publisher of ends that a companion is made of. It serves one
// subscriber; before there is one it keeps the latest end.
type companionFeed[S any] struct {
	protocol.Op
	protocol.Quiet
	ctx       context.Context       // of the subscriber; written before ready
	down      reactor.Subscriber[S] // written before ready
	taken     atomic.Bool
	ready     atomic.Bool // the subscriber has its subscription
	cancelled atomic.Bool
	demand    atomic.Int64
	drain     protocol.Drain
	failed    bool // the subscriber has, or is at it; owner of the drain
	// change makes the element that is sent, and the error that follows it at once, if any;
	// nil: no change. Set before the feed is used, called by the owner of the drain.
	change func(S) (S, error)

	mu      sync.Mutex
	pending []S // guarded by mu
}

func (f *companionFeed[S]) Subscribe(ctx context.Context, s reactor.Subscriber[S]) {
	down := protocol.Strict(ctx, s)
	if f.taken.Swap(true) {
		protocol.Fail(down, reactor.Failure("companion", reactor.ErrIllegalState, "the publisher of ends serves one subscriber"))
		return
	}
	f.ctx, f.down = ctx, down
	down.OnSubscribe(f)
	f.ready.Store(true)
	f.drain.Run(f)
}

// Request adds demand.
func (f *companionFeed[S]) Request(n int64) {
	demand.Add(&f.demand, n)
	f.drain.Run(f)
}

// Cancel stops the feed; the stage goes on until its companion ends.
func (f *companionFeed[S]) Cancel() { f.cancelled.Store(true) }

func (f *companionFeed[S]) offer(v S) {
	f.mu.Lock()
	if !f.ready.Load() {
		f.pending = f.pending[:0]
	}
	f.pending = append(f.pending, v)
	f.mu.Unlock()
	f.drain.Run(f)
}

func (f *companionFeed[S]) poll() (v S, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.pending) == 0 {
		return v, false
	}
	v = f.pending[0]
	f.pending = f.pending[1:]
	return v, true
}

// DrainPass implements protocol.Drainer.
func (f *companionFeed[S]) DrainPass() {
	if !f.ready.Load() {
		return
	}
	for !f.failed && !f.cancelled.Load() && f.demand.Load() > 0 {
		v, ok := f.poll()
		if !ok {
			return
		}
		demand.Produced(&f.demand, 1)
		var end error
		if f.change != nil {
			v, end = f.change(v)
		}
		f.failed = true // also if what follows ends the goroutine
		f.failed = !protocol.Emit(f.ctx, f.down, v)
		if end != nil && !f.failed && !f.cancelled.Swap(true) {
			f.down.OnError(end)
		}
	}
}

// overlay is a context with values that go before its own.
type overlay struct {
	context.Context
	values context.Context
}

// Value looks into the values first.
func (o overlay) Value(key any) any {
	if v := o.values.Value(key); v != nil {
		return v
	}
	return o.Context.Value(key)
}
