package operators

import (
	"time"

	"github.com/goreactor/reactor/internal/argument"
)

// GroupByOption is an option of [GroupBy]: [Prefetch], [MaxGroups], [Patience], [On] or
// [Verbatim].
type GroupByOption interface{ applyGroupBy(*groupByConfig) }

type groupByConfig struct {
	prefetch  int
	maxGroups int
	patience  time.Duration
	scheduler []SchedulerOption
	verbatim  bool
}

func (o PrefetchOption) applyGroupBy(c *groupByConfig)  { c.prefetch = int(o) }
func (o SchedulerOption) applyGroupBy(c *groupByConfig) { c.scheduler = []SchedulerOption{o} }
func (o VerbatimOption) applyGroupBy(c *groupByConfig)  { c.verbatim = bool(o) }

// MaxGroupsOption is how many groups may be open at a time.
type MaxGroupsOption int

// MaxGroups lets at most n > 0 groups be open at a time: one group more fails the
// stream with an error that matches reactor.ErrOverflow. In front of a FlatMap, n is
// the [Concurrency] of that FlatMap.
func MaxGroups(n int) MaxGroupsOption {
	argument.Positive("groupBy", "number of groups", n)
	return MaxGroupsOption(n)
}

func (o MaxGroupsOption) applyGroupBy(c *groupByConfig) { c.maxGroups = int(o) }

// PatienceOption is how long a stage waits while nothing can move.
type PatienceOption time.Duration

// Patience makes a stage fail, with an error that matches reactor.ErrOverflow, when for
// d > 0 nothing could move because nobody has subscribed to the groups that it has
// emitted. The time is measured coarsely: the failure comes between d and 2d after the
// stall began.
func Patience(d time.Duration) PatienceOption {
	argument.Positive("groupBy", "patience", d)
	return PatienceOption(d)
}

func (o PatienceOption) applyGroupBy(c *groupByConfig) { c.patience = time.Duration(o) }
