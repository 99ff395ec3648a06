package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/protocol"
)

// TryFold is [Fold] with a function that may fail: the first error of fn cancels src,
// discards the element and the accumulator, and becomes the end of the stream; so does a
// panic of fn or of seed.
//
//	src:  1 --- 2 --- 4 --- 5 |
//	      TryFold(() => 10, sum, refuse 4)
//	out:  --------- #
//
// Demand on src is unbounded. At failure or cancellation the accumulator is discarded. If fn
// returns an error, its other result is ignored. fn runs on the goroutine of src.
func TryFold[T, A any](src reactor.Publisher[T], seed func() A, fn func(acc A, v T) (A, error)) reactor.Publisher[A] {
	argument.Given("tryFold", "seed function", seed != nil)
	argument.Given("tryFold", "function", fn != nil)
	return &tryFoldPublisher[T, A]{src: protocol.Trust("tryFold", src), def: tried[T, A]{seed, fn}}
}

type tryFoldPublisher[T, A any] struct {
	protocol.Op
	src reactor.Publisher[T]
	def tried[T, A]
}

// tried is a folding by a function that may fail.
type tried[T, A any] struct {
	seed func() A
	fn   func(acc A, v T) (A, error)
}

func (f *tried[T, A]) first() A { return f.seed() }

func (*tried[T, A]) discard(hook func(any), acc A) { hook(acc) }

func (p *tryFoldPublisher[T, A]) Subscribe(ctx context.Context, s reactor.Subscriber[A]) {
	sub, fn := &tryFoldSubscriber[T, A]{}, p.def.fn
	sub.add = func(v T) {
		if next, err := fn(sub.acc, v); err != nil {
			sub.failure = err // and acc is to be discarded
		} else {
			sub.acc = next
		}
	}
	if sub.begin(ctx, &p.def, s) {
		p.src.Subscribe(ctx, sub)
	}
}

// Computable reports whether its source can be asked where it is computed: see [direct.Is].
func (p *tryFoldPublisher[T, A]) Computable() direct.Way { return whole(isPulled(p.src)) }

// Direct implements direct.Source.
func (p *tryFoldPublisher[T, A]) Direct(ctx context.Context) (A, bool, error) {
	return computePulled(ctx, p)
}

type tryFoldSubscriber[T, A any] struct {
	foldSubscriber[T, A]
	failure error // of the function; signals of upstream only
}

func (s *tryFoldSubscriber[T, A]) OnNext(v T) {
	if s.Done {
		reactor.Discard(s.Slot.Ctx, v)
		return
	}
	if s.foldSubscriber.OnNext(v); s.failure != nil {
		s.Crash(s.failure, v, s)
	}
}

// Push implements protocol.Pusher.
func (s *tryFoldSubscriber[T, A]) Push() func(T) { return s.OnNext }
