package executors_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/executors"
)

func TestStatsLogValue(t *testing.T) {
	st := executors.Stats{Name: "p", State: "running", Workers: 1, Idle: 2, Largest: 3, Active: 4, Queued: 5, Delayed: 6,
		Submitted: 7, Completed: 8, Discarded: 9, Cancelled: 10, Rejected: 11, CallerRuns: 12}
	assert.Equal(t, "[name=p state=running workers=1 idle=2 largest=3 active=4 queued=5 delayed=6 submitted=7 completed=8"+
		" discarded=9 cancelled=10 rejected=11 callerRuns=12]", slog.AnyValue(st).Resolve().String())
}
