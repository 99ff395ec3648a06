package executors_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/executors"
)

// A shutdown ends a periodic task that runs, whichever call of the meter ends the goroutine of its worker then.
func TestPeriodicTaskThatIsShutDownWhoseMeterEndsTheGoroutine(t *testing.T) {
	for n := range 8 {
		t.Run(fmt.Sprint(n+1), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				m, g := &exitingMeter{}, newGate(t)
				p := newScheduled(t, 1, executors.WithMeter(m, "app"))
				h := accept[*executors.Handle](t)(p.AtFixedRate(0, time.Second, func(ctx context.Context) error { g.task(ctx); return nil }))
				synctest.Wait()
				p.Shutdown()
				m.left.Store(int64(n + 1))
				g.open()
				synctest.Wait()
				assert.True(t, p.IsTerminated())
				assert.True(t, h.IsDone(), "nobody will end it")
				balanced(t, p.Stats())
			})
		})
	}
}
