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
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/reactortest"
)

// TestGoexitAboveIsTold ends the goroutine in a function above every stage, while the subscriber, one
// that does not belong to the module, asks for elements one by one in OnNext. That goroutine may be
// one on which the subscriber is called: it must hear of the end all the same.
func TestGoexitAboveIsTold(t *testing.T) {
	for _, stage := range roster.Stages[int]() {
		t.Run(stage.Name, func(t *testing.T) {
			for _, n := range []int{1, 2, 4} {
				if stage.Single && n > 1 {
					continue
				}
				t.Run(fmt.Sprint("at element ", n), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { goexitAbove(t, stage, n) })
				})
			}
		})
	}
}

func goexitAbove(t *testing.T, stage roster.Stage[int], n int) {
	clock := reactortest.NewVirtualTime()
	down := &watcher{demand: 1}
	down.onNext = func(any) { down.request(1) }
	exits := 0
	src := operators.Map(operators.Hide(operators.Range(1, 8)), func(v int) int {
		if v == n {
			exits++
			runtime.Goexit()
		}
		return v
	})
	quiet := func(context.Context, error) {}
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: quiet})
	racetest.Aside(func() { stage.Build(clock, src).Subscribe(ctx, foreign{down}) })
	for range 12 {
		racetest.Aside(func() { clock.AdvanceBy(time.Millisecond) })
		synctest.Wait()
	}
	_, ended, faults, err := down.state()
	assert.Empty(t, faults)
	if exits > 0 {
		assert.True(t, ended, "the subscriber waits for ever")
		if err != nil && !stage.MayFailWith(err) {
			assert.ErrorIs(t, err, reactor.ErrGoexit)
		}
	}
	down.cancel()
	clock.AdvanceBy(time.Hour)
	synctest.Wait()
	assert.Zero(t, clock.Pending(), "tasks left behind")
}
