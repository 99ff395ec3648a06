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

// TestGoexitInTheCancellationOfASource lets what hears of the cancellation of the source end its
// goroutine, in the middle of what a stage does when it has enough. Nobody downstream has cancelled,
// so the stage has to go on: what it has is delivered or discarded, and the end is told.
func TestGoexitInTheCancellationOfASource(t *testing.T) {
	for _, stage := range roster.Stages[element]() {
		if stage.Swallows {
			continue
		}
		t.Run(stage.Name, func(t *testing.T) {
			for end, rest := range map[string]publisher{
				"completes": operators.Empty[element](), "fails": operators.Error[element](errBoom), "is silent": operators.Never[element](),
			} {
				for _, sent := range []int{1, 5} {
					for _, demand := range []int64{1, reactor.Unbounded} {
						if stage.Single && sent > 1 {
							continue
						}
						t.Run(fmt.Sprintf("the source %s after %d, %d requested", end, sent, demand), func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) { goexitInCancellation(t, stage, sent, rest, demand) })
						})
					}
				}
			}
		})
	}
}

func goexitInCancellation(t *testing.T, stage roster.Stage[element], elements int, rest publisher, demand int64) {
	s := &scene{books: ledger.New(t), clock: newHands(false)}
	s.down = &watcher{demand: demand, onNext: s.delivered}
	src := operators.FromSeq(func(yield func(element) bool) {
		for range elements {
			if !yield(s.books.Produce()) {
				return
			}
		}
	})
	cancelled := 0
	src = operators.DoOnCancel(operators.Concat(src, rest), func() { cancelled++; runtime.Goexit() })
	racetest.Aside(func() {
		stage.Build(s.clock, src).Subscribe(reactor.WithHooks(context.Background(), s.hooks()), s.down)
	})
	for range 12 {
		racetest.Aside(func() { s.clock.pass(time.Millisecond) })
		if demand != reactor.Unbounded { // a request would wake a stage that has fallen asleep
			racetest.Aside(func() { s.down.request(1) })
		}
	}
	_, ended, faults, _ := s.down.state()
	assert.Empty(t, faults)
	if cancelled > 0 {
		assert.True(t, ended, "the source was cancelled, and nobody is told of an end")
	}
	racetest.Aside(s.down.cancel)
	racetest.Aside(func() { s.clock.pass(time.Hour) })
	synctest.Wait()
	s.books.Check()
}
