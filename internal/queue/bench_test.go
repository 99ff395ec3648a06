package queue

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// The rivals that every figure is compared with in the same run.

// channel is what a Go programmer would take.
type channel chan int

func (c channel) Offer(v int) bool {
	select {
	case c <- v:
		return true
	default:
		return false
	}
}

func (c channel) Poll() (v int, ok bool) {
	select {
	case v = <-c:
		return v, true
	default:
		return 0, false
	}
}

func (c channel) IsEmpty() bool { return len(c) == 0 }
func (c channel) Len() int      { return len(c) }

// guarded is a slice under a mutex; it reuses its array.
type guarded struct {
	mu    sync.Mutex
	list  []int
	first int
}

func (g *guarded) Offer(v int) bool {
	g.mu.Lock()
	g.list = append(g.list, v)
	g.mu.Unlock()
	return true
}

func (g *guarded) Poll() (v int, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.first == len(g.list) {
		g.list, g.first = g.list[:0], 0
		return 0, false
	}
	v = g.list[g.first]
	g.first++
	return v, true
}

func (g *guarded) IsEmpty() bool { return g.Len() == 0 }

func (g *guarded) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.list) - g.first
}

// stack is the simplest queue for many producers: they push nodes on a stack,
// the consumer takes all of them at once and turns them around. It never waits,
// and it allocates a node per element.
type stack struct {
	top  atomic.Pointer[stackNode]
	list *stackNode // consumer only
}

type stackNode struct {
	v    int
	next *stackNode
}

func (s *stack) Offer(v int) bool {
	n := &stackNode{v: v}
	for {
		top := s.top.Load()
		n.next = top
		if s.top.CompareAndSwap(top, n) {
			return true
		}
	}
}

func (s *stack) Poll() (int, bool) {
	if s.list == nil {
		for n := s.top.Swap(nil); n != nil; {
			n.next, s.list, n = s.list, n, n.next
		}
		if s.list == nil {
			return 0, false
		}
	}
	n := s.list
	s.list = n.next
	return n.v, true
}

func (s *stack) IsEmpty() bool { return s.list == nil && s.top.Load() == nil }
func (s *stack) Len() int      { panic("not counted") }

// exchange is the linked queue of Vyukov: one swap per Offer, one node per element,
// and a Poll that waits for an Offer that was stopped in the middle.
type exchange struct {
	last  atomic.Pointer[exchangeNode]
	_     [cacheLine]byte
	first *exchangeNode // consumer only
}

type exchangeNode struct {
	v    int
	next atomic.Pointer[exchangeNode]
}

func newExchange() *exchange {
	q := &exchange{first: &exchangeNode{}}
	q.last.Store(q.first)
	return q
}

func (q *exchange) Offer(v int) bool {
	n := &exchangeNode{v: v}
	q.last.Swap(n).next.Store(n)
	return true
}

func (q *exchange) Poll() (int, bool) {
	n := q.first.next.Load()
	if n == nil {
		if q.first == q.last.Load() {
			return 0, false
		}
		for spins := 0; n == nil; spins++ {
			relax(spins)
			n = q.first.next.Load()
		}
	}
	q.first = n
	return n.v, true
}

func (q *exchange) IsEmpty() bool { return q.first == q.last.Load() }
func (q *exchange) Len() int      { panic("not counted") }

