package queue

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startAt moves the counters of an unused queue.
func (q *Linked[T]) startAt(position uintptr) *Linked[T] {
	q.head.Store(position)
	q.tail.Store(position)
	q.tailSeen = position
	return q
}

func TestLinkedCrossesChunkBoundaries(t *testing.T) {
	for chunk := 1; chunk <= 5; chunk++ {
		for ahead := 1; ahead <= 3*chunk+1; ahead++ {
			q := NewLinked[int](chunk).startAt(-uintptr(2*chunk + 1))
			for i := range ahead {
				require.True(t, q.Offer(i))
			}
			for i := range 10 * chunk {
				require.Equal(t, ahead, q.Len())
				v, ok := q.Poll()
				require.True(t, ok)
				require.Equal(t, i, v)
				q.Offer(i + ahead)
			}
			rest := make([]int, ahead+1)
			require.Equal(t, ahead, q.PollBatch(rest))
			for i := range ahead {
				require.Equal(t, 10*chunk+i, rest[i])
			}
			require.True(t, q.IsEmpty())
		}
	}
}

func TestLinkedReusesItsChunks(t *testing.T) {
	q := NewLinked[int](4)
	seen := map[*linkedChunk[int]]bool{}
	for i := range 400 {
		q.Offer(i)
		seen[q.writing] = true
		v, ok := q.Poll()
		require.True(t, ok)
		require.Equal(t, i, v)
	}
	assert.Len(t, seen, 2)
}

func TestLinkedGivesUpChunksAfterABurst(t *testing.T) {
	q := NewLinked[int](4)
	for i := range 1000 {
		q.Offer(i)
	}
	for i := range 1000 {
		v, _ := q.Poll()
		require.Equal(t, i, v)
	}
	chunks := 0
	for c := q.reading; c != nil; c = c.next {
		chunks++
	}
	assert.Equal(t, 1, chunks)
	assert.Nil(t, q.spare.next, "the spare chunk must not keep a chain of others")
}
