//go:build chaos

package chaos

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goreactor/reactor/internal/nosync"
)

// Enabled reports whether Yield does anything.
const Enabled = true

// seedVariable names the environment variable that repeats a run.
const seedVariable = "REACTOR_CHAOS_SEED"

var (
	process  = newSource(seedFromEnv())
	calls    atomic.Uint64 // calls of Yield so far
	announce sync.Once
)

// Yield calls runtime.Gosched up to three times, or not at all.
func Yield() {
	// The counter is shared by all goroutines; seen by the race detector it
	// would order them and hide the races that Yield is there to provoke.
	nosync.Begin()
	n := calls.Add(1)
	nosync.End()
	if n == 1 {
		announce.Do(printSeed)
	}
	if n >= resting {
		return
	}
	for range process.yields(n) {
		runtime.Gosched()
	}
}

// resting is the number of calls from which on there are no decisions.
const resting = 1 << 63

// Restart begins the n-th sequence of decisions, n < 2³⁹: from here on they are the same
// whenever the seed and n are. It is for tests on one processor, one after the other.
func Restart(n uint64) {
	announce.Do(printSeed)
	set(n << 24)
}

// Rest lets Yield do nothing until Restart is called.
func Rest() { set(resting) }

func set(n uint64) {
	nosync.Begin()
	calls.Store(n)
	nosync.End()
}

func printSeed() {
	if testing.Testing() {
		fmt.Fprintln(os.Stderr, process)
	}
}

// source turns the number of a call into a decision. It is immutable: the same
// seed decides the same for the same call, whoever makes it.
type source struct {
	seed    uint64
	percent uint64 // 10 to 50
}

func newSource(seed uint64) source {
	return source{seed: seed, percent: 10 + mix(seed)%41}
}

// yields returns how often the n-th call gives way: 0 to 3 times.
func (s source) yields(n uint64) int {
	r := mix(s.seed + n*0x9e3779b97f4a7c15)
	if r%100 >= s.percent {
		return 0
	}
	return 1 + bits.TrailingZeros64(r>>32|4) // mostly once, at times two or three times
}

// String returns the line that tells how to repeat the run.
func (s source) String() string {
	return fmt.Sprintf("chaos: %s=%d yields %d%% of the time", seedVariable, s.seed, s.percent)
}

// mix is the finaliser of splitmix64: with an odd increment of its argument it
// yields a sequence that passes statistical tests and needs no state to update.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func seedFromEnv() uint64 {
	text, ok := os.LookupEnv(seedVariable)
	if !ok || text == "" {
		return rand.Uint64()
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("chaos: %s=%q is not an unsigned decimal number", seedVariable, text))
	}
	return seed
}
