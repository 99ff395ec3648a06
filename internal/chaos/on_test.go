//go:build chaos

package chaos

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/nosync"
)

func TestYieldRateFollowsTheSeed(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(500) {
		s := newSource(seed)
		require.GreaterOrEqual(t, s.percent, uint64(10))
		require.LessOrEqual(t, s.percent, uint64(50))
		seen[s.percent] = true

		const calls = 4000
		yielding, most := 0, 0
		for n := range uint64(calls) {
			y := s.yields(n)
			if y > 0 {
				yielding++
			}
			most = max(most, y)
		}
		assert.Equal(t, 3, most)
		assert.InDelta(t, float64(s.percent), 100*float64(yielding)/calls, 5, "seed %d", seed)
	}
	assert.Len(t, seen, 41, "every rate from 10%% to 50%% occurs")
}

func TestSameSeedSameDecisions(t *testing.T) {
	decisions := func(seed uint64) (list []int) {
		s := newSource(seed)
		for n := range uint64(200) {
			list = append(list, s.yields(n))
		}
		return list
	}
	assert.Equal(t, decisions(7), decisions(7))
	assert.NotEqual(t, decisions(7), decisions(8))
}

func TestYieldDoesNotAllocate(t *testing.T) {
	Yield() // the first call prints
	assert.Zero(t, testing.AllocsPerRun(1000, Yield))
	assert.True(t, Enabled)
}

// child runs the named test of this binary in a process of its own.
func child(t *testing.T, name string, env ...string) (output string, err error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+name+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), append(env, "REACTOR_CHAOS_CHILD=1")...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func isChild() bool { return os.Getenv("REACTOR_CHAOS_CHILD") != "" }

func TestSeedIsPrintedOnce(t *testing.T) {
	if isChild() {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 100 {
					Yield()
				}
			})
		}
		wg.Wait()
		return
	}
	out, err := child(t, "TestSeedIsPrintedOnce", seedVariable+"=42")
	require.NoError(t, err, out)
	assert.Equal(t, 1, strings.Count(out, newSource(42).String()+"\n"), out)

	out, err = child(t, "TestSeedIsPrintedOnce", seedVariable+"=forty-two")
	require.Error(t, err)
	assert.Contains(t, out, `REACTOR_CHAOS_SEED="forty-two" is not an unsigned decimal number`)
}

// A race whose two sides are separated by nothing but Yield and time must still
// be a race to the detector.
func TestYieldHidesNoRace(t *testing.T) {
	if !nosync.Observed {
		t.Skip("needs -race")
	}
	if isChild() {
		shared := 0
		var wg sync.WaitGroup
		wg.Go(func() {
			shared++
			Yield()
		})
		wg.Go(func() {
			time.Sleep(50 * time.Millisecond) // order by time, which the detector cannot see
			Yield()
			shared++
		})
		wg.Wait()
		return
	}
	out, err := child(t, "TestYieldHidesNoRace")
	assert.Error(t, err)
	assert.Contains(t, out, "DATA RACE")
}
