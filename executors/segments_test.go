package executors

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The queue in segments and the heap against a list, with removals anywhere.
func TestQueuesAgainstAModel(t *testing.T) {
	for name, make := range map[string]func() taskQueue{
		"segments": func() taskQueue { return &segments{capacity: 100} },
		"ranked":   func() taskQueue { return &ranked{capacity: 100} },
	} {
		t.Run(name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, 2))
			q, n := make(), 0
			var model []*Handle
			for step := range 10_250 {
				grow := step/500%2 == 0
				switch k := rnd.IntN(10); {
				case k < 3 || grow && k < 6:
					h := &Handle{}
					h.essential = rnd.IntN(4) == 0
					ok := q.offer(entry{h: h})
					require.Equal(t, len(model) < 100, ok)
					if ok {
						model = append(model, h)
					}
				case k < 7:
					e, ok := q.poll(0)
					require.Equal(t, len(model) > 0, ok)
					if ok {
						require.Same(t, model[0], e.h)
						require.False(t, q.remove(e.h), "it is out")
						model = model[1:]
					}
				case k < 8:
					i := slices.IndexFunc(model, func(h *Handle) bool { return !h.essential })
					e, ok := q.dropOldest()
					require.Equal(t, i >= 0, ok)
					if ok {
						require.Same(t, model[i], e.h)
						model = slices.Delete(model, i, i+1)
					}
				case len(model) > 0:
					i := rnd.IntN(len(model))
					require.True(t, q.remove(model[i]))
					model = slices.Delete(model, i, i+1)
				}
				n = max(n, len(model))
				require.Equal(t, len(model), q.len())
			}
			require.Equal(t, 100, n)
			var left []*Handle
			for _, e := range q.drain() {
				left = append(left, e.h)
			}
			require.Equal(t, model, left)
			require.Zero(t, q.len())
		})
	}
}

// claimEntry claims a task as a worker does.
func claimEntry(q *segments, t *taker) (entry, claimed) {
	s, i, c := q.claim(t)
	if c != claimedTask {
		return entry{}, c
	}
	if fn := s.plain(i); fn != nil {
		return entry{fn: fn, ctx: context.Background()}, c
	}
	return s.empty(i), c
}

// As above, with some more tasks than a segment has, and workers that take them while the
// gate is open.
func TestSegmentsAgainstAModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	q := &segments{capacity: Unlimited}
	var model []*Handle
	var tk taker
	claims, polls, most := uint64(0), uint64(0), 0
	for step := range 100_000 {
		grow := step/2500%2 == 0
		switch k := rnd.IntN(100); {
		case grow && k < 60 || k < 30:
			h := &Handle{}
			require.True(t, q.offer(entry{h: h}))
			model = append(model, h)
		case k < 93:
			e, c := claimEntry(q, &tk)
			if c == claimedLocked {
				claims -= q.freeze()
				var ok bool
				e, ok = q.poll(0)
				require.Equal(t, len(model) > 0, ok)
				q.thaw()
				polls++
			} else {
				require.Equal(t, len(model) > 0, c == claimedTask)
				if c == claimedTask {
					claims++
				}
			}
			if !e.empty() {
				require.Same(t, model[0], e.h)
				model = model[1:]
			}
		case k < 95:
			claims -= q.freeze()
			e, ok := q.dropOldest()
			q.thaw()
			if require.Equal(t, len(model) > 0, ok); ok {
				require.Same(t, model[0], e.h)
				model = model[1:]
			}
		case k < 96 && len(model) > 0:
			claims -= q.freeze()
			i := rnd.IntN(min(len(model), 200))
			require.True(t, q.remove(model[i]))
			require.False(t, q.remove(model[i]))
			model = slices.Delete(model, i, i+1)
			q.thaw()
		}
		most = max(most, len(model))
		require.Equal(t, len(model), q.len())
		require.Equal(t, len(model) > 0 || q.holes > 0, q.some())
	}
	claims -= q.freeze()
	require.Zero(t, claims, "every claim is counted once, and nothing else")
	require.Greater(t, most, 5*segmentSize)
	require.Positive(t, polls, "a hole shuts the gate")
	require.Len(t, q.drain(), len(model))
}

