package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRun(t *testing.T) {
	var out strings.Builder
	assert.NoError(t, run(context.Background(), []string{"-for", "300ms", "-every", "50ms", "-plain"}, &out))
	text := out.String()
	for _, want := range []string{"running for 300ms", "JOB", "Fri 13", "0 0 0 13 * FRI", "slow, allow", "out of coffee", "spilt milk", "discard oldest"} {
		assert.Contains(t, text, want)
	}
	assert.Equal(t, 1, strings.Count(text, "POLICY"))
	assert.Regexp(t, `\d\.\d\ds  rate, every 200ms +\d run`, text)
	assert.NotContains(t, text, "\x1b")
}

// Whatever the size of the window, no line wraps and no page scrolls.
func TestScreenCutsPages(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	jobs, err := startJobs()
	require.NoError(t, err)
	load, err := startLoad(ctx)
	require.NoError(t, err)
	table := table{jobs: jobs, load: load}
	for _, columns := range []int{1, 20, 80, 130, 200} {
		for _, rows := range []int{5, 50} {
			var out strings.Builder
			s := screen{out: &out, size: func() (int, int, bool) { return columns, rows, true }}
			s.show(table.page())
			lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(out.String(), home), eraseRest), "\r\n")
			assert.LessOrEqual(t, len(lines), rows)
			for _, line := range lines {
				line, erased := strings.CutSuffix(line, eraseLine)
				assert.True(t, erased)
				assert.Less(t, utf8.RuneCountInString(line), columns)
			}
		}
	}
	cancel()
	assert.NoError(t, errors.Join(load.stop(context.Background()), jobs.stop()))
	assert.Equal(t, "ab…", cut("abcdef", 4))
	assert.Equal(t, "abc", cut("abc", 4))
}

func TestRunOnATerminalOnly(t *testing.T) {
	var out strings.Builder
	assert.ErrorContains(t, run(context.Background(), []string{"-plain=false"}, &out), "needs a terminal")
}

func TestArguments(t *testing.T) {
	var out strings.Builder
	assert.ErrorContains(t, run(context.Background(), []string{"-for", "0s"}, &out), "must be positive")
	assert.Error(t, run(context.Background(), []string{"-nonsense"}, &out))
	assert.NoError(t, run(context.Background(), []string{"-h"}, &out))
	assert.ErrorContains(t, run(context.Background(), []string{"10s"}, &out), "is no flag")
}

func TestNext(t *testing.T) {
	assert.Equal(t, "done", next(time.Now(), true))
	assert.Equal(t, ".", next(time.Time{}, false))
	assert.Equal(t, "in 0.0s", next(time.Now().Add(-time.Hour), false))
	assert.Regexp(t, `^\d\d:\d\d$`, next(time.Now().Add(time.Hour), false))
	assert.Regexp(t, `20\d\d$`, next(time.Now().Add(100*24*time.Hour), false))
	assert.Equal(t, "##--", bar(2, 4))
}

// A second leave would put the cursor back to where it was before the last page.
func TestTheScreenIsLeftOnce(t *testing.T) {
	var out strings.Builder
	s := screen{out: &out, size: func() (int, int, bool) { return 80, 24, true }}
	s.enter()
	s.last("all\n")
	s.leave()
	assert.Equal(t, enterScreen+leaveScreen+"all\n", out.String())
}
