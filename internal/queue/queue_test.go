package queue

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/nosync"
)

// full is what each of the queues can do.
type full[T any] interface {
	Counted[T]
	PollBatch(dst []T) int
}

var (
	_ full[int] = (*Ring[int])(nil)
	_ full[int] = (*Linked[int])(nil)
	_ full[int] = (*MPSC[int])(nil)
)

// each runs a test on all queues. Every one of them has room for 64 elements and
// meets a chunk boundary or the end of its storage within a few.
func each[T any](t *testing.T, test func(t *testing.T, q full[T])) {
	for _, c := range []struct {
		name string
		make func() full[T]
	}{
		{"Ring64", func() full[T] { return NewRing[T](64) }},
		{"Ring100", func() full[T] { return NewRing[T](100) }}, // stored in 128 slots
		{"Linked1", func() full[T] { return NewLinked[T](1) }},
		{"Linked2", func() full[T] { return NewLinked[T](2) }},
		{"Linked5", func() full[T] { return NewLinked[T](5) }},
		{"Linked64", func() full[T] { return NewLinked[T](64) }},
		{"MPSC1", func() full[T] { return NewMPSC[T](1) }},
		{"MPSC2", func() full[T] { return NewMPSC[T](2) }},
		{"MPSC5", func() full[T] { return NewMPSC[T](5) }},
		{"MPSC64", func() full[T] { return NewMPSC[T](64) }},
	} {
		t.Run(c.name, func(t *testing.T) { test(t, c.make()) })
	}
}

func TestNewQueueIsEmpty(t *testing.T) {
	each(t, func(t *testing.T, q full[string]) {
		assertEmpty(t, q)
		assert.True(t, q.Offer("a"))
		assert.False(t, q.IsEmpty())
		assert.Equal(t, 1, q.Len())
		v, ok := q.Poll()
		assert.True(t, ok)
		assert.Equal(t, "a", v)
		assertEmpty(t, q)
	})
}

func assertEmpty[T any](t *testing.T, q full[T]) {
	t.Helper()
	var zero T
	v, ok := q.Poll()
	assert.False(t, ok)
	assert.Equal(t, zero, v)
	assert.Zero(t, q.PollBatch(make([]T, 3)))
	assert.Zero(t, q.PollBatch(nil))
	assert.True(t, q.IsEmpty())
	assert.Zero(t, q.Len())
}

func TestFirstInFirstOut(t *testing.T) {
	each(t, func(t *testing.T, q full[int]) {
		in, out := 0, 0
		for round := range 400 {
			for range round % 60 {
				require.True(t, q.Offer(in))
				in++
			}
			require.Equal(t, in-out, q.Len())
			for range round % 7 * 9 {
				v, ok := q.Poll()
				require.Equal(t, out < in, ok)
				if ok {
					require.Equal(t, out, v)
					out++
				}
			}
			for q.Len() > 5 {
				batch := make([]int, 1+round%11)
				n := q.PollBatch(batch)
				require.Equal(t, min(len(batch), in-out), n)
				for _, v := range batch[:n] {
					require.Equal(t, out, v)
					out++
				}
			}
		}
		for v, ok := q.Poll(); ok; v, ok = q.Poll() {
			require.Equal(t, out, v)
			out++
		}
		require.Equal(t, in, out)
		assertEmpty(t, q)
	})
}

func TestZeroAndNilAreElements(t *testing.T) {
	each(t, func(t *testing.T, q full[*int]) {
		for range 10 {
			require.True(t, q.Offer(nil))
		}
		for left := 10; left > 4; left-- {
			require.Equal(t, left, q.Len())
			v, ok := q.Poll()
			require.True(t, ok)
			require.Nil(t, v)
		}
		one := 1
		batch := []*int{&one, &one, &one, &one, &one}
		require.Equal(t, 4, q.PollBatch(batch))
		assert.Equal(t, []*int{nil, nil, nil, nil, &one}, batch, "what lies beyond the result is left alone")
		assertEmpty(t, q)
	})
	each(t, func(t *testing.T, q full[struct{}]) {
		for range 10 {
			require.True(t, q.Offer(struct{}{}))
		}
		for range 10 {
			_, ok := q.Poll()
			require.True(t, ok)
		}
		assertEmpty(t, q)
	})
	each(t, func(t *testing.T, q full[any]) {
		q.Offer(nil)
		v, ok := q.Poll()
		assert.True(t, ok)
		assert.Nil(t, v)
		assertEmpty(t, q)
	})
}

