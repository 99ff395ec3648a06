package operators

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

type (
	element  = *ledger.Element
	elements = reactor.Publisher[element]
)

// ledgerProbe is a probe that enters what it gets as delivered.
func ledgerProbe(l *ledger.Ledger, demand int64) *probe.Probe[*ledger.Element] {
	p := probeOf[*ledger.Element](demand)
	p.Each = func(e *ledger.Element) { l.Delivered(e) }
	return p
}

// raceStage runs every pair of signals against one another, with the tasks and
// timers of the stage as a third party. Afterwards each element must have ended
// exactly once, by itself or inside of what the stage makes, and the rules must have
// been kept.
func raceStage[R any](t *testing.T, rounds int, stage func(src elements, h *handScheduler) reactor.Publisher[R]) {
	t.Helper()
	type scene struct {
		l  *ledger.Ledger
		p  *probe.Probe[R]
		up *puppetSubscription[*ledger.Element]

		sent int64 // touched by the source's signals only
	}
	next := func(s *scene) {
		for range 3 {
			if s.sent < s.up.requested.Load() {
				s.sent++
				s.up.OnNext(s.l.Produce())
			}
		}
	}
	source := map[string]func(*scene){
		"next":     next,
		"complete": func(s *scene) { next(s); s.up.OnComplete() },
		"error":    func(s *scene) { next(s); s.up.OnError(errBoom) },
		"nothing":  func(*scene) {},
	}
	other := map[string]func(*scene){
		"request": func(s *scene) { s.p.Request(1); s.p.Request(2) },
		"cancel":  func(s *scene) { s.p.Cancel() },
		"nothing": func(*scene) {},
	}
	for a, first := range source {
		for b, second := range other {
			t.Run(a+"-"+b, func(t *testing.T) {
				for round := range racetest.Iterations(rounds) {
					src := &puppet[*ledger.Element]{}
					s := &scene{l: ledger.New(t)}
					h := &handScheduler{books: s.l}
					s.p = probeOf[R](int64(round % 3))
					s.p.Each = func(v R) { s.l.Delivered(v) }
					ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
					stage(src, h).Subscribe(s.l.Context(ctx), s.p)
					s.up = src.last()
					if round%2 == 0 {
						next(s)
					}
					racetest.Race(func() { first(s) }, func() { second(s) }, func() {
						for range 4 {
							h.forward(time.Second)
						}
					})
					h.run()
					s.p.Cancel()
					h.forward(time.Hour)
					s.l.Check()
					s.p.Faultless(t)
					h.assertReleased(t)
					if t.Failed() {
						return
					}
				}
			})
		}
	}
}

// newParallel returns a scheduler that is disposed with the test.
func newParallel(t testing.TB, n int) schedulers.Scheduler {
	s, err := schedulers.NewParallel("test", n)
	require.NoError(t, err)
	t.Cleanup(func() {
		s.Dispose()
		require.NoError(t, s.DisposeGracefully(context.Background()))
	})
	return s
}

// settle waits until every slot of s has run what it was given so far.
func settle(s schedulers.Scheduler) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		if s.Execute(func(context.Context) { wg.Done() }) != nil {
			wg.Done()
		}
	}
	wg.Wait()
}
