package executors_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func goexit() { runtime.Goexit() }

func TestB3_1_IdleWorkersLeaveDownToCore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 4, executors.Direct())
		for range 4 {
			require.NoError(t, p.Execute(background, func(context.Context) { time.Sleep(time.Second) }))
		}
		pass(time.Second)
		assert.Equal(t, 4, p.Stats().Workers)
		pass(59 * time.Second)
		assert.Equal(t, 4, p.Stats().Workers)
		pass(time.Second)
		assert.Equal(t, 1, p.Stats().Workers, "one stays for ever")
		require.NoError(t, p.AllowCoreTimeout(true))
		pass(time.Minute)
		assert.Zero(t, p.Stats().Workers)
		require.NoError(t, p.Execute(background, nothing))
		assert.Equal(t, 1, p.Stats().Workers)
	})
}

// Whoever is idle longest leaves; steady light work keeps the others.
func TestB3_1_WorkersAreNotLabelledCore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 3, executors.Direct())
		for range 3 {
			require.NoError(t, p.Execute(background, func(context.Context) { time.Sleep(time.Millisecond) }))
		}
		pass(time.Second)
		var names []string
		for range 10 {
			pass(20 * time.Second)
			require.NoError(t, p.Execute(background, func(ctx context.Context) { names = append(names, executors.WorkerName(ctx)) }))
		}
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Workers)
		for _, n := range names {
			assert.Equal(t, names[0], n, "last in, first out")
		}
	})
}

func TestB3_1_LastWorkerNeverLeavesAQueue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, err := executors.NewThreadPool(0, 1, time.Nanosecond, executors.Unbounded())
		require.NoError(t, err)
		defer end(t, p)
		var ran journal[int]
		for i := range 100 {
			require.NoError(t, p.Execute(background, func(context.Context) {
				time.Sleep(time.Second)
				ran.note(i)
			}))
		}
		pass(101 * time.Second)
		assert.Len(t, ran.read(), 100)
		assert.Zero(t, p.Stats().Workers)
	})
}

func TestB3_2_NoKeepAlive(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p, err := executors.NewThreadPool(1, 3, 0, executors.Direct())
		require.NoError(t, err)
		defer end(t, p)
		assert.ErrorIs(t, p.AllowCoreTimeout(true), reactor.ErrIllegalArgument)
		for i := range 3 {
			require.NoError(t, p.Execute(background, func(context.Context) { time.Sleep(time.Duration(1+i) * time.Second) }))
		}
		synctest.Wait()
		for want := 2; want >= 1; want-- {
			pass(time.Second)
			assert.Equal(t, want, p.Stats().Workers, "right after the task")
		}
		pass(time.Hour)
		assert.Equal(t, 1, p.Stats().Workers)
		require.NoError(t, p.SetKeepAlive(time.Second))
		require.NoError(t, p.AllowCoreTimeout(true))
		assert.ErrorIs(t, p.SetKeepAlive(0), reactor.ErrIllegalArgument)
		assert.ErrorIs(t, p.SetKeepAlive(-1), reactor.ErrIllegalArgument)
		pass(time.Second)
		assert.Zero(t, p.Stats().Workers)
	})
}

func TestB3_3_WorkerSurvivesPanicAndGoexit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var told journal[error]
		p := newPool(t, 1, 1, executors.Unbounded(), catch(&told), executors.WithName("w"))
		var j journal[string]
		name := func(ctx context.Context) { j.note(executors.WorkerName(ctx)) }
		boom := errors.New("boom")
		for _, task := range []executors.Task{
			name, func(context.Context) { panic(boom) }, name, func(context.Context) { goexit() }, name,
			func(context.Context) { panic(nil) }, name,
		} {
			require.NoError(t, p.Execute(background, task))
		}
		synctest.Wait()
		assert.Equal(t, []string{"w-1", "w-1", "w-1", "w-1"}, j.read())
		got := told.read()
		require.Len(t, got, 3)
		panicked, ok := errors.AsType[*reactor.PanicError](got[0])
		require.True(t, ok)
		assert.Equal(t, "w-1", panicked.Op)
		assert.ErrorIs(t, got[0], boom)
		assert.Contains(t, string(panicked.Stack), "TestB3_3")
		assert.ErrorIs(t, got[1], reactor.ErrGoexit)
		assert.ErrorContains(t, got[2], "nil")
		s := p.Stats()
		assert.EqualValues(t, 7, s.Completed)
		assert.Equal(t, 1, s.Largest)
	})
}

