package schedulers

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The order of choice beside the plain look at all slots, which it replaces: the fewest holders first, of
// several the one that is busy longest, one without holders last.
func TestBusySlotsAreInTheOrderOfChoice(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		var busy busySlots
		var model []*slot // the one that is busy longest first
		choice := func() *slot {
			return slices.MinFunc(model, func(a, b *slot) int { return cmp.Compare(rank(a.holders.Load()), rank(b.holders.Load())) })
		}
		for range 300 {
			switch n := random.IntN(10); {
			case len(model) == 0 || n < 2:
				s := &slot{}
				s.holders.Store(1)
				busy.add(s)
				model = append(model, s)
			case n < 3:
				i := random.IntN(len(model))
				busy.remove(model[i])
				model = slices.Delete(model, i, i+1)
			case n < 6:
				s := busy.leastHeld()
				s.holders.Add(1)
				busy.recount(s)
			default:
				s := model[random.IntN(len(model))]
				if s.holders.Load() > 0 {
					s.holders.Add(-1)
					busy.lowered(s)
				}
			}
			require.Equal(t, model, busy.all())
			if len(model) > 0 {
				require.Same(t, choice(), busy.leastHeld())
			}
		}
	}
}
