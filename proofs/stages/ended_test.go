package stages

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/reactortest"
)

// TestWhatHasEndedIsNotCancelled ends the source of every stage and then has the stage
// decide, time pass, the subscriber fail or cancel. A source that has ended, or is telling of
// its end, must not be cancelled: doFinally there would count an outcome that was none. Where
// the subscriber has got the end, its own cancellation is not held against the stage.
func TestWhatHasEndedIsNotCancelled(t *testing.T) {
	for _, stage := range roster.Stages[int]() {
		ways := []string{"waits"}
		if stage.InTurn {
			ways = append(ways, "cancels", "fails")
		}
		t.Run(stage.Name, func(t *testing.T) {
			late := 0
			for _, way := range ways {
				for _, err := range []error{nil, errBoom} {
					for _, sent := range []int{0, 1, 2, 5} {
						for _, demand := range []int64{0, 1, reactor.Unbounded} {
							synctest.Test(t, func(t *testing.T) {
								n := endThen(stage, err, sent, demand, way)
								if !stage.CancelsAll {
									assert.Zero(t, n, "cancelled after the end: %v after %d elements, %d requested, downstream %s", err, sent, demand, way)
								}
								late += n
							})
						}
					}
				}
			}
			if stage.CancelsAll {
				assert.NotZero(t, late, "it need not be said any more")
			}
		})
	}
}

// endThen returns how often a source was cancelled that had ended.
func endThen(stage roster.Stage[int], err error, sent int, demand int64, way string) (late int) {
	clock := reactortest.NewVirtualTime()
	src := &puppet[int]{single: stage.Single}
	down := &watcher{demand: demand}
	quiet := func(context.Context, error) {}
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: quiet})
	stage.Build(clock, src).Subscribe(ctx, down)
	clock.AdvanceBy(10 * time.Microsecond)
	n := 0
	for range sent {
		if up := src.last(); up != nil {
			up.next(func() int { n++; return n })
		}
	}
	if way == "fails" {
		down.onNext = func(any) { panic(errBoom) }
	}
	unguarded := func(what func()) {
		defer func() { _ = recover() }() // a puppet guards nothing
		what()
	}
	for range 4 { // as often as it is subscribed again
		if up := src.last(); up != nil {
			unguarded(func() { up.end(err) })
		}
		switch _, ended, _, _ := down.state(); {
		case way == "cancels" && !ended:
			down.cancel()
		case way == "fails":
			unguarded(func() { down.request(2) })
		}
		unguarded(func() { clock.AdvanceBy(time.Millisecond) })
	}
	for _, up := range src.subs {
		late += int(up.late.Load())
	}
	down.cancel()
	clock.AdvanceBy(time.Hour)
	synctest.Wait()
	return late
}
