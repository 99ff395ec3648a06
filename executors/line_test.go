package executors_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rounds is how often the tests below try.
func rounds() int {
	if fullStress {
		return 20_000
	}
	return 1000
}

// As many tasks as there are workers wait for each other. None is left to a worker that
// has something else to do while another one rests, whatever the workers are about when
// the tasks come: running, looking again, resting.
func TestStressEveryWorkerIsWokenForItsTask(t *testing.T) {
	const workers = 3
	p := newPool(t, workers, workers, executors.Unbounded())
	for range rounds() {
		var all, met sync.WaitGroup
		all.Add(workers)
		met.Add(workers)
		var givers sync.WaitGroup
		for range workers {
			givers.Go(func() {
				for range 3 { // small ones, so that some look and some rest
					assert.NoError(t, p.Execute(background, func(context.Context) {}))
				}
				assert.NoError(t, p.Execute(background, func(context.Context) {
					met.Done()
					met.Wait()
					all.Done()
				}))
			})
		}
		givers.Wait()
		all.Wait()
	}
}

// Workers take tasks past the lock; whoever looks finds exact figures all the same, and
// after ShutdownNow each task was run or is returned.
func TestStressFiguresWhileTasksAreTaken(t *testing.T) {
	for range 20 {
		const givers = 4
		p, err := executors.NewThreadPool(2, 2, time.Minute, executors.Unbounded())
		require.NoError(t, err)
		var begun, over atomic.Int64
		var all sync.WaitGroup
		accepted := make([]int, givers)
		for g := range givers {
			all.Go(func() {
				for range rounds() {
					if p.Execute(background, func(context.Context) { begun.Add(1); over.Add(1) }) != nil {
						return
					}
					accepted[g]++
				}
			})
		}
		for range 50 {
			done := over.Load()
			s := p.Stats()
			ran := begun.Load()
			balanced(t, s)
			assert.GreaterOrEqual(t, s.Completed+uint64(s.Active), uint64(done), "what has ended was begun")
			assert.LessOrEqual(t, s.Completed, uint64(ran), "what is completed was begun")
			assert.LessOrEqual(t, s.Active, 2)
		}
		left := len(p.ShutdownNow())
		all.Wait()
		require.NoError(t, p.AwaitTermination(background))
		n := 0
		for _, k := range accepted {
			n += k
		}
		s := p.Stats()
		assert.EqualValues(t, n, begun.Load()+int64(left), "run or returned")
		assert.EqualValues(t, begun.Load(), s.Completed)
		assert.EqualValues(t, left, s.Cancelled)
		assert.EqualValues(t, n, s.Submitted)
	}
}

// One worker begins the tasks of a giver in their order, also when others are taken out
// of the queue and somebody looks.
func TestStressOrderWhileTasksAreTaken(t *testing.T) {
	p := newPool(t, 1, 1, executors.Unbounded())
	const givers = 3
	var all, done sync.WaitGroup
	last := make([]int, givers) // the worker's
	for g := range givers {
		all.Go(func() {
			for i := 1; i <= rounds(); i++ {
				done.Add(1)
				assert.NoError(t, p.Execute(background, func(context.Context) {
					if i != last[g]+1 {
						t.Errorf("giver %d: %d after %d", g, i, last[g])
					}
					last[g] = i
					done.Done()
				}))
				if i%10 == 0 {
					f, err := p.Submit(background, func(context.Context) (int, error) { return 1, nil })
					assert.NoError(t, err)
					f.Cancel(nil)
				}
			}
		})
	}
	all.Wait()
	done.Wait()
}

// Who waits for room is let in as soon as a task is taken, also if the worker that takes it
// comes from a task and somebody has looked in between.
func TestRoomIsSeenWhenATaskIsTaken(t *testing.T) {
	for name, look := range map[string]func(p *executors.ThreadPool){
		"nobody looks":   func(*executors.ThreadPool) {},
		"somebody looks": func(p *executors.ThreadPool) { assert.Equal(t, 2, p.Stats().Queued) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := newPool(t, 1, 1, executors.Bounded(2))
				steps := make(chan struct{})
				defer close(steps)
				blocking := func(context.Context) { <-steps }
				for range 3 {
					require.NoError(t, p.Execute(background, blocking))
				}
				synctest.Wait()
				go func() { assert.NoError(t, p.ExecuteWait(background, blocking)) }()
				synctest.Wait()
				look(p)
				steps <- struct{}{}
				synctest.Wait()
				assert.Equal(t, 2, p.Stats().Queued, "the one that waited is in")
				assert.EqualValues(t, 4, p.Stats().Submitted)
			})
		})
	}
}

// A worker too many leaves after its task, however much there is to do.
func TestWorkersLeaveAlsoWhereTasksAreTaken(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 2, 2, executors.Unbounded())
		steps := make(chan struct{})
		defer close(steps)
		for range 10 {
			require.NoError(t, p.Execute(background, func(context.Context) { <-steps }))
		}
		require.NoError(t, p.Resize(1, 1))
		balanced(t, p.Stats())
		steps <- struct{}{}
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Workers)
		assert.Equal(t, 8, p.Stats().Queued)
	})
}

// Who waits for room is let in by a worker that takes a task, also if it takes the last
// one that it could have taken past the lock.
func TestStressRoomWhileTasksAreTaken(t *testing.T) {
	p := newPool(t, 2, 2, executors.Bounded(3))
	var ran atomic.Int64
	var all sync.WaitGroup
	const givers = 6
	for range givers {
		all.Go(func() {
			for range rounds() {
				assert.NoError(t, p.ExecuteWait(background, func(context.Context) { ran.Add(1) }))
			}
		})
	}
	all.Wait()
	require.NoError(t, p.Close(background))
	assert.EqualValues(t, givers*rounds(), ran.Load())
}

// A worker that rests is woken for the next task, also if it has looked for one before.
func TestWorkersThatRestAreWoken(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		var ran journal[int]
		for i := range 3 {
			require.NoError(t, p.Execute(background, ran.noting(i)))
			synctest.Wait()
			require.Len(t, ran.read(), i+1)
		}
	})
}
