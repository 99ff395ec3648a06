package chainfuzz

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

const (
	// seedVariable repeats the chains of a run.
	seedVariable = "REACTOR_CHAIN_SEED"
	// stepsVariable is how many steps TestChains makes: operators assembled plus
	// elements expected and delivered.
	stepsVariable = "REACTOR_CHAIN_STEPS"
)

// TestChains runs random chains until enough steps were made.
func TestChains(t *testing.T) {
	seed, limit := rand.Uint64(), uint64(100_000)
	if testing.Short() {
		limit = 20_000
	}
	seed = number(t, seedVariable, seed)
	limit = number(t, stepsVariable, limit)
	t.Logf("%s=%d", seedVariable, seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var steps, chains uint64
	failures := 0
	for steps < limit && failures < 5 {
		data := make([]byte, 5+2*maxDepth)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		n, wrong := run(t, data)
		steps += uint64(n)
		chains++
		if wrong != "" {
			failures++
			t.Errorf("chain %d of %s=%d, bytes %q:\n%s", chains, seedVariable, seed, data, wrong)
		}
	}
	t.Logf("%d chains, %d steps", chains, steps)
}

// FuzzChain does the same for the bytes that the fuzzer comes up with.
func FuzzChain(f *testing.F) {
	for i := range 2 * len(ops) {
		f.Add([]byte{byte(i), 9, byte(i), 3, 3, byte(i), 2, byte(3 * i), 1, byte(7 * i), 5})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, wrong := run(t, data); wrong != "" {
			t.Error(wrong)
		}
	})
}

func number(t *testing.T, variable string, otherwise uint64) uint64 {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", variable, err))
	}
	return n
}
