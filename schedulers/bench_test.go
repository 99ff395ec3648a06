package schedulers

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
)

// The figures are ratios of one run: every library competes with a goroutine per
// task and with goroutines that read a channel, on the same work.

// submitters splits b.N over a number of goroutines and waits until all tasks
// have run.
func submitters(b *testing.B, producers int, submit func(task Task)) {
	b.Helper()
	var done sync.WaitGroup
	done.Add(b.N)
	task := func(context.Context) { done.Done() }
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	for p := range producers {
		n := b.N / producers
		if p == 0 {
			n += b.N % producers
		}
		wg.Go(func() {
			for range n {
				submit(task)
			}
		})
	}
	wg.Wait()
	done.Wait()
}

// rivals runs the work on a goroutine per task and on goroutines behind a channel.
func rivals(b *testing.B, producers, workers int) {
	ctx := context.Background()
	b.Run("go-func", func(b *testing.B) {
		submitters(b, producers, func(t Task) { go t(ctx) })
	})
	b.Run("channel-workers", func(b *testing.B) {
		ch := make(chan Task, 1024)
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for t := range ch {
					t(ctx)
				}
			})
		}
		submitters(b, producers, func(t Task) { ch <- t })
		close(ch)
		wg.Wait()
	})
}

// throughput runs the work on a scheduler in the ways named.
func throughput(b *testing.B, producers int, s Scheduler) {
	defer s.Dispose()
	b.Run("direct", func(b *testing.B) {
		submitters(b, producers, func(t Task) { accepted(b, s.Execute(t)) })
	})
	b.Run("worker", func(b *testing.B) {
		w := s.NewWorker()
		defer w.Dispose()
		submitters(b, producers, func(t Task) { accepted(b, w.Execute(t)) })
	})
	b.Run("handle", func(b *testing.B) {
		submitters(b, producers, func(t Task) { _, err := s.Schedule(t); accepted(b, err) })
	})
}

