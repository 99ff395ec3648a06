package multicast

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

func TestSet(t *testing.T) {
	var s Set[int]
	assert.Empty(t, s.Members())
	for i := range 4 {
		assert.True(t, s.Add(i))
	}
	before := s.Members()
	assert.True(t, s.Remove(1))
	assert.Equal(t, []int{0, 2, 3}, s.Members())
	assert.Equal(t, []int{0, 1, 2, 3}, before, "what was read does not change")
	assert.False(t, s.Remove(1))
	s.Remove(0)
	s.Remove(3)
	assert.True(t, s.Remove(2))
	assert.Zero(t, s.Len())
	s.Add(7)
	assert.False(t, s.IsClosed())
	assert.Equal(t, []int{7}, s.Close())
	assert.Empty(t, s.Close())
	assert.True(t, s.IsClosed())
	assert.False(t, s.Add(8))
	assert.Zero(t, s.Len())
}

func TestSetClosedWithItsLastMember(t *testing.T) {
	var s Set[int]
	s.Add(1)
	s.Add(2)
	removed, closed := s.RemoveAndClose(1)
	assert.True(t, removed && !closed)
	removed, closed = s.RemoveAndClose(3)
	assert.False(t, removed || closed)
	removed, closed = s.RemoveAndClose(2)
	assert.True(t, removed && closed && s.IsClosed())
	assert.False(t, s.Add(4))
}

func TestEach(t *testing.T) {
	var seen []int
	assert.PanicsWithValue(t, "two", func() {
		Each([]int{1, 2, 3}, func(v int) {
			seen = append(seen, v)
			if v == 2 {
				panic("two")
			}
		})
	})
	assert.Equal(t, []int{1, 2, 3}, seen)
}

// Members that others have read keep their place in memory to themselves.
func TestSetDoesNotShareStorage(t *testing.T) {
	var s Set[int]
	for i := range 3 {
		s.Add(i)
	}
	a := s.Members()
	s.Add(3)
	b := s.Members()
	s.Remove(3)
	s.Add(4)
	assert.Equal(t, []int{0, 1, 2}, a)
	assert.Equal(t, []int{0, 1, 2, 3}, b)
}

func TestSetRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(1000), func(race func(...func())) {
		var s Set[int]
		s.Add(0)
		var added, removed bool
		var closed []int
		race(
			func() { added = s.Add(1) },
			func() { removed = s.Remove(0) },
			func() { closed = s.Close() },
		)
		var want []int
		if !removed {
			want = append(want, 0)
		}
		if added {
			want = append(want, 1)
		}
		assert.Equal(t, want, append([]int(nil), closed...), "each member is handed out once")
	})
}

// What it does for many members is what it does for few, in their order.
func TestSetOfMany(t *testing.T) {
	var s Set[int]
	var want []int
	rnd := rand.New(rand.NewPCG(1, 2))
	next := 0
	for range 5_000 {
		if len(want) > 0 && rnd.IntN(100) < 45 {
			i := rnd.IntN(len(want))
			require.True(t, s.Remove(want[i]))
			require.False(t, s.Remove(want[i]))
			want = slices.Delete(want, i, i+1)
		} else {
			require.True(t, s.Add(next))
			want = append(want, next)
			next++
		}
		require.Equal(t, len(want), s.Len())
		if next%7 == 0 {
			require.True(t, slices.Equal(want, s.Members()))
		}
	}
	for _, e := range want {
		require.True(t, s.Remove(e))
	}
	require.Empty(t, s.Members())
	require.Empty(t, s.places, "nothing is kept for members that have left")
}

// A member that leaves costs a search of a few places or none, and its place is given
// back.
func TestSetGivesPlacesBack(t *testing.T) {
	var s Set[int]
	for i := range 1_000 {
		s.Add(i)
	}
	for i := range 900 {
		s.Remove(i)
	}
	assert.LessOrEqual(t, len(s.places), 250)
	assert.Equal(t, 900, s.Members()[0])
}

func TestRosterTellsOfTheFirst(t *testing.T) {
	var s Set[int]
	assert.True(t, s.load().unused)
	s.Add(1)
	assert.False(t, s.load().unused)
	s.Remove(1)
	assert.False(t, s.load().unused)
	assert.Same(t, s.load(), s.load(), "without a change the state is the same")
}
