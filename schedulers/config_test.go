package schedulers

import (
	"bytes"
	"log/slog"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/env"
)

func lookupIn(m map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := m[name]
		return v, ok
	}
}

func TestA1_Values(t *testing.T) {
	cpus := runtime.GOMAXPROCS(0)
	for _, setting := range []struct {
		names [2]string
		get   func(Config) int
		def   int
	}{
		{settingPoolSize, func(c Config) int { return c.PoolSize }, cpus},
		{settingElasticSize, func(c Config) int { return c.BoundedElasticSize }, 10 * cpus},
		{settingElasticQueue, func(c Config) int { return c.BoundedElasticQueueSize }, 100_000},
	} {
		for _, name := range setting.names {
			for value, want := range map[string]struct {
				n   int
				bad bool
			}{
				"7":                    {7, false},
				" 7":                   {setting.def, true},
				"0":                    {setting.def, true},
				"-1":                   {setting.def, true},
				"x":                    {setting.def, true},
				"":                     {setting.def, true},
				"99999999999999999999": {setting.def, true},
			} {
				c, err := LoadConfig(lookupIn(map[string]string{name: value}))
				assert.Equal(t, want.n, setting.get(c), "%s=%q", name, value)
				if want.bad {
					assert.ErrorContains(t, err, name)
				} else {
					assert.NoError(t, err)
				}
			}
		}
	}
}

// A number that nothing holds is no word, and minutes that no duration holds are as many as it can.
func TestNumbersThatAreTooLarge(t *testing.T) {
	for _, name := range settingElasticSize {
		_, err := LoadConfig(lookupIn(map[string]string{name: "99999999999999999999"}))
		require.EqualError(t, err, "schedulers: "+name+"=99999999999999999999 must be at most "+strconv.Itoa(math.MaxInt)+", using "+strconv.Itoa(10*runtime.GOMAXPROCS(0)))
		_, err = LoadConfig(lookupIn(map[string]string{name: "-99999999999999999999"}))
		require.EqualError(t, err, "schedulers: "+name+"=-99999999999999999999 must be positive, using "+strconv.Itoa(10*runtime.GOMAXPROCS(0)))
	}
	c, err := LoadConfig(lookupIn(map[string]string{settingDrift[0]: "2147483647"}))
	require.NoError(t, err)
	require.Greater(t, c.DriftTolerance, 290*365*24*time.Hour)
	for _, name := range settingDrift {
		for _, value := range []string{"2147483648", "0x80000000", "99999999999999999999"} {
			c, err = LoadConfig(lookupIn(map[string]string{name: value}))
			require.EqualError(t, err, "schedulers: "+name+"="+value+" must be at most 2147483647, using 15")
			require.Equal(t, 15*time.Minute, c.DriftTolerance)
		}
	}
}

// Lanes that no machine has room for end the process when they are made, and nobody knows why.
func TestPoolSizeThatNoMachineHas(t *testing.T) {
	for _, name := range settingPoolSize {
		c, err := LoadConfig(lookupIn(map[string]string{name: "65536"}))
		assert.NoError(t, err)
		assert.Equal(t, 65536, c.PoolSize)
		c, err = LoadConfig(lookupIn(map[string]string{name: "99999999999"}))
		cpus := runtime.GOMAXPROCS(0)
		assert.EqualError(t, err, "schedulers: "+name+"=99999999999 must be at most 65536, using "+strconv.Itoa(cpus))
		assert.Equal(t, cpus, c.PoolSize)
	}
}

func TestA1_4_PerTaskIsTrueOrFalse(t *testing.T) {
	for _, name := range settingPerTask {
		for value, want := range map[string]bool{
			"true": true, "TRUE": true, "True": true, "yes": false, "1": false, "": false, " true": false, "false": false, "False": false,
		} {
			c, err := LoadConfig(lookupIn(map[string]string{name: value}))
			if want || strings.EqualFold(value, "false") {
				assert.NoError(t, err, "%q", value)
			} else {
				assert.EqualError(t, err, "schedulers: "+name+"="+strconv.Quote(value)+" is neither true nor false, using false")
			}
			assert.Equal(t, want, c.BoundedElasticPerTask, "%q", value)
		}
	}
}