// A queue that is filled and emptied all the time needs two segments, however many tasks
// go through it; one that has become long does not keep what it needed.
func TestSegmentsAreUsedAgain(t *testing.T) {
	q := &segments{capacity: Unlimited}
	e := entry{fn: func(context.Context) {}, ctx: context.Background()}
	var tk taker
	turn := func(n int) {
		for range n {
			q.offer(e)
		}
		for range n {
			if _, c := claimEntry(q, &tk); c == claimedLocked {
				q.poll(0)
			}
		}
		require.Zero(t, q.len())
	}
	turn(2 * segmentSize)
	require.Zero(t, testing.AllocsPerRun(100, func() { turn(segmentSize/2 + 1) }))
	turn(100 * segmentSize)
	turn(segmentSize)
	in := 0
	for _, s := range q.dir {
		if s != nil {
			in++
		}
	}
	require.LessOrEqual(t, in, 2)
}

// A drop leaves a hole where the head could not be dropped. The next one must not find it
// again: a pool that is saturated for long drops as many tasks as it is given.
func TestSegmentsLookAtAHoleOnce(t *testing.T) {
	q := &segments{capacity: 1<<10 + 1}
	q.freeze()
	e := entry{fn: func(context.Context) {}, ctx: context.Background()}
	for q.offer(e) {
	}
	for range 5000 {
		head := q.at()
		_, ok := q.dropOldest()
		require.True(t, ok)
		require.True(t, q.offer(e))
		require.Equal(t, int64(1), q.at()-head)
		require.Zero(t, q.holes)
	}
}

// What comes out of a cell is what was put in.
func TestCellsKeepEntries(t *testing.T) {
	ran := 0
	fn := func(context.Context) { ran++ }
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, timed := range []bool{false, true} {
		q := &segments{capacity: Unlimited, timed: timed}
		h := &Handle{}
		in := []entry{{fn: fn, ctx: context.Background(), at: 7}, {fn: fn, ctx: ctx, at: 8}, {h: h, at: 9}, {fn: fn, ctx: context.WithValue(ctx, identityKey{}, 1), at: 10}}
		for _, e := range append(in, in...) {
			require.True(t, q.offer(e))
		}
		var tk taker
		for i, e := range append(in, in...) {
			var out entry
			ok := false
			if i < len(in) {
				out, ok = q.poll(0)
			} else if s, at, c := q.claim(&tk); c == claimedTask {
				fn := s.plain(at)
				require.Equal(t, e.h == nil && e.ctx == context.Background(), fn != nil)
				out, ok = entry{fn: fn, ctx: e.ctx, at: e.at}, true
				if fn == nil {
					out = s.empty(at)
				}
			}
			require.True(t, ok)
			require.Equal(t, e.ctx, out.ctx)
			require.Same(t, e.h, out.h)
			if timed {
				require.Equal(t, e.at, out.at)
			}
			if e.h == nil {
				ran = 0
				out.fn(ctx)
				require.Equal(t, 1, ran)
			}
		}
		require.Zero(t, q.segment(0).tasks)
		require.Zero(t, *q.segment(0).handles.Load())
		require.Zero(t, *q.segment(0).contexts.Load())
	}
}

// A task more than there are workers that look into the queue is one for a worker that
// rests. It is given the oldest one.
func TestTasksBeyondThoseWhoLookWakeAWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := NewThreadPool(2, 2, time.Minute, Unbounded())
		require.NoError(t, err)
		p.PrestartAll()
		synctest.Wait()
		require.Equal(t, 2, p.Stats().Idle)
		var begun []int
		steps := make(chan struct{})
		give := func(n int) {
			require.NoError(t, p.Execute(context.Background(), func(context.Context) {
				begun = append(begun, n)
				<-steps
			}))
			synctest.Wait()
		}
		p.looking.Add(1) // somebody will look for one
		give(1)
		require.Empty(t, begun)
		require.Equal(t, 1, p.Stats().Queued)
		give(2)
		require.Equal(t, []int{1}, begun)
		give(3)
		require.Equal(t, []int{1, 2}, begun)
		p.looking.Add(-1)
		require.Equal(t, 1, p.Stats().Queued)
		close(steps)
		require.NoError(t, p.Close(context.Background()))
		require.Equal(t, []int{1, 2, 3}, begun)
	})
}