func TestB3_3_FuturesHearOfPanicAndGoexit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var told journal[error]
		p := newPool(t, 1, 1, executors.Unbounded(), catch(&told))
		f := accept[*executors.Future[int]](t)(p.Submit(background, func(context.Context) (int, error) { panic("x") }))
		_, err := f.Get(background)
		_, ok := errors.AsType[*reactor.PanicError](err)
		assert.True(t, ok)
		f = accept[*executors.Future[int]](t)(p.Submit(background, func(context.Context) (int, error) { goexit(); return 1, nil }))
		_, err = f.Get(background)
		assert.ErrorIs(t, err, reactor.ErrGoexit)
		f = accept[*executors.Future[int]](t)(p.Submit(background, value(3)))
		v, err := f.Get(background)
		assert.NoError(t, err)
		assert.Equal(t, 3, v)
		assert.Empty(t, told.read(), "one party hears of it")
	})
}

func TestB3_4_Prestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 3, 5, executors.Unbounded())
		assert.True(t, p.PrestartOne())
		assert.Equal(t, 1, p.Stats().Workers)
		assert.Equal(t, 2, p.PrestartAll())
		assert.False(t, p.PrestartOne())
		assert.Zero(t, p.PrestartAll())
		synctest.Wait()
		assert.Equal(t, 3, p.Stats().Idle)
		p.Shutdown()
		assert.False(t, p.PrestartOne())
	})
}

func TestB3_5_WorkerThatCanNotBeStarted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		no := errors.New("no goroutines today")
		var fail any = no
		p := newPool(t, 1, 2, executors.Bounded(3), executors.WithSpawn(func(name string, run func()) error {
			switch fail := fail.(type) {
			case error:
				return fail
			case string:
				panic(fail)
			}
			go run()
			return nil
		}))
		err := p.Execute(background, nothing)
		assert.ErrorIs(t, err, no)
		assert.ErrorIs(t, err, executors.ErrRejected)
		assert.False(t, p.PrestartOne())
		fail = "a panic"
		assert.ErrorContains(t, p.Execute(background, nothing), "a panic")
		assert.Equal(t, []int{0, 0, 0}, []int{p.Stats().Workers, p.Stats().Active, p.Stats().Queued})
		fail = nil
		g := newGate(t)
		require.NoError(t, p.Execute(background, g.task))
		fail = no
		require.NoError(t, p.SetCore(2))
		require.NoError(t, p.Execute(background, nothing), "another worker can take it")
		assert.Equal(t, 1, p.Stats().Queued)
		require.NoError(t, p.Execute(background, func(context.Context) { goexit() }), "the worker is replaced all the same")
		f := accept[*executors.Future[int]](t)(p.Submit(background, value(1)))
		g.open()
		assert.NoError(t, f.Wait(background))
		p.Shutdown()
		synctest.Wait()
		assert.True(t, p.IsTerminated())
		balanced(t, p.Stats())
	})
}

