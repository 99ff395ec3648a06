package multicast

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/racetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSet(t *testing.T) {
	var s Set[int]
	assert.Empty(t, s.Members())
	for i := range 4 {
		assert.True(t, s.Add(i))
	}
	before := s.Members()
	removed, last := s.Remove(1)
	assert.True(t, removed)
	assert.False(t, last)
	assert.Equal(t, []int{0, 2, 3}, s.Members())
	assert.Equal(t, []int{0, 1, 2, 3}, before, "what was read does not change")
	removed, _ = s.Remove(1)
	assert.False(t, removed)
	s.Remove(0)
	s.Remove(3)
	removed, last = s.Remove(2)
	assert.True(t, removed && last)
	assert.Zero(t, s.Len())
	s.Add(7)
	assert.False(t, s.IsClosed())
	assert.Equal(t, []int{7}, s.Close())
	assert.Empty(t, s.Close())
	assert.True(t, s.IsClosed())
	assert.False(t, s.Add(8))
	assert.Zero(t, s.Len())
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
		var added, removed, last bool
		var closed []int
		race(
			func() { added = s.Add(1) },
			func() { removed, last = s.Remove(0) },
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
		assert.False(t, last && len(closed) > 0 && closed[0] == 0)
	})
}
