package protocol

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// handLane keeps tasks until they are run by hand.
type handLane struct {
	mu      sync.Mutex
	tasks   []func(context.Context) // guarded by mu
	refusal error                   // guarded by mu
	inline  bool                    // run tasks within Execute
	taken   func()                  // called once the lane has a task, before Execute returns
}

func (l *handLane) Execute(task func(context.Context)) error {
	l.mu.Lock()
	if l.refusal != nil {
		defer l.mu.Unlock()
		return l.refusal
	}
	if l.inline {
		l.mu.Unlock()
		task(context.Background())
		return nil
	}
	l.tasks = append(l.tasks, task)
	l.mu.Unlock()
	if l.taken != nil {
		l.taken()
	}
	return nil
}

func (l *handLane) run() (n int) {
	for {
		l.mu.Lock()
		if len(l.tasks) == 0 {
			l.mu.Unlock()
			return n
		}
		task := l.tasks[0]
		l.tasks = l.tasks[1:]
		l.mu.Unlock()
		task(context.Background())
		n++
	}
}

// taskTally counts announced work; a pass takes all of it, or one piece at a
// time if it yields.
type taskTally struct {
	TaskDrain
	pending  atomic.Int64
	handled  int64 // owner only, so -race checks that there is one owner
	passes   int64 // owner only
	inside   atomic.Int32
	overlaps atomic.Int32
	yields   bool
	pass     func()
	crashes  []error // owner only
	refusals []error // owner only
}

func newTaskTally(l lane) *taskTally {
	d := &taskTally{}
	d.Init(d, l)
	return d
}

func (t *taskTally) DrainPass() {
	if t.inside.Add(1) != 1 {
		t.overlaps.Add(1)
	}
	defer t.inside.Add(-1)
	chaos.Yield()
	t.passes++
	if t.pass != nil {
		t.pass()
	}
	if t.yields && len(t.refusals) == 0 {
		if t.pending.Load() > 0 {
			t.pending.Add(-1)
			t.handled++
			t.Yield()
		}
		return
	}
	t.handled += t.pending.Swap(0)
}

func (t *taskTally) DrainCrashed(_ Drainer, err error) { t.crashes = append(t.crashes, err) }
func (t *taskTally) DrainRejected(err error)           { t.refusals = append(t.refusals, err) }

func (t *taskTally) announce() {
	t.pending.Add(1)
	t.Run()
}

func (t *taskTally) cancel() {
	t.pending.Add(1)
	t.Cancel()
}

func TestTaskDrainWorksOnTheLane(t *testing.T) {
	l := &handLane{}
	d := newTaskTally(l)
	d.announce()
	d.announce()
	assert.Zero(t, d.handled)
	assert.Equal(t, 1, l.run(), "one task for both")
	assert.EqualValues(t, 2, d.handled)
	d.announce()
	assert.Equal(t, 1, l.run())
	assert.EqualValues(t, 3, d.handled)
}

func TestTaskDrainRejected(t *testing.T) {
	l := &handLane{refusal: errors.New("no")}
	d := newTaskTally(l)
	d.announce()
	assert.Equal(t, []error{l.refusal}, d.refusals)
	assert.EqualValues(t, 1, d.handled, "done by the announcer")
	l.refusal = nil
	d.announce()
	l.run()
	assert.EqualValues(t, 2, d.handled, "a refusal is not for ever")
}

func TestTaskDrainCancelTakesOver(t *testing.T) {
	l := &handLane{}
	d := newTaskTally(l)
	d.announce()
	d.cancel()
	assert.EqualValues(t, 2, d.handled, "no task needed")
	l.run()
	assert.EqualValues(t, 2, d.handled, "the stale task does nothing")
	d.cancel()
	assert.EqualValues(t, 3, d.handled, "nor is one if nobody drains")
}

func TestTaskDrainNeedsNoLaneAfterACancellation(t *testing.T) {
	l := &handLane{}
	d := newTaskTally(l)
	d.announce()
	d.cancel()
	d.announce()
	assert.EqualValues(t, 3, d.handled)
	assert.Equal(t, 1, l.run(), "the stale task")
	assert.EqualValues(t, 3, d.handled)
}

func TestTaskDrainYields(t *testing.T) {
	l := &handLane{}
	d := newTaskTally(l)
	d.yields = true
	d.pending.Add(2)
	d.announce()
	assert.Equal(t, 4, l.run(), "one task for each piece, and one that finds nothing left")
	assert.EqualValues(t, 3, d.handled)
	d.announce()
	l.run()
	assert.EqualValues(t, 4, d.handled)
}