func TestPolledElementsAreCollectable(t *testing.T) {
	type element struct{ _ [100]byte }
	each(t, func(t *testing.T, q full[*element]) {
		for range 90 { // so that what follows goes around the end of a ring
			q.Offer(nil)
			q.Poll()
		}
		var refs []weak.Pointer[element]
		for range 40 {
			e := &element{}
			refs = append(refs, weak.Make(e))
			q.Offer(e)
		}
		for range 9 {
			q.Poll()
		}
		func() { q.PollBatch(make([]*element, 30)) }()
		runtime.GC()
		for i, ref := range refs[:39] {
			assert.Nil(t, ref.Value(), "element %d was polled and is still reachable", i)
		}
		assert.NotNil(t, refs[39].Value(), "element 39 is queued")
		q.Poll()
		runtime.GC()
		assert.Nil(t, refs[39].Value())
		runtime.KeepAlive(q)
	})
}

func TestNothingIsAllocatedBeforeTheFirstOffer(t *testing.T) {
	ring, linked, mpsc := NewRing[int](1<<20), NewLinked[int](1<<20), NewMPSC[int](1<<20)
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		ring.Poll()
		linked.Poll()
		mpsc.Poll()
	}))
	assert.Nil(t, ring.slots)
	assert.Nil(t, linked.writing)
	assert.Nil(t, mpsc.writing.Load())
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	each(t, func(t *testing.T, q full[int]) {
		var batch [8]int
		turn := func() {
			for i := range 9 {
				q.Offer(i)
			}
			q.Poll()
			q.PollBatch(batch[:])
		}
		for range 20 {
			turn()
		}
		chunk := 64
		switch q := q.(type) {
		case *Linked[int]:
			chunk = q.size
		case *MPSC[int]:
			chunk = int(q.size)
		}
		if chunk < 9 {
			t.Skip("a turn spans several chunks, of which one is kept")
		}
		assert.Zero(t, testing.AllocsPerRun(1000, turn))
	})
}

func TestCapacityOrChunkMustBePositive(t *testing.T) {
	for _, n := range []int{0, -1, math.MinInt} {
		assert.PanicsWithValue(t, fmt.Sprintf("queue: NewRing: capacity must be positive, got %d", n), func() { NewRing[int](n) })
		assert.PanicsWithValue(t, fmt.Sprintf("queue: NewLinked: chunk must be positive, got %d", n), func() { NewLinked[int](n) })
		assert.PanicsWithValue(t, fmt.Sprintf("queue: NewMPSC: chunk must be positive, got %d", n), func() { NewMPSC[int](n) })
	}
}

func TestSidesDoNotShareCacheLines(t *testing.T) {
	line := func(offset uintptr) uintptr { return offset / cacheLine }
	var r Ring[int]
	assert.Less(t, line(unsafe.Offsetof(r.capacity)), line(unsafe.Offsetof(r.head)))
	assert.Equal(t, line(unsafe.Offsetof(r.head)), line(unsafe.Offsetof(r.tailSeen)))
	assert.Less(t, line(unsafe.Offsetof(r.tailSeen)), line(unsafe.Offsetof(r.tail)))
	assert.Equal(t, line(unsafe.Offsetof(r.tail)), line(unsafe.Offsetof(r.headSeen)))
	assert.EqualValues(t, 3*cacheLine, unsafe.Sizeof(r))
	var l Linked[int]
	assert.Less(t, line(unsafe.Offsetof(l.spare)), line(unsafe.Offsetof(l.head)))
	assert.Less(t, line(unsafe.Offsetof(l.readAt)), line(unsafe.Offsetof(l.tail)))
	assert.EqualValues(t, 3*cacheLine, unsafe.Sizeof(l))
	var m MPSC[int]
	assert.Less(t, line(unsafe.Offsetof(m.spare)), line(unsafe.Offsetof(m.head)))
	assert.Less(t, line(unsafe.Offsetof(m.reading)), line(unsafe.Offsetof(m.tail)))
	assert.EqualValues(t, 3*cacheLine, unsafe.Sizeof(m))
}

