package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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
}

func TestRunRedraws(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	var out strings.Builder
	assert.NoError(t, run(ctx, []string{"-every", "50ms", "-plain=false"}, &out))
	assert.Contains(t, out.String(), "\x1b[")
	assert.Greater(t, strings.Count(out.String(), "POLICY"), 1)
}

func TestArguments(t *testing.T) {
	var out strings.Builder
	assert.ErrorContains(t, run(context.Background(), []string{"-for", "0s"}, &out), "must be positive")
	assert.Error(t, run(context.Background(), []string{"-nonsense"}, &out))
	assert.NoError(t, run(context.Background(), []string{"-h"}, &out))
}

func TestNext(t *testing.T) {
	assert.Equal(t, "done", next(time.Now(), true))
	assert.Equal(t, ".", next(time.Time{}, false))
	assert.Equal(t, "in 0.0s", next(time.Now().Add(-time.Hour), false))
	assert.Regexp(t, `^\d\d:\d\d$`, next(time.Now().Add(time.Hour), false))
	assert.Regexp(t, `20\d\d$`, next(time.Now().Add(100*24*time.Hour), false))
	assert.Equal(t, "##--", bar(2, 4))
}
