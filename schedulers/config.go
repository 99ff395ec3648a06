package schedulers

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
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
	// tasks are anchored anew; by default 15 minutes.
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

// LoadConfig reads the settings with lookup, each by its name in the environment
// and then by the name of Reactor's property. A setting that is missing, is not a
// decimal number or is not positive keeps its default; the error names all those
// that were there and could not be used. The switch for one goroutine per task
// is on for "true" in any case and off for everything else; a drift tolerance that
// is not a number of minutes is ignored.
func LoadConfig(lookup func(name string) (value string, ok bool)) (Config, error) {
	cpus := runtime.GOMAXPROCS(0)
	c := Config{
		PoolSize:                cpus,
		BoundedElasticSize:      10 * cpus,
		BoundedElasticQueueSize: 100_000,
		DriftTolerance:          15 * time.Minute,
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
	positive := func(names [2]string, to *int) {
		name, value, ok := find(names)
		if !ok {
			return
		}
		switch n, err := strconv.Atoi(value); {
		case err != nil:
			errs = append(errs, fmt.Errorf("schedulers: %s=%q is not a decimal number, using %d", name, value, *to))
		case n <= 0:
			errs = append(errs, fmt.Errorf("schedulers: %s=%d must be positive, using %d", name, n, *to))
		default:
			*to = n
		}
	}
	positive(settingPoolSize, &c.PoolSize)
	positive(settingElasticSize, &c.BoundedElasticSize)
	positive(settingElasticQueue, &c.BoundedElasticQueueSize)
	if _, value, ok := find(settingPerTask); ok {
		c.BoundedElasticPerTask = strings.EqualFold(value, "true")
	}
	if _, value, ok := find(settingDrift); ok {
		if minutes, err := strconv.ParseInt(value, 0, 32); err == nil {
			c.DriftTolerance = time.Duration(minutes) * time.Minute
		}
	}
	return c, errors.Join(errs...)
}

// loadDefaults reads the environment when a default is needed for the first time,
// never earlier and never again.
var loadDefaults = readOnce(os.LookupEnv)

func readOnce(lookup func(string) (string, bool)) func() Config {
	return sync.OnceValue(func() Config {
		c, err := LoadConfig(lookup)
		if err != nil {
			slog.Warn("schedulers: settings ignored", "error", err)
		}
		return c
	})
}

// Defaults returns the settings of the environment as they were when this
// function or a shared scheduler was first used.
func Defaults() Config { return loadDefaults() }