func accepted(b *testing.B, err error) {
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkS1a: one submitter, two workers, an empty task.
func BenchmarkS1a(b *testing.B) {
	rivals(b, 1, 2)
	throughput(b, 1, must(NewParallel("bench", 2)))
}

// BenchmarkS1b: the same with eight submitters.
func BenchmarkS1b(b *testing.B) {
	rivals(b, 8, 2)
	throughput(b, 8, must(NewParallel("bench", 2)))
}

// BenchmarkS1c: one submitter, bounded elastic with twenty slots.
func BenchmarkS1c(b *testing.B) {
	rivals(b, 1, 20)
	throughput(b, 1, must(NewBoundedElastic(20, 1<<30, "bench")))
}

// BenchmarkS2a: from the submission to the start, the submitter waits.
func BenchmarkS2a(b *testing.B) {
	latency(b, func() {}, func(done chan struct{}) { <-done })
}

// BenchmarkS2b: the same after a millisecond of idleness.
func BenchmarkS2b(b *testing.B) {
	latency(b, func() { time.Sleep(time.Millisecond) }, func(done chan struct{}) { <-done })
}

// BenchmarkS2c: the submitter keeps computing.
func BenchmarkS2c(b *testing.B) {
	latency(b, func() { time.Sleep(50 * time.Microsecond) }, func(done chan struct{}) {
		for len(done) == 0 {
			compute()
		}
		<-done
	})
}

var computed uint64

func compute() {
	for i := range uint64(100) {
		computed = computed*31 + i
	}
}

func latency(b *testing.B, before func(), await func(done chan struct{})) {
	run := func(name string, setup func() (submit func(Task), end func())) {
		b.Run(name, func(b *testing.B) {
			submit, end := setup()
			defer end()
			taken := make([]time.Duration, 0, b.N)
			done := make(chan struct{}, 1)
			var start time.Time
			task := func(context.Context) {
				taken = append(taken, time.Since(start))
				done <- struct{}{}
			}
			for range b.N {
				before()
				start = time.Now()
				submit(task)
				await(done)
			}
			reportQuantiles(b, taken)
		})
	}
	ctx := context.Background()
	run("go-func", func() (func(Task), func()) {
		return func(t Task) { go t(ctx) }, func() {}
	})
	run("channel-workers", func() (func(Task), func()) {
		ch := make(chan Task, 16)
		for range 2 {
			go func() {
				for t := range ch {
					t(ctx)
				}
			}()
		}
		return func(t Task) { ch <- t }, func() { close(ch) }
	})
	on := func(build func() Scheduler) func() (func(Task), func()) {
		return func() (func(Task), func()) {
			s := build()
			return func(t Task) { accepted(b, s.Execute(t)) }, s.Dispose
		}
	}
	run("parallel", on(func() Scheduler { return must(NewParallel("bench", 2)) }))
	run("single", on(func() Scheduler { return NewSingle("bench") }))
	run("single-spinning", on(func() Scheduler { return NewSingle("bench", WithSpin(10_000)) }))
	run("elastic", on(func() Scheduler { return must(NewBoundedElastic(20, 1000, "bench")) }))
}

// BenchmarkS3a: a million delayed tasks, scheduled, and cancelled in the same order
// or in another.
func BenchmarkS3a(b *testing.B) {
	const n = 1_000_000
	delays := make([]time.Duration, n)
	order := make([]int, n)
	seed := uint64(1)
	for i := range delays {
		seed = seed*6364136223846793005 + 1442695040888963407
		delays[i] = time.Hour + time.Duration(seed>>30)
		order[i] = int((uint64(i) * 7919) % n)
	}
	run := func(name string, schedule func(d time.Duration) (cancel Disposable)) {
		for _, shuffled := range []bool{false, true} {
			name := name
			if shuffled {
				name += "/shuffled"
			}
			b.Run(name, func(b *testing.B) { millionTimers(b, delays, order, shuffled, schedule) })
		}
	}

	run("AfterFunc", func(d time.Duration) Disposable {
		return afterFunc{time.AfterFunc(d, func() {})}
	})
	s := NewSingle("bench")
	defer s.Dispose()
	run("single", func(d time.Duration) Disposable {
		h, err := s.ScheduleAfter(nothing, d)
		accepted(b, err)
		return h
	})
	w := s.NewWorker()
	run("worker", func(d time.Duration) Disposable {
		h, err := w.ScheduleAfter(nothing, d)
		accepted(b, err)
		return h
	})
}

func millionTimers(b *testing.B, delays []time.Duration, order []int, shuffled bool, schedule func(d time.Duration) Disposable) {
	var put, cut time.Duration
	var bytes uint64
	for range b.N {
		handles := make([]Disposable, len(delays))
		before := heapInUse()
		start := time.Now()
		for i, d := range delays {
			handles[i] = schedule(d)
		}
		put += time.Since(start)
		bytes += heapInUse() - before
		start = time.Now()
		for i := range handles {
			if shuffled {
				i = order[i]
			}
			handles[i].Dispose()
		}
		cut += time.Since(start)
	}
	per := float64(len(delays)) * float64(b.N)
	b.ReportMetric(float64(put)/per, "ns/schedule")
	b.ReportMetric(float64(cut)/per, "ns/cancel")
	b.ReportMetric(float64(bytes)/per, "B/task")
}

type afterFunc struct{ *time.Timer }

func (a afterFunc) Dispose()         { a.Stop() }
func (a afterFunc) IsDisposed() bool { return false }

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkS3b: how late 100,000 tasks start that are due over 100 ms.
func BenchmarkS3b(b *testing.B) {
	const n = 100_000
	run := func(name string, after func(d time.Duration, f func())) {
		b.Run(name, func(b *testing.B) {
			late := make([]time.Duration, n)
			for range b.N {
				var wg sync.WaitGroup
				wg.Add(n)
				for i := range n {
					d := 200*time.Millisecond + time.Duration(i)*time.Microsecond
					due := time.Now().Add(d)
					after(d, func() {
						late[i] = time.Since(due)
						wg.Done()
					})
				}
				wg.Wait()
			}
			reportQuantiles(b, late)
		})
	}
	run("AfterFunc", func(d time.Duration, f func()) { time.AfterFunc(d, f) })
	s := must(NewParallel("bench", 2))
	defer s.Dispose()
	run("parallel", func(d time.Duration, f func()) {
		_, err := s.ScheduleAfter(func(context.Context) { f() }, d)
		accepted(b, err)
	})
}

func reportQuantiles(b *testing.B, d []time.Duration) {
	b.Helper()
	sortDurations(d)
	b.ReportMetric(float64(d[len(d)/2]), "p50-ns")
	b.ReportMetric(float64(d[len(d)*99/100]), "p99-ns")
}

// BenchmarkS4: 10,000 tasks of a millisecond on 200 workers.
func BenchmarkS4(b *testing.B) {
	const n = 10_000
	run := func(name string, submit func(task Task)) {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				var wg sync.WaitGroup
				wg.Add(n)
				for range n {
					submit(func(context.Context) {
						time.Sleep(time.Millisecond)
						wg.Done()
					})
				}
				wg.Wait()
			}
		})
	}
	ch := make(chan Task, 1024)
	defer close(ch)
	for range 200 {
		go func() {
			for t := range ch {
				t(context.Background())
			}
		}()
	}
	run("channel-workers", func(t Task) { ch <- t })
	s := must(NewBoundedElastic(200, Unlimited, "bench"))
	defer s.Dispose()
	run("elastic", func(t Task) { accepted(b, s.Execute(t)) })
	p := must(NewPerTaskBoundedElastic(200, Unlimited, "bench"))
	defer p.Dispose()
	run("per-task", func(t Task) { accepted(b, p.Execute(t)) })
}

func BenchmarkCheckBlocking(b *testing.B) {
	for _, depth := range []int{1, 20, 300} {
		b.Run(fmt.Sprint(depth), func(b *testing.B) {
			atDepth(depth, func() {
				for b.Loop() {
					_ = CheckBlocking(context.Background(), "bench")
				}
			})
		})
	}
}

//go:noinline
func atDepth(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	atDepth(n-1, f)
	runtime.KeepAlive(n)
}
