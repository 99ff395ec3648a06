package operators

import "hash/maphash"

// keySet holds the keys that Distinct has seen. It only grows, and each look either finds a key or
// adds it; a map can't do that in one step. The zero value is empty.
type keySet[K comparable] struct {
	seed  maphash.Seed
	slots []keySlot[K] // as many as a power of two, of which a quarter stays free
	left  int          // how many keys there is room for
}

// keySlot has a key that hashes to it, or to one before it with none free in between.
type keySlot[K comparable] struct {
	mark uint32 // what the key hashes to, and keyTaken; 0: there is none
	key  K
}

const (
	keyTaken   = 1 << 31
	fewestKeys = 8 // slots to begin with
)

// add reports whether k is new.
func (s *keySet[K]) add(k K) bool {
	if s.slots == nil {
		s.seed = maphash.MakeSeed()
		s.grow()
	}
	mark := uint32(maphash.Comparable(s.seed, k)) | keyTaken
	slots := s.slots
	for at := int(mark); ; at++ {
		slot := &slots[at&(len(slots)-1)]
		switch {
		case slot.mark == 0:
			return s.put(slot, mark, k)
		case slot.mark == mark && slot.key == k:
			return false
		}
	}
}

// put puts k, which is new, into slot, or into another slot if the set has to grow.
func (s *keySet[K]) put(slot *keySlot[K], mark uint32, k K) bool {
	if s.left == 0 {
		s.grow()
		slot = s.free(mark)
	}
	s.left--
	slot.mark, slot.key = mark, k
	return true
}

// free returns the slot for a key that is in none.
func (s *keySet[K]) free(mark uint32) *keySlot[K] {
	for at := int(mark); ; at++ {
		if slot := &s.slots[at&(len(s.slots)-1)]; slot.mark == 0 {
			return slot
		}
	}
}

// grow makes twice as many slots.
func (s *keySet[K]) grow() {
	old := s.slots
	s.slots = make([]keySlot[K], max(2*len(old), fewestKeys))
	s.left += (len(s.slots) - len(old)) / 4 * 3
	for _, slot := range old {
		if slot.mark != 0 {
			*s.free(slot.mark) = slot
		}
	}
}
