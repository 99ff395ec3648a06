// Locks measures keyed locks beside what a Go programmer would write, and prints how the
// ratios stand to what is claimed.
package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/goreactor/reactor/benchmarks"
	"github.com/goreactor/reactor/internal/testkit/cli"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/mono"
)

// rounds is how often each candidate takes its turn.
var rounds int

// short counts what is not as claimed.
var short int

func main() { cli.Main("locks", parse, run) }

// verdict prints a line with a figure, what is claimed, and whether it is so.
func verdict(what string, got, limit float64, unit string) {
	word := "ok"
	if got > limit {
		word = "short"
		short++
	}
	fmt.Printf("  %-62s %10.2f %-9s limit %8.2f  %s\n", what, got, unit, limit, word)
}

type candidate struct {
	name     string
	run      func(n int)
	ns, wall []float64
}

// processor returns the time that all threads have used so far.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measure lets the candidates take turns and prints the median of each, in nanoseconds of
// processor time, the collector's included, and of the clock, which counts what other
// processes take as well.
func measure(n int, list ...*candidate) {
	for _, c := range list {
		c.run(n / 10) // warm up
	}
	for range rounds {
		for _, c := range list {
			start, used := time.Now(), processor()
			c.run(n)
			c.ns = append(c.ns, float64(processor()-used)/float64(n))
			c.wall = append(c.wall, float64(time.Since(start))/float64(n))
		}
	}
	for _, c := range list {
		fmt.Printf("  %-62s %10.1f ns %18.1f ns by the clock\n", c.name, c.median(), middle(c.wall))
	}
}

func (c *candidate) median() float64 { return middle(c.ns) }

func manager(opts ...keylock.Option) *keylock.Manager {
	m, err := keylock.New(append([]keylock.Option{keylock.LeaseTime(0), keylock.WaitTime(keylock.Forever)}, opts...)...)
	if err != nil {
		panic(err)
	}
	return m
}

func work(context.Context) int { return 1 }

func locked(context.Context, keylock.Lease) (int, error) { return 1, nil }

// look is a function that uses its context, as one that does input or output.
func look(ctx context.Context, _ keylock.Lease) (int, error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	default:
		return 1, nil
	}
}

var names = func() (list []string) {
	for i := range 1024 {
		list = append(list, "key-"+strconv.Itoa(i))
	}
	return list
}()

func peer(name string, l benchmarks.KeyedLock) *candidate {
	ctx := context.Background()
	return &candidate{name: name, run: func(n int) {
		for i := range n {
			_, _ = l.Do(ctx, names[i%len(names)], work)
		}
	}}
}

func ours(name string, m *keylock.Manager, fn func(context.Context, keylock.Lease) (int, error)) *candidate {
	ctx := context.Background()
	return &candidate{name: name, run: func(n int) {
		for i := range n {
			_, _ = m.Do(ctx, names[i%len(names)], fn)
		}
	}}
}

func uncontended() {
	fmt.Println("uncontended, one goroutine, 1024 keys")
	kept, dropped := manager(), manager(keylock.IdleTTL(0))
	defer kept.Close()
	mutexes := peer("sharded map of sync.Mutex", benchmarks.NewMutexMap())
	derived := &candidate{name: "a derived context alone", run: func(n int) {
		for range n {
			_, cancel := context.WithCancelCause(context.Background())
			cancel(nil)
		}
	}}
	asked := &candidate{name: "a derived context that is looked at", run: func(n int) {
		for range n {
			ctx, cancel := context.WithCancelCause(context.Background())
			_, _ = look(ctx, keylock.Lease{})
			cancel(nil)
		}
	}}
	own := ours("keylock Do", kept, locked)
	atOnce := ours("keylock Do, IdleTTL(0)", dropped, locked)
	looking := ours("keylock Do, the function looks at its context", kept, look)
	measure(200_000, mutexes, peer("x/sync semaphore per key", benchmarks.NewSemaphoreMap()), peer("moby/locker", benchmarks.NewMoby()), derived, asked, own, atOnce, looking)
	limit := 2*mutexes.median() + derived.median()
	verdict("Do ≤ 2 × mutex map + derived context", own.median(), limit, "ns")
	verdict("the same with IdleTTL(0)", atOnce.median(), limit, "ns")
	verdict("the same, the function looks at its context", looking.median(), 2*mutexes.median()+asked.median(), "ns")
	fmt.Println()
}

// crowd runs n calls on as many goroutines as stand in line.
func crowd(goroutines, n int, call func()) {
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range n / goroutines {
				call()
			}
		})
	}
	all.Wait()
}

