package books

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/goreactor/reactor/schedulers"
)

const (
	// programsVariable is how many programs TestBooks runs.
	programsVariable = "REACTOR_BOOKS"
	// seedVariable repeats those of a run.
	seedVariable = "REACTOR_BOOKS_SEED"
	// numberVariable is the one program of the seed that is to be run, again and again.
	numberVariable = "REACTOR_BOOKS_NUMBER"
	// withoutVariable is a regular expression: stages and sources whose names match are left out.
	withoutVariable = "REACTOR_BOOKS_WITHOUT"
	// ordinary is how many are run if nothing says otherwise.
	ordinary = 1500
	// mostFailures is the number of failures after which a run ends.
	mostFailures = 5
)

// TestBooks runs random programs and looks at their books.
func TestBooks(t *testing.T) { runPrograms(t, ordinary, palette.draw) }

// runPrograms runs those that draw returns, few of them if nothing says otherwise.
func runPrograms(t *testing.T, few uint64, draw func(from palette, seed, number uint64) program) {
	programs := variable(t, programsVariable, 0)
	seed := rand.Uint64()
	if programs == 0 {
		// What is new is looked for where the number says so. Everywhere else the programs are the
		// same, so that a change that breaks one is known by it.
		programs, seed = few, 1
		if testing.Short() {
			programs /= 5
		}
	}
	seed = variable(t, seedVariable, seed)
	t.Logf("%s=%d", seedVariable, seed)
	from := all
	if text := os.Getenv(withoutVariable); text != "" {
		from = all.without(regexp.MustCompile(text))
	}
	defer schedulers.OnHandleError(t.Name(), func(context.Context, error) {})()
	if only := variable(t, numberVariable, 0); only != 0 {
		p := draw(from, seed, only)
		t.Logf("%v", p)
		for n := range programs {
			if wrong := attempt(t, p); wrong != "" {
				t.Fatalf("run %d:\n%s", n, shrink(t, p, wrong))
			}
		}
		return
	}
	failures, run := 0, 0
	for number := uint64(1); number <= programs && failures < mostFailures; number++ {
		run++
		p := draw(from, seed, number)
		if wrong := attempt(t, p); wrong != "" {
			failures++
			t.Errorf("%s=%d %s=%d:\n%s", seedVariable, seed, numberVariable, number, shrink(t, p, wrong))
		}
	}
	t.Logf("%d programs", run)
	for kind := range struck {
		t.Logf("%8d times %s", struck[kind].Swap(0), faultNames[kind])
	}
}

func variable(t *testing.T, name string, otherwise uint64) uint64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", name, err))
	}
	return n
}

// shrink returns what was wrong with p, and the smallest program that it finds to be wrong, too.
func shrink(t *testing.T, p program, wrong string) string {
	_, smallest := smallest(t, p, wrong)
	if smallest == wrong {
		return wrong + "\n(nothing smaller was found to fail)"
	}
	return wrong + "\n\nsmaller:\n" + smallest
}

// smallest returns the smallest program that is found to be wrong, and what is.
func smallest(t *testing.T, p program, wrong string) (program, string) {
	const budget = 10 * time.Second
	begin := time.Now()
search:
	for {
		for _, q := range p.smaller() {
			times := 5
			if q.on != onClock {
				times = 50
			}
			for range times {
				if time.Since(begin) > budget {
					return p, wrong
				}
				if w := attempt(t, q); w != "" {
					p, wrong = q, w
					continue search
				}
			}
		}
		return p, wrong
	}
}
