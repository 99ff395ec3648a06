package netreactor

import (
	"math"
	"runtime"
	"time"

	"github.com/goreactor/reactor/internal/env"
)

// Config holds the defaults of servers and connections. Each field has the value that
// the option of the same name sets.
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
// written as time.ParseDuration reads them, "5s" for example. A setting that is missing, or
// can't be used, keeps its default; the error names all settings that were present and
// could not be used.
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
	r := env.New("netreactor", lookup)
	r.IntWithin(settingSelectors, 1, mostGoroutines, &c.Selectors)
	r.IntWithin(settingWorkers, 0, mostGoroutines, &c.Workers)
	r.IntWithin(settingBusiness, 0, mostGoroutines, &c.Business)
	r.Int(settingMaxConns, 0, &c.MaxConns)
	r.Int(settingMaxPerClient, 0, &c.MaxPerClient)
	r.IntWithin(settingReadChunk, 512, mostChunk, &c.ReadChunk)
	r.Int(settingMaxFrame, 1, &c.MaxFrame)
	r.Duration(settingIdleTimeout, &c.IdleTimeout)
	r.Duration(settingShutdownTimeout, &c.ShutdownTimeout)
	return c, r.Err()
}

// loadDefaults reads the environment when a default is needed for the first time.
var loadDefaults = readOnce(env.Process)

func readOnce(e env.Environment) func() Config {
	known := []string{
		settingSelectors, settingWorkers, settingBusiness, settingMaxConns, settingMaxPerClient,
		settingReadChunk, settingMaxFrame, settingIdleTimeout, settingShutdownTimeout,
	}
	return env.Once("netreactor", "REACTOR_NET", known, func(l env.Lookup) (Config, error) { return LoadConfig(l) }, e)
}

// Defaults returns the settings of the environment as they were when this function, Bind or
// Dial was called first.
func Defaults() Config { return loadDefaults() }
