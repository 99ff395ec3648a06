package queue

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The sizes are those at which a set gets another word, and words of words.
func TestMarks(t *testing.T) {
	for _, size := range []int{1, 64, 65, 64 * fewWords, 64*fewWords + 1, 64 * 64 * fewWords, 64*64*fewWords + 1, 200_000} {
		var m Marks
		assert.Equal(t, -1, m.Next(0))
		early := min(size-1, 200)
		m.Room(early + 1)
		m.Set(early) // before there are words of words
		for room := early + 1; room < size; room = min(size, room+64) {
			m.Room(min(size, room+64))
		}
		known := map[int]bool{early: true}
		random := rand.New(rand.NewPCG(1, uint64(size)))
		for range 200 {
			i := random.IntN(size)
			if random.IntN(3) > 0 {
				m.Set(i)
				known[i] = true
			} else {
				m.Unset(i)
				delete(known, i)
			}
		}
		m.Set(size - 1)
		known[size-1] = true
		want := make([]int, 0, len(known))
		for i := range known {
			want = append(want, i)
		}
		slices.Sort(want)
		var got []int
		for i := m.Next(0); i >= 0; i = m.Next(i + 1) {
			got = append(got, i)
		}
		assert.Equal(t, want, got)
		for _, i := range want {
			m.Unset(i)
		}
		assert.Equal(t, -1, m.Next(0))
	}
}

// However many lie between, a few words are looked at.
func TestMarksKnowsTheNext(t *testing.T) {
	var m Marks
	m.Room(1 << 24)
	m.Set(1<<24 - 1)
	levels, words := 0, 0
	for l := &m; l != nil; l = l.above {
		levels++
		words = len(l.words)
	}
	assert.Equal(t, 1<<24-1, m.Next(0))
	assert.LessOrEqual(t, words, fewWords)
	assert.Equal(t, 4, levels)
}