// As above, where the hole is there because a task was cancelled.
func TestSegmentsPassAHoleOnce(t *testing.T) {
	q := &segments{capacity: Unlimited}
	q.freeze()
	e := entry{fn: func(context.Context) {}, ctx: context.Background()}
	h := &Handle{}
	for _, e := range []entry{e, {h: h}, e, e} {
		require.True(t, q.offer(e))
	}
	require.True(t, q.remove(h))
	require.Equal(t, 1, q.holes)
	for _, head := range []int64{1, 3, 4} {
		_, ok := q.dropOldest()
		require.True(t, ok)
		require.Equal(t, head, q.at())
	}
	require.Zero(t, q.holes)
	require.Zero(t, q.len())
}

// A worker that has claimed a task takes it out of the piece it is in, whatever has become
// of the queue in the meantime.
func TestSegmentsKeepWhatIsClaimed(t *testing.T) {
	q := &segments{capacity: Unlimited}
	claimed := &Handle{}
	require.True(t, q.offer(entry{h: claimed}))
	piece := q.front.Load()
	q.head.Add(2) // as claim does before it takes the task
	var tk taker
	for range 4 * segmentSize {
		require.True(t, q.offer(entry{h: &Handle{}}))
		if _, c := claimEntry(q, &tk); c == claimedLocked {
			q.freeze()
			_, ok := q.poll(0)
			require.True(t, ok)
			q.thaw()
		}
	}
	require.Same(t, claimed, piece.empty(0).h)
}

// Workers that claim, and one that has the lock, take each task once.
func TestStressEachTaskIsTakenOnce(t *testing.T) {
	const n = 20 * segmentSize
	q := &segments{capacity: Unlimited}
	for range n {
		require.True(t, q.offer(entry{h: &Handle{}}))
	}
	var mu sync.Mutex
	taken := map[*Handle]int{}
	note := func(mine []*Handle) {
		mu.Lock()
		defer mu.Unlock()
		for _, h := range mine {
			taken[h]++
		}
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			var mine []*Handle
			for tk := (taker{}); len(mine) <= n; {
				e, c := claimEntry(q, &tk)
				if c == claimedNone {
					break
				}
				if c == claimedTask {
					mine = append(mine, e.h)
				} else {
					runtime.Gosched() // the one with the lock puts the front right
				}
			}
			note(mine)
		})
	}
	all.Go(func() {
		var mine []*Handle
		for len(mine) <= n {
			e, ok := q.next()
			if !ok {
				break
			}
			mine = append(mine, e.h)
		}
		note(mine)
	})
	all.Wait()
	require.Len(t, taken, n)
	for h, times := range taken {
		require.NotNil(t, h)
		require.Equal(t, 1, times)
	}
}

// A worker that is told before it has parked does not park.
func TestASignalBeforeTheWorkerParks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &worker{wake: make(chan struct{}, 1)}
		w.waiting.Store(looking)
		w.signal()
		w.await()
		w.waiting.Store(looking)
		go w.await()
		synctest.Wait()
		w.signal()
	})
}

// A worker that looks for a task stands for one. The next one is for a worker that rests,
// also if the first one is taken that very moment.
func TestStressWhoTookATaskDoesNotLook(t *testing.T) {
	ctx := context.Background()
	p, err := NewThreadPool(2, 2, time.Minute, Unbounded())
	require.NoError(t, err)
	p.PrestartAll()
	rests := func() bool { return p.Stats().Idle == 2 }
	for i := range 1000 {
		for !rests() {
			runtime.Gosched()
		}
		small := make(chan struct{})
		require.NoError(t, p.Execute(ctx, func(context.Context) { close(small) }))
		for <-small; p.looking.Load() == 0 && !rests(); {
			runtime.Gosched()
		}
		begun, both := make(chan struct{}), make(chan struct{})
		meet := func(context.Context) { begun <- struct{}{}; <-both }
		require.NoError(t, p.Execute(ctx, meet))
		for p.line.some() && (i%2 == 0 || p.looking.Load() > 0) { // until it is taken, or about to be
			runtime.Gosched()
		}
		require.NoError(t, p.Execute(ctx, meet))
		for range 2 {
			select {
			case <-begun:
			case <-time.After(10 * time.Second):
				require.Fail(t, "a task waits beside a worker that rests")
			}
		}
		close(both)
	}
	require.NoError(t, p.Close(ctx))
}

