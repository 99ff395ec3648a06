package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor/benchmarks/internal/machine"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/schedulers"
)

// soak is what runs.
type soak struct {
	begin    time.Time
	parallel schedulers.Scheduler
	elastic  schedulers.Scheduler
	before   int // goroutines
	cancel   context.CancelFunc
	ended    sync.WaitGroup

	hops             histogram
	elements, faults atomic.Int64
	silences         atomic.Int64 // that a timeout has ended
	failed           atomic.Pointer[error]
}

// errFault is what the work of a pipeline fails with now and then.
var errFault = errors.New("a fault")

// element is one on its way, and when it was sent.
type element struct {
	n    int64
	sent time.Duration
}

// start subscribes to the pipelines.
func start(o options) (s *soak, err error) {
	s = &soak{begin: time.Now(), before: runtime.NumGoroutine()}
	if s.parallel, err = schedulers.NewParallel("soak", runtime.GOMAXPROCS(0)); err != nil {
		return nil, err
	}
	if s.elastic, err = schedulers.NewBoundedElastic(16, schedulers.Unlimited, "soak"); err != nil {
		s.parallel.Dispose()
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.ended.Add(o.pipelines)
	for i := range o.pipelines {
		s.pipeline(o, i).SubscribeFunc(ctx, func(int64) { s.elements.Add(1) }, flux.OnError(func(err error) {
			if !errors.Is(err, context.Canceled) {
				s.failed.Store(&err)
			}
			s.ended.Done()
		}))
	}
	return s, nil
}

// pipeline is the one with number i. Its source sends 8 to 15 elements and falls silent then; the
// work of the one with number 11 fails.
func (s *soak) pipeline(o options, i int) flux.Flux[int64] {
	first := o.period * time.Duration(i) / time.Duration(o.pipelines) // not all at once
	source := flux.Interval(o.period, flux.On(s.parallel), flux.InitialDelay(first)).Take(8 + i%8)
	return flux.Concat[int64](source, flux.Never[int64]()).
		Map(func(n int64) element { return element{n, time.Since(s.begin)} }).
		PublishOn(s.parallel).
		Map(func(e element) int64 {
			s.hops.add(time.Since(s.begin) - e.sent)
			return e.n
		}).
		FlatMap(func(n int64) mono.Mono[int64] {
			if n == 11 {
				s.faults.Add(1)
				return mono.Error[int64](errFault)
			}
			return mono.FromCallable(func() (int64, error) { return n, nil }).SubscribeOn(s.elastic)
		}).
		Timeout(2*o.period, flux.On(s.parallel)).
		DoOnError(func(err error) {
			if !errors.Is(err, errFault) {
				s.silences.Add(1)
			}
		}).
		Retry()
}

// window is what was seen at the end of one, or in it.
type window struct {
	heap, resident uint64
	goroutines     int
	elements       int64
	p99            time.Duration
	foreign        float64 // processors that others have used
	faults         int64
	silences       int64
}

// watch looks once a window.
func (s *soak) watch(o options, out io.Writer) (all []window) {
	each := o.long / time.Duration(o.windows)
	ticker := time.NewTicker(each)
	defer ticker.Stop()
	var last window
	fmt.Fprintln(out, "   passed    heap MB  process MB  goroutines   elements/s   hop p99   others")
	for range o.windows {
		foreign := machine.Watch()
		<-ticker.C
		w := window{p99: s.hops.take(99), foreign: foreign(0), goroutines: runtime.NumGoroutine()}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		w.heap, w.resident = m.HeapAlloc, m.Sys-m.HeapReleased
		elements, faults, silences := s.elements.Load(), s.faults.Load(), s.silences.Load()
		w.elements, w.faults, w.silences = elements-last.elements, faults-last.faults, silences-last.silences
		last = window{elements: elements, faults: faults, silences: silences}
		all = append(all, w)
		fmt.Fprintf(out, "%9v %10.1f %11.1f %11d %12.0f %9v %8.1f\n", time.Since(s.begin).Round(time.Second),
			float64(w.heap)/1e6, float64(w.resident)/1e6, w.goroutines, float64(w.elements)/each.Seconds(), w.p99, w.foreign)
	}
	return all
}

// end cancels the pipelines and returns how many goroutines they have left.
func (s *soak) end() (left int, err error) {
	s.cancel()
	s.ended.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, each := range []schedulers.Scheduler{s.parallel, s.elastic} {
		if err := each.DisposeGracefully(ctx, schedulers.DropDelayed()); err != nil {
			return 0, err
		}
	}
	if err := s.failed.Load(); err != nil {
		return 0, fmt.Errorf("a pipeline has ended: %w", *err)
	}
	// Who has told its end is a goroutine until it has returned.
	for left = runtime.NumGoroutine() - s.before; left > 0 && ctx.Err() == nil; left = runtime.NumGoroutine() - s.before {
		time.Sleep(time.Millisecond)
	}
	return left, nil
}
