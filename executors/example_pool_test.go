package executors_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/goreactor/reactor/executors"
)

func ExampleNewThreadPool() {
	p, err := executors.NewThreadPool(2, 4, time.Minute, executors.Bounded(100), executors.WithName("io"))
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, _ := p.Submit(context.Background(), func(context.Context) (int, error) { return 1 + 2, nil })
	fmt.Println(sum.Get(context.Background()))
	fmt.Println(p.Close(context.Background()))
	fmt.Println(p.Stats())
	// Output:
	// 3 <nil>
	// <nil>
	// "io" [terminated, workers 0/4, active 0, queued 0/100, completed 1]
}

// busy returns a pool of one worker, which is busy until release is called.
func busy(queue executors.Queue, opts ...executors.Option) (p *executors.ThreadPool, release func()) {
	p, err := executors.NewThreadPool(1, 1, time.Minute, queue, opts...)
	if err != nil {
		panic(err)
	}
	gate := make(chan struct{})
	_ = p.Execute(context.Background(), func(context.Context) { <-gate })
	return p, func() { close(gate); _ = p.Close(context.Background()) }
}

func say(what string) executors.Task { return func(context.Context) { fmt.Println(what) } }

func ExampleUnbounded() {
	p, release := busy(executors.Unbounded())
	for i := range 3 {
		fmt.Println(p.Execute(context.Background(), say(fmt.Sprint("task ", i))))
	}
	release()
	// Output:
	// <nil>
	// <nil>
	// <nil>
	// task 0
	// task 1
	// task 2
}

func ExampleBounded() {
	p, release := busy(executors.Bounded(1))
	fmt.Println(p.Execute(context.Background(), say("first")))
	err := p.Execute(context.Background(), say("second"))
	fmt.Println(errors.Is(err, executors.ErrSaturated))
	release()
	// Output:
	// <nil>
	// true
	// first
}

func ExampleDirect() {
	p, release := busy(executors.Direct())
	err := p.Execute(context.Background(), say("nobody is free"))
	fmt.Println(errors.Is(err, executors.ErrSaturated))
	release()
	// Output: true
}

type urgency struct{}

func ExamplePriority() {
	rank := func(ctx context.Context) int { n, _ := ctx.Value(urgency{}).(int); return n }
	p, release := busy(executors.Priority(10, rank))
	for _, n := range []int{3, 1, 2} {
		_ = p.Execute(context.WithValue(context.Background(), urgency{}, n), say(fmt.Sprint("rank ", n)))
	}
	release()
	// Output:
	// rank 1
	// rank 2
	// rank 3
}

func ExampleWithPolicy() {
	p, release := busy(executors.Bounded(1), executors.WithPolicy(executors.CallerRuns))
	_ = p.Execute(context.Background(), say("on the worker"))
	_ = p.Execute(context.Background(), say("here and now"))
	release()
	// Output:
	// here and now
	// on the worker
}

func ExampleWithHooks() {
	p, release := busy(executors.Unbounded(), executors.WithHooks(executors.Hooks{
		After:      func(_ context.Context, err error) { fmt.Println("after:", err) },
		Terminated: func() { fmt.Println("terminated") },
	}))
	_, _ = p.Submit(context.Background(), func(context.Context) (int, error) { return 0, errors.New("no luck") })
	release()
	// Output:
	// after: <nil>
	// after: no luck
	// terminated
}

func ExampleWithErrorHandler() {
	p, release := busy(executors.Unbounded(), executors.WithName("p"),
		executors.WithErrorHandler(func(_ context.Context, err error) { fmt.Println(err) }))
	_ = p.Execute(context.Background(), func(context.Context) { panic("oh") })
	release()
	// Output: reactor: p-1: panic: oh
}

func ExampleWithDecorator() {
	p, release := busy(executors.Unbounded(), executors.WithDecorator(func(task executors.Task) executors.Task {
		submitted := time.Now()
		return func(ctx context.Context) {
			_ = time.Since(submitted) // how long it waited
			task(ctx)
		}
	}))
	_ = p.Execute(context.Background(), say("decorated"))
	release()
	// Output: decorated
}

func ExampleWithSpawn() {
	p, release := busy(executors.Unbounded(), executors.WithName("p"), executors.WithSpawn(func(worker string, run func()) error {
		fmt.Println("starting", worker)
		go run()
		return nil
	}))
	_ = p.Execute(context.Background(), say("runs"))
	release()
	// Output:
	// starting p-1
	// runs
}

func ExampleWithName() {
	p, release := busy(executors.Unbounded(), executors.WithName("crawler"))
	_ = p.Execute(context.Background(), func(ctx context.Context) { fmt.Println(executors.WorkerName(ctx)) })
	release()
	// Output: crawler-1
}

func ExampleWorkerName() {
	fmt.Printf("%q\n", executors.WorkerName(context.Background()))
	// Output: ""
}

func ExampleDedicated() {
	p, release := busy(executors.Unbounded())
	// The thread that the task locks itself to ends with the task.
	_ = p.Execute(context.Background(), executors.Dedicated(say("on a goroutine of its own")))
	release()
	// Output: on a goroutine of its own
}

func ExampleThreadPool_InvokeAny() {
	p, err := executors.NewThreadPool(2, 2, time.Minute, executors.Unbounded())
	if err != nil {
		fmt.Println(err)
		return
	}
	mirror := func(name string, d time.Duration) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			select {
			case <-time.After(d):
				return name, nil
			case <-ctx.Done(): // another one was faster
				return "", context.Cause(ctx)
			}
		}
	}
	fmt.Println(p.InvokeAny(context.Background(), []func(context.Context) (string, error){
		mirror("far", time.Hour), mirror("near", time.Millisecond),
	}))
	_ = p.Close(context.Background())
	// Output: near <nil>
}

func ExampleNewScheduledPool() {
	p, err := executors.NewScheduledPool(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	n := 0
	done := errors.New("enough")
	ticks, _ := p.AtFixedRate(0, time.Millisecond, func(context.Context) error {
		if n++; n == 3 {
			return done
		}
		return nil
	}, executors.MissedSkip)
	fmt.Println(ticks.Wait(context.Background()), n)
	once, _ := p.SubmitAfter(context.Background(), time.Millisecond, func(context.Context) (string, error) { return "later", nil })
	fmt.Println(once.Get(context.Background()))
	fmt.Println(p.Close(context.Background()))
	// Output:
	// enough 3
	// later <nil>
	// <nil>
}

func ExampleDropDelayed() {
	p, err := executors.NewScheduledPool(1, executors.DropDelayed())
	if err != nil {
		fmt.Println(err)
		return
	}
	h, _ := p.After(time.Hour, func(context.Context) error { return nil })
	p.Shutdown()
	fmt.Println(h.Wait(context.Background()))
	// Output: cancelled: executor is shut down
}

func ExampleKeepPeriodic() {
	p, err := executors.NewScheduledPool(1, executors.KeepPeriodic())
	if err != nil {
		fmt.Println(err)
		return
	}
	n := 0
	_, _ = p.WithFixedDelay(0, time.Millisecond, func(context.Context) error {
		if n++; n == 3 {
			return errors.New("enough")
		}
		return nil
	})
	fmt.Println(p.Close(context.Background()), n) // it goes on until it ends itself
	// Output: <nil> 3
}