func TestTaskDrainCancelTakesOverAfterYield(t *testing.T) {
	l := &handLane{}
	d := newTaskTally(l)
	d.yields = true
	d.pending.Add(2)
	d.announce()
	l.tasks[0](context.Background())
	d.yields = false
	d.Cancel()
	assert.EqualValues(t, 3, d.handled)
}

// A cancellation that comes while the work is on its way to the lane does not depend on that either.
func TestTaskDrainCancelWhileTheWorkIsHandedOver(t *testing.T) {
	t.Run("before the lane has the task", func(t *testing.T) {
		l := &handLane{}
		d := newTaskTally(l)
		d.pending.Add(1)
		require.True(t, d.drain.Announce())
		d.cancel()
		assert.Zero(t, d.handled, "there is one who is about to hand it over")
		d.submit()
		assert.EqualValues(t, 2, d.handled)
		assert.False(t, d.drain.Active())
		l.run()
		assert.EqualValues(t, 2, d.handled)
	})
	t.Run("when the lane has it", func(t *testing.T) {
		l := &handLane{}
		d := newTaskTally(l)
		l.taken = d.cancel
		d.announce()
		assert.EqualValues(t, 2, d.handled)
		assert.False(t, d.drain.Active())
		l.run()
		assert.EqualValues(t, 2, d.handled)
	})
	t.Run("by a pass that has done its share", func(t *testing.T) {
		l := &handLane{}
		d := newTaskTally(l)
		d.yields = true
		d.pending.Add(2)
		d.announce()
		l.taken = func() { d.yields = false; d.cancel() }
		l.tasks[0](context.Background())
		assert.EqualValues(t, 4, d.handled)
		assert.False(t, d.drain.Active())
		l.run()
		assert.EqualValues(t, 4, d.handled)
	})
	t.Run("before that pass hands it over", func(t *testing.T) {
		l := &handLane{}
		d := newTaskTally(l)
		d.yields = true
		d.pending.Add(2)
		d.announce()
		d.pass = func() { d.pass = nil; d.cancel() }
		task := l.tasks[0]
		l.tasks = nil
		task(context.Background())
		assert.EqualValues(t, 4, d.handled)
		assert.False(t, d.drain.Active())
		assert.Empty(t, l.tasks)
	})
}

func TestTaskDrainYieldDoesNotNest(t *testing.T) {
	l := &handLane{inline: true}
	d := newTaskTally(l)
	d.yields = true
	depth, deepest := 0, 0
	d.pass = func() {
		depth++
		deepest = max(deepest, depth)
		defer func() { depth-- }()
	}
	d.pending.Add(100_000)
	d.announce()
	assert.EqualValues(t, 100_001, d.handled)
	assert.Equal(t, 1, deepest)
}

func TestTaskDrainYieldRejected(t *testing.T) {
	l := &handLane{}
	d := newTaskTally(l)
	d.yields = true
	d.pending.Add(5)
	d.announce()
	task := l.tasks[0]
	l.refusal = errors.New("no")
	task(context.Background())
	assert.Equal(t, []error{l.refusal}, d.refusals)
	assert.EqualValues(t, 6, d.handled)
}

func TestTaskDrainSurvivesPanic(t *testing.T) {
	l := &handLane{}
	d := newTaskTally(l)
	first := true
	d.pass = func() {
		if first {
			first = false
			d.announce() // in the pass that fails: must not be lost
			panic("boom")
		}
	}
	d.announce()
	assert.NotPanics(t, func() { l.run() })
	assert.Len(t, d.crashes, 1)
	assert.EqualValues(t, 2, d.handled)
}

// spawnLane runs each task at once on a goroutine of its own.
type spawnLane struct{ wg sync.WaitGroup }

func (l *spawnLane) Execute(task func(context.Context)) error {
	l.wg.Go(func() { task(context.Background()) })
	return nil
}

func TestTaskDrainLosesNoWork(t *testing.T) {
	for _, yields := range []bool{false, true} {
		racetest.Rounds(t, 1000, func() ([]func(), func()) {
			l := &spawnLane{}
			d := newTaskTally(l)
			d.yields = yields
			return []func(){d.announce, d.announce, d.cancel}, func() {
				l.wg.Wait()
				assert.False(t, d.drain.Active())
				assert.EqualValues(t, 3, d.handled)
				assert.Zero(t, d.overlaps.Load())
			}
		})
	}
}
