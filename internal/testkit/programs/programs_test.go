package programs_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/programs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// report is a test that notes what it fails with.
type report struct {
	testing.TB
	said []string
}

func (r *report) Helper() {}

func (r *report) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *report) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}

func TestRun(t *testing.T) {
	t.Run("as many as the test wants", func(t *testing.T) {
		var numbers, seeds []uint64
		programs.Run(t, "PROGRAMS", 3, func(seed, number uint64) []string {
			seeds, numbers = append(seeds, seed), append(numbers, number)
			return nil
		})
		assert.Equal(t, []uint64{0, 1, 2}, numbers)
		assert.Len(t, slices.Compact(seeds), 1)
	})
	t.Run("as many as the environment says", func(t *testing.T) {
		t.Setenv("PROGRAMS", "2")
		t.Setenv("PROGRAMS_SEED", "11")
		t.Setenv("PROGRAMS_NUMBER", "7")
		var played [][2]uint64
		programs.Run(t, "PROGRAMS", 3, func(seed, number uint64) []string {
			played = append(played, [2]uint64{seed, number})
			return nil
		})
		assert.Equal(t, [][2]uint64{{11, 7}, {11, 8}}, played)
	})
	t.Run("five that failed are enough", func(t *testing.T) {
		t.Setenv("PROGRAMS_SEED", "11")
		r := &report{TB: t}
		programs.Run(r, "PROGRAMS", 100, func(_, number uint64) []string {
			if number%2 == 0 {
				return nil
			}
			return []string{"this", "and that"}
		})
		assert.Len(t, r.said, 5)
		assert.Equal(t, "PROGRAMS_SEED=11 PROGRAMS_NUMBER=1:\nthis\nand that", r.said[0])
		assert.Equal(t, "PROGRAMS_SEED=11 PROGRAMS_NUMBER=9:\nthis\nand that", r.said[4])
	})
	t.Run("no number", func(t *testing.T) {
		t.Setenv("PROGRAMS", "many")
		r := &report{TB: t}
		assert.Panics(t, func() { programs.Run(r, "PROGRAMS", 1, nil) })
		assert.Equal(t, []string{`PROGRAMS: strconv.ParseUint: parsing "many": invalid syntax`}, r.said)
	})
}

func TestCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		play := func(seed, number uint64) (steps, ends []int) {
			var mu sync.Mutex
			start := time.Now()
			programs.Crowd{
				Clients: 4, Steps: 15, Ends: 2, Within: 60 * time.Millisecond,
				Step: func(r *rand.Rand) {
					mu.Lock()
					defer mu.Unlock()
					steps = append(steps, r.IntN(1000))
				},
				End: func(r *rand.Rand) {
					assert.Less(t, time.Since(start), 60*time.Millisecond)
					mu.Lock()
					defer mu.Unlock()
					ends = append(ends, r.IntN(1000))
				},
			}.Play(rand.New(rand.NewPCG(seed, number)), seed, number)
			slices.Sort(steps)
			slices.Sort(ends)
			return steps, ends
		}
		most := [2]int{}
		for number := range uint64(200) {
			steps, ends := play(1, number)
			assert.NotEmpty(t, steps)
			assert.NotEmpty(t, ends)
			most = [2]int{max(most[0], len(steps)), max(most[1], len(ends))}
			again, endsAgain := play(1, number)
			assert.Equal(t, steps, again)
			assert.Equal(t, ends, endsAgain)
		}
		assert.Greater(t, most[0], 30)
		assert.LessOrEqual(t, most[0], 60)
		assert.Equal(t, 2, most[1])
	})
}