func TestA1_5_DriftTolerance(t *testing.T) {
	for _, name := range settingDrift {
		for value, want := range map[string]struct {
			d   time.Duration
			bad bool
		}{
			"3": {3 * time.Minute, false}, "0x10": {16 * time.Minute, false}, "0": {0, false},
			"x": {15 * time.Minute, true}, "": {15 * time.Minute, true}, "1h": {15 * time.Minute, true}, "-1": {15 * time.Minute, true},
			"-99999999999": {15 * time.Minute, true},
		} {
			c, err := LoadConfig(lookupIn(map[string]string{name: value}))
			if want.bad {
				assert.ErrorContains(t, err, "schedulers: "+name+"="+strconv.Quote(value)+" is not a number of minutes, using 15")
			} else {
				assert.NoError(t, err, "%q", value)
			}
			assert.Equal(t, want.d, c.DriftTolerance, "%q", value)
		}
	}
}

func TestA1_9_Names(t *testing.T) {
	asked := map[string]bool{}
	c, err := LoadConfig(func(name string) (string, bool) {
		asked[name] = true
		return "", false
	})
	require.NoError(t, err)
	assert.Equal(t, 100_000, c.BoundedElasticQueueSize)
	for _, name := range []string{
		"REACTOR_SCHEDULERS_DEFAULT_POOL_SIZE",
		"REACTOR_SCHEDULERS_DEFAULT_BOUNDED_ELASTIC_SIZE",
		"REACTOR_SCHEDULERS_DEFAULT_BOUNDED_ELASTIC_QUEUE_SIZE",
		"REACTOR_SCHEDULERS_DEFAULT_BOUNDED_ELASTIC_ON_VIRTUAL_THREADS",
		"REACTOR_SCHEDULER_DRIFT_TOLERANCE",
		"reactor.schedulers.defaultPoolSize",
		"reactor.schedulers.defaultBoundedElasticSize",
		"reactor.schedulers.defaultBoundedElasticQueueSize",
		"reactor.schedulers.defaultBoundedElasticOnVirtualThreads",
		"reactor.scheduler.drift-tolerance",
	} {
		assert.True(t, asked[name], name)
	}
	c, err = LoadConfig(lookupIn(map[string]string{
		"REACTOR_SCHEDULERS_DEFAULT_POOL_SIZE": "3", "reactor.schedulers.defaultPoolSize": "4",
	}))
	require.NoError(t, err)
	assert.Equal(t, 3, c.PoolSize, "the environment's name goes first")
}

func TestA1_10_AllBadValuesAreReportedTogether(t *testing.T) {
	_, err := LoadConfig(lookupIn(map[string]string{
		settingPoolSize[0]: "x", settingElasticSize[0]: "0", settingElasticQueue[1]: "-5",
	}))
	require.Error(t, err)
	for _, part := range []string{settingPoolSize[0] + `="x"`, settingElasticSize[0] + "=0", settingElasticQueue[1] + "=-5"} {
		assert.ErrorContains(t, err, part)
	}
}

func noSettings() []string { return nil }

func TestA1_10_ReadOnceAndReportedOnce(t *testing.T) {
	var log bytes.Buffer
	old := slog.Default()
	defer slog.SetDefault(old)
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	reads := 0
	settings := map[string]string{settingPoolSize[0]: "5", settingElasticSize[0]: "many"}
	defaults := readOnce(env.Environment{Lookup: func(name string) (string, bool) {
		reads++
		return lookupIn(settings)(name)
	}, Environ: noSettings})
	assert.Zero(t, reads, "not before the first use")
	first := defaults()
	assert.Equal(t, 5, first.PoolSize)
	n := reads
	settings[settingPoolSize[0]] = "6"
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(before + 1)
	defer runtime.GOMAXPROCS(before)
	assert.Equal(t, first, defaults())
	assert.Equal(t, n, reads)
	assert.Equal(t, 1, bytes.Count(log.Bytes(), []byte("\n")))
	assert.Contains(t, log.String(), settingElasticSize[0])
}

