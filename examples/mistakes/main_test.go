package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/reactortest"
)

// says is what the library says to each mistake, as a regular expression; "vet" where that is for
// cmd/reactorvet, whose test looks at this folder.
var says = map[string]string{
	"not-subscribed":        "vet",
	"result-ignored":        "vet",
	"error-swallowed":       "vet",
	"block-in-map":          `block: blocking call on a non-blocking worker: the goroutine is that of worker "parallel-\d+"; let FlatMap wait for the stream, or go to schedulers\.BoundedElastic\(\) first`,
	"block-in-a-goroutine":  `stalled: worker "pricing-\d+" has waited for 10s in (main|mistakes)\.blockInAGoroutine\.func\S* \(waiting\.go:\d+\).* it must not block`,
	"endless-inners":        `flatMap: stalled: 256 of 256 inner publishers run and none has ended for 10s`,
	"too-many-groups":       `groupBy: overflow: nothing has moved for 15s: .* wait in \d+ groups that nobody has subscribed to|flatMap: stalled: 256 of 256`,
	"create-without-demand": `create: overflow: 131072 elements wait that nobody has requested`,
	"panic-in-map":          `map: panic: runtime error: integer divide by zero`,
	"never-cancelled":       `timers: 1000`,
	"two-subscribers":       `illegal state`,
	"last-worker":           `stalled: worker "files-\d+" has waited for 10s in .*Block, called by (main|mistakes)\.lastWorker\.func\S* \(waiting\.go:\d+\), and 1 task waits for that worker`,
	"virtual-time-stands":   `virtualTime: stalled: nobody has moved the clock for 10s: it stands at 0s, and the only task is due at 1h0m0s: AdvanceBy\(1h0m0s\) gets there`,
	"busy-loop-reused":      `emissions overlap`,
	"blocking-on-parallel":  `stalled: worker "parallel-\d+" has waited for 10s in (main|mistakes)\.blockingOnParallel\.func\S* \(waiting\.go:\d+\).* it must not block`,
}

// heard is what a program prints, what it is told by the hook, and when.
type heard struct {
	mu    sync.Mutex
	text  bytes.Buffer
	began time.Time
	words []time.Duration
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(p)
}

func (h *heard) tell(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Fprintln(&h.text, err)
	h.words = append(h.words, time.Since(h.began))
}

// Each mistake is answered within 30 s by what says has, unless the program ends by itself.
func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		want, ok := says[m.name]
		require.True(t, ok, m.name)
		t.Run(m.name, func(t *testing.T) {
			run := func(t *testing.T) {
				h := &heard{began: time.Now()}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				ctx = reactor.WithHooks(ctx, reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { h.tell(err) }})
				err := m.run(ctx, h)
				took := time.Since(h.began)
				h.mu.Lock()
				defer h.mu.Unlock()
				if err != nil {
					fmt.Fprintf(&h.text, "%+v\n", err)
				}
				if took >= time.Minute {
					require.NotEmpty(t, h.words, "it hangs, and not a word")
					assert.LessOrEqual(t, h.words[0], 30*time.Second)
				}
				if want != "vet" {
					assert.Regexp(t, want, h.text.String())
				}
			}
			if m.name == "busy-loop-reused" { // it spins, and time in a bubble waits for those who do
				run(t)
				return
			}
			reactortest.Bubble(t, run)
		})
	}
}

func TestAllMistakesAreDescribed(t *testing.T) {
	var names []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(readme, -1) {
		names = append(names, row[1])
	}
	for _, m := range mistakes {
		assert.True(t, slices.Contains(names, m.name), m.name)
	}
	assert.Len(t, names, len(mistakes))
	assert.Len(t, mistakes, 15)
}

//go:embed README.md
var readme string
