package operators

import (
	"context"
	"slices"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// ParallelRails applies the operators of ordinary streams to each rail: op is called once per rail
// and subscription, with the rail as a publisher that can be subscribed once, now or later. op is
// called at assembly as well, with an empty publisher, so that it can refuse bad arguments in time.
//
// A rail that op does not use receives nothing, and neither does a rail whose op panics, which ends
// that rail; the other rails share the elements. A rail that nobody has subscribed to when the
// publisher of op has ended, or was cancelled, counts as cancelled; if all rails count as cancelled
// at once, src is not subscribed to.
func ParallelRails[T, R any](src ParallelPublisher[T], op func(rail reactor.Publisher[T]) reactor.Publisher[R]) ParallelPublisher[R] {
	argument.NotNil("parallelRails", "source", src)
	argument.Given("parallelRails", "function", op != nil)
	protocol.Trust("parallelRails", op(Empty[T]()))
	return &parallelRails[T, R]{src: src, op: op}
}

type parallelRails[T, R any] struct {
	src ParallelPublisher[T]
	op  func(reactor.Publisher[T]) reactor.Publisher[R]
}

func (p *parallelRails[T, R]) Parallelism() int { return p.src.Parallelism() }

func (p *parallelRails[T, R]) SubscribeRails(ctx context.Context, subscribers []reactor.Subscriber[R]) {
	all := make([]railWithResult[T, R], p.src.Parallelism())
	rails := make([]*rail[T], len(all))
	for i := range all {
		rails[i] = &all[i].rail
		rails[i].index = i
	}
	failure.Persist(len(subscribers)+1, func(i int) bool { // the function or a subscriber may end the goroutine
		if i == len(subscribers) {
			if slices.ContainsFunc(rails, (*rail[T]).wanted) {
				startRails(ctx, p.src, rails)
			}
			return false
		}
		p.attach(ctx, &all[i], protocol.Strict(ctx, subscribers[i]))
		return true
	})
}

// attach subscribes to what the function makes of a rail.
func (p *parallelRails[T, R]) attach(ctx context.Context, r *railWithResult[T, R], sub reactor.Subscriber[R]) {
	down := &r.result
	down.rail, down.down = &r.rail, sub
	var src reactor.Publisher[R]
	if failure.Guard(func() { src = protocol.Trust("parallelRails", p.op(&r.rail)) }, func(err error) {
		protocol.Fail(down, reactor.OperatorError(ctx, err, nil))
	}) {
		src.Subscribe(ctx, down)
	}
}

// railWithResult is a rail and the subscriber of what the function makes of it.
type railWithResult[T, R any] struct {
	rail   rail[T]
	result railResult[R]
}

// railResult is the subscriber of what the function makes of a rail. A stage that delays its
// subscription to the rail, or never subscribes, such as delaySubscription, concat or windowOther,
// does not subscribe to the rail any more when the result is over: then the rail is left out,
// because otherwise the source would never be cancelled.
type railResult[R any] struct {
	protocol.Inner
	rail railOfResult
	down reactor.Subscriber[R]
	up   reactor.Subscription // set by OnSubscribe, if the stage is the subscription that downstream has
}

// railOfResult is a rail of any type.
type railOfResult interface {
	taken() bool
	Discarded()
}

func (s *railResult[R]) OnSubscribe(up reactor.Subscription) {
	if s.rail.taken() {
		s.down.OnSubscribe(up) // there is nothing to do for a cancellation
		return
	}
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *railResult[R]) Request(n int64) { s.up.Request(n) }

func (s *railResult[R]) Cancel() {
	defer s.rail.Discarded() // also if a function that hears of it ends the goroutine, as below
	s.up.Cancel()
}

func (s *railResult[R]) OnNext(v R) { s.down.OnNext(v) }

// Push implements protocol.Pusher.
func (s *railResult[R]) Push() func(R) { return protocol.Push(s.down) }

func (s *railResult[R]) OnError(err error) {
	defer s.rail.Discarded()
	s.down.OnError(err)
}

func (s *railResult[R]) OnComplete() {
	defer s.rail.Discarded()
	s.down.OnComplete()
}

func newRails[T any](src ParallelPublisher[T]) []*rail[T] {
	rails := make([]*rail[T], src.Parallelism())
	for i := range rails {
		rails[i] = &rail[T]{index: i}
	}
	return rails
}

// startRails subscribes to src with the subscribers that the rails have. A rail without
// a subscriber gets a stand-in, to which a subscriber may come later. The context is
// that of rail 0, if it has one, as if rail 0 were the only one.
func startRails[T any](ctx context.Context, src ParallelPublisher[T], rails []*rail[T]) {
	subscribers := make([]reactor.Subscriber[T], len(rails))
	for i, r := range rails {
		r.mu.Lock()
		if r.down == nil {
			r.late = &lateRail[T]{ctx: ctx}
			r.late.out.Hold()
			subscribers[i] = r.late
		} else {
			subscribers[i] = r.down
			if i == 0 && r.ctx != nil {
				ctx = r.ctx
			}
		}
		r.mu.Unlock()
	}
	src.SubscribeRails(ctx, subscribers)
}

// rail is one rail as a publisher, which can be subscribed once.
type rail[T any] struct {
	protocol.Op
	index int

	mu   sync.Mutex
	ctx  context.Context       // that of down, nil if the rail was discarded; guarded by mu
	down reactor.Subscriber[T] // guarded by mu
	late *lateRail[T]          // not nil once the source was subscribed without down; guarded by mu
}

func (r *rail[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, s)
	r.mu.Lock()
	late, taken := r.late, r.down != nil
	if !taken {
		r.ctx, r.down = ctx, down
	}
	r.mu.Unlock()
	switch {
	case taken:
		protocol.Fail(down, reactor.Failure("parallel", reactor.ErrIllegalState, "rail %d was subscribed before", r.index))
	case late != nil:
		late.attach(down)
	}
}

// taken reports whether somebody has subscribed, or the rail was left out.
func (r *rail[T]) taken() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.down != nil
}