func TestB4_1_Hooks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		type key struct{}
		var j journal[any]
		var told journal[error]
		var p *executors.ThreadPool
		p = newPool(t, 1, 1, executors.Unbounded(), catch(&told), executors.WithHooks(executors.Hooks{
			Before: func(ctx context.Context) context.Context {
				if ctx.Value(key{}) == "bad" {
					panic("before")
				}
				j.note("before")
				return context.WithValue(ctx, key{}, "from the hook")
			},
			After: func(ctx context.Context, err error) { j.note(err) },
			Terminated: func() {
				j.note("terminated")
				assert.True(t, p.IsTerminating())
				assert.False(t, p.IsTerminated())
			},
		}))
		require.NoError(t, p.Execute(background, func(ctx context.Context) { j.note(ctx.Value(key{})) }))
		synctest.Wait()
		assert.Equal(t, []any{"before", "from the hook", nil}, j.read())
		f := accept[*executors.Future[int]](t)(p.Submit(context.WithValue(background, key{}, "bad"), value(1)))
		assert.ErrorContains(t, f.Wait(background), "before")
		require.NoError(t, p.Execute(context.WithValue(background, key{}, "bad"), func(context.Context) { t.Error("must not run") }))
		synctest.Wait()
		assert.Len(t, j.read(), 3, "after is not called")
		assert.EqualValues(t, 3, p.Stats().Completed)
		assert.Len(t, told.read(), 1)
		p.Shutdown()
		p.Shutdown()
		require.NoError(t, p.AwaitTermination(background))
		assert.Equal(t, "terminated", j.read()[3], "before those who await it go on")
		assert.Len(t, j.read(), 4, "once")
	})
}

func TestB4_2_AfterGetsTheRealError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal[error]
		p := newPool(t, 1, 1, executors.Unbounded(), executors.WithHooks(executors.Hooks{
			After: func(_ context.Context, err error) { j.note(err) },
		}))
		boom := errors.New("boom")
		accept[*executors.Future[int]](t)(p.Submit(background, failing(boom)))
		accept[*executors.Future[int]](t)(p.Submit(background, func(context.Context) (int, error) { panic(boom) }))
		synctest.Wait()
		got := j.read()
		require.Len(t, got, 2)
		assert.Equal(t, boom, got[0])
		assert.ErrorIs(t, got[1], boom)
	})
}

// Hooks and handlers that fail cost nobody a task or a worker.
func TestB4_2_HooksThatFail(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("hook") }, "goexit": goexit} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var told journal[error]
				p := newPool(t, 1, 1, executors.Unbounded(),
					executors.WithErrorHandler(func(_ context.Context, err error) { told.note(err); fail() }),
					executors.WithHooks(executors.Hooks{After: func(context.Context, error) { fail() }, Terminated: fail}))
				for i := range 3 {
					f := accept[*executors.Future[int]](t)(p.Submit(background, value(i)))
					v, err := f.Get(background)
					assert.NoError(t, err)
					assert.Equal(t, i, v)
				}
				require.NoError(t, p.Execute(background, func(context.Context) { panic("task") }))
				synctest.Wait()
				assert.Len(t, told.read(), 5)
				assert.EqualValues(t, 4, p.Stats().Completed)
				p.Shutdown()
				require.NoError(t, p.AwaitTermination(background))
			})
		})
	}
}

// B12.1: a goroutine inherits the pprof labels of whoever starts it.
func TestB12_1_WorkersDoNotCarryForeignLabels(t *testing.T) {
	labels := func() string {
		var out bytes.Buffer
		assert.NoError(t, pprof.Lookup("goroutine").WriteTo(&out, 1))
		return out.String()
	}
	p := newPool(t, 1, 1, executors.Unbounded(), executors.WithName("labelled"))
	done := make(chan string, 1)
	look := func(context.Context) { done <- labels() }
	pprof.Do(background, pprof.Labels("request", "A"), func(ctx context.Context) {
		require.NoError(t, p.Execute(ctx, nothing))
	})
	another, cancel := context.WithCancel(background) // TestB12_5 has one without
	defer cancel()
	require.NoError(t, p.Execute(another, func(context.Context) {
		pprof.SetGoroutineLabels(pprof.WithLabels(background, pprof.Labels("task", "B")))
	}))
	require.NoError(t, p.Execute(background, look))
	text := <-done
	assert.NotContains(t, text, `"request":"A"`)
	assert.NotContains(t, text, `"task":"B"`)
	assert.True(t, strings.Contains(text, `"worker":"labelled-1"`), "its own labels")

	// The first task, too, runs without those of its submitter.
	fresh, left := newPool(t, 1, 1, executors.Unbounded()), make(chan struct{})
	pprof.Do(background, pprof.Labels("request", "A"), func(ctx context.Context) {
		require.NoError(t, fresh.Execute(ctx, func(ctx context.Context) {
			<-left
			look(ctx)
		}))
	})
	close(left)
	assert.NotContains(t, <-done, `"request":"A"`)
}

