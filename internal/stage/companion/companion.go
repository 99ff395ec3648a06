package companion

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/paired"
)

// Publisher is a source that a companion publisher subscribes again and again:
// RetryWhen and RepeatWhen with a function. S is what the companion is told of an end.
type Publisher[T, S any] struct {
	protocol.Op
	Name string
	Src  reactor.Publisher[T]
	// Attach makes the companion and subscribes it; it may panic.
	Attach func(context.Context, *Feed[S], Owner)
	// Drive makes the subscriber of src.
	Drive    func(*Stage[T, S]) reactor.Subscriber[T]
	Verbatim bool
}

func (p *Publisher[T, S]) Subscribe(ctx context.Context, down reactor.Subscriber[T]) {
	s := &Stage[T, S]{src: p.Src, Ctx: ctx}
	s.ToTheEnded = p.Verbatim
	s.down = protocol.Strict(ctx, down)
	s.Out.Down = s.down
	s.self = p.Drive(s)
	defer func() { // also if downstream ends the goroutine
		if failure.Guard(
			func() { p.Attach(ctx, &s.feed, s) },
			func(err error) { s.ended(reactor.OperatorError(ctx, err, nil)) },
		) && !s.IsCancelled() {
			// Not in the loop: the companion's answer to the end of src subscribes src before
			// the companion's own end, which may come right behind it.
			s.src.Subscribe(ctx, s.self)
		}
	}()
	s.Out.Down.OnSubscribe(s)
}

// Stage is what the two operators have in common; the subscriber of src embeds
// it. The elements of src and the end of the companion come from different goroutines: Out
// serialises them.
type Stage[T, S any] struct {
	protocol.Inner
	protocol.Quiet
	protocol.Arbiter
	src      reactor.Publisher[T]
	self     reactor.Subscriber[T] // the subscriber that embeds the stage
	Ctx      context.Context       // of src's latest subscription; written by the answers of the companion, while src has ended
	down     reactor.Subscriber[T]
	Out      protocol.Half
	feed     Feed[S]
	other    protocol.Deferred // to the companion
	Produced int64             // elements since the last swap; touched by the signals of src only
	waiting  atomic.Bool       // src has ended, and its end was signalled
	wanted   atomic.Bool       // src is to be subscribed; set before the loop is announced to, reset by its owner
	loop     protocol.Drain
}

func (s *Stage[T, S]) OnSubscribe(up reactor.Subscription) { s.Set(up) }

func (s *Stage[T, S]) OnNext(v T) {
	s.Produced++
	if !s.Out.Deliver(s.down, v) {
		reactor.Discard(s.Ctx, v)
	}
}

// Cancel cancels the companion and src.
func (s *Stage[T, S]) Cancel() {
	s.feed.Cancel()          // a companion that has not subscribed to it can't
	defer s.Arbiter.Cancel() // also if a function that hears of it ends the goroutine
	s.other.Cancel()
}

// Finish ends the stream with the end of src, or with a failure of what is downstream.
func (s *Stage[T, S]) Finish(err error) {
	s.feed.Cancel()
	failure.InTurn(s.other.Cancel, func() {
		if unheard := s.Out.SourceEnd(err); unheard != nil {
			reactor.DropError(s.Ctx, unheard)
		}
	})
}

// Signal tells the companion of an end of src, and asks it for its answer. It reports false if the stream
// is over: then nobody is told.
func (s *Stage[T, S]) Signal(v S) bool {
	n := s.Produced
	s.Produced = 0
	if !s.Next(n) {
		return false
	}
	s.waiting.Store(true)
	s.feed.offer(v)
	// After the signal: the answer is one to that.
	s.other.Request(1)
	return true
}

// started implements Owner.
func (s *Stage[T, S]) started(up reactor.Subscription) { s.other.Set(up) }

// answered implements Owner: src is subscribed again.
func (s *Stage[T, S]) answered(v any) {
	if !s.waiting.CompareAndSwap(true, false) {
		return // more than it was asked for
	}
	if values, ok := v.(context.Context); ok {
		s.Ctx = overlaid(s.Ctx, values)
	}
	s.wanted.Store(true)
	s.loop.Run(s)
}

// ended implements Owner: so does the stream.
func (s *Stage[T, S]) ended(err error) {
	s.other.Close()
	s.feed.Cancel()
	failure.InTurn(s.Arbiter.Cancel, func() {
		if !s.Out.End(err) && err != nil {
			reactor.DropError(s.Ctx, err)
		}
	})
}

// DrainPass implements protocol.Drainer.
func (s *Stage[T, S]) DrainPass() {
	if s.wanted.Swap(false) && !s.IsCancelled() {
		s.src.Subscribe(s.Ctx, s.self)
	}
}

// Owner is a stage as its companion sees it.
type Owner interface {
	started(reactor.Subscription)
	answered(v any)
	ended(err error)
}

