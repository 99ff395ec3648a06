// Package racetest runs functions against one another in tests.
package racetest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/nosync"
)

const (
	// seedVariable repeats the offsets between racing functions.
	seedVariable = "REACTOR_RACE_SEED"
	// iterationsVariable multiplies the numbers passed to Iterations.
	iterationsVariable = "REACTOR_RACE_ITERATIONS"
	// patience is how long Race waits for its functions.
	patience = 5 * time.Second
	// briefly is how many times a goroutine makes room for others before it
	// lies down to wait.
	briefly = 200
)

var (
	seed     = seedFromEnv()
	announce sync.Once
	races    atomic.Uint64 // calls of Race so far
)

// Race calls the functions on a goroutine each, all of them released at the same
// moment from a barrier at which they spin, and returns when the last one has
// returned. So that one pair of functions meets in many relative positions when
// Race is called again and again, they are started in random order, and each begins
// with a random delay between nothing and about a microsecond.
//
// A function that panics lets the others finish; then Race panics with the value
// and the stack. If they have not all returned after five seconds, Race prints
// the stacks of all goroutines and panics. The seed of the delays is printed by
// the first call, and again by a failure:
//
//	racetest: REACTOR_RACE_SEED=1234
func Race(fns ...func()) {
	announce.Do(printSeed)
	number := races.Add(1)
	order := rand.New(rand.NewPCG(^seed, number)).Perm(len(fns))
	if err := race(patience, order, delays(seed, number, len(fns)), fns); err != nil {
		panic(fmt.Sprintf("%v\nracetest: %s=%d", err, seedVariable, seed))
	}
}

func printSeed() { fmt.Fprintf(os.Stderr, "racetest: %s=%d\n", seedVariable, seed) }

// Repeat calls round n times and gives it a function that does what [Race] does.
// Its goroutines are kept awake from round to round, so that a race doesn't begin
// with waking up a processor: rounds are shorter, and the functions meet within
// a few nanoseconds far more often (see BenchmarkRace). Round creates what the
// race is about, races, and checks the outcome.
//
//	racetest.Repeat(racetest.Iterations(10_000), func(race func(fns ...func())) {
//		s := newStage()
//		race(s.Cancel, func() { s.OnNext(1) })
//		require.True(t, s.done())
//	})
//
// The rounds of each Repeat are numbered by themselves: with the same seed they get the
// same order and delays again, whatever other tests run beside it or are left out. On one
// processor (GOMAXPROCS=1, or the flag -cpu 1 of go test) nothing but forced yields
// (internal/chaos) lets the functions take turns. There are none outside of races, and
// their sequence begins anew with each: a round costs a tenth, and with the same seeds it
// goes the same way again.
//
// One of the functions runs on the goroutine that called race. If a race takes longer than
// five seconds, Repeat prints the stacks of all goroutines and ends the process. The racing
// functions run outside of any synctest bubble; use Race within one.
func Repeat(n int, round func(race func(fns ...func()))) {
	c := newCrew()
	defer c.dismiss()
	for range n {
		round(c.race)
	}
}

// Rounds is [Repeat] for functions that setup makes anew for each round, with the check after it. It
// stops at the first round that fails.
func Rounds(t testing.TB, n int, setup func() (fns []func(), check func())) {
	t.Helper()
	Repeat(Iterations(n), func(race func(...func())) {
		if t.Failed() {
			return
		}
		fns, check := setup()
		race(fns...)
		check()
	})
}

// delays returns how many turns of an empty loop each of n functions waits in the
// given race: half of the time none, otherwise a number of random magnitude.
func delays(seed, race uint64, n int) []int {
	random := rand.New(rand.NewPCG(seed, race))
	list := make([]int, n)
	for i := range list {
		list[i] = delay(random)
	}
	return list
}

func delay(random *rand.Rand) int {
	if random.IntN(2) == 0 {
		return random.IntN(1 << random.IntN(13))
	}
	return 0
}

