package chainfuzz

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/nosync"
	"github.com/goreactor/reactor/schedulers"
)

const (
	// chainsVariable is how many chains each of the tests on real schedulers runs.
	chainsVariable = "REACTOR_CHAINS"
	// numberVariable is the one chain of the seed that is to be run, again and again.
	numberVariable = "REACTOR_CHAIN_NUMBER"
	// withoutVariable is a regular expression: operators and faults whose names match are left out.
	withoutVariable = "REACTOR_CHAIN_WITHOUT"
	// batch is how many chains are run before the machine has to come to rest, and side by side
	// how many of them.
	batch      = 200
	sideBySide = 8
	// ordinary is how many chains are run if nothing says otherwise.
	ordinary = 500
	// most is the number of failures after which a run ends.
	most = 5
)

// TestThreads runs random chains on real schedulers.
func TestThreads(t *testing.T) { onThreads(t, false) }

// TestThreadsRefusing does the same where the scheduler may refuse tasks, or was disposed.
func TestThreadsRefusing(t *testing.T) { onThreads(t, true) }

func onThreads(t *testing.T, refusals bool) {
	if nosync.Observed {
		t.Skip("the ledger hides what orders its books from the race detector, so they can't be read while a chain runs")
	}
	chains := number(t, chainsVariable, 0)
	seed := rand.Uint64()
	if chains == 0 {
		// What is new is looked for where the number says so. Everywhere else the chains are
		// the same, so that a change that breaks one is known by it.
		chains, seed = ordinary, 1
	}
	seed = number(t, seedVariable, seed)
	t.Logf("%s=%d", seedVariable, seed)
	var left *regexp.Regexp
	if text := os.Getenv(withoutVariable); text != "" {
		left = regexp.MustCompile(text)
	}
	if only := number(t, numberVariable, 0); only != 0 {
		again(t, draw(seed, only, refusals).without(left), int(chains))
		return
	}
	defer schedulers.OnHandleError(t.Name(), func(context.Context, error) {})()
	atRest := rest()
	failures := 0
	for first := uint64(1); first <= chains && failures < most; first += batch {
		programs := make([]program, min(batch, chains-first+1))
		for i := range programs {
			programs[i] = draw(seed, first+uint64(i), refusals).without(left)
		}
		for i, wrong := range together(programs) {
			if wrong != "" && failures < most {
				failures++
				t.Errorf("chain %d of %s=%d:\n%s", first+uint64(i), seedVariable, seed, shrink(programs[i], wrong))
			}
		}
		if wrong := atRest(); wrong != "" {
			failures++
			t.Errorf("after chains %d to %d of %s=%d:\n%s", first, first+batch-1, seedVariable, seed, wrong)
		}
	}
	t.Logf("%d chains", chains)
}

// together runs the programs, some at a time, and returns what was wrong with each.
func together(programs []program) []string {
	wrong := make([]string, len(programs))
	rechecks := make([]func() string, len(programs))
	next := make(chan int)
	var runners sync.WaitGroup
	for range sideBySide {
		runners.Go(func() {
			for i := range next {
				wrong[i], rechecks[i] = attempt(programs[i])
			}
		})
	}
	for i := range programs {
		next <- i
	}
	close(next)
	runners.Wait()
	for i, recheck := range rechecks {
		if recheck != nil {
			wrong[i] = recheck()
		}
	}
	return wrong
}

// rest returns a function that waits until there are no more goroutines and timers than now, but
// for the workers that the process keeps, and says what is left if there are.
func rest() func() string {
	workers := 64 + 4*runtime.NumCPU()
	goroutines := runtime.NumGoroutine()
	timers, contexts := live.Counts()
	return func() string {
		var left string
		for wait := time.Duration(0); wait < patience; wait += time.Millisecond {
			t, c := live.Counts()
			n := runtime.NumGoroutine()
			if n <= goroutines+workers && t <= timers+8 && c <= contexts {
				return ""
			}
			left = fmt.Sprintf("%d goroutines, %d timers, %d watched contexts; %d, %d, %d before", n, t, c, goroutines, timers, contexts)
			time.Sleep(time.Millisecond)
		}
		var all strings.Builder
		_ = pprof.Lookup("goroutine").WriteTo(&all, 1)
		return left + "\n" + all.String()
	}
}

// again runs p until it fails.
func again(t *testing.T, p program, times int) {
	t.Logf("%v", p)
	for n := range times {
		for _, wrong := range together([]program{p, p, p, p}) {
			if wrong != "" {
				t.Fatalf("run %d:\n%s", n, shrink(p, wrong))
			}
		}
	}
}

// shrink returns what was wrong with p, and the smallest program that it finds to be wrong, too.
func shrink(p program, wrong string) string {
	const budget = 20 * time.Second
	begin := time.Now()
	fails := func(p program, times int) string {
		for range times {
			if time.Since(begin) > budget {
				return ""
			}
			for _, wrong := range together([]program{p, p, p, p}) {
				if wrong != "" {
					return wrong
				}
			}
		}
		return ""
	}
	first := fails(p, 5000)
	if first == "" {
		return wrong + "\n(it did not fail again)"
	}
	smallest := first
search:
	for {
		for _, q := range p.smaller() {
			if w := fails(q, 200); w != "" {
				p, smallest = q, w
				continue search
			}
		}
		return wrong + "\nsmaller:\n" + smallest
	}
}