// scale shrinks a number of repetitions to what slower kinds of builds allow.
func scale(n int) int {
	if testing.Short() {
		n /= 10
	}
	if nosync.Observed {
		n /= 5
	}
	return n
}

// TestHandOver passes elements, which are pointers so that the race detector sees
// what they point to, from one goroutine to another. A third one watches.
func TestHandOver(t *testing.T) {
	each(t, func(t *testing.T, q full[*int]) {
		total := scale(20_000)
		var wg sync.WaitGroup
		var done atomic.Bool
		wg.Go(func() {
			for i := range total {
				v := new(int)
				*v = i
				for !q.Offer(v) {
					runtime.Gosched()
				}
			}
		})
		wg.Go(func() {
			limit := total
			if r, ok := q.(*Ring[*int]); ok {
				limit = r.Cap()
			}
			for !done.Load() {
				if n := q.Len(); n < 0 || n > limit {
					t.Errorf("Len says %d of at most %d", n, limit)
					return
				}
				q.IsEmpty()
				runtime.Gosched()
			}
		})
		batch := make([]*int, 7)
		for want := 0; want < total; {
			n := 0
			switch want % 3 {
			case 0:
				n = q.PollBatch(batch)
			default:
				if v, ok := q.Poll(); ok {
					batch[0], n = v, 1
				}
			}
			for _, v := range batch[:n] {
				require.Equal(t, want, *v)
				*v = -1 // ours now
				want++
			}
			if n == 0 {
				runtime.Gosched()
			}
		}
		done.Store(true)
		wg.Wait()
		assertEmpty(t, q)
	})
}

// TestProducerRoleMoves lets goroutines take turns as the producer and as the
// consumer; a mutex for each role is the happens-before edge between them.
func TestProducerRoleMoves(t *testing.T) {
	each(t, func(t *testing.T, q full[int]) {
		total := scale(4000)
		var producer, consumer sync.Mutex
		next, want := 0, 0
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for done := false; !done; runtime.Gosched() {
					producer.Lock()
					if next < total && q.Offer(next) {
						next++
					}
					done = next == total
					producer.Unlock()
				}
			})
			wg.Go(func() {
				for done := false; !done; runtime.Gosched() {
					consumer.Lock()
					if v, ok := q.Poll(); ok {
						if v != want {
							t.Errorf("got %d, want %d", v, want)
						}
						want++
					}
					done = want >= total
					consumer.Unlock()
				}
			})
		}
		wg.Wait()
		assert.Equal(t, total, want)
		assertEmpty(t, q)
	})
}

// TestWatchersSeeAMomentThatWas: a queue that holds one or two elements all the
// time never looks empty, nor longer, to those who are not its consumer.
func TestWatchersSeeAMomentThatWas(t *testing.T) {
	each(t, func(t *testing.T, q full[int]) {
		q.Offer(0)
		var done atomic.Bool
		var wg sync.WaitGroup
		wg.Go(func() {
			for range scale(50_000) {
				q.Offer(1)
				if _, ok := q.Poll(); !ok {
					t.Error("Poll found nothing")
				}
			}
			done.Store(true)
		})
		for !done.Load() {
			if q.IsEmpty() {
				t.Error("looks empty")
				break
			}
			if n := q.Len(); n != 1 && n != 2 {
				t.Errorf("looks as if it held %d elements", n)
				break
			}
		}
		wg.Wait()
	})
}
