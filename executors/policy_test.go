package executors_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// saturated returns a pool whose only worker is busy until the gate opens and whose
// queue of one is taken by the first future.
func saturated(t *testing.T, policy executors.Policy, opts ...executors.Option) (*executors.ThreadPool, *gate, *executors.Future[int]) {
	t.Helper()
	p := newPool(t, 1, 1, executors.Bounded(1), append(opts, executors.WithPolicy(policy))...)
	g := newGate(t)
	require.NoError(t, p.Execute(background, g.task))
	first, err := p.Submit(background, value(1))
	require.NoError(t, err)
	return p, g, first
}

func crawl(context.Context) {}

func TestB2_1_AbortNamesTaskAndPool(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, _, _ := saturated(t, executors.Abort, executors.WithName("io"))
		err := p.Execute(background, crawl)
		assert.ErrorIs(t, err, executors.ErrRejected)
		assert.ErrorIs(t, err, reactor.ErrRejected)
		assert.ErrorIs(t, err, executors.ErrSaturated)
		assert.NotErrorIs(t, err, executors.ErrShutdown)
		assert.EqualError(t, err, `task github.com/goreactor/reactor/executors_test.crawl rejected from `+
			`"io" [running, workers 1/1, active 1, queued 1/1, completed 0]: executor is saturated`)
		rejected, ok := errors.AsType[*executors.RejectedError](err)
		require.True(t, ok)
		assert.Equal(t, 1, rejected.Stats.Queued)
		f, err := p.Submit(background, value(2))
		assert.Nil(t, f, "the future is never created")
		assert.ErrorIs(t, err, executors.ErrSaturated)
		p.Shutdown()
		assert.ErrorIs(t, p.Execute(background, crawl), executors.ErrShutdown)
		assert.EqualValues(t, 3, p.Stats().Rejected)
	})
}

func TestB2_2_CallerRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, g, first := saturated(t, executors.CallerRuns)
		here := false
		require.NoError(t, p.Execute(background, func(context.Context) { here = true }))
		assert.True(t, here, "synchronously")
		f := accept[*executors.Future[int]](t)(p.Submit(background, value(7)))
		assert.True(t, f.IsDone())
		v, err := f.Get(background)
		assert.NoError(t, err)
		assert.Equal(t, 7, v)
		p.Shutdown()
		f, err = p.Submit(background, value(8))
		assert.Nil(t, f)
		assert.ErrorIs(t, err, executors.ErrShutdown, "an error, not silence")
		g.open()
		assert.NoError(t, first.Wait(background))
	})
}

func TestB2_3_Discard(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var told journal[error]
		p, g, first := saturated(t, executors.Discard, catch(&told))
		f := accept[*executors.Future[int]](t)(p.Submit(background, value(2)))
		assert.Equal(t, executors.ErrDiscarded, f.Wait(background))
		require.NoError(t, p.Execute(background, nothing))
		assert.Equal(t, []error{executors.ErrDiscarded}, told.read(), "the one without a future")
		p.Shutdown()
		f = accept[*executors.Future[int]](t)(p.Submit(background, value(3)))
		assert.Equal(t, executors.ErrDiscarded, f.Wait(background))
		g.open()
		assert.NoError(t, first.Wait(background))
		synctest.Wait()
		assert.EqualValues(t, 3, p.Stats().Discarded)
		balanced(t, p.Stats())
	})
}

func TestB2_4_DiscardOldest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, g, first := saturated(t, executors.DiscardOldest)
		done := first.Done()
		second := accept[*executors.Future[int]](t)(p.Submit(background, value(2)))
		assert.Equal(t, executors.ErrDiscarded, first.Wait(background))
		assert.True(t, isClosed(done), "who waits already is told")
		p.Shutdown()
		third := accept[*executors.Future[int]](t)(p.Submit(background, value(3)))
		assert.Equal(t, executors.ErrDiscarded, third.Wait(background), "dropped after the shutdown")
		g.open()
		v, err := second.Get(background)
		assert.NoError(t, err)
		assert.Equal(t, 2, v)
		synctest.Wait()
		balanced(t, p.Stats())
	})
}