func contended() {
	m := manager()
	defer m.Close()
	timed := manager(keylock.WaitTime(time.Minute))
	defer timed.Close()
	for _, goroutines := range []int{2, 8, 64} {
		fmt.Printf("contended, %d goroutines, one key; each yields while it holds the key, so that every call waits\n", goroutines)
		yielding := func(context.Context) int { runtime.Gosched(); return 1 }
		yieldingLocked := func(context.Context, keylock.Lease) (int, error) { runtime.Gosched(); return 1, nil }
		ctx, cancel := context.WithCancel(context.Background())
		with := func(name string, call func()) *candidate {
			return &candidate{name: name, run: func(n int) { crowd(goroutines, n, call) }}
		}
		channel := make(benchmarks.ChannelLock, 1)
		mutexes, semaphores := benchmarks.NewMutexMap(), benchmarks.NewSemaphoreMap()
		byChannel := with("channel", func() { _, _ = channel.Do(ctx, "k", yielding) })
		own := with("keylock Do", func() { _, _ = m.Do(ctx, "k", yieldingLocked) })
		ownTimed := with("keylock Do with a WaitTime", func() { _, _ = timed.Do(ctx, "k", yieldingLocked) })
		measure(40_000, byChannel, own, ownTimed,
			with("x/sync semaphore per key", func() { _, _ = semaphores.Do(ctx, "k", yielding) }),
			with("sharded map of sync.Mutex (no order)", func() { _, _ = mutexes.Do(ctx, "k", yielding) }))
		fmt.Printf("  %-62s %10.2f ×\n", "a whole call of Do beside one of the channel", own.median()/byChannel.median())
		cancel()
		fmt.Println()
	}
}

// handOver measures the time for which a key that others wait for is used by nobody: from
// the last thing a function does to the first thing of the next one.
func handOver() {
	m := manager()
	defer m.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, goroutines := range []int{2, 8, 64} {
		fmt.Printf("hand-over, %d goroutines, one key: from the end of one function to the beginning of the next\n", goroutines)
		channel, semaphores := make(benchmarks.ChannelLock, 1), benchmarks.NewSemaphoreMap()
		var last time.Time // of who holds the key, as is all that follows
		var gaps []float64
		inside := func() {
			gaps = append(gaps, float64(time.Since(last)))
			runtime.Gosched() // the others come and wait
			last = time.Now()
		}
		type lock struct {
			name    string
			call    func()
			medians []float64
		}
		list := []*lock{
			{name: "channel", call: func() { _, _ = channel.Do(ctx, "k", func(context.Context) int { inside(); return 1 }) }},
			{name: "keylock Do", call: func() {
				_, _ = m.Do(ctx, "k", func(context.Context, keylock.Lease) (int, error) { inside(); return 1, nil })
			}},
			{name: "x/sync semaphore per key", call: func() { _, _ = semaphores.Do(ctx, "k", func(context.Context) int { inside(); return 1 }) }},
		}
		// Shorter rounds, and more: who runs where is settled anew in each of them.
		for range 4 * rounds {
			for _, l := range list {
				gaps, last = gaps[:0], time.Now()
				crowd(goroutines, 10_000, l.call)
				l.medians = append(l.medians, middle(gaps))
			}
		}
		for _, l := range list {
			fmt.Printf("  %-62s %10.1f ns by the clock\n", l.name, middle(l.medians))
		}
		verdict("Do ≤ 1.3 × channel", middle(list[1].medians)/middle(list[0].medians), 1.3, "×")
		fmt.Println()
	}
}