// A setting under a wrong name is not silently without effect.
func TestA1_10_UnknownNamesAreReportedWithTheNearest(t *testing.T) {
	var log bytes.Buffer
	old := slog.Default()
	defer slog.SetDefault(old)
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	readOnce(env.Environment{Lookup: lookupIn(nil), Environ: func() []string {
		return []string{
			"PATH=/bin", "REACTOR=1", "REACTOR_RACE_SEED=3", "REACTOR_SCHEDULERS_DEFAULT_POOL_SIZE=4", "REACTOR_SCHEDULER_DRIFT_TOLERANCE=15",
			"REACTOR_SCHEDULERS_DEFAULT_POOLSIZE=4", "REACTOR_SCHEDULERS_BOUNDED_ELASTIC_QUEUESIZE=4",
			"REACTOR_SCHEDULER_DEFAULT_BOUNDED_ELASTIC_SIZE=", "REACTOR_SCHEDULERS_DRIFT_TOLERANCE=a=b", "REACTOR_SCHEDULERS_DEFAULT_BOUNDED_ELASTIC_ON_VIRTUAL_THREAD",
		}
	}})()
	assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	for unknown, nearest := range map[string]string{
		"REACTOR_SCHEDULERS_DEFAULT_POOLSIZE":                          settingPoolSize[0],
		"REACTOR_SCHEDULERS_BOUNDED_ELASTIC_QUEUESIZE":                 settingElasticQueue[0],
		"REACTOR_SCHEDULER_DEFAULT_BOUNDED_ELASTIC_SIZE":               settingElasticSize[0],
		"REACTOR_SCHEDULERS_DRIFT_TOLERANCE":                           settingDrift[0],
		"REACTOR_SCHEDULERS_DEFAULT_BOUNDED_ELASTIC_ON_VIRTUAL_THREAD": settingPerTask[0],
	} {
		assert.Contains(t, log.String(), "there is no setting "+unknown+", did you mean "+nearest+"?")
	}
	assert.Equal(t, 5, strings.Count(log.String(), "there is no setting"))
}

func TestA1_11_ProcessorsAreThoseTheProcessMayUse(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	runtime.GOMAXPROCS(3)
	c, err := LoadConfig(lookupIn(nil))
	require.NoError(t, err)
	assert.Equal(t, 3, c.PoolSize)
	assert.Equal(t, 30, c.BoundedElasticSize)
}

func TestA1_4_SwitchChoosesThePerTaskScheduler(t *testing.T) {
	old := loadDefaults
	defer func() {
		ShutdownNow()
		loadDefaults = old
	}()
	for value, kind := range map[string]string{"true": "perTaskBoundedElastic", "false": "boundedElastic"} {
		ShutdownNow()
		loadDefaults = readOnce(env.Environment{
			Lookup: lookupIn(map[string]string{settingPerTask[0]: value, settingElasticSize[0]: "3"}), Environ: noSettings,
		})
		st := BoundedElastic().Stats()
		assert.Equal(t, kind, st.Kind)
		assert.Equal(t, 3, st.Capacity)
	}
}

// An option that is nil is named, and leaves nothing behind.
func TestNilOptions(t *testing.T) {
	s := FromScheduledPool(scheduledPool(t, 1))
	for name, f := range map[string]func(){
		"NewSingle: option 1":                func() { NewSingle("t", nil) },
		"NewParallel: option 2":              func() { _, _ = NewParallel("t", 1, WithSpin(1), nil) },
		"NewBoundedElastic: option 1":        func() { _, _ = NewBoundedElastic(1, 1, "t", nil) },
		"NewPerTaskBoundedElastic: option 1": func() { _, _ = NewPerTaskBoundedElastic(1, 1, "t", nil) },
		"FromExecutor: option 1":             func() { FromExecutor(goExecutor, nil) },
		"FromScheduledPool: option 1":        func() { FromScheduledPool(scheduledPool(t, 1), nil) },
		"SchedulePeriodically: option 1":     func() { _, _ = s.SchedulePeriodically(nothing, 0, time.Second, nil) },
		"DisposeGracefully: option 1":        func() { _ = s.DisposeGracefully(t.Context(), nil) },
	} {
		assert.PanicsWithValue(t, "schedulers: "+name+" is nil", f)
	}
	assert.Panics(t, func() { _, _ = Single().SchedulePeriodically(nothing, 0, time.Second, nil) }, "of a slot")
	assert.NoError(t, s.DisposeGracefully(t.Context()))
}

func TestLoadConfigWithoutALookup(t *testing.T) {
	c, err := LoadConfig(nil)
	assert.EqualError(t, err, "schedulers: LoadConfig: lookup is nil: illegal argument")
	assert.NotZero(t, c.PoolSize, "the defaults are there all the same")
}
