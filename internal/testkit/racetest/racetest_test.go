package racetest

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/nosync"
	"github.com/goreactor/reactor/internal/testkit/leak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

func TestRaceRunsEachFunctionOnce(t *testing.T) {
	Race()
	for n := 1; n <= 9; n++ {
		counts := make([]int, n) // plain: Race itself orders them before its return
		fns := make([]func(), n)
		for i := range fns {
			fns[i] = func() { counts[i]++ }
		}
		for range 20 {
			Race(fns...)
		}
		for i := range counts {
			assert.Equal(t, 20, counts[i], "function %d of %d", i, n)
		}
	}
}

func TestRepeatRunsEachFunctionOncePerRound(t *testing.T) {
	rounds := 0
	counts := make([]int, 5)
	Repeat(100, func(race func(...func())) {
		rounds++
		var fns []func()
		for i := range 1 + rounds%5 {
			fns = append(fns, func() { counts[i]++ })
		}
		race(fns...)
		race()
	})
	assert.Equal(t, 100, rounds)
	assert.Equal(t, []int{100, 80, 60, 40, 20}, counts)
}

func TestRepeatEndsItsGoroutines(t *testing.T) {
	before := goleak.IgnoreCurrent()
	Repeat(3, func(race func(...func())) { race(func() {}, func() {}) })
	assert.NoError(t, goleak.Find(before))
	assert.Panics(t, func() {
		Repeat(3, func(race func(...func())) { race(func() {}, func() { panic("boom") }) })
	})
	assert.PanicsWithValue(t, "check", func() {
		Repeat(3, func(race func(...func())) {
			race(func() {}, func() {})
			panic("check")
		})
	})
	assert.NoError(t, goleak.Find(before))
}

// A window of a few nanoseconds between a load and a store must be hit. On two
// processors of its own a test sees some hundred hits in 100,000 rounds; where
// other programs take the second one, a round only hits when it is interrupted in
// the window, so what is bounded is the time, not the number of rounds.
func TestRacesOverlap(t *testing.T) {
	if min(runtime.GOMAXPROCS(0), runtime.NumCPU()) < 2 {
		t.Skip("needs two processors")
	}
	const enough, limit = 3, 3 * time.Minute
	lost := 0
	once := func(race func(...func())) {
		var counter atomic.Int64
		increment := func() { counter.Store(counter.Load() + 1) }
		race(increment, increment)
		if counter.Load() == 1 {
			lost++
		}
	}
	search := func(rounds func(n int)) {
		lost = 0
		for start := time.Now(); lost < enough && time.Since(start) < limit; {
			rounds(1000)
		}
		assert.GreaterOrEqual(t, lost, enough, "updates lost in %v", limit)
	}
	search(func(n int) { Repeat(n, once) })
	search(func(n int) {
		for range n {
			once(Race)
		}
	})
}

func TestDelaysFollowTheSeed(t *testing.T) {
	assert.Equal(t, delays(1, 1, 8), delays(1, 1, 8))
	assert.NotEqual(t, delays(1, 1, 8), delays(2, 1, 8))
	assert.NotEqual(t, delays(1, 1, 8), delays(1, 2, 8))
	zero, long := 0, 0
	for i := range uint64(1000) {
		for _, d := range delays(1, i, 4) {
			require.Less(t, d, 1<<12)
			switch {
			case d == 0:
				zero++
			case d >= 1<<10:
				long++
			}
		}
	}
	assert.Greater(t, zero, 1500)
	assert.Greater(t, long, 100)
}

func TestPanicComesOutOfRace(t *testing.T) {
	var others atomic.Int32
	count := func() { others.Add(1) }
	text := func() (text any) {
		defer func() { text = recover() }()
		Race(count, func() { panic("boom") }, count)
		return nil
	}()
	assert.EqualValues(t, 2, others.Load())
	assert.Contains(t, text, "racetest: function 2 of 3: panic: boom")
	assert.Contains(t, text, "TestPanicComesOutOfRace", "the stack")
	assert.Contains(t, text, seedVariable+"=")
}

func TestGoexitComesOutOfRace(t *testing.T) {
	assert.PanicsWithValue(t, describeGoexit(), func() { Race(func() {}, runtime.Goexit) })
}

func describeGoexit() string {
	return "racetest: function 2 of 2: ended its goroutine\nracetest: " + seedVariable + "=" + strconv.FormatUint(seed, 10)
}

func TestWatchdogShowsWhoHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		start := time.Now()
		err := race(patience, []int{2, 0, 1}, []int{0, 0, 0}, []func(){
			func() {},
			func() { hang(release) },
			func() { hang(release) },
		})
		require.Error(t, err)
		assert.Equal(t, 5*time.Second, time.Since(start))
		assert.Contains(t, err.Error(), "racetest: 2 of 3 functions have not returned after 5s")
		assert.Equal(t, 2, strings.Count(err.Error(), "racetest.hang(0x"), err.Error())
		close(release)
	})
}

//go:noinline
func hang(release chan struct{}) { <-release }