// BenchmarkTurn offers 128 elements and polls them on one goroutine: the cost of the
// instructions, without any cache line that travels.
func BenchmarkTurn(b *testing.B) {
	run := func(b *testing.B, q Queue[int]) {
		b.ReportAllocs()
		sum := 0
		for n := 0; n < b.N; n += 128 {
			for i := range 128 {
				q.Offer(i)
			}
			for range 128 {
				v, _ := q.Poll()
				sum += v
			}
		}
		sink = sum
	}
	batches := func(b *testing.B, q full[int]) {
		b.ReportAllocs()
		sum := 0
		batch := make([]int, 64)
		for n := 0; n < b.N; n += 128 {
			for i := range 128 {
				q.Offer(i)
			}
			for n := q.PollBatch(batch); n > 0; n = q.PollBatch(batch) {
				for _, v := range batch[:n] {
					sum += v
				}
			}
		}
		sink = sum
	}
	b.Run("ring", func(b *testing.B) { // as operators call it: without an interface in between
		b.ReportAllocs()
		q, sum := NewRing[int](256), 0
		for n := 0; n < b.N; n += 128 {
			for i := range 128 {
				q.Offer(i)
			}
			for range 128 {
				v, _ := q.Poll()
				sum += v
			}
		}
		sink = sum
	})
	b.Run("ring-interface", func(b *testing.B) { run(b, NewRing[int](256)) })
	b.Run("ring-batch", func(b *testing.B) {
		b.ReportAllocs()
		q, sum := NewRing[int](256), 0
		var batch [64]int
		for n := 0; n < b.N; n += 128 {
			for i := range 128 {
				q.Offer(i)
			}
			for n := q.PollBatch(batch[:]); n > 0; n = q.PollBatch(batch[:]) {
				for _, v := range batch[:n] {
					sum += v
				}
			}
		}
		sink = sum
	})
	b.Run("ring-batch-interface", func(b *testing.B) { batches(b, NewRing[int](256)) })
	b.Run("linked-batch", func(b *testing.B) { batches(b, NewLinked[int](64)) })
	b.Run("mpsc-batch", func(b *testing.B) { batches(b, NewMPSC[int](64)) })
	b.Run("linked", func(b *testing.B) { run(b, NewLinked[int](64)) })
	b.Run("mpsc", func(b *testing.B) { run(b, NewMPSC[int](64)) })
	b.Run("channel", func(b *testing.B) { run(b, make(channel, 256)) })
	b.Run("mutex", func(b *testing.B) { run(b, &guarded{}) })
	b.Run("stack", func(b *testing.B) { run(b, &stack{}) })
	b.Run("exchange", func(b *testing.B) { run(b, newExchange()) })
}

var sink int

// transfer moves b.N elements from one goroutine to another, never more than 256
// on the way: the consumer grants 192 more whenever it has taken as many, as a
// prefetching stage does. When poll finds nothing, idle decides how soon it is
// called again.
func transfer(b *testing.B, offer func(int) bool, poll func() (n, sum int), idle func()) {
	b.ReportAllocs()
	const prefetch, refill = 256, 192
	var granted struct {
		_ [cacheLine]byte
		atomic.Int64
		_ [cacheLine]byte
	}
	granted.Store(prefetch)
	var wg sync.WaitGroup
	wg.Go(func() {
		credit := 0
		for i := range b.N {
			for credit == i {
				if credit = int(granted.Load()); credit == i {
					runtime.Gosched()
				}
			}
			if !offer(i) {
				panic("refused within the prefetch")
			}
		}
	})
	sum, owed := 0, 0
	for got := 0; got < b.N; {
		n, s := poll()
		got += n
		sum += s
		if owed += n; owed >= refill {
			granted.Add(int64(owed))
			owed = 0
		}
		if n == 0 {
			idle()
		}
	}
	wg.Wait()
	if want := b.N * (b.N - 1) / 2; sum != want {
		b.Fatalf("sum %d, want %d", sum, want)
	}
}

// pause keeps the processor for about a microsecond without touching the queue,
// the time in which a drain loop that found nothing ends and is started again.
func pause() {
	for range 8 {
		for range 16 {
			spun.Add(1)
		}
		runtime.Gosched()
	}
}

var spun struct {
	_ [cacheLine]byte
	atomic.Uint64
	_ [cacheLine]byte
}

func one(q Queue[int]) func() (n, sum int) {
	return func() (int, int) {
		if v, ok := q.Poll(); ok {
			return 1, v
		}
		return 0, 0
	}
}

