package netreactor

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// Config holds the defaults of servers and connections. Each field is what the option of
// the same name sets.
type Config struct {
	Selectors       int
	Workers         int
	Business        int
	MaxConns        int
	MaxPerClient    int
	ReadChunk       int
	MaxFrame        int
	IdleTimeout     time.Duration
	ShutdownTimeout time.Duration
}

// The names of the settings in the environment.
const (
	settingSelectors       = "REACTOR_NET_SELECTORS"
	settingWorkers         = "REACTOR_NET_WORKERS"
	settingBusiness        = "REACTOR_NET_BUSINESS"
	settingMaxConns        = "REACTOR_NET_MAX_CONNS"
	settingMaxPerClient    = "REACTOR_NET_MAX_PER_CLIENT"
	settingReadChunk       = "REACTOR_NET_READ_CHUNK"
	settingMaxFrame        = "REACTOR_NET_MAX_FRAME"
	settingIdleTimeout     = "REACTOR_NET_IDLE_TIMEOUT"
	settingShutdownTimeout = "REACTOR_NET_SHUTDOWN_TIMEOUT"
)

// LoadConfig reads the settings with lookup, by their names in the environment. Times are
// written as time.ParseDuration has them, "5s" for example. A setting that is missing, or
// can't be used, keeps its default; the error names all those that were there and could not
// be used.
func LoadConfig(lookup func(name string) (value string, ok bool)) (Config, error) {
	cpus := runtime.GOMAXPROCS(0)
	c := Config{
		Selectors:       max(1, int(math.Sqrt(float64(cpus)/2))),
		Workers:         2 * cpus,
		MaxPerClient:    60,
		ReadChunk:       64 << 10,
		MaxFrame:        1<<20 - 1,
		ShutdownTimeout: 5 * time.Second,
	}
	var errs []error
	number := func(name string, least int, to *int) {
		value, ok := lookup(name)
		if !ok {
			return
		}
		switch n, err := strconv.Atoi(value); {
		case err != nil:
			errs = append(errs, fmt.Errorf("netreactor: %s=%q is not a decimal number, using %d", name, value, *to))
		case n < least:
			errs = append(errs, fmt.Errorf("netreactor: %s=%d must be at least %d, using %d", name, n, least, *to))
		default:
			*to = n
		}
	}
	duration := func(name string, to *time.Duration) {
		value, ok := lookup(name)
		if !ok {
			return
		}
		switch d, err := time.ParseDuration(value); {
		case err != nil:
			errs = append(errs, fmt.Errorf("netreactor: %s=%q is not a duration such as 5s, using %v", name, value, *to))
		case d < 0:
			errs = append(errs, fmt.Errorf("netreactor: %s=%v must not be negative, using %v", name, d, *to))
		default:
			*to = d
		}
	}
	number(settingSelectors, 1, &c.Selectors)
	number(settingWorkers, 0, &c.Workers)
	number(settingBusiness, 0, &c.Business)
	number(settingMaxConns, 0, &c.MaxConns)
	number(settingMaxPerClient, 0, &c.MaxPerClient)
	number(settingReadChunk, 512, &c.ReadChunk)
	number(settingMaxFrame, 1, &c.MaxFrame)
	duration(settingIdleTimeout, &c.IdleTimeout)
	duration(settingShutdownTimeout, &c.ShutdownTimeout)
	return c, errors.Join(errs...)
}

var loadDefaults = readOnce(os.LookupEnv)

// readOnce reads the environment when a default is needed for the first time, never earlier
// and never again.
func readOnce(lookup func(string) (string, bool)) func() Config {
	return sync.OnceValue(func() Config {
		c, err := LoadConfig(lookup)
		if err != nil {
			slog.Warn("netreactor: settings ignored", "error", err)
		}
		return c
	})
}

// Defaults returns the settings of the environment as they were when this function, Bind or
// Dial was called first.
func Defaults() Config { return loadDefaults() }