func TestB2_5_CallerRunsIsNotCounted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hooked := 0
		var told journal[error]
		p, _, _ := saturated(t, executors.CallerRuns, catch(&told), executors.WithHooks(executors.Hooks{
			After: func(context.Context, error) { hooked++ },
		}))
		before := p.Stats()
		require.NoError(t, p.Execute(background, func(ctx context.Context) {
			assert.Equal(t, 1, p.Stats().Active)
			assert.Empty(t, executors.WorkerName(ctx))
			panic("caught all the same")
		}))
		s := p.Stats()
		assert.Equal(t, before.Completed, s.Completed)
		assert.Equal(t, before.Submitted, s.Submitted)
		assert.EqualValues(t, 1, s.CallerRuns)
		assert.Zero(t, hooked)
		require.Len(t, told.read(), 1)
		assert.ErrorContains(t, told.read()[0], "caught all the same")
	})
}

func TestB2_6_DiscardOldestDropsTheHeadOfTheOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		type rankKey struct{}
		p := newPool(t, 1, 1, executors.Priority(2, func(ctx context.Context) int { r, _ := ctx.Value(rankKey{}).(int); return r }),
			executors.WithPolicy(executors.DiscardOldest))
		g := newGate(t)
		require.NoError(t, p.Execute(background, g.task))
		submit := func(rank int) *executors.Future[int] {
			return accept[*executors.Future[int]](t)(p.Submit(context.WithValue(background, rankKey{}, rank), value(rank)))
		}
		late, urgent := submit(9), submit(1)
		submit(5)
		assert.Equal(t, executors.ErrDiscarded, urgent.Err(), "the most urgent one is the oldest")
		assert.False(t, late.IsDone())

		// Without a queue there is nothing to drop: no endless loop, an error.
		direct := newPool(t, 1, 1, executors.Direct(), executors.WithPolicy(executors.DiscardOldest))
		require.NoError(t, direct.Execute(background, g.task))
		assert.ErrorIs(t, direct.Execute(background, nothing), executors.ErrSaturated)
	})
}

// A rank may be another one the next time, a number that is drawn for example.
func TestRankIsAskedForOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for name, submit := range map[string]func(*executors.ThreadPool) error{
			"Execute": func(p *executors.ThreadPool) error { return p.Execute(background, nothing) },
			"Submit":  func(p *executors.ThreadPool) error { _, err := p.Submit(background, value(1)); return err },
		} {
			asked := 0
			p := newPool(t, 1, 1, executors.Priority(1, func(context.Context) int { asked++; return 0 }), executors.WithPolicy(executors.DiscardOldest))
			g := newGate(t)
			require.NoError(t, p.Execute(background, g.task))
			require.NoError(t, p.Execute(background, nothing))
			asked = 0
			require.NoError(t, submit(p), name)
			assert.Equal(t, 1, asked, "%s finds the queue full, and is tried again when there is room", name)
		}
	})
}

// Whatever happens to a task, its future ends.
func TestB2_7_EveryAcceptedFutureEnds(t *testing.T) {
	for name, policy := range map[string]executors.Policy{
		"abort": executors.Abort, "caller runs": executors.CallerRuns, "discard": executors.Discard,
		"discard oldest": executors.DiscardOldest,
		"says nothing":   executors.PolicyFunc(func(*executors.Rejection) error { return nil }),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p, _, first := saturated(t, policy)
				futures := []*executors.Future[int]{first}
				for i := range 5 {
					if f, err := p.Submit(background, value(i)); err == nil {
						futures = append(futures, f)
					}
				}
				left := p.ShutdownNow()
				assert.Len(t, left, 1)
				for i := range 5 {
					if f, err := p.Submit(background, value(i)); err == nil {
						futures = append(futures, f)
					}
				}
				synctest.Wait()
				for i, f := range futures {
					assert.True(t, f.IsDone(), "future %d", i)
				}
				balanced(t, p.Stats())
			})
		})
	}
}

// A policy that blocks is back-pressure: it watches the submitter and the pool.
func TestB2_8_PolicyMayBlock(t *testing.T) {
	wait := executors.PolicyFunc(func(r *executors.Rejection) error {
		for !r.Retry() {
			if r.Stopped() {
				return r.Err()
			}
			select {
			case <-time.After(time.Millisecond):
			case <-r.Context().Done():
				return context.Cause(r.Context())
			case <-r.Stopping():
			}
		}
		return nil
	})
	bubble(t, func(t *testing.T) {
		p, g, _ := saturated(t, wait)
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		assert.ErrorIs(t, p.Execute(ctx, nothing), context.DeadlineExceeded)
		time.AfterFunc(time.Second, g.open)
		assert.NoError(t, p.Execute(background, nothing))
	})
	bubble(t, func(t *testing.T) {
		p, _, _ := saturated(t, wait)
		time.AfterFunc(time.Second, p.Shutdown)
		assert.ErrorIs(t, p.Execute(background, nothing), executors.ErrShutdown)
	})
}