// B12.2: an idle worker keeps nothing of its last task alive.
func TestB12_2_WorkerForgetsItsTask(t *testing.T) {
	type big struct{ data [1 << 10]byte }
	p := newPool(t, 1, 1, executors.Unbounded())
	var pointers []weak.Pointer[big]
	func() {
		submit := func() *big { b := new(big); pointers = append(pointers, weak.Make(b)); return b }
		type key struct{}
		closure := submit()
		require.NoError(t, p.Execute(background, func(context.Context) { closure.data[0]++ }))
		require.NoError(t, p.Execute(context.WithValue(background, key{}, submit()), nothing))
		result := submit()
		f, err := p.Submit(context.WithValue(background, key{}, submit()), func(context.Context) (*big, error) { return result, nil })
		require.NoError(t, err)
		_, err = f.Get(background)
		require.NoError(t, err)
		var local executors.Local[*big]
		require.NoError(t, p.Execute(background, func(ctx context.Context) { *local.Of(ctx) = submit() }))
		require.NoError(t, p.Execute(background, nothing))
	}()
	for p.Stats().Completed < 5 {
		runtime.Gosched()
	}
	assert.Eventually(t, func() bool {
		runtime.GC()
		for _, w := range pointers {
			if w.Value() != nil {
				return false
			}
		}
		return true
	}, 5*time.Second, time.Millisecond)
	require.Len(t, pointers, 5)
}

// B12.3: what a task does to its thread can't be seen; it can be kept away from the
// worker.
func TestB12_3_DedicatedGoroutine(t *testing.T) {
	var told journal[error]
	p := newPool(t, 1, 1, executors.Unbounded(), catch(&told))
	done := make(chan struct{})
	require.NoError(t, p.Execute(background, executors.Dedicated(func(ctx context.Context) {
		runtime.LockOSThread() // the thread ends with the goroutine
		assert.NotEmpty(t, executors.WorkerName(ctx))
	})))
	require.NoError(t, p.Execute(background, executors.Dedicated(func(context.Context) { panic("inside") })))
	require.NoError(t, p.Execute(background, executors.Dedicated(func(context.Context) { goexit() })))
	require.NoError(t, p.Execute(background, func(context.Context) { close(done) }))
	<-done
	got := told.read()
	require.Len(t, got, 2)
	assert.ErrorContains(t, got[0], "inside")
	assert.ErrorIs(t, got[1], reactor.ErrGoexit)
	assert.Panics(t, func() { executors.Dedicated(nil) })
}

