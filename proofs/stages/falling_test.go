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

// TestBooksOfFailuresAfterAnEnd lets an element fail on its way down, below a stage that the stream
// has just ended for: it was cancelled from within the same call, or its time was up. What a stage
// further down holds in hand is told of the failure by an error that comes down, so that has to come
// all the same.
func TestBooksOfFailuresAfterAnEnd(t *testing.T) {
	ways := []struct {
		name string
		fail func()
	}{{"panics", func() { panic(errBoom) }}, {"ends its goroutine", runtime.Goexit}}
	ends := []struct {
		name string
		end  func(s *scene, context context.CancelCauseFunc)
	}{
		{"goes on", func(*scene, context.CancelCauseFunc) {}},
		{"is cancelled", func(s *scene, _ context.CancelCauseFunc) { s.down.cancel() }},
		{"is out of time", func(s *scene, _ context.CancelCauseFunc) { s.clock.pass(pastAll) }},
		{"is out of its context", func(_ *scene, end context.CancelCauseFunc) { end(errBoom) }},
	}
	for _, stage := range roster.Stages[element]() {
		if stage.Swallows || stage.Single {
			continue
		}
		t.Run(stage.Name, func(t *testing.T) {
			for _, end := range ends {
				for _, way := range ways {
					for _, n := range []int{1, 2, 4} {
						for _, demand := range []int64{1, reactor.Unbounded} {
							t.Run(fmt.Sprintf("%s, then call %d %s, %d requested", end.name, n, way.name, demand), func(t *testing.T) {
								synctest.Test(t, func(t *testing.T) { failAfter(t, stage, end.end, n, demand, way.fail) })
							})
						}
					}
				}
			}
		})
	}
}

// pastAll is longer than every timer of the roster, and not so long that a stage that ticks does
// nothing else.
const pastAll = 10 * time.Microsecond

// failAfter lets the n-th element below a skipLast fail after an end.
func failAfter(
	t *testing.T, stage roster.Stage[element], end func(*scene, context.CancelCauseFunc), n int, demand int64, fail func(),
) {
	s := &scene{books: ledger.New(t), clock: newHands(false)}
	s.down = &watcher{demand: demand, onNext: s.delivered}
	ctx, over := context.WithCancelCause(reactor.WithHooks(context.Background(), s.hooks()))
	defer over(nil)
	src := operators.FromSeq(func(yield func(element) bool) {
		for range 8 {
			if !yield(s.books.Produce()) {
				return
			}
		}
	})
	count := 0
	held := operators.SkipLast(stage.Build(s.clock, operators.Hide(src)), 1)
	failing := operators.Map(held, func(v any) any {
		if count++; count == n {
			end(s, over)
			fail()
		}
		return v
	})
	racetest.Aside(func() { failing.Subscribe(ctx, s.down) })
	for range 12 {
		racetest.Aside(func() { s.clock.pass(pastAll) })
		if count < n { // it has not failed
			racetest.Aside(func() { s.down.request(1) })
		}
	}
	s.down.cancel()
	s.clock.pass(time.Hour)
	synctest.Wait()
	_, _, faults, _ := s.down.state()
	assert.Empty(t, faults)
	s.books.Check()
}