// Who has seen that the pool is shut down gets an error that says so, even if the last
// attempt came before.
func TestB2_8_ErrAfterStopped(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, _, _ := saturated(t, executors.PolicyFunc(func(r *executors.Rejection) error {
			assert.ErrorIs(t, r.Err(), executors.ErrSaturated)
			r.Pool().Shutdown()
			assert.True(t, r.Stopped())
			return r.Err()
		}))
		assert.ErrorIs(t, p.Execute(background, nothing), executors.ErrShutdown)
	})
}

func TestB2_8_PolicySeesTheRejection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		type key struct{}
		var seen *executors.Rejection
		mine := errors.New("mine")
		p, _, _ := saturated(t, executors.PolicyFunc(func(r *executors.Rejection) error {
			seen = r
			assert.False(t, r.Retry())
			r.Run()
			r.Run()     // nothing: it has run
			r.Discard() // as above
			assert.True(t, r.Retry())
			return mine // too late to refuse
		}))
		runs := 0
		assert.NoError(t, p.Execute(context.WithValue(background, key{}, 1), func(context.Context) { runs++ }))
		assert.Equal(t, 1, runs)
		assert.Same(t, p, seen.Pool())
		assert.Equal(t, 1, seen.Context().Value(key{}))
	})
}

// The figures of a rejection stay when the task was accepted: whoever has that may be through with it.
func TestB2_8_RejectionOfATaskThatHasEnded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		type key struct{}
		var open func()
		p, g, _ := saturated(t, executors.PolicyFunc(func(r *executors.Rejection) error {
			assert.True(t, r.DropOldest())
			assert.True(t, r.Retry())
			open()
			synctest.Wait()
			assert.Equal(t, 1, r.Context().Value(key{}))
			assert.ErrorContains(t, r.Err(), "TestB2_8")
			return r.Err()
		}))
		open = g.open
		f := accept[*executors.Future[int]](t)(p.Submit(context.WithValue(background, key{}, 1), func(context.Context) (int, error) { return 1, nil }))
		v, err := f.Get(background)
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
	})
}

// The standard policies have no state of their own: one serves any number of pools.
func TestB2_9_PoliciesAreStateless(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a, _, firstA := saturated(t, executors.DiscardOldest)
		b, _, firstB := saturated(t, executors.DiscardOldest)
		before := b.Stats()
		require.NoError(t, a.Execute(background, nothing))
		assert.True(t, firstA.IsDone())
		assert.False(t, firstB.IsDone())
		assert.Equal(t, before, b.Stats())
	})
}

// B11: a submission that waits is a different method.
func TestB11_SubmitWaitWaitsForRoom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, g, first := saturated(t, executors.Abort)
		time.AfterFunc(time.Second, g.open)
		start := time.Now()
		f := accept[*executors.Future[int]](t)(p.SubmitWait(background, value(2)))
		assert.Equal(t, time.Second, time.Since(start))
		assert.NoError(t, first.Wait(background))
		assert.NoError(t, f.Wait(background))
	})
	bubble(t, func(t *testing.T) { // a cancelled task makes room, too
		p, _, first := saturated(t, executors.Abort)
		time.AfterFunc(time.Second, func() { first.Cancel(nil) })
		assert.NoError(t, p.ExecuteWait(background, nothing))
	})
	bubble(t, func(t *testing.T) { // the end of the context, and of the pool
		p, _, _ := saturated(t, executors.Abort)
		ctx, cancel := context.WithTimeout(background, time.Second)
		defer cancel()
		assert.ErrorIs(t, p.ExecuteWait(ctx, nothing), context.DeadlineExceeded)
		time.AfterFunc(time.Second, p.Shutdown)
		_, err := p.SubmitWait(background, value(1))
		assert.ErrorIs(t, err, executors.ErrShutdown)
	})
	bubble(t, func(t *testing.T) { // so does a larger pool, and a worker lost to Goexit comes back
		p, _, _ := saturated(t, executors.Abort)
		time.AfterFunc(time.Second, func() { assert.NoError(t, p.SetMax(2)) })
		assert.NoError(t, p.ExecuteWait(background, func(context.Context) { goexit() }))
		assert.NoError(t, p.ExecuteWait(background, nothing))
	})
}