// middle sorts the list and returns its median.
func middle(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

func allocations() {
	fmt.Println("allocations")
	m := manager()
	defer m.Close()
	leased := manager(keylock.LeaseTime(time.Minute))
	defer leased.Close()
	ctx := context.Background()
	verdict("Do without a lease", testing.AllocsPerRun(1000, func() { _, _ = m.Do(ctx, "k", locked) }), 3, "objects")
	fmt.Printf("  %-62s %10.2f\n", "a derived context that is looked at, alone", testing.AllocsPerRun(1000, func() {
		inner, cancel := context.WithCancelCause(ctx)
		_, _ = look(inner, keylock.Lease{})
		cancel(nil)
	}))
	fmt.Printf("  %-62s %10.2f\n", "Do without a lease, the function looks at its context", testing.AllocsPerRun(1000, func() { _, _ = m.Do(ctx, "k", look) }))
	just := mono.Just(1)
	verdict("Mono, from assembly to the result", testing.AllocsPerRun(1000, func() { _, _ = m.Mono("k", just).Block(ctx) }), 12, "objects")
	fmt.Printf("  %-62s %10.2f\n", "Do with a lease", testing.AllocsPerRun(1000, func() { _, _ = leased.Do(ctx, "k", locked) }))
	fmt.Printf("  %-62s %10.2f\n\n", "Mono with a lease", testing.AllocsPerRun(1000, func() { _, _ = leased.Mono("k", just).Block(ctx) }))
}

// percentile returns the p-th percentile of n acquires of free keys.
func percentile(m *keylock.Manager, n int, p float64) float64 {
	times := make([]float64, n)
	for i := range n {
		start := time.Now()
		l, ok := m.TryAcquire(names[i%len(names)])
		times[i] = float64(time.Since(start))
		if !ok {
			panic("not free")
		}
		l.Release()
	}
	slices.Sort(times)
	return times[int(p*float64(n))]
}

// free returns the 99th percentile of acquires of free keys. They are done twice: the heap
// grows when thousands wait, and pages of it that nobody has touched before cost a fault of
// some microseconds in one of 64 calls, which is more than one in a hundred.
func free(m *keylock.Manager) float64 {
	percentile(m, 50_000, 0.99)
	runtime.GC()
	return percentile(m, 50_000, 0.99)
}

// parked lets ten thousand goroutines wait, for the key or for a channel, calls fn, and
// ends them.
func parked(m *keylock.Manager, key bool, fn func()) {
	hot, _ := m.TryAcquire("hot")
	defer hot.Release()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range 10_000 {
		all.Go(func() {
			if key {
				_, _ = m.Acquire(ctx, "hot")
			} else {
				<-ctx.Done()
			}
		})
	}
	for key && m.Stats().Waiters < 10_000 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
	fn()
	cancel()
	all.Wait()
}

func freeKey() {
	fmt.Println("acquiring a free key while 10,000 wait for another one, 99th percentile by the clock")
	m := manager()
	defer m.Close()
	var without, elsewhere, with []float64
	for range rounds {
		without = append(without, free(m))
		parked(m, false, func() { elsewhere = append(elsewhere, free(m)) })
		parked(m, true, func() { with = append(with, free(m)) })
	}
	show := func(what string, list []float64) float64 {
		fmt.Printf("  %-62s %10.1f ns\n", what, middle(list))
		return middle(list)
	}
	a, b, c := show("without", without), show("10,000 goroutines wait for a channel", elsewhere), show("10,000 goroutines wait for the key", with)
	verdict("with ≤ 2 × without", c/a, 2, "×")
	verdict("with ≤ 2 × as many that wait for a channel", c/b, 2, "×")
	fmt.Println()
}

// heap returns the bytes in use.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return float64(s.HeapAlloc)
}

func memory(n int) {
	fmt.Printf("memory of %d distinct keys, without the text of the keys\n", n)
	list := make([]string, n)
	for i := range list {
		list[i] = "key-" + strconv.Itoa(i)
	}
	ctx := context.Background()
	m := manager(keylock.IdleTTL(time.Second))
	goroutines := runtime.NumGoroutine()
	before := heap()
	for _, key := range list {
		_, _ = m.Do(ctx, key, locked)
	}
	if m.Stats().Keys == n {
		verdict("remembered after use", (heap()-before)/float64(n), 200, "bytes/key")
	} else {
		fmt.Println("  the machine is too slow to see them all remembered; take more than a second of IdleTTL")
	}
	for m.Stats().Keys > 0 {
		time.Sleep(100 * time.Millisecond)
	}
	verdict("left when nobody has used them for a while", (heap()-before)/1024, 256, "KiB")
	verdict("goroutines left", float64(runtime.NumGoroutine()-goroutines), 1, "")
	m.Close()

	held := manager(keylock.IdleTTL(0))
	before = heap()
	leases := make([]keylock.Lease, n)
	mine := heap() - before
	for i, key := range list {
		leases[i], _ = held.TryAcquire(key)
	}
	fmt.Printf("  %-62s %10.2f bytes/key\n", "all held at a time", (heap()-before-mine)/float64(n))
	for _, l := range leases {
		l.Release()
	}
	clear(leases)
	verdict("left when all are released", (heap()-before-mine)/1024, 256, "KiB")
	runtime.KeepAlive(leases)
	runtime.KeepAlive(list)
}