// Who waits for room and is woken for a worker that another one got is the first again.
func TestWaitersThatComeBackAreListed(t *testing.T) {
	var l waiters
	a, b := new(waiter), new(waiter)
	l.pushFront(a) // the list was empty meanwhile
	l.pushBack(b)
	require.Equal(t, waiters{a, b}, l)
	require.Same(t, b, a.next)
	l.remove(b)
	l.remove(a)
	require.Equal(t, waiters{}, l)
}

// A job that is over is not kept by its scheduler.
func TestJobsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := NewTaskScheduler()
		require.NoError(t, err)
		_, err = s.At(time.Now(), func(context.Context) error { return nil })
		require.NoError(t, err)
		series, err := s.AtFixedRate(time.Hour, func(context.Context) error { return nil })
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, []*Job{series}, s.Jobs())
		series.Cancel(nil)
		require.Empty(t, s.Jobs())
		s.ShutdownNow()
		require.NoError(t, s.AwaitTermination(context.Background()))
	})
}

func TestWaitersKeepTheirPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		p, err := NewThreadPool(1, 1, time.Minute, Direct())
		require.NoError(t, err)
		hold := make(chan struct{})
		require.NoError(t, p.Execute(ctx, func(context.Context) { <-hold }))
		var ran []int
		for i := range 3 {
			go func() {
				if err := p.ExecuteWait(ctx, func(context.Context) { ran = append(ran, i) }); err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait()
		}
		p.lock()
		p.most++
		woken := p.room()
		p.most--
		p.unlock()
		woken.wake()
		synctest.Wait()
		close(hold)
		synctest.Wait()
		require.Equal(t, []int{0, 1, 2}, ran)
		require.NoError(t, p.Close(ctx))
	})
}

// The time of the next run, where the one before took its time.
func TestTimesOfASeries(t *testing.T) {
	const never = math.MaxInt64
	for _, c := range []struct {
		missed   Missed
		now      int64
		want     int64
		due      int64
		interval time.Duration
	}{
		{MissedAll, 105, 110, 100, 10},
		{MissedAll, 110, 110, 100, 10},
		{MissedAll, 135, 110, 100, 10},
		{MissedOne, 110, 110, 100, 10},
		{MissedOne, 119, 110, 100, 10},
		{MissedOne, 120, 120, 100, 10},
		{MissedOne, 135, 130, 100, 10},
		{MissedSkip, 110, 110, 100, 10},
		{MissedSkip, 111, 120, 100, 10},
		{MissedSkip, 120, 120, 100, 10}, // in time
		{MissedSkip, 121, 130, 100, 10},
		{MissedAll, 105, never, 100, never},
		{MissedOne, 105, never, 100, never},
		{MissedSkip, never - 1, never, never - 7, 5},
	} {
		s := series{period: c.interval, missed: c.missed}
		require.Equal(t, c.want, s.next(c.due, c.now), "%+v", c)
		if c.interval != 10 {
			continue
		}
		at := func(n int64) time.Time { return time.Unix(0, n) }
		r := repeat{period: c.interval, rate: true, missed: c.missed}
		next, ok := r.Next(TriggerContext{Now: at(c.now), LastScheduled: at(c.due), LastStart: at(c.due), LastEnd: at(c.now)})
		require.True(t, ok)
		require.Equal(t, at(c.want), next, "a job: %+v", c)
	}
}

