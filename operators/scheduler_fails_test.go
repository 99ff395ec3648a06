package operators

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// brokenScheduler is a scheduler of somebody else of which one kind of call fails.
type brokenScheduler struct {
	*handScheduler
	kind  string // "worker", "task" or "clock"
	after int    // calls of that kind that succeed before
	fail  func()
}

func (b *brokenScheduler) call(kind string) {
	if kind != b.kind {
		return
	}
	if b.after--; b.after < 0 {
		b.fail()
	}
}

func (b *brokenScheduler) NewWorker() schedulers.Worker {
	b.call("worker")
	return brokenWorker{b.handScheduler.NewWorker(), b}
}

func (b *brokenScheduler) Now() time.Time {
	b.call("clock")
	return b.handScheduler.Now()
}

func (b *brokenScheduler) IsDisposed() bool { return false }

func (b *brokenScheduler) Execute(task schedulers.Task) error {
	b.call("task")
	return b.handScheduler.Execute(task)
}

func (b *brokenScheduler) Schedule(task schedulers.Task) (schedulers.Disposable, error) {
	b.call("task")
	return b.handScheduler.Schedule(task)
}

func (b *brokenScheduler) ScheduleAfter(task schedulers.Task, d time.Duration) (schedulers.Disposable, error) {
	b.call("task")
	return b.handScheduler.ScheduleAfter(task, d)
}

func (b *brokenScheduler) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	b.call("task")
	return b.handScheduler.SchedulePeriodically(task, initial, period, opts...)
}

type brokenWorker struct {
	schedulers.Worker
	of *brokenScheduler
}

func (w brokenWorker) Execute(task schedulers.Task) error {
	w.of.call("task")
	return w.Worker.Execute(task)
}

func (w brokenWorker) ScheduleAfter(task schedulers.Task, d time.Duration) (schedulers.Disposable, error) {
	w.of.call("task")
	return w.Worker.ScheduleAfter(task, d)
}

func (w brokenWorker) SchedulePeriodically(task schedulers.Task, initial, period time.Duration, opts ...schedulers.PeriodicOption) (schedulers.Disposable, error) {
	w.of.call("task")
	return w.Worker.SchedulePeriodically(task, initial, period, opts...)
}