// Attach returns the function that makes a companion of X and subscribes it.
func Attach[S, X any, P reactor.Publisher[X]](op string, fn func(reactor.Publisher[S]) P) func(context.Context, *Feed[S], Owner) {
	return func(ctx context.Context, feed *Feed[S], owner Owner) {
		protocol.Trust[X](op, fn(feed)).Subscribe(ctx, subscriber[X]{ctx: ctx, owner: owner})
	}
}

type subscriber[X any] struct {
	protocol.Inner
	ctx   context.Context
	owner Owner
}

func (s subscriber[X]) OnSubscribe(up reactor.Subscription) { s.owner.started(up) }
func (s subscriber[X]) OnError(err error)                   { s.owner.ended(err) }
func (s subscriber[X]) OnComplete()                         { s.owner.ended(nil) }

func (s subscriber[X]) OnNext(v X) {
	defer paired.Spend(s.ctx, v)
	s.owner.answered(v)
}

// Feed is the publisher of ends that a companion is made of. It serves one
// subscriber; before there is one it keeps the latest end.
type Feed[S any] struct {
	protocol.Op
	protocol.Quiet
	ctx       context.Context       // of the subscriber; written before ready
	down      reactor.Subscriber[S] // written before ready
	taken     atomic.Bool
	ready     atomic.Bool // the subscriber has its subscription
	cancelled atomic.Bool
	demand    atomic.Int64
	drain     protocol.Drain
	failed    bool // the subscriber has failed; set also while an element is on its way to it; owner of the drain
	// Change makes the element that is sent, if there is some, and the error that follows at once, if any;
	// nil: no change. Set before the feed is used, called by the owner of the drain.
	Change func(S) (v S, some bool, last error)

	mu      sync.Mutex
	pending []S // guarded by mu
}

func (f *Feed[S]) Subscribe(ctx context.Context, s reactor.Subscriber[S]) {
	down := protocol.Strict(ctx, s)
	if f.taken.Swap(true) {
		protocol.Fail(down, reactor.Failure("companion", reactor.ErrIllegalState, "the publisher of ends serves one subscriber"))
		return
	}
	f.ctx, f.down = ctx, down
	defer func() { // also if downstream ends the goroutine
		f.ready.Store(true)
		f.drain.Run(f)
	}()
	down.OnSubscribe(f)
}

// Request adds demand.
func (f *Feed[S]) Request(n int64) {
	demand.Add(&f.demand, n)
	f.drain.Run(f)
}

// Cancel stops the feed, which keeps nothing from then on; the stage goes on until its companion ends.
func (f *Feed[S]) Cancel() {
	f.cancelled.Store(true)
	f.drain.Run(f)
}

func (f *Feed[S]) offer(v S) {
	f.mu.Lock()
	if !f.ready.Load() {
		f.pending = f.pending[:0]
	}
	f.pending = append(f.pending, v)
	f.mu.Unlock()
	f.drain.Run(f)
}

func (f *Feed[S]) poll() (v S, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.pending) == 0 {
		return v, false
	}
	v = f.pending[0]
	clear(f.pending[:1]) // an end may hold a failure, which is not to be kept as long as the next round lasts
	f.pending = f.pending[1:]
	return v, true
}

// DrainPass implements protocol.Drainer.
func (f *Feed[S]) DrainPass() {
	if !f.ready.Load() {
		if f.cancelled.Load() {
			f.dropPending()
		}
		return
	}
	for !f.isOver() && f.demand.Load() > 0 {
		v, ok := f.poll()
		if !ok {
			return
		}
		demand.Produced(&f.demand, 1)
		some, end := true, error(nil)
		if f.Change != nil {
			v, some, end = f.Change(v)
		}
		f.failed = true // also if what follows ends the goroutine
		f.failed = some && !protocol.Emit(f.ctx, f.down, v)
		if end != nil && !f.failed && !f.cancelled.Swap(true) {
			f.down.OnError(end)
		}
	}
	if f.isOver() {
		f.dropPending()
	}
}

// isOver reports whether nobody gets an end any more. Owner of the drain.
func (f *Feed[S]) isOver() bool { return f.failed || f.cancelled.Load() }

func (f *Feed[S]) dropPending() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = nil
}

// overlay is a context with values that go before its own.
type overlay struct {
	context.Context
	values context.Context
	// made says that values were made of Context: a key that values does not have, Context does not have either. To ask both
	// would double, with each round, what a key costs that nobody has.
	made bool
}

// overlaid returns ctx with values before its own: values is the context that an end was told with, and may be made of ctx.
func overlaid(ctx, values context.Context) *overlay {
	nearest, ok := values.Value(overlayKey{}).(*overlay)
	return &overlay{ctx, values, ok && ctx == nearest}
}

// overlayKey finds the nearest overlay that a context is made of.
type overlayKey struct{}

// Value looks into the values first.
func (o *overlay) Value(key any) any {
	if key == (overlayKey{}) {
		return o
	}
	if v := o.values.Value(key); v != nil || o.made {
		return v
	}
	return o.Context.Value(key)
}
