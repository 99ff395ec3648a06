package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
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
	return &foldPublisher[T, A]{op: "fold", src: protocol.Trust("fold", src), def: given[T, A]{seed, fn}}
}

// folding is what a stage makes of all elements. It is an interface, not functions: those of a generic operator are
// allocated for each chain.
type folding[T, A any] interface {
	accumulator[A]
	// into returns what adds an element to acc, for one subscription.
	into(ctx context.Context, acc *A) func(v T)
}

type accumulator[A any] interface {
	// first returns the accumulator that a subscription begins with.
	first() A
	// discard passes what acc holds to hook.
	discard(hook func(any), acc A)
}

// given is a folding by two functions of the user.
type given[T, A any] struct {
	seed func() A
	fn   func(acc A, v T) A
}

func (f given[T, A]) first() A { return f.seed() }

func (f given[T, A]) into(_ context.Context, acc *A) func(v T) {
	fn := f.fn
	return func(v T) { *acc = fn(*acc, v) }
}

func (given[T, A]) discard(hook func(any), acc A) { hook(acc) }

type foldPublisher[T, A any] struct {
	protocol.Op
	op  string
	src reactor.Publisher[T]
	def folding[T, A]
}

func (p *foldPublisher[T, A]) Subscribe(ctx context.Context, s reactor.Subscriber[A]) {
	sub := &foldSubscriber[T, A]{}
	sub.add = p.def.into(ctx, &sub.acc)
	if sub.begin(ctx, p.def, s) {
		p.src.Subscribe(ctx, sub)
	}
}

// Computable reports whether its source can be asked where it is computed: see [direct.Is].
func (p *foldPublisher[T, A]) Computable() direct.Way { return whole(isPulled(p.src)) }

// Direct implements direct.Source.
func (p *foldPublisher[T, A]) Direct(ctx context.Context) (A, bool, error) {
	return computePulled(ctx, p)
}

type foldSubscriber[T, A any] struct {
	single.Aggregate[A]
	def     accumulator[A]
	add     func(v T)       // to acc
	discard func(any)       // nil if nobody wants discarded elements
	custody pending.Custody // of acc, if discard is set: a cancellation may come from anywhere
	acc     A               // signals of upstream; who has custody if discard is set
}

// begin makes the accumulator, and reports whether there is one. If not, downstream has got the
// error.
func (s *foldSubscriber[T, A]) begin(ctx context.Context, def accumulator[A], down reactor.Subscriber[A]) bool {
	s.def, s.discard = def, reactor.DiscardHookFor[A](ctx)
	s.Init(ctx, down)
	return failure.Guard(func() { s.acc = def.first() }, func(err error) {
		protocol.Fail(s.Slot.Down, reactor.OperatorError(ctx, err, nil))
	})
}

func (s *foldSubscriber[T, A]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	s.Slot.Down.OnSubscribe(s)
}

func (s *foldSubscriber[T, A]) OnNext(v T) {
	if s.discard == nil {
		s.add(v)
		return
	}
	if !s.custody.Take() {
		s.discard(v)
		return
	}
	s.add(v)
	if !s.custody.Return() {
		s.drop()
	}
}

// Push implements protocol.Pusher.
func (s *foldSubscriber[T, A]) Push() func(T) {
	if s.discard != nil {
		return s.OnNext
	}
	return s.add
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
func (s *foldSubscriber[T, A]) drop() { s.def.discard(s.discard, pending.Take(&s.acc)) }