// A scheduler of somebody else that panics where it should return a worker, take a task or tell the time, or ends the goroutine in the
// last case, has refused: Subscribe does not panic, the subscriber is told, the source is cancelled, each worker is given back, and the element that
// was on its way is discarded once.
func TestSchedulerThatFails(t *testing.T) {
	untyped := func(src reactor.Publisher[time.Time]) stream { return Map(src, func(time.Time) int { return 0 }) }
	numbered := func(src reactor.Publisher[int64]) stream { return Map(src, func(v int64) int { return int(v) }) }
	always := triggerFunc(func(c executors.TriggerContext) (time.Time, bool) { return c.Now.Add(time.Second), true })
	evicted := func(int) {}
	for name, c := range map[string]struct {
		kinds string // w: worker, x: the second one, t: task, 2: the second task, c: clock, d: the second look at it
		build func(src stream, s schedulers.Scheduler) stream
	}{
		"publishOn":   {"wt", func(src stream, s schedulers.Scheduler) stream { return PublishOn(src, s) }},
		"subscribeOn": {"wt", func(src stream, s schedulers.Scheduler) stream { return SubscribeOn(src, s) }},
		"subscribeCall": {"t", func(_ stream, s schedulers.Scheduler) stream {
			return SubscribeOn(FromCallable(func() (int, error) { return 1, nil }), s)
		}},
		"monoPublishOn": {"t", func(src stream, s schedulers.Scheduler) stream { return MonoPublishOn(src, s) }},
		"rails": {"wxt", func(src stream, s schedulers.Scheduler) stream {
			return ParallelSequential(ParallelRunOn(Parallel(src, 2), s))
		}},
		"interval":      {"wt", func(_ stream, s schedulers.Scheduler) stream { return numbered(Interval(1, On(s))) }},
		"delay":         {"t", func(_ stream, s schedulers.Scheduler) stream { return numbered(Delay(1, On(s))) }},
		"at":            {"wt2cd", func(_ stream, s schedulers.Scheduler) stream { return untyped(At(time.Unix(1000, 0), On(s))) }},
		"onTrigger":     {"wtc", func(_ stream, s schedulers.Scheduler) stream { return untyped(OnTrigger(always, On(s))) }},
		"delayElement":  {"t", func(src stream, s schedulers.Scheduler) stream { return MonoDelayElement(src, 1, On(s)) }},
		"delaySequence": {"wt", func(src stream, s schedulers.Scheduler) stream { return DelaySequence(src, 1, On(s)) }},
		"delayElements": {"t", func(src stream, s schedulers.Scheduler) stream { return DelayElements(src, 1, On(s)) }},
		"throttle":      {"wtc", func(src stream, s schedulers.Scheduler) stream { return Throttle(src, 1, 1, On(s)) }},
		"onBackpressureBufferTimeout": {"wtcd", func(src stream, s schedulers.Scheduler) stream {
			return Filter(OnBackpressureBufferTimeout(Filter(src, func(int) bool { return true }), 1, 1, evicted, On(s)), func(int) bool { return true })
		}},
		"timeout":       {"t", func(src stream, s schedulers.Scheduler) stream { return Timeout(src, 1, On(s)) }},
		"sampleEvery":   {"t", func(src stream, s schedulers.Scheduler) stream { return SampleEvery(src, 1, On(s)) }},
		"sampleTimeout": {"t", func(src stream, s schedulers.Scheduler) stream { return SampleTimeoutFor(src, 1, On(s)) }},
		"sampleFirst":   {"t", func(src stream, s schedulers.Scheduler) stream { return SampleFirstFor(src, 1, On(s)) }},
		"takeFor":       {"t", func(src stream, s schedulers.Scheduler) stream { return TakeFor(src, 1, On(s)) }},
		"skipFor":       {"t", func(src stream, s schedulers.Scheduler) stream { return SkipFor(src, 1, On(s)) }},
		"bufferTimeout": {"t", func(src stream, s schedulers.Scheduler) stream {
			return FlatMapSlice(BufferTimeout(src, 2, 1, On(s)), func(b []int) []int { return b })
		}},
		"windowTimeout": {"t", func(src stream, s schedulers.Scheduler) stream {
			return MergeAll(WindowTimeout(src, 2, 1, func(w reactor.Publisher[int]) reactor.Publisher[int] { return w }, On(s)))
		}},
	} {
		for _, kind := range c.kinds {
			for how, fail := range map[string]func(){"panics": func() { panic(errOther) }, "goexit": runtime.Goexit} {
				if how == "goexit" && kind != 'c' && kind != 'd' {
					continue // what a scheduler does in the middle of such a call nobody can know
				}
				b := &brokenScheduler{handScheduler: &handScheduler{}, fail: fail}
				switch kind {
				case 'w':
					b.kind = "worker"
				case 'x':
					b.kind, b.after = "worker", 1
				case 't':
					b.kind = "task"
				case '2':
					b.kind, b.after = "task", 1
				case 'c':
					b.kind = "clock"
				case 'd':
					b.kind, b.after = "clock", 1
				}
				t.Run(name+" "+b.kind+" "+string(kind)+" "+how, func(t *testing.T) {
					ctx, hooks := probe.Recorded()
					var sent []int
					subscribed, over := 0, 0
					src := Concat(Just(1), Never[int]())
					src = DoOnNext(src, func(v int) { sent = append(sent, v) })
					src = DoOnCancel(DoOnSubscribe(src, func(reactor.Subscription) { subscribed++ }), func() { over++ })
					p := probeOf[int](reactor.Unbounded)
					waits := name == "onBackpressureBufferTimeout"
					if waits {
						p.Initial = 0
					}
					var panicked any
					racetest.Aside(func() {
						defer func() { panicked = recover() }()
						c.build(src, b).Subscribe(ctx, p)
					})
					if !p.Over() {
						racetest.Aside(func() {
							defer func() { panicked = recover() }()
							b.forward(40 * time.Second)
						})
					}
					if waits && !p.Over() {
						racetest.Aside(func() { p.Request(1) })
					}
					assert.Nil(t, panicked)
					require.True(t, p.Over(), "the subscriber is told")
					if how == "panics" {
						require.ErrorIs(t, p.Failure(), errOther)
					} else {
						require.ErrorIs(t, p.Failure(), reactor.ErrGoexit)
					}
					assert.Equal(t, subscribed, over, "the source is cancelled")
					b.assertReleased(t)
					racetest.Aside(p.Cancel)
					if discarded, _, _ := hooks.Seen(); len(sent) == 0 && len(discarded) > 0 {
						sent = append(sent, 1) // by the source
					}
					accounted(t, p, hooks, sent...)
				})
			}
		}
	}
}
