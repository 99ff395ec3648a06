package operators

import (
	"context"
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// ParallelRails applies the operators of ordinary streams to each rail: op is
// called once per rail and subscription, with the rail as a publisher that can be
// subscribed once, now or later. It is called at assembly as well, with an empty
// publisher, so that it can refuse bad arguments in time.
//
// A rail that op leaves alone, and one whose op panics, which ends that rail,
// receives nothing; the others share the elements.
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
	rails := newRails(p.src)
	failure.Persist(len(subscribers)+1, func(i int) bool { // the function or a subscriber may end the goroutine
		if i == len(subscribers) {
			startRails(ctx, p.src, rails)
			return false
		}
		p.attach(ctx, rails[i], protocol.Strict(ctx, subscribers[i]))
		return true
	})
}

// attach subscribes to what the function makes of a rail.
func (p *parallelRails[T, R]) attach(ctx context.Context, r *rail[T], down reactor.Subscriber[R]) {
	var src reactor.Publisher[R]
	if failure.Guard(func() { src = protocol.Trust("parallelRails", p.op(r)) }, func(err error) {
		protocol.Fail(down, reactor.OperatorError(ctx, err, nil))
	}) {
		src.Subscribe(ctx, down)
	}
}

func newRails[T any](src ParallelPublisher[T]) []*rail[T] {
	rails := make([]*rail[T], src.Parallelism())
	for i := range rails {
		rails[i] = &rail[T]{index: i}
	}
	return rails
}

// startRails subscribes to src with the subscribers that the rails have. A rail
// without one gets a stand-in, to which one may come later. The context is that of
// rail 0, if it has one, as if it were the only one.
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

// lateRail stands in for the subscriber of a rail until there is one. Nothing comes
// before that but the end, because nobody asks.
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