func TestIterations(t *testing.T) {
	short := 1
	switch {
	case testing.Short():
		short = 10
	case nosync.Observed && chaos.Enabled:
		short = 5
	case nosync.Observed:
		short = 20
	}
	t.Setenv(iterationsVariable, "")
	assert.Equal(t, 1000/short, Iterations(1000))
	assert.Equal(t, 1, Iterations(1))
	t.Setenv(iterationsVariable, "20")
	assert.Equal(t, 20_000/short, Iterations(1000))
	t.Setenv(iterationsVariable, "0.1")
	assert.Equal(t, 100/short, Iterations(1000))
	assert.Equal(t, 1, Iterations(1))
	for _, bad := range []string{"0", "-1", "many", "NaN"} {
		t.Setenv(iterationsVariable, bad)
		assert.PanicsWithValue(t, `racetest: REACTOR_RACE_ITERATIONS="`+bad+`" is not a positive number`, func() { Iterations(1) })
	}
}

func TestSteps(t *testing.T) {
	if nosync.Observed {
		assert.Equal(t, []int{50_000, 1}, []int{Steps(1_000_000), Steps(3)})
	} else {
		assert.Equal(t, []int{1_000_000, 3}, []int{Steps(1_000_000), Steps(3)})
	}
}

func TestSeedIsPrintedOnce(t *testing.T) {
	if os.Getenv("REACTOR_RACETEST_CHILD") != "" {
		Race(func() {}, func() {})
		Race(func() {}, func() {})
		return
	}
	run := func(seed string) (string, error) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSeedIsPrintedOnce$", "-test.count=1")
		cmd.Env = append(os.Environ(), "REACTOR_RACETEST_CHILD=1", seedVariable+"="+seed)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run("42")
	require.NoError(t, err, out)
	assert.Equal(t, 1, strings.Count(out, "racetest: REACTOR_RACE_SEED=42\n"), out)
	out, err = run("x")
	require.Error(t, err)
	assert.Contains(t, out, `racetest: REACTOR_RACE_SEED="x" is not an unsigned decimal number`)
}

// On one processor the same seeds let the functions take the same turns. What the runtime
// does by itself (garbage collection, the end of a time slice) may disturb some.
func TestOneProcessorRepeatsItself(t *testing.T) {
	if !chaos.Enabled || nosync.Observed {
		t.Skip("needs forced yields, and that nobody finds turns a race")
	}
	const rounds = 300
	if os.Getenv("REACTOR_RACETEST_CHILD") != "" {
		Repeat(rounds, func(race func(...func())) {
			var turns []byte
			take := func(letter byte) func() {
				return func() {
					for range 10 {
						turns = append(turns, letter)
						chaos.Yield()
					}
				}
			}
			race(take('a'), take('b'))
			fmt.Printf("turns %s\n", turns)
		})
		return
	}
	run := func(seed string) (turns []string) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestOneProcessorRepeatsItself$", "-test.count=1", "-test.cpu=1")
		cmd.Env = append(os.Environ(), "REACTOR_RACETEST_CHILD=1", seedVariable+"="+seed, ChaosVariable+"="+seed)
		out, err := cmd.Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			if letters, ok := strings.CutPrefix(line, "turns "); ok {
				turns = append(turns, letters)
			}
		}
		require.Len(t, turns, rounds)
		return turns
	}
	same := func(a, b []string) (n int) {
		for i := range a {
			if a[i] == b[i] {
				n++
			}
		}
		return n
	}
	first := run("1")
	assert.Greater(t, same(first, run("1")), rounds/2)
	assert.Less(t, same(first, run("2")), rounds/10)
	distinct := map[string]bool{}
	for _, turns := range first {
		distinct[turns] = true
	}
	assert.Greater(t, len(distinct), rounds/2, "each round goes another way")
}

// BenchmarkRace shows what a race costs and how many of 1,000 races lose an update
// between a load and a store: the likelihood of hitting a window of a few
// nanoseconds.
func BenchmarkRace(b *testing.B) {
	var lost int
	once := func(race func(...func())) {
		var counter atomic.Int64
		increment := func() { counter.Store(counter.Load() + 1) }
		race(increment, increment)
		if counter.Load() == 1 {
			lost++
		}
	}
	report := func(b *testing.B) { b.ReportMetric(1000*float64(lost)/float64(b.N), "hits/1000") }
	b.Run("Race", func(b *testing.B) {
		lost = 0
		for range b.N {
			once(Race)
		}
		report(b)
	})
	b.Run("Repeat", func(b *testing.B) {
		lost = 0
		Repeat(b.N, once)
		report(b)
	})
}

// What happens beside a Repeat does not change what its rounds are like.
func TestRoundsAreNumberedByThemselves(t *testing.T) {
	a, b := newCrew(), newCrew()
	defer a.dismiss()
	defer b.dismiss()
	for range 3 {
		a.race(func() {})
		Race(func() {})
		b.race(func() {}, func() {})
	}
	assert.EqualValues(t, 3, a.races)
	assert.EqualValues(t, 3, b.races)
}
