package schedulers

import (
	"github.com/goreactor/reactor/executors"
	"github.com/goreactor/reactor/internal/timers"
)

// Clock measures time for a scheduler.
type Clock = executors.Clock

// systemClock is the clock of every scheduler that is not given another one.
type systemClock = timers.System
