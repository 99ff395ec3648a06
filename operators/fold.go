package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/single"
)

// Fold combines all elements with an accumulator, and emits the accumulator at the end,
// also for an empty src. seed is called once per subscription and returns the first
// value of the accumulator. (Reactor calls it reduceWith.)
//
//	src:  1 --- 2 --- 3 |
//	      Fold(() => 10, sum)
//	out:  ------------- 16 |
//
// Demand on src is unbounded. A panic of seed or fn cancels src and ends the
// stream; then, and at failure or cancellation, the accumulator is discarded. fn runs
// on the goroutine of src.
func Fold[T, A any](src reactor.Publisher[T], seed func() A, fn func(acc A, v T) A) reactor.Publisher[A] {
	argument.Given("fold", "seed function", seed != nil)
	argument.Given("fold", "function", fn != nil)
	return &foldPublisher[T, A]{op: "fold", src: protocol.Trust("fold", src), seed: seed, fn: fn, discard: discardOne[A]}
}

// CollectInto adds every element to a container, and emits the container at the end.
// newContainer makes the container, once per subscription.
//
//	src:  1 --- 2 --- 3 |
//	      CollectInto(newSet, (*Set).Add)
//	out:  ------------- {1 2 3} |
//
// Demand, errors and goroutine are as for [Fold].
func CollectInto[T, C any](src reactor.Publisher[T], newContainer func() C, add func(C, T)) reactor.Publisher[C] {
	argument.Given("collectInto", "container function", newContainer != nil)
	argument.Given("collectInto", "function", add != nil)
	return &foldPublisher[T, C]{op: "collectInto", src: protocol.Trust("collectInto", src), seed: func() C { return newContainer() },
		fn: func(c C, v T) C { add(c, v); return c }, discard: discardOne[C]}
}

func discardOne[A any](discard func(any), acc A) { discard(acc) }

type foldPublisher[T, A any] struct {
	protocol.Op
	op      string
	src     reactor.Publisher[T]
	seed    func() A
	fn      func(acc A, v T) A                           // nil if bind makes it
	bind    func(ctx context.Context) func(acc A, v T) A // once per subscription
	discard func(discard func(any), acc A)               // passes what acc holds to the hook
}

func (p *foldPublisher[T, A]) Subscribe(ctx context.Context, s reactor.Subscriber[A]) {
	sub := &foldSubscriber[T, A]{fn: p.fn}
	if p.bind != nil {
		sub.fn = p.bind(ctx)
	}
	if sub.begin(ctx, p, s) {
		p.src.Subscribe(ctx, sub)
	}
}

// Computable reports whether its source can be asked where it is computed: see [direct.Is].
func (p *foldPublisher[T, A]) Computable() bool { return isPulled(p.src) }

// Direct implements direct.Source.
func (p *foldPublisher[T, A]) Direct(ctx context.Context) (A, bool, error) {
	return computePulled(ctx, p)
}

type foldSubscriber[T, A any] struct {
	single.Aggregate[A]
	p       *foldPublisher[T, A]
	fn      func(acc A, v T) A
	discard func(any)       // nil if nobody wants discarded elements
	custody pending.Custody // of acc, if discard is set: a cancellation may come from anywhere
	acc     A               // signals of upstream; who has custody if discard is set
}

// begin calls seed, and reports whether there is an accumulator. If not, downstream has got the
// error.
func (s *foldSubscriber[T, A]) begin(ctx context.Context, p *foldPublisher[T, A], down reactor.Subscriber[A]) bool {
	s.p, s.discard = p, reactor.DiscardHookFor[A](ctx)
	s.Init(ctx, down)
	return failure.Guard(func() { s.acc = p.seed() }, func(err error) {
		protocol.Fail(s.Slot.Down, reactor.OperatorError(ctx, err, nil))
	})
}

func (s *foldSubscriber[T, A]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	s.Slot.Down.OnSubscribe(s)
}

func (s *foldSubscriber[T, A]) OnNext(v T) {
	if s.discard == nil {
		s.acc = s.fn(s.acc, v)
		return
	}
	if !s.custody.Take() {
		s.discard(v)
		return
	}
	s.acc = s.fn(s.acc, v)
	if !s.custody.Return() {
		s.drop()
	}
}

// Push implements protocol.Pusher.
func (s *foldSubscriber[T, A]) Push() func(T) {
	if s.discard != nil {
		return s.OnNext
	}
	fn := s.fn
	return func(v T) { s.acc = fn(s.acc, v) }
}

func (s *foldSubscriber[T, A]) OnError(err error) {
	if s.discard == nil {
		s.acc = *new(A)
	} else if s.custody.End() {
		s.drop()
	}
	s.Aggregate.OnError(err)
}

func (s *foldSubscriber[T, A]) OnComplete() {
	if s.discard != nil && !s.custody.End() {
		return
	}
	s.Result(pending.Take(&s.acc))
}

func (s *foldSubscriber[T, A]) Cancel() {
	defer func() { // also if a function that hears of it ends the goroutine
		if s.discard != nil && s.custody.GiveUp() {
			s.drop()
		}
	}()
	s.Aggregate.Cancel()
}

// drop discards the accumulator.
func (s *foldSubscriber[T, A]) drop() { s.p.discard(s.discard, pending.Take(&s.acc)) }
