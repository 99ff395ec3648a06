package timers

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// filled returns a queue whose next nodes go into the wheel, since its heap has a handful that are never due.
func filled() *Queue {
	q := new(Queue)
	for range handful {
		q.Push(&Node{Due: math.MaxInt64}, 0)
	}
	return q
}

// Those that are taken out of the middle of a bucket, and then of its end, leave nothing that is taken down to the level below.
func TestNodesAreTakenDownPastThoseThatHaveLeft(t *testing.T) {
	q := filled()
	nodes := make([]Node, 4)
	due := int64(200) << tickBits
	for i := range nodes {
		nodes[i].Due = due
		q.Push(&nodes[i], 0)
		require.Less(t, nodes[i].index, outside)
	}
	for _, i := range []int{2, 1, 3} {
		q.Remove(&nodes[i])
	}
	for tick := range int64(200) {
		require.Nil(t, q.Overdue(tick<<tickBits))
	}
	checkTimers(t, q)
	assert.Same(t, &nodes[0], q.Overdue(due))
}

func TestNodesThatHaveLeftDoNotWait(t *testing.T) {
	q := filled()
	near, far := &Node{}, &Node{Due: int64(time.Hour)}
	for _, n := range []*Node{near, far} {
		require.False(t, n.Waits())
		q.Push(n, 0)
		require.True(t, n.Waits())
		q.Remove(n)
		require.False(t, n.Waits())
	}
}

// Who waits for a few nodes of the far future is woken when the time of their bucket has come: each time before is for nothing.
func TestFewNodesAreLeftAloneUntilTheirTime(t *testing.T) {
	for _, d := range []time.Duration{100 * time.Millisecond, time.Minute, time.Hour, 1000 * time.Hour} {
		q := filled()
		for range portion {
			q.Push(&Node{Due: int64(d)}, 0)
		}
		_, _, start := q.wheel.first()
		assert.Equal(t, start<<tickBits, q.WakeAt(), d)
		q.Push(&Node{Due: int64(d)}, 0)
		if level, _, _ := q.wheel.first(); level > 0 {
			assert.Less(t, q.WakeAt(), start<<tickBits, "they are too many to be taken down at once")
		}
	}
}

// The memory of many that were due at a time is given back, and not piece by piece.
func TestHeapThatHadMany(t *testing.T) {
	q := new(Queue)
	nodes := make([]Node, 64*handful)
	q.Push(&Node{}, 0)
	for i := range nodes {
		q.toHeap(&nodes[i])
		q.n++
	}
	most := cap(q.heap)
	q.Remove(&nodes[0])
	assert.Equal(t, most, cap(q.heap))
	for i := range nodes[1:] {
		q.Remove(&nodes[1+i])
	}
	assert.LessOrEqual(t, cap(q.heap), 16*handful)
	checkTimers(t, q)
}

func TestSortedIsThoseThatAreChosenInTheirOrder(t *testing.T) {
	q := filled()
	nodes := make([]Node, 9)
	for i := range nodes {
		nodes[i].Due = int64(i/3) * int64(time.Hour)
	}
	for _, i := range []int{6, 3, 0, 1, 4, 7, 8, 5, 2} {
		q.Push(&nodes[i], 0)
	}
	got := q.Sorted(func(n *Node) bool { return n.Due < math.MaxInt64 && n != &nodes[4] })
	assert.Equal(t, []*Node{&nodes[0], &nodes[1], &nodes[2], &nodes[3], &nodes[5], &nodes[6], &nodes[7], &nodes[8]}, got)
	assert.Len(t, q.Sorted(nil), handful+9)
}
