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

// TestBooksOfFailures lets OnNext of the subscriber fail in every way, and looks whether the
// element that failed and all that were kept have ended: what fails is discarded. Nothing stops
// a Goexit, and each guard that it passes may have the element in hand: one of them discards it.
func TestBooksOfFailures(t *testing.T) {
	ways := []struct {
		name string
		fail func()
	}{{"panics", func() { panic(errBoom) }}, {"ends its goroutine", runtime.Goexit}}
	for _, stage := range roster.Stages[element]() {
		if stage.Swallows {
			continue
		}
		t.Run(stage.Name, func(t *testing.T) {
			for _, way := range ways {
				for _, n := range []int{1, 2, 4} {
					for _, demand := range []int64{1, reactor.Unbounded} {
						t.Run(fmt.Sprintf("OnNext %d %s, %d requested", n, way.name, demand), func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) { failIn(t, stage, n, demand, way.fail) })
						})
					}
				}
			}
		})
	}
}

// failIn lets the n-th OnNext fail.
func failIn(t *testing.T, stage roster.Stage[element], n int, demand int64, fail func()) {
	s := &scene{books: ledger.New(t), clock: newHands(false)}
	count := 0
	s.down = &watcher{demand: demand, onNext: func(v any) {
		if count++; count == n {
			fail()
		}
		s.delivered(v)
	}}
	elements := 8
	if stage.Single {
		elements = 1
	}
	src := operators.FromSeq(func(yield func(element) bool) {
		for range elements {
			if !yield(s.books.Produce()) {
				return
			}
		}
	})
	racetest.Aside(func() {
		stage.Build(s.clock, operators.Hide(src)).Subscribe(reactor.WithHooks(context.Background(), s.hooks()), s.down)
	})
	for range 12 {
		racetest.Aside(func() { s.clock.pass(time.Millisecond) })
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
