package reactortest

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/schedulers"
)

// brokenBehind is a scheduler of somebody else that fails for a while.
type brokenBehind struct {
	schedulers.Scheduler
	take, clock func()
}

func callIf(fn func()) {
	if fn != nil {
		fn()
	}
}

func (b *brokenBehind) Schedule(task schedulers.Task) (schedulers.Disposable, error) {
	callIf(b.take)
	return b.Scheduler.Schedule(task)
}

func (b *brokenBehind) Now() time.Time {
	callIf(b.clock)
	return b.Scheduler.Now()
}

// A task that the scheduler behind has not taken, because it has panicked or ended the goroutine, is not waited for.
func TestChaosOverASchedulerThatFails(t *testing.T) {
	for name, fail := range map[string]func(){"panics": func() { panic("boom") }, "goexit": runtime.Goexit} {
		for what, b := range map[string]*brokenBehind{"task": {take: fail}, "clock": {clock: fail}} {
			t.Run(what+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b.Scheduler = schedulers.NewSingle("t")
					defer b.Scheduler.Dispose()
					c := NewChaosScheduler(t, ChaosOver(b), ChaosSeed(1), ChaosDelays(0, 0))
					w := c.NewWorker()
					defer w.Dispose()
					var all sync.WaitGroup
					for _, submit := range []func(schedulers.Task) error{c.Execute, w.Execute} {
						all.Go(func() {
							defer func() { _ = recover() }()
							_ = submit(func(context.Context) {})
						})
					}
					all.Wait()
					b.take, b.clock = nil, nil
					ran := false
					require.NoError(t, c.Execute(func(context.Context) { ran = true }))
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					require.NoError(t, c.DisposeGracefully(ctx))
					assert.True(t, ran)
				})
			})
		}
	}
}

// whatever is a subscriber that takes everything in any order.
type whatever struct{}

func (whatever) OnSubscribe(reactor.Subscription) {}
func (whatever) OnNext(int)                       {}
func (whatever) OnError(error)                    {}
func (whatever) OnComplete()                      {}

// A nil error may be sent while somebody subscribes: the race detector has nothing to say.
func TestNilErrorWhileSomebodySubscribes(t *testing.T) {
	for range 100 {
		p := NewTestPublisher[int](t, SendsNilErrors)
		ctx, cancel := context.WithCancelCause(t.Context())
		var all sync.WaitGroup
		all.Go(func() { p.Subscribe(ctx, whatever{}) })
		all.Go(func() {
			for p.Subscriptions() == 0 {
				runtime.Gosched()
			}
			p.Error(nil)
		})
		all.Wait()
		cancel(errors.New("over"))
	}
}