// wanted reports whether somebody has subscribed, or may yet subscribe.
func (r *rail[T]) wanted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.down == nil || r.ctx != nil
}

// Discarded implements reactor.Discardable: the rail is left out, as if somebody had cancelled it.
func (r *rail[T]) Discarded() {
	r.mu.Lock()
	late, taken := r.late, r.down != nil
	if !taken {
		r.down = leaver[T]{}
	}
	r.mu.Unlock()
	if !taken && late != nil {
		late.attach(leaver[T]{})
	}
}

// leaver is a subscriber that cancels at once.
type leaver[T any] struct{ protocol.Inner }

func (leaver[T]) OnSubscribe(up reactor.Subscription) { up.Cancel() }
func (leaver[T]) OnNext(T)                            {}
func (leaver[T]) OnError(error)                       {}
func (leaver[T]) OnComplete()                         {}

// lateRail stands in for the subscriber of a rail until that subscriber comes. Before
// that only the end can come, because nobody requests.
type lateRail[T any] struct {
	protocol.Inner
	ctx  context.Context
	down reactor.Subscriber[T] // set by attach
	out  protocol.Half         // held until there is a subscriber
	link protocol.Deferred     // to the source
	gate protocol.Deferred     // the subscriber's, to link
}

func (s *lateRail[T]) attach(down reactor.Subscriber[T]) {
	s.down, s.out.Down = down, down
	// Deferred: downstream may end the goroutine.
	defer s.gate.Set(&s.link)
	defer s.out.Release()
	down.OnSubscribe(&s.gate)
}

func (s *lateRail[T]) OnSubscribe(up reactor.Subscription) { s.link.Set(up) }

func (s *lateRail[T]) OnNext(v T) {
	if !s.out.Deliver(s.down, v) {
		reactor.Discard(s.ctx, v)
	}
}

func (s *lateRail[T]) OnError(err error) {
	s.link.Close()
	if unheard := s.out.SourceEnd(err); unheard != nil {
		reactor.DropError(s.ctx, unheard)
	}
}

func (s *lateRail[T]) OnComplete() {
	s.link.Close()
	s.out.SourceEnd(nil)
}