func race(patience time.Duration, order, delays []int, fns []func()) error {
	var (
		n        = int32(len(fns))
		arrived  atomic.Int32
		left     atomic.Int32
		crowded  = len(fns) > runtime.GOMAXPROCS(0) // asked once: it takes a lock
		done     = make(chan struct{})
		mu       sync.Mutex
		failures []string // guarded by mu
	)
	if n == 0 {
		return nil
	}
	left.Store(n)
	// On a busy machine the functions run one after the other: then it is the order in
	// which they are started that decides who comes first.
	for _, i := range order {
		fn := fns[i]
		go func() {
			returned := false
			defer func() {
				if v := recover(); v != nil || !returned {
					mu.Lock()
					failures = append(failures, fmt.Sprintf("racetest: function %d of %d: %s", i+1, n, describe(v)))
					mu.Unlock()
				}
				if left.Add(-1) == 0 {
					close(done)
				}
			}()
			arrived.Add(1)
			for spins := 1; peek(&arrived) < n; spins++ {
				if spins%1000 == 0 || crowded {
					runtime.Gosched()
				}
			}
			for range delays[i] {
			}
			fn()
			returned = true
		}()
	}
	for range briefly {
		if peek(&left) == 0 {
			break
		}
		runtime.Gosched()
	}
	if left.Load() > 0 {
		watchdog := time.NewTimer(patience)
		defer watchdog.Stop()
		select {
		case <-done:
		case <-watchdog.C:
			return fmt.Errorf("racetest: %d of %d functions have not returned after %v\n\n%s", left.Load(), n, patience, allStacks())
		}
	}
	if len(failures) > 0 {
		return fmt.Errorf("%s", strings.Join(failures, "\n"))
	}
	return nil
}

// peek reads a number that others count with, for a loop that waits for it. An atomic
// load does the same, but the race detector makes one of it that costs a hundred times
// as much and stands in the way of the goroutine that is waited for: racing functions
// would wait for milliseconds and then not meet. What is read orders nothing.
//
//go:norace
//go:noinline
func peek(n *atomic.Int32) int32 { return *(*int32)(unsafe.Pointer(n)) }

// describe says how a function ended that did not return.
func describe(v any) string {
	if v == nil {
		return "ended its goroutine"
	}
	return fmt.Sprintf("panic: %v\n\n%s", v, debug.Stack())
}

func allStacks() []byte {
	for size := 1 << 20; ; size *= 2 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size {
			return buf[:n]
		}
	}
}

// Iterations returns how often a race of ordinary length n shall be repeated: n
// times the number in REACTOR_RACE_ITERATIONS, such as 100 for a long search or
// 0.1 under an emulator; a fifth of that with the race detector, which makes a round
// ten times as dear and sees a missing order in nearly every round that gets there, and
// a twentieth if there are no forced yields either to lead it anywhere else; a tenth
// with -short; at least once.
func Iterations(n int) int {
	scaled := float64(n) * iterationsFromEnv()
	switch {
	case testing.Short():
		scaled /= 10
	case nosync.Observed && chaos.Enabled:
		scaled /= 5
	case nosync.Observed:
		scaled /= 20
	}
	return max(1, int(scaled))
}

// Steps returns how many steps a test shall take on one goroutine to show that neither
// stack nor time grow out of proportion: n, or a twentieth of it with the race
// detector, which is slow and has nothing to find there.
func Steps(n int) int {
	if nosync.Observed {
		return max(1, n/20)
	}
	return n
}

func iterationsFromEnv() float64 {
	text := os.Getenv(iterationsVariable)
	if text == "" {
		return 1
	}
	factor, err := strconv.ParseFloat(text, 64)
	if err != nil || !(factor > 0) {
		panic(fmt.Sprintf("racetest: %s=%q is not a positive number", iterationsVariable, text))
	}
	return factor
}

func seedFromEnv() uint64 { return SeedFrom(seedVariable) }

// ChaosVariable names the environment variable that repeats what internal/chaos and
// reactortest.ChaosScheduler decide.
const ChaosVariable = "REACTOR_CHAOS_SEED"

// SeedFrom returns the seed in an environment variable, or a random one.
func SeedFrom(variable string) uint64 {
	text := os.Getenv(variable)
	if text == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("racetest: %s=%q is not an unsigned decimal number", variable, text))
	}
	return seed
}