// Tasks that a worker takes one after the other, without asking the lock, are as apart as others: one
// that panics or ends the goroutine is reported, what it leaves in Locals and labels is gone, and
// those behind it run.
func TestB12_5_TasksInARow(t *testing.T) {
	var told journal[error]
	p := newPool(t, 1, 1, executors.Unbounded(), catch(&told))
	gate, done := make(chan struct{}), make(chan struct{})
	var local executors.Local[int]
	var labels bytes.Buffer
	ran := 0
	tasks := []executors.Task{
		func(context.Context) { <-gate },
		func(ctx context.Context) { *local.Of(ctx) = 1 },
		func(ctx context.Context) {
			assert.Zero(t, *local.Of(ctx))
			pprof.SetGoroutineLabels(pprof.WithLabels(background, pprof.Labels("task", "B")))
		},
		func(context.Context) { assert.NoError(t, pprof.Lookup("goroutine").WriteTo(&labels, 1)) },
		func(ctx context.Context) { *local.Of(ctx) = 2; panic("inside") },
		func(ctx context.Context) { assert.Zero(t, *local.Of(ctx)) },
		func(ctx context.Context) { *local.Of(ctx) = 3; goexit() },
		func(ctx context.Context) { assert.Zero(t, *local.Of(ctx)); assert.NoError(t, ctx.Err()) },
	}
	for _, task := range tasks {
		require.NoError(t, p.Execute(background, func(ctx context.Context) { ran++; task(ctx) }))
	}
	require.NoError(t, p.Execute(background, func(context.Context) { close(done) }))
	close(gate)
	<-done
	assert.Equal(t, len(tasks), ran)
	got := told.read()
	require.Len(t, got, 2)
	assert.ErrorContains(t, got[0], "inside")
	assert.ErrorIs(t, got[1], reactor.ErrGoexit)
	assert.NotContains(t, labels.String(), `"task":"B"`)
	end(t, p)
	assert.EqualValues(t, len(tasks)+1, p.Stats().Completed)
}

// B12.4 is the program of the article: client A leaves something in the store of its
// thread, and client B, on the same thread, finds it. Here B finds nothing.
func TestB12_4_SecondClientSeesAnEmptyStore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		var store executors.Local[map[string]string]
		clientA := func(ctx context.Context) (string, error) {
			*store.Of(ctx) = map[string]string{"user": "A"}
			return executors.WorkerName(ctx) + (*store.Of(ctx))["user"], nil
		}
		clientB := func(ctx context.Context) (string, error) {
			return executors.WorkerName(ctx) + (*store.Of(ctx))["user"], nil
		}
		a, err := accept[*executors.Future[string]](t)(p.Submit(background, clientA)).Get(background)
		require.NoError(t, err)
		b, err := accept[*executors.Future[string]](t)(p.Submit(background, clientB)).Get(background)
		require.NoError(t, err)
		assert.Equal(t, b+"A", a, "the same worker, another store")
	})
}

func TestB12_4_LocalBelongsToTheGoroutineOfTheTask(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Unbounded())
		local := executors.Local[[]byte]{New: func() []byte { return make([]byte, 0, 64) }}
		f := accept[*executors.Future[int]](t)(p.Submit(background, func(ctx context.Context) (int, error) {
			buf := local.Of(ctx)
			*buf = append(*buf, 1, 2, 3)
			assert.Same(t, buf, local.Of(context.WithoutCancel(ctx)))
			done := make(chan struct{})
			go func() {
				defer close(done)
				assert.Panics(t, func() { local.Of(ctx) })
			}()
			<-done
			return cap(*local.Of(ctx)), nil
		}))
		n, err := f.Get(background)
		assert.NoError(t, err)
		assert.Equal(t, 64, n)
		assert.Panics(t, func() { local.Of(background) })
	})
}

// Those who rely on a worker that then can't be started get one all the same.
func TestB3_5_OthersReliedOnAWorkerThatCanNotBeStarted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		no := errors.New("no goroutines today")
		hold := make(chan struct{})
		p := newPool(t, 1, 1, executors.Unbounded(), executors.WithSpawn(func(string, func()) error { <-hold; return no }))
		var ran journal[int]
		go func() { assert.NoError(t, p.Execute(background, ran.noting(2)), "that worker can take it") }()
		synctest.Wait()
		require.NoError(t, p.Execute(background, ran.noting(1)))
		close(hold)
		synctest.Wait()
		assert.Equal(t, []int{1, 2}, ran.read())
		balanced(t, p.Stats())
	})
}

