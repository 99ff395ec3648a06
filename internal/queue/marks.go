package queue

import "math/bits"

// Marks is a set of small numbers that knows the next one, however many lie between: the zero one
// has room for none.
type Marks struct {
	words []uint64 // a bit for each number
	above *Marks   // which of words are not 0; nil as long as there are few
}

// fewWords is how many words are looked at one after the other.
const fewWords = 16

// Room makes room for the numbers below n, which are more than before.
func (m *Marks) Room(n int) {
	m.words = append(m.words, make([]uint64, (n+63)>>6-len(m.words))...)
	if len(m.words) <= fewWords {
		return
	}
	first := m.above == nil
	if first {
		m.above = &Marks{}
	}
	m.above.Room(len(m.words))
	for w := 0; first && w < len(m.words); w++ {
		if m.words[w] != 0 {
			m.above.Set(w)
		}
	}
}

// Set puts i into the set.
func (m *Marks) Set(i int) {
	w := i >> 6
	if m.above != nil && m.words[w] == 0 {
		m.above.Set(w)
	}
	m.words[w] |= 1 << (i & 63)
}

// Unset takes i out of the set.
func (m *Marks) Unset(i int) {
	w := i >> 6
	m.words[w] &^= 1 << (i & 63)
	if m.above != nil && m.words[w] == 0 {
		m.above.Unset(w)
	}
}

// Next returns the first number that is not below from, or -1.
func (m *Marks) Next(from int) int {
	w := from >> 6
	if w >= len(m.words) {
		return -1
	}
	if word := m.words[w] >> (from & 63); word != 0 {
		return from + bits.TrailingZeros64(word)
	}
	w++
	if m.above != nil {
		w = m.above.Next(w)
	} else {
		for w < len(m.words) && m.words[w] == 0 {
			w++
		}
	}
	if w < 0 || w == len(m.words) {
		return -1
	}
	return w<<6 + bits.TrailingZeros64(m.words[w])
}
