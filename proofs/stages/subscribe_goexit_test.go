package stages

import (
	"context"
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

// TestGoexitWhileSubscribed lets the subscriber cancel and end its goroutine when it gets its
// subscription, in the middle of what a stage does when it gets its own: the source, if there is one
// then, is cancelled, and discards the element that it has.
func TestGoexitWhileSubscribed(t *testing.T) {
	for _, stage := range roster.Stages[element]() {
		t.Run(stage.Name, func(t *testing.T) {
			for name, cancels := range map[string]bool{"cancelled": true, "not cancelled": false} {
				t.Run(name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { goexitWhileSubscribed(t, stage, cancels) })
				})
			}
		})
	}
}

func goexitWhileSubscribed(t *testing.T, stage roster.Stage[element], cancels bool) {
	s := &scene{books: ledger.New(t), clock: newHands(false)}
	open := 0
	src := operators.Hide(operators.Defer(func(context.Context) publisher {
		if stage.Swallows || stage.Keeps != "" {
			return operators.Empty[element]() // it is subscribed to for those who come later, too, or a function has the element
		}
		return operators.Just(s.books.Produce())
	}))
	src = operators.DoFinally(operators.DoFirst(src, func() { open++ }), func(reactor.SignalKind) { open-- })
	s.down = &watcher{onNext: s.delivered, onStart: func(up reactor.Subscription) {
		if cancels {
			up.Cancel()
		}
		runtime.Goexit()
	}}
	racetest.Aside(func() {
		stage.Build(s.clock, src).Subscribe(reactor.WithHooks(context.Background(), s.hooks()), s.down)
	})
	racetest.Aside(func() { s.clock.pass(time.Second) })
	racetest.Aside(s.down.cancel)
	racetest.Aside(func() { s.clock.pass(time.Hour) })
	synctest.Wait()
	_, _, faults, _ := s.down.state()
	assert.Empty(t, faults)
	s.books.Check()
	assert.Zero(t, open, "the source goes on")
}
