package queue

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/testkit/racetest"
)

type ticket struct{ producer, number int }

// TestMPSCKeepsTheOrderOfEachProducer is the promise under load: nothing lost,
// nothing twice, the elements of one producer in its order.
func TestMPSCKeepsTheOrderOfEachProducer(t *testing.T) {
	const producers = 8
	for _, chunk := range []int{1, 2, 8, 64} {
		count := scale(5_000)
		q := NewMPSC[*ticket](chunk)
		var wg sync.WaitGroup
		for p := range producers {
			wg.Go(func() {
				for n := range count {
					q.Offer(&ticket{p, n})
				}
			})
		}
		var next [producers]int
		batch := make([]*ticket, 5)
		for got := 0; got < producers*count; {
			n := 0
			if got%2 == 0 {
				n = q.PollBatch(batch)
			} else if v, ok := q.Poll(); ok {
				batch[0], n = v, 1
			}
			for _, v := range batch[:n] {
				require.Equal(t, next[v.producer], v.number, "producer %d", v.producer)
				next[v.producer]++
			}
			got += n
			if n == 0 {
				runtime.Gosched()
			}
		}
		wg.Wait()
		_, ok := q.Poll()
		assert.False(t, ok)
		assert.True(t, q.IsEmpty())
	}
}

// TestMPSCFindsWhatWasOffered: once an Offer has returned, its element is there,
// however many other producers are in the middle of theirs.
func TestMPSCFindsWhatWasOffered(t *testing.T) {
	for _, chunk := range []int{1, 2, 16} {
		q := NewMPSC[int](chunk)
		var completed atomic.Int64 // Offers that have returned
		var stop atomic.Bool
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for !stop.Load() {
					q.Offer(1)
					completed.Add(1)
					runtime.Gosched()
				}
			})
		}
		polled := int64(0)
		for range scale(20_000) {
			// Whatever had returned by now must be seen by what follows.
			due := completed.Load() - polled
			if due > 0 {
				require.False(t, q.IsEmpty())
				require.GreaterOrEqual(t, int64(q.Len()), due)
			}
			_, ok := q.Poll()
			if due > 0 {
				require.True(t, ok)
			}
			if ok {
				polled++
			} else {
				runtime.Gosched()
			}
		}
		stop.Store(true)
		wg.Wait()
		for _, ok := q.Poll(); ok; _, ok = q.Poll() {
			polled++
		}
		assert.Equal(t, completed.Load(), polled)
	}
}

// TestMPSCOffersAreOrdered: an Offer that begins after another has returned comes
// out later, also when they are different producers' offers.
func TestMPSCOffersAreOrdered(t *testing.T) {
	q := NewMPSC[int64](4)
	var clock atomic.Int64 // the highest number whose Offer has returned
	var wg sync.WaitGroup
	total := int64(scale(5_000))
	var offers atomic.Int64
	for range 4 {
		wg.Go(func() {
			for offers.Add(1) <= total {
				now := clock.Load()
				q.Offer(now)
				clock.Add(1)
			}
		})
	}
	wg.Wait()
	// An element offered when `now` offers had returned has at least `now`
	// elements before it.
	for before := int64(0); ; before++ {
		now, ok := q.Poll()
		if !ok {
			require.Equal(t, total, before)
			break
		}
		require.LessOrEqual(t, now, before)
	}
}

// TestMPSCOfferRacesOfferAndPoll meets every position of a chunk, the very first one
// and used chunks included.
func TestMPSCOfferRacesOfferAndPoll(t *testing.T) {
	round := 0
	racetest.Repeat(racetest.Iterations(20_000), func(race func(...func())) {
		round++
		q := NewMPSC[int](2)
		for range round % 7 {
			q.Offer(-1)
			q.Poll()
		}
		var polled []int
		poll := func() {
			empty := q.IsEmpty()
			v, ok := q.Poll()
			if ok {
				polled = append(polled, v)
			} else if !empty {
				t.Error("Poll finds nothing in a queue that was not empty")
			}
		}
		race(func() { q.Offer(1) }, func() { q.Offer(2); q.Offer(3) }, func() { poll(); poll() })
		for !q.IsEmpty() {
			poll()
		}
		if slices.Index(polled, 2) > slices.Index(polled, 3) {
			t.Error("3 overtook 2")
		}
		slices.Sort(polled)
		require.Equal(t, []int{1, 2, 3}, polled)
	})
}

func TestMPSCReusesItsChunks(t *testing.T) {
	q := NewMPSC[int](4)
	seen := map[*mpscChunk[int]]bool{}
	for i := range 400 {
		q.Offer(i)
		seen[q.writing.Load()] = true
		v, ok := q.Poll()
		require.True(t, ok)
		require.Equal(t, i, v)
	}
	assert.Len(t, seen, 2)
}

func TestMPSCGivesUpChunksAfterABurst(t *testing.T) {
	q := NewMPSC[int](4)
	for i := range 1001 {
		q.Offer(i)
	}
	for i := range 1001 {
		v, _ := q.Poll()
		require.Equal(t, i, v)
	}
	chunks := 0
	for c := q.reading.Load(); c != nil; c = c.next {
		chunks++
	}
	assert.Equal(t, 1, chunks)
	assert.Nil(t, q.spare.Load().next, "the spare chunk must not keep a chain of others")
}

// TestMPSCOfferStoppedHalfWay builds the two states in which somebody has to wait,
// by hand, and shows that they wait and go on.
func TestMPSCOfferStoppedHalfWay(t *testing.T) {
	t.Run("Poll waits for a position that is taken and not filled", func(t *testing.T) {
		q := NewMPSC[int](4)
		q.Offer(0)
		c := q.writing.Load()
		q.tail.Add(1) // position 1 is taken
		q.Offer(2)
		v, ok := q.Poll()
		require.True(t, ok)
		require.Equal(t, 0, v)
		assert.Equal(t, 2, q.Len())

		var wg sync.WaitGroup
		wg.Go(func() {
			v, ok := q.Poll()
			assert.True(t, ok)
			assert.Equal(t, 1, v)
		})
		runtime.Gosched()
		c.slots[1].v = 1
		c.slots[1].filled.Store(2)
		wg.Wait()
		v, ok = q.Poll()
		require.True(t, ok)
		require.Equal(t, 2, v)
	})
	t.Run("PollBatch returns what is filled and does not wait for more", func(t *testing.T) {
		q := NewMPSC[int](4)
		q.Offer(0)
		q.tail.Add(1)
		q.Offer(2)
		batch := make([]int, 4)
		assert.Equal(t, 1, q.PollBatch(batch))
		assert.Equal(t, 2, q.Len())
	})
	t.Run("Offer waits for the chunk that is being linked", func(t *testing.T) {
		q := NewMPSC[int](2)
		q.Offer(0)
		c := q.writing.Load()
		q.tail.Add(1) // position 1, the last of its chunk
		var wg sync.WaitGroup
		wg.Go(func() { q.Offer(2) })
		runtime.Gosched()
		assert.EqualValues(t, 2, q.tail.Load(), "no chunk, no position")
		next := q.obtain()
		next.base.Store(2)
		c.next = next
		q.writing.Store(next)
		c.slots[1].v = 1
		c.slots[1].filled.Store(2)
		wg.Wait()
		for want := range 3 {
			v, ok := q.Poll()
			require.True(t, ok)
			require.Equal(t, want, v)
		}
	})
}
