package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor/examples/internal/childtest"
)

func TestMain(m *testing.M) {
	if childtest.Main(main) {
		return
	}
	goleak.VerifyTestMain(m)
}

// interrupted is an output that ends what is written when all of that has been.
type interrupted struct {
	strings.Builder
	all []string
	end func()
}

func (i *interrupted) Write(p []byte) (int, error) {
	defer func() {
		i.all = slices.DeleteFunc(i.all, func(s string) bool { return strings.Contains(i.String(), s) })
		if len(i.all) == 0 {
			i.end()
		}
	}()
	return i.Builder.Write(p)
}

func TestRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := interrupted{all: []string{"rate, every 200ms", "out of coffee", "spilt milk", "pool discard oldest"}, end: cancel}
	assert.NoError(t, run(ctx, []string{"-for", "1m", "-every", "50ms", "-plain"}, &out))
	text := out.String()
	for _, want := range []string{"running for 1m0s", "JOB", "slow, allow", "out of coffee", "spilt milk", "discard oldest"} {
		assert.Contains(t, text, want)
	}
	assert.Equal(t, 1, strings.Count(text, "POLICY"))
	assert.Regexp(t, `\d\.\d\ds  rate, every 200ms +\d+ run`, text)
	assert.Regexp(t, `0 0 0 13 \* FRI +(Fri 13 |00:00 )`, text) // on the day before there is only the time
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

// Who ends it by SIGTERM gets the table as well, and a terminal its screen back.
func TestTerminated(t *testing.T) {
	assert.Contains(t, childtest.Terminated(t, "running for", "-plain", "-for", "1m"), "MOST WORKERS")
}
