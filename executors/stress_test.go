package executors_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fullStress says that the tests below run in full size, as make stress does.
var fullStress = os.Getenv("REACTOR_STRESS") != ""

// submissions is how many each of the 100 goroutines makes.
func submissions() int {
	switch {
	case fullStress:
		return 10_000
	case testing.Short():
		return 30
	}
	return 100
}

// stressLimit is how long what is left may take after a shutdown. It only ends a test
// that hangs, so it leaves time for a slow machine.
const stressLimit = 10 * time.Minute

// A hundred goroutines submit against resizing, cancelling and a shutdown in the
// middle: nothing is lost, nothing is counted twice, every future ends, and no
// goroutine is left.
func TestStressSubmitAgainstResizeCancelShutdown(t *testing.T) {
	for _, c := range []struct {
		name   string
		queue  executors.Queue
		policy executors.Policy
		force  bool
		wait   bool
	}{
		{"unbounded", executors.Unbounded(), executors.Abort, true, false},
		{"bounded, abort", executors.Bounded(64), executors.Abort, false, false},
		{"bounded, waiting", executors.Bounded(64), executors.Abort, false, true},
		{"bounded, discard oldest", executors.Bounded(64), executors.DiscardOldest, true, false},
		{"direct, caller runs", executors.Direct(), executors.CallerRuns, false, false},
		{"priority, discard", executors.Priority(64, func(context.Context) int { return rand.IntN(5) }), executors.Discard, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			const goroutines = 100
			per := submissions()
			p, err := executors.NewThreadPool(2, 8, time.Millisecond, c.queue, executors.WithPolicy(c.policy),
				executors.WithErrorHandler(func(context.Context, error) {}))
			require.NoError(t, err)
			var runs, accepted, refused, offered, returned atomic.Int64
			futures := make([][]*executors.Future[int], goroutines)
			ctx, cancelMany := context.WithCancel(background)
			defer cancelMany()
			var all sync.WaitGroup
			for g := range goroutines {
				all.Go(func() {
					rnd := rand.New(rand.NewPCG(uint64(g), 1))
					for range per {
						with := background
						if rnd.IntN(4) == 0 {
							with = ctx
						}
						submit := p.Submit[int]
						if c.wait {
							submit = p.SubmitWait[int]
						}
						f, err := submit(with, func(ctx context.Context) (int, error) {
							runs.Add(1)
							return 1, nil
						})
						offered.Add(1)
						if err != nil {
							refused.Add(1)
							continue
						}
						accepted.Add(1)
						futures[g] = append(futures[g], f)
						if rnd.IntN(3) == 0 {
							futures[g][rnd.IntN(len(futures[g]))].Cancel(nil)
						}
					}
				})
			}
			all.Go(func() {
				rnd := rand.New(rand.NewPCG(7, 7))
				for !p.IsShutdown() {
					core := rnd.IntN(5)
					assert.NoError(t, p.Resize(core, max(1, core+rnd.IntN(6))))
					_ = p.AllowCoreTimeout(rnd.IntN(2) == 0)
					_ = p.SetKeepAlive(time.Duration(1+rnd.IntN(1000)) * time.Microsecond)
					balanced(t, p.Stats())
					time.Sleep(50 * time.Microsecond)
				}
			})
			all.Go(func() {
				for offered.Load() < int64(goroutines*per*7/10) {
					time.Sleep(50 * time.Microsecond)
				}
				cancelMany()
				if c.force {
					returned.Add(int64(len(p.ShutdownNow())))
				}
				p.Shutdown()
			})
			all.Wait()
			limit, cancel := context.WithTimeout(background, stressLimit)
			defer cancel()
			require.NoError(t, p.AwaitTermination(limit))

			var done, cancelled, discarded int64
			for _, fs := range futures {
				for _, f := range fs {
					require.True(t, f.IsDone(), "every future ends")
					switch err := f.Err(); {
					case err == nil:
						done++
					case errors.Is(err, executors.ErrCancelled):
						cancelled++
					case errors.Is(err, executors.ErrDiscarded):
						discarded++
					default:
						t.Error(err)
					}
				}
			}
			s := p.Stats()
			balanced(t, s)
			assert.Zero(t, s.Active+s.Queued+s.Workers)
			assert.EqualValues(t, goroutines*per, accepted.Load()+refused.Load())
			assert.Equal(t, accepted.Load(), done+cancelled+discarded, "accepted = completed + cancelled + rejected after acceptance")
			assert.EqualValues(t, accepted.Load(), s.Submitted+s.CallerRuns)
			assert.Equal(t, runs.Load(), int64(s.Completed+s.CallerRuns), "as many runs as are counted")
			assert.EqualValues(t, discarded, s.Discarded)
			t.Logf("%v: %d accepted, %d refused, %d cancelled, %d discarded, %d returned", s, accepted.Load(), refused.Load(), cancelled, discarded, returned.Load())
		})
	}
}
