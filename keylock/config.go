package keylock

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/goreactor/reactor/internal/env"
)

// Config holds the defaults of managers.
type Config struct {
	// Wait is how long calls wait for a key; by default 3 seconds. See [WaitTime].
	Wait time.Duration
	// Lease is how long a key may be held; by default 10 seconds. See [LeaseTime].
	Lease time.Duration
	// IdleTTL is how long the place of an unused key is kept; by default 60
	// seconds. See [IdleTTL].
	IdleTTL time.Duration
	// MaxWaiters is how many may wait for one key; by default [Unlimited].
	MaxWaiters int
}

const (
	settingWait       = "REACTOR_LOCKS_WAIT"
	settingLease      = "REACTOR_LOCKS_LEASE"
	settingIdleTTL    = "REACTOR_LOCKS_IDLE_TTL"
	settingMaxWaiters = "REACTOR_LOCKS_MAX_WAITERS"
)

// LoadConfig reads the settings with lookup: REACTOR_LOCKS_WAIT, REACTOR_LOCKS_LEASE
// and REACTOR_LOCKS_IDLE_TTL are durations as [time.ParseDuration] takes them, not
// negative; REACTOR_LOCKS_MAX_WAITERS is a positive number, or "unlimited". A setting
// that is missing or can't be used keeps its default; the error names all settings that
// are present and can't be used.
func LoadConfig(lookup func(name string) (value string, ok bool)) (Config, error) {
	c := Config{Wait: 3 * time.Second, Lease: 10 * time.Second, IdleTTL: time.Minute, MaxWaiters: Unlimited}
	r := env.New("keylock", lookup)
	r.Duration(settingWait, &c.Wait)
	r.Duration(settingLease, &c.Lease)
	r.Duration(settingIdleTTL, &c.IdleTTL)
	if value, ok := r.Find(settingMaxWaiters); ok && !strings.EqualFold(value, "unlimited") {
		switch n, err := strconv.Atoi(value); {
		case err != nil && !errors.Is(err, strconv.ErrRange): // else n is the smallest or largest int
			r.Refuse("%s=%q is not a decimal number, using no limit", settingMaxWaiters, value)
		case n <= 0:
			r.Refuse("%s=%s must be positive, using no limit", settingMaxWaiters, value)
		case err != nil:
			r.Refuse("%s=%s must be at most %d, using no limit", settingMaxWaiters, value, n)
		default:
			c.MaxWaiters = n
		}
	}
	return c, r.Err()
}

// loadDefaults reads the environment when a manager is made for the first time.
var loadDefaults = readOnce(env.Process)

func readOnce(e env.Environment) func() Config {
	known := []string{settingWait, settingLease, settingIdleTTL, settingMaxWaiters}
	return env.Once("keylock", "REACTOR_LOCK", known, func(l env.Lookup) (Config, error) { return LoadConfig(l) }, e)
}

// Defaults returns the settings of the environment as they were when this function
// was first called or a manager was first made.
func Defaults() Config { return loadDefaults() }
