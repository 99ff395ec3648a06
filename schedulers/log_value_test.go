package schedulers_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/schedulers"
)

func TestStatsLogValue(t *testing.T) {
	st := schedulers.Stats{Kind: "single", Name: "s", Workers: 1, Busy: 2, Queued: 3, Delayed: 4, Running: 5, Completed: 6, Dropped: 7, Rejected: 8}
	assert.Equal(t, "[kind=single name=s disposed=false workers=1 busy=2 queued=3 delayed=4 running=5 completed=6 dropped=7 rejected=8]",
		slog.AnyValue(st).Resolve().String())
}