// A task that stands for a scheduler's is refused, not dropped, where the policy drops.
func TestB2_3_TrackedTasksAreNotDropped(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, policy := range []executors.Policy{executors.Discard, executors.DiscardOldest} {
			var told journal[error]
			p := newPool(t, 1, 1, executors.Direct(), executors.WithPolicy(policy), catch(&told))
			g := newGate(t)
			require.NoError(t, p.Execute(background, g.task))
			_, err := p.Track(background, nothing, func(cause error) { t.Error("it was not accepted") })
			assert.ErrorIs(t, err, executors.ErrSaturated)
			assert.Empty(t, told.read())
			s := p.Stats()
			assert.Equal(t, []uint64{1, 0, 1}, []uint64{s.Submitted, s.Discarded, s.Rejected})
			g.open()
		}
	})
}

// The policies hold for a scheduled pool that is shut down, too.
func TestB2_3_DiscardOnAScheduledPool(t *testing.T) {
	for name, policy := range map[string]executors.Policy{"discard": executors.Discard, "oldest": executors.DiscardOldest} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var told journal[error]
				p := newScheduled(t, 1, executors.WithPolicy(policy), catch(&told))
				p.Shutdown()
				assert.Equal(t, executors.ErrDiscarded, accept[*executors.Handle](t)(p.After(time.Second, noError)).Err())
				assert.Empty(t, told.read())
				assert.NoError(t, p.Execute(background, nothing))
				withdraw, err := p.ExecuteAfter(background, time.Second, nothing)
				require.NoError(t, err)
				assert.False(t, withdraw())
				assert.Equal(t, []error{executors.ErrDiscarded, executors.ErrDiscarded}, told.read(), "those without a future")
				_, err = p.Track(background, nothing, nil)
				assert.ErrorIs(t, err, executors.ErrShutdown, "those of schedulers are refused")
				assert.EqualValues(t, 3, p.Stats().Discarded)
				balanced(t, p.Stats())
			})
		})
	}
}

// What a policy drops was accepted, for a meter as for Stats: what is submitted and what is rejected are all there were.
func TestWhatIsDiscardedIsSubmitted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, policy := range []executors.Policy{executors.Discard, executors.DiscardOldest} {
			m := newTestMeter()
			p, g, _ := saturated(t, policy, executors.WithMeter(m, "app"), executors.WithErrorHandler(func(context.Context, error) {}))
			for range 3 {
				require.NoError(t, p.Execute(background, crawl))
			}
			synctest.Wait()
			st := p.Stats()
			assert.EqualValues(t, 5, st.Submitted)
			assert.EqualValues(t, 3, st.Discarded)
			assert.Equal(t, []int64{5, 1, 0}, m.values("app.executor.submitted", "app.executor.queued", "app.executor.rejected"))
			g.open()
			p.Shutdown()
			require.NoError(t, p.AwaitTermination(background))
		}
	})
}

// A policy that drops the task twice has dropped one task.
func TestARejectionIsDiscardedOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var told journal[error]
		p, _, _ := saturated(t, executors.PolicyFunc(func(r *executors.Rejection) error {
			r.Discard()
			r.Discard()
			return nil
		}), catch(&told))
		require.NoError(t, p.Execute(background, nothing))
		assert.EqualValues(t, 1, p.Stats().Discarded)
		assert.Equal(t, []error{executors.ErrDiscarded}, told.read())
		balanced(t, p.Stats())
	})
}

// The oldest task of a pool for delayed ones is no task of its policy.
func TestDropOldestOfAScheduledPool(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var dropped []bool
		p := newScheduled(t, 1, executors.WithPolicy(executors.PolicyFunc(func(r *executors.Rejection) error {
			dropped = append(dropped, r.DropOldest())
			return r.Err()
		})))
		later := accept[*executors.Handle](t)(p.After(time.Second, noError))
		p.Shutdown()
		assert.ErrorIs(t, p.Execute(background, nothing), executors.ErrShutdown)
		assert.Equal(t, []bool{false}, dropped)
		pass(time.Second)
		assert.NoError(t, later.Err())
		balanced(t, p.Stats())
	})
}
