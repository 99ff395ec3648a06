package schedulers

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/env"
)

// Config holds the defaults of the shared schedulers.
type Config struct {
	// PoolSize is the number of slots of [Parallel]; by default the number
	// of processors the process may use.
	PoolSize int
	// BoundedElasticSize is the most slots that [BoundedElastic] makes; by
	// default ten times the number of processors.
	BoundedElasticSize int
	// BoundedElasticQueueSize is how many tasks may wait in each of them; by
	// default 100,000.
	BoundedElasticQueueSize int
	// BoundedElasticPerTask makes [BoundedElastic] run every task on a
	// goroutine of its own, as [NewPerTaskBoundedElastic] does.
	BoundedElasticPerTask bool
	// DriftTolerance is how far a virtual clock may jump before periodic
	// tasks are anchored anew; by default 15 minutes. The virtual clock of
	// this module doesn't jump: it runs each task at its time.
	DriftTolerance time.Duration
}

// The names of the settings, in the environment and in Reactor's properties.
var (
	settingPoolSize     = [2]string{"REACTOR_SCHEDULERS_DEFAULT_POOL_SIZE", "reactor.schedulers.defaultPoolSize"}
	settingElasticSize  = [2]string{"REACTOR_SCHEDULERS_DEFAULT_BOUNDED_ELASTIC_SIZE", "reactor.schedulers.defaultBoundedElasticSize"}
	settingElasticQueue = [2]string{"REACTOR_SCHEDULERS_DEFAULT_BOUNDED_ELASTIC_QUEUE_SIZE", "reactor.schedulers.defaultBoundedElasticQueueSize"}
	settingPerTask      = [2]string{"REACTOR_SCHEDULERS_DEFAULT_BOUNDED_ELASTIC_ON_VIRTUAL_THREADS", "reactor.schedulers.defaultBoundedElasticOnVirtualThreads"}
	settingDrift        = [2]string{"REACTOR_SCHEDULER_DRIFT_TOLERANCE", "reactor.scheduler.drift-tolerance"}
)

// mostLanes is how many lanes [Parallel] has at most, since they are all made at once.
const mostLanes = 1 << 16

// LoadConfig reads the settings with lookup: each first under its name in the
// environment, then under the name of Reactor's property. Sizes are positive decimal
// numbers, that of [Parallel] at most 65,536; the switch for one goroutine per task
// is "true" or "false" in any case, the drift tolerance is a number of minutes. A
// setting that is missing or can't be used keeps its default; the error names all
// settings that are present and can't be used.
func LoadConfig(lookup func(name string) (value string, ok bool)) (Config, error) {
	cpus := runtime.GOMAXPROCS(0)
	c := Config{
		PoolSize:                cpus,
		BoundedElasticSize:      10 * cpus,
		BoundedElasticQueueSize: 100_000,
		DriftTolerance:          15 * time.Minute,
	}
	if lookup == nil {
		return c, fmt.Errorf("schedulers: LoadConfig: lookup is nil: %w", reactor.ErrIllegalArgument)
	}
	var errs []error
	find := func(names [2]string) (name, value string, ok bool) {
		for _, name = range names {
			if value, ok = lookup(name); ok {
				return name, value, true
			}
		}
		return "", "", false
	}
	positive := func(names [2]string, most int, to *int) {
		name, value, ok := find(names)
		if !ok {
			return
		}
		switch n, err := strconv.Atoi(value); {
		case err != nil && !errors.Is(err, strconv.ErrRange): // else n is the smallest or largest int
			errs = append(errs, fmt.Errorf("schedulers: %s=%q is not a decimal number, using %d", name, value, *to))
		case n <= 0:
			errs = append(errs, fmt.Errorf("schedulers: %s=%s must be positive, using %d", name, value, *to))
		case n > most || err != nil:
			errs = append(errs, fmt.Errorf("schedulers: %s=%s must be at most %d, using %d", name, value, most, *to))
		default:
			*to = n
		}
	}
	positive(settingPoolSize, mostLanes, &c.PoolSize)
	positive(settingElasticSize, math.MaxInt, &c.BoundedElasticSize)
	positive(settingElasticQueue, math.MaxInt, &c.BoundedElasticQueueSize)
	if name, value, ok := find(settingPerTask); ok {
		c.BoundedElasticPerTask = strings.EqualFold(value, "true")
		if !c.BoundedElasticPerTask && !strings.EqualFold(value, "false") {
			errs = append(errs, fmt.Errorf("schedulers: %s=%q is neither true nor false, using false", name, value))
		}
	}
	if name, value, ok := find(settingDrift); ok {
		switch minutes, err := strconv.ParseInt(value, 0, 32); {
		case err == nil && minutes >= 0:
			c.DriftTolerance = time.Duration(min(minutes, int64(math.MaxInt64/time.Minute))) * time.Minute
		case errors.Is(err, strconv.ErrRange) && minutes > 0:
			errs = append(errs, fmt.Errorf("schedulers: %s=%s must be at most %d, using %d", name, value, math.MaxInt32, c.DriftTolerance/time.Minute))
		default:
			errs = append(errs, fmt.Errorf("schedulers: %s=%q is not a number of minutes, using %d", name, value, c.DriftTolerance/time.Minute))
		}
	}
	return c, errors.Join(errs...)
}

// loadDefaults reads the environment when a default is needed for the first time,
// never earlier and never again.
var loadDefaults = readOnce(env.Process)

func readOnce(e env.Environment) func() Config {
	known := []string{settingPoolSize[0], settingElasticSize[0], settingElasticQueue[0], settingPerTask[0], settingDrift[0]}
	return env.Once("schedulers", "REACTOR_SCHEDULER", known, func(l env.Lookup) (Config, error) { return LoadConfig(l) }, e)
}

// Defaults returns the settings of the environment as they were when this
// function or a shared scheduler was first used.
func Defaults() Config { return loadDefaults() }
