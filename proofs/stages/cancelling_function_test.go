package stages

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/roster"
)

// TestGoexitInTheCancellationByAFunction has the function of a stage cancel the stream, and what hears of that, above the stage or
// below it, end the goroutine. The Goexit is dealt with where it happens, so no guard discards the element that
// the function was called with: it is the stage's.
func TestGoexitInTheCancellationByAFunction(t *testing.T) { inAFunction(t, false) }

// TestGoexitInTheRequestByAFunction has it ask for more.
func TestGoexitInTheRequestByAFunction(t *testing.T) { inAFunction(t, true) }

func inAFunction(t *testing.T, asks bool) {
	for _, stage := range roster.Stages[element]() {
		if stage.Swallows || stage.Calling == nil {
			continue
		}
		t.Run(stage.Name, func(t *testing.T) {
			for at := 1; at <= 3; at++ {
				for _, below := range []bool{false, true} {
					for _, demand := range []int64{1, reactor.Unbounded} {
						t.Run(fmt.Sprintf("in call %d, below: %t, %d requested", at, below, demand), func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) { functionThatCalls(t, asks, stage, at, below, demand) })
						})
					}
				}
			}
		})
	}
}

// ending returns src with something that ends the goroutine where it hears of what the function that is returned too does.
func ending[T any](s *scene, asks bool, src reactor.Publisher[T]) (reactor.Publisher[T], func()) {
	if !asks {
		return operators.DoOnCancel(src, runtime.Goexit), func() { s.down.cancel() }
	}
	due := false
	ends := func(int64) {
		if due {
			due = false
			runtime.Goexit()
		}
	}
	return operators.DoOnRequest(src, ends), func() {
		due = true
		s.down.request(1)
	}
}

func functionThatCalls(t *testing.T, asks bool, stage roster.Stage[element], at int, below bool, demand int64) {
	s := &scene{books: ledger.New(t), clock: newHands(false)}
	s.down = &watcher{demand: demand, onNext: s.delivered}
	src := operators.FromSeq(func(yield func(element) bool) {
		for range 5 {
			if !yield(s.books.Produce()) {
				return
			}
		}
	})
	if stage.Single {
		src = operators.Next(src)
	}
	var call func()
	if !below {
		src, call = ending(s, asks, src)
	}
	calls := 0
	built := stage.Calling(func() {
		if calls++; calls == at {
			call()
		}
	}, src)
	whole := untyped(built)
	if whole == nil {
		t.Skipf("a publisher that is a %T", built)
	}
	if below {
		whole, call = ending(s, asks, whole)
	}
	racetest.Aside(func() { whole.Subscribe(reactor.WithHooks(context.Background(), s.hooks()), foreign{s.down}) })
	for range 12 {
		racetest.Aside(func() { s.clock.pass(time.Millisecond) })
		racetest.Aside(func() { s.down.request(1) })
	}
	_, _, faults, _ := s.down.state()
	assert.Empty(t, faults)
	racetest.Aside(s.down.cancel)
	racetest.Aside(func() { s.clock.pass(time.Hour) })
	synctest.Wait()
	s.books.Check()
}

// untyped returns a publisher of one of the types that there are here as one of any.
func untyped(p any) reactor.Publisher[any] {
	switch p := p.(type) {
	case reactor.Publisher[any]:
		return p
	case publisher:
		return operators.Map(p, asAny)
	case reactor.Publisher[[]element]:
		return operators.Map(p, asAny)
	case reactor.Publisher[publisher]:
		return operators.Map(p, asAny)
	}
	return nil
}

func asAny[T any](v T) any { return v }
