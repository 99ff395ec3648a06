package executors_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/executors"
)

func TestStatsLogValue(t *testing.T) {
	st := executors.Stats{Name: "p", State: "running", Workers: 1, Idle: 2, Largest: 3, Active: 4, Queued: 5, Delayed: 6,
		Submitted: 7, Completed: 8, Discarded: 9, Cancelled: 10, Rejected: 11, CallerRuns: 12}
	assert.Equal(t, "[name=p state=running workers=1 idle=2 largest=3 active=4 queued=5 delayed=6 submitted=7 completed=8"+
		" discarded=9 cancelled=10 rejected=11 callerRuns=12]", slog.AnyValue(st).Resolve().String())
}

func TestJobStatsAsText(t *testing.T) {
	st := executors.JobStats{Name: "export", Running: 1, Runs: 2, Failures: 3, Skipped: 4, Done: true}
	assert.Equal(t, `"export" [next never, running 1, runs 2, failures 3, skipped 4]`, st.String())
	assert.Equal(t, "[name=export done=true running=1 runs=2 failures=3 skipped=4]", slog.AnyValue(st).Resolve().String())
	at := time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)
	st.Next, st.LastStart, st.LastDuration, st.LastError = at, at.Add(-time.Hour), time.Second, errors.New("boom")
	assert.Equal(t, `"export" [next 2026-11-27T03:00:00Z, running 1, runs 2, failures 3, skipped 4]`, st.String())
	assert.Equal(t, "[name=export done=true running=1 runs=2 failures=3 skipped=4 next=2026-11-27 03:00:00 +0000 UTC"+
		" lastStart=2026-11-27 02:00:00 +0000 UTC lastDuration=1s lastError=boom]", slog.AnyValue(st).Resolve().String())
}
