package netreactor

// slots are where sockets are found by the numbers that their events carry. They have no lock of
// their own: the caller holds one.
type slots[T any] struct {
	parts []*[slotsPart]slot[T] // not one slice: when that grows it is copied, and as much memory is left behind
	made  int32                 // how many slots are in use, or were
	free  []int32               // the numbers of those that are empty
}

// slotsPart is how many slots come at a time.
const slotsPart = 256

type slot[T any] struct {
	of         *T
	generation int32 // of the socket in the slot or, if it is empty, of the next one
}

// at returns the slot with a number.
func (s *slots[T]) at(n int32) *slot[T] { return &s.parts[n/slotsPart][n%slotsPart] }

// take finds a slot for of.
func (s *slots[T]) take(of *T) (n, generation int32) {
	if last := len(s.free) - 1; last >= 0 {
		n = s.free[last]
		s.free = s.free[:last]
	} else {
		if n = s.made; int(n) == len(s.parts)*slotsPart {
			s.parts = append(s.parts, new([slotsPart]slot[T]))
		}
		s.made++
	}
	at := s.at(n)
	at.of = of
	return n, at.generation
}

// vacate empties a slot. Events that were told before have another generation than the next socket in it.
func (s *slots[T]) vacate(n int32) {
	at := s.at(n)
	at.of = nil
	at.generation++
	s.free = append(s.free, n)
}