// A backlog that comes and goes is not paid in garbage, and what is kept for it has a limit.
func TestSegmentsKeepWhatWasUsedUp(t *testing.T) {
	q := &segments{capacity: Unlimited}
	fill := func(pieces int) {
		for range pieces * segmentSize {
			require.True(t, q.offer(entry{fn: func(context.Context) {}, ctx: context.Background()}))
		}
		for q.len() > 0 {
			_, ok := q.poll(0)
			require.True(t, ok)
		}
	}
	fill(10)
	fill(1)
	assert.Equal(t, 9, q.spares, "all but the one that was used again")
	fill(3 * maxSpares)
	fill(1)
	assert.Equal(t, maxSpares-1, q.spares)
}

// Takers go from one piece to the next without the lock.
func TestClaimsPassTheEndOfAPiece(t *testing.T) {
	q := &segments{capacity: Unlimited}
	for range 3*segmentSize + 1 {
		q.push(func(context.Context) {})
	}
	var tk taker
	for range 3*segmentSize + 1 {
		_, c := claimEntry(q, &tk)
		require.Equal(t, claimedTask, c)
	}
	_, c := claimEntry(q, &tk)
	require.Equal(t, claimedNone, c)
}

// A piece whose takers have not settled is not used again. It is waited for, but not for ever, and whoever
// keeps it does not keep what came after it.
func TestSegmentsWaitForTakers(t *testing.T) {
	q := &segments{capacity: Unlimited}
	var slow, fast taker
	through := func(pieces int) {
		for range pieces * segmentSize {
			q.push(func(context.Context) {})
			_, c := claimEntry(q, &fast)
			require.Equal(t, claimedTask, c)
		}
	}
	q.push(func(context.Context) {})
	piece := q.front.Load()
	_, c := claimEntry(q, &slow)
	require.Equal(t, claimedTask, c)
	through(10)
	require.Zero(t, q.low)
	require.Zero(t, piece.base.Load())
	require.NotNil(t, piece.after.Load())
	slow.settle()
	through(1)
	require.Equal(t, int64(10), q.low, "all but the one that the other taker is in")
	require.NotZero(t, q.spares)
	require.Zero(t, testing.AllocsPerRun(10, func() { through(1) }))

	q.push(func(context.Context) {})
	_, c = claimEntry(q, &slow)
	require.Equal(t, claimedTask, c)
	piece = slow.from
	base := piece.base.Load()
	through(maxSpares + 2)
	require.Equal(t, base, piece.base.Load())
	require.Nil(t, piece.after.Load())
	require.Greater(t, q.low, base>>segmentBits)
}

// What a worker took is known when it rests, so that what it took from can be used again.
func TestWorkersSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := NewThreadPool(1, 1, time.Minute, Unbounded())
		require.NoError(t, err)
		hold := make(chan struct{})
		for range segmentSize + 1 { // the first one does not pass the queue
			require.NoError(t, p.Execute(context.Background(), func(context.Context) { <-hold }))
		}
		piece := p.line.front.Load()
		require.Equal(t, int32(segmentSize), piece.left.Load())
		close(hold)
		synctest.Wait()
		require.Zero(t, piece.left.Load())
		require.NoError(t, p.Close(context.Background()))
	})
}

// What no policy may drop is looked at once, however often something is to be dropped.
func TestDropsPassWhatStays(t *testing.T) {
	const n = 1000
	q := &segments{capacity: Unlimited}
	for range n {
		require.True(t, q.offer(entry{h: &Handle{essential: true}}))
	}
	q.freeze()
	_, ok := q.dropOldest()
	require.False(t, ok)
	q.handle(n / 2).essential = false // which never happens: it shows who is looked at
	_, ok = q.dropOldest()
	require.False(t, ok, "it is not looked at again")
	h := &Handle{}
	require.True(t, q.offer(entry{h: h}))
	require.True(t, q.offer(entry{h: &Handle{essential: true}}))
	e, ok := q.dropOldest()
	require.True(t, ok)
	require.Same(t, h, e.h)
	_, ok = q.dropOldest()
	require.False(t, ok)
	for range n + 1 {
		_, ok := q.poll(0)
		require.True(t, ok)
	}
	require.True(t, q.offer(entry{h: h}), "which has gone on")
	e, ok = q.dropOldest()
	require.True(t, ok)
	require.Same(t, h, e.h)
	require.Zero(t, q.len())
}