// BenchmarkHop moves elements from one goroutine to another. In the regime "eager"
// the consumer that found nothing looks again at once, so that both sides fight
// for the cache lines of every single element: the worst case of any queue. In
// the regime "paced" it pauses first, as a drain loop does.
func BenchmarkHop(b *testing.B) {
	for _, regime := range []struct {
		name string
		idle func()
	}{{"eager", runtime.Gosched}, {"paced", pause}} {
		b.Run(regime.name, func(b *testing.B) { benchmarkHop(b, regime.idle) })
	}
	b.Run("channel", func(b *testing.B) {
		c := make(chan int, 256)
		transfer(b, func(v int) bool { c <- v; return true }, func() (int, int) { return 1, <-c }, nil)
	})
}

func benchmarkHop(b *testing.B, idle func()) {
	single := func(name string, q Queue[int]) {
		b.Run(name, func(b *testing.B) { transfer(b, q.Offer, one(q), idle) })
	}
	batches := func(name string, offer func(int) bool, poll func([]int) int) {
		var batch [64]int
		b.Run(name, func(b *testing.B) {
			transfer(b, offer, func() (n, sum int) {
				n = poll(batch[:])
				for _, v := range batch[:n] {
					sum += v
				}
				return n, sum
			}, idle)
		})
	}
	ring, linked, mpsc := NewRing[int](256), NewLinked[int](64), NewMPSC[int](64)
	single("ring", ring)
	batches("ring-batch", ring.Offer, ring.PollBatch)
	single("linked", linked)
	batches("linked-batch", linked.Offer, linked.PollBatch)
	single("mpsc", mpsc)
	batches("mpsc-batch", mpsc.Offer, mpsc.PollBatch)
	single("mutex", &guarded{})
	single("stack", &stack{})
	single("exchange", newExchange())
}

// BenchmarkMerge moves elements from eight goroutines to one.
func BenchmarkMerge(b *testing.B) {
	const producers = 8
	run := func(b *testing.B, offer func(int) bool, poll func() (int, int)) {
		b.ReportAllocs()
		var wg sync.WaitGroup
		for p := range producers {
			wg.Go(func() {
				for i := p; i < b.N; i += producers {
					offer(i)
				}
			})
		}
		sum := 0
		for got := 0; got < b.N; {
			n, s := poll()
			got += n
			sum += s
			if n == 0 {
				runtime.Gosched() // where a drain loop would end
			}
		}
		wg.Wait()
		if want := b.N * (b.N - 1) / 2; sum != want {
			b.Fatalf("sum %d, want %d", sum, want)
		}
	}
	queue := func(b *testing.B, q Queue[int]) { run(b, q.Offer, one(q)) }
	b.Run("mpsc", func(b *testing.B) { queue(b, NewMPSC[int](64)) })
	b.Run("stack", func(b *testing.B) { queue(b, &stack{}) })
	b.Run("exchange", func(b *testing.B) { queue(b, newExchange()) })
	b.Run("mutex", func(b *testing.B) { queue(b, &guarded{}) })
	b.Run("channel", func(b *testing.B) {
		c := make(chan int, 256)
		run(b, func(v int) bool { c <- v; return true }, func() (int, int) { return 1, <-c })
	})
}

// BenchmarkFirstUse creates a queue and passes one element: what a short stream pays.
func BenchmarkFirstUse(b *testing.B) {
	run := func(b *testing.B, make func() Queue[int]) {
		b.ReportAllocs()
		for b.Loop() {
			q := make()
			q.Offer(1)
			q.Poll()
		}
	}
	b.Run("ring-32", func(b *testing.B) { run(b, func() Queue[int] { return NewRing[int](32) }) })
	b.Run("ring-256", func(b *testing.B) { run(b, func() Queue[int] { return NewRing[int](256) }) })
	b.Run("linked-16", func(b *testing.B) { run(b, func() Queue[int] { return NewLinked[int](16) }) })
	b.Run("mpsc-16", func(b *testing.B) { run(b, func() Queue[int] { return NewMPSC[int](16) }) })
	b.Run("channel-256", func(b *testing.B) { run(b, func() Queue[int] { return make(channel, 256) }) })
}
