package reactortest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRaceArguments(t *testing.T) {
	ran := false
	note := func() { ran = true }
	assert.PanicsWithValue(t, "reactortest: Race: function 2 of 2 is nil", func() { Race(note, nil) })
	for _, n := range []int{0, -1} {
		assert.Panics(t, func() { RepeatRace(n, func(func(...func())) { note() }) }, "a test with no rounds tests nothing: %d", n)
	}
	assert.PanicsWithValue(t, "reactortest: RepeatRace: the function is nil", func() { RepeatRace(1, nil) })
	assert.PanicsWithValue(t, "reactortest: RepeatRace: function 1 of 2 is nil", func() {
		RepeatRace(1, func(race func(...func())) { race(nil, note) })
	})
	assert.False(t, ran)
}