// Workers leave one by one, each after its own time.
func TestB3_1_EachWorkerHasItsOwnTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 0, 3, executors.Direct())
		for i := range 3 {
			require.NoError(t, p.Execute(background, func(context.Context) { time.Sleep(time.Duration(1+10*i) * time.Second) }))
		}
		pass(60 * time.Second)
		for want := range 3 {
			assert.Equal(t, 3-want, p.Stats().Workers)
			pass(time.Second)
			assert.Equal(t, 2-want, p.Stats().Workers)
			pass(9 * time.Second)
		}
	})
}

// A new keep-alive time begins with the call, for all who are idle by then.
func TestB7_1_IdleTimesBeginAnew(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 0, 2, executors.Direct())
		for range 2 {
			require.NoError(t, p.Execute(background, func(context.Context) { time.Sleep(time.Second) }))
		}
		pass(41 * time.Second)
		require.NoError(t, p.SetKeepAlive(30*time.Second))
		pass(29 * time.Second)
		assert.Equal(t, 2, p.Stats().Workers)
		pass(time.Second)
		assert.Zero(t, p.Stats().Workers)
	})
}

// A task that is cancelled when it has a worker already, which has not begun, is not run.
func TestTheLastMomentToCancel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var begin func()
		p := newPool(t, 0, 1, executors.Direct(), executors.WithSpawn(func(_ string, run func()) error { begin = run; return nil }))
		f := accept[*executors.Future[int]](t)(p.Submit(background, func(context.Context) (int, error) {
			t.Error("must not run")
			return 0, nil
		}))
		assert.True(t, f.Cancel(nil))
		go begin()
		<-f.Finished()
		synctest.Wait()
		assert.True(t, f.IsCancelled())
		s := p.Stats()
		assert.Equal(t, []uint64{1, 0, 1}, []uint64{s.Submitted, s.Completed, s.Cancelled})
		balanced(t, s)
	})
}

// A task that the caller runs is not the task of the worker that the caller is on.
func TestB12_4_LocalIsNotForTasksThatTheCallerRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPool(t, 1, 1, executors.Direct(), executors.WithPolicy(executors.CallerRuns))
		var store executors.Local[string]
		f := accept[*executors.Future[string]](t)(p.Submit(background, func(ctx context.Context) (string, error) {
			*store.Of(ctx) = "outer"
			inner := func(inside context.Context) {
				assert.Equal(t, executors.WorkerName(ctx), executors.WorkerName(inside), "it is the one that runs it")
				assert.Panics(t, func() { *store.Of(inside) = "inner" })
				require.NoError(t, p.Execute(inside, func(ctx context.Context) {
					assert.Panics(t, func() { *store.Of(ctx) = "innermost" })
				}))
			}
			require.NoError(t, p.Execute(ctx, inner))
			accept[*executors.Future[int]](t)(p.Submit(ctx, func(ctx context.Context) (int, error) { inner(ctx); return 0, nil }))
			return *store.Of(ctx), nil
		}))
		v, err := f.Get(background)
		require.NoError(t, err)
		assert.Equal(t, "outer", v)
		assert.EqualValues(t, 4, p.Stats().CallerRuns)
	})
}

func TestB6_1_LargestCountsWorkersThatWereStarted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var no error
		p := newPool(t, 2, 2, executors.Unbounded(), executors.WithSpawn(func(_ string, run func()) error {
			if no == nil {
				go run()
			}
			return no
		}))
		no = errors.New("no goroutines today")
		assert.Error(t, p.Execute(background, nothing))
		assert.False(t, p.PrestartOne())
		assert.Zero(t, p.Stats().Largest)
		no = nil
		assert.True(t, p.PrestartOne())
		no = errors.New("nor any more")
		assert.False(t, p.PrestartOne())
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Largest)
		no = nil
		require.NoError(t, p.Execute(background, func(context.Context) { goexit() }))
		synctest.Wait()
		assert.Equal(t, 2, p.Stats().Largest, "a worker that is replaced is one")
	})
}
