package stage_test

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/stage"
)

// The running total of the elements.
type total struct{}

func (total) Step(sum *int, next func(int)) func(int) {
	return func(v int) {
		*sum += v
		next(*sum)
	}
}

func ExampleEach() {
	totals := stage.Each("total", flux.Just(1, 2, 3), 0, total{})
	fmt.Println(flux.From(totals).Collect(context.Background()))
	// Output: [1 3 6] <nil>
}

// The elements at even positions, until one is negative.
type everyOther struct{}

type position struct {
	stage.Control
	n int
}

func (everyOther) Step(s *position, next func(int)) func(int) {
	return func(v int) {
		switch s.n++; {
		case s.Dropped(v):
		case v < 0:
			s.CompleteWithout(v)
		case s.n%2 == 0:
			s.Reject(v)
		default:
			next(v)
		}
	}
}

func ExampleChoose() {
	src := flux.Just(1, 2, 3, 4, -5, 6)
	fmt.Println(flux.From(stage.Choose("everyOther", stage.Rejects, src, everyOther{})).Collect(context.Background()))
	// Output: [1 3] <nil>
}

// The powers of two below a limit.
type powers struct{ limit int }

func (p powers) Pull(v *int, out *stage.Emitter[int]) (more bool) {
	for *v < p.limit && out.Open() {
		next := *v
		*v *= 2
		out.Next(next)
	}
	return *v < p.limit
}

func ExamplePull() {
	fmt.Println(flux.From(stage.Pull("powers", 1, powers{limit: 100})).Collect(context.Background()))
	// Output: [1 2 4 8 16 32 64] <nil>
}

type failing struct{}

func (failing) Step(_ *struct{}, next func(int)) func(int) {
	return func(v int) { next(10 / v) }
}

var failingName = stage.Name[failing]("reciprocal")

func ExampleName() {
	_, err := flux.From(stage.Each(failingName, flux.Just(5, 0), struct{}{}, failing{})).Collect(context.Background())
	fmt.Println(err)
	// Output: reactor: reciprocal: panic: runtime error: integer divide by zero
}

// A publisher written by hand, which is empty.
type answer struct{}

func (answer) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	down := stage.Downstream(ctx, s) // checks demand, watches ctx
	down.OnSubscribe(nothing{})
	down.OnComplete()
}

type nothing struct{}

func (nothing) Request(int64) {}
func (nothing) Cancel()       {}

func ExampleDownstream() {
	fmt.Println(flux.From(answer{}).Collect(context.Background()))
	// Output: [] <nil>
}

func ExampleUpstream() {
	defer func() { fmt.Println(recover()) }()
	stage.Upstream[int]("conflate", nil)
	// Output: reactor: conflate: the publisher is nil
}

func ExampleNotNil() {
	defer func() { fmt.Println(recover()) }()
	stage.NotNil("pairwise", "function", nil)
	// Output: reactor: pairwise: the function is nil
}

func ExamplePositive() {
	defer func() { fmt.Println(recover()) }()
	stage.Positive("steps", "the step", 0)
	// Output: reactor: steps: the step must be positive, got 0
}
