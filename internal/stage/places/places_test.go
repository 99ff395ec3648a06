package places

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type guest struct {
	Place
	name int
}

// A list is what a slice would be, whoever comes and goes.
func TestListIsASlice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var l List[*guest]
		var want, gone []*guest
		for range 200 {
			switch k := r.IntN(10); {
			case k < 5:
				g := &guest{name: r.Int()}
				l.Add(g)
				want = append(want, g)
			case k < 8 && len(want) > 0:
				i := r.IntN(len(want))
				require.True(t, l.Remove(want[i]))
				gone = append(gone, want[i])
				want = slices.Delete(want, i, i+1)
			case k == 8 && len(gone) > 0:
				require.False(t, l.Remove(gone[r.IntN(len(gone))]))
			case r.IntN(8) == 0:
				require.True(t, slices.Equal(want, l.Take()))
				gone = append(gone, want...)
				want = nil
			default:
				require.True(t, slices.Equal(want, l.Members()))
			}
			require.Equal(t, len(want), l.Len())
		}
	}
}

func TestRemoveWhoHasNeverCome(t *testing.T) {
	var l List[*guest]
	assert.False(t, l.Remove(&guest{}))
	l.Add(&guest{})
	assert.False(t, l.Remove(&guest{}))
	assert.Equal(t, 1, l.Len())
}

// Who has left is not held.
func TestAListLetsGo(t *testing.T) {
	var l List[*guest]
	all := make([]*guest, 2*few)
	for i := range all {
		all[i] = &guest{name: i}
		l.Add(all[i])
	}
	for _, g := range all {
		l.Remove(g)
		assert.NotContains(t, l.places[:cap(l.places)], g)
	}
	assert.Zero(t, l.Len())
}

// Each who goes moves few of the others.
func TestLeavingCostsTheSameAtAnyNumber(t *testing.T) {
	const n = 1 << 14
	for name, place := range map[string]func(int) int{
		"the first one first": func(i int) int { return i },
		"the last one first":  func(i int) int { return n - 1 - i },
	} {
		var l List[*guest]
		all := make([]*guest, n)
		for i := range all {
			all[i] = &guest{}
			l.Add(all[i])
		}
		moved := 0
		for i := range all {
			before := len(l.places)
			l.Remove(all[place(i)])
			if after := len(l.places); after != before {
				moved += before
			}
		}
		assert.LessOrEqual(t, moved, 4*n, name)
	}
}
