package operators

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/schedulers"
)

func TestAt(t *testing.T) {
	inBubble(t, func(t *testing.T, s schedulers.Scheduler) {
		at := time.Now().Add(10 * time.Hour)
		p, late, gone := probeOf[time.Time](1), probeOf[time.Time](0), probeOf[time.Time](1)
		At(at, On(s)).Subscribe(context.Background(), p)
		At(at, On(s)).Subscribe(context.Background(), late)
		At(at, On(s)).Subscribe(context.Background(), gone)
		past := probeOf[time.Time](1)
		At(at.Add(-20*time.Hour), On(s)).Subscribe(context.Background(), past)
		synctest.Wait()
		past.Done(t, at.Add(-20*time.Hour))
		sleep(10*time.Hour - 1)
		p.Open(t)
		gone.Cancel()
		sleep(1)
		p.Done(t, at)
		late.Open(t)
		late.Request(1)
		late.Done(t, at)
		gone.Open(t)
	})
}
