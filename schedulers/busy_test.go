package schedulers

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The slot that is chosen is the one that a look at all of them finds, whatever holders have
// come and gone.
func TestLeastHeldIsThatOfAllSlots(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	var b busySlots
	var slots []*slot
	for range 20_000 {
		switch n := rnd.IntN(10); {
		case n == 0 && len(slots) < 40:
			s := &slot{}
			s.holders.Store(1)
			b.add(s)
			slots = append(slots, s)
		case n == 1 && len(slots) > 1:
			i := rnd.IntN(len(slots))
			b.remove(slots[i])
			slots[i].place = placeIdle
			slots = append(slots[:i], slots[i+1:]...)
		case n < 6 && len(slots) > 0:
			if s := slots[rnd.IntN(len(slots))]; s.holders.Load() > 0 {
				s.holders.Add(-1)
				b.lowered(s)
			}
		case len(slots) > 0:
			best, least := slots[0], int32(math.MaxInt32)
			for _, s := range slots {
				if held := s.holders.Load(); held > 0 && held < least {
					best, least = s, held
				}
			}
			got := b.leastHeld()
			require.Same(t, best, got)
			got.holders.Add(1)
			b.recount(got)
		}
		require.Equal(t, slots, append([]*slot(nil), b.all()...))
	}
}
