package leak

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/pprof"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/live"
)

const inner = "REACTOR_LEAK_TEST"

func TestMain(m *testing.M) { Exit(m.Run()) }

// blockForEver waits on a channel that nobody else has.
func blockForEver() { <-make(chan int) }

func TestTheRuntimeHasTheProfile(t *testing.T) {
	assert.NotNil(t, pprof.Lookup("goroutineleak"))
}

func TestALeakFailsTheRun(t *testing.T) {
	if os.Getenv(inner) != "" {
		go blockForEver()
		// One that can still run is no leak: a turn given to it says nothing of when it takes it.
		blocked := regexp.MustCompile(`(?m)^goroutine .*\[chan receive.*\]:\n(\S.*\n\t.*\n)*?\S*\.blockForEver\(`)
		for stacks := make([]byte, 1<<16); !blocked.Match(stacks[:runtime.Stack(stacks, true)]); {
			runtime.Gosched()
		}
		return
	}
	run := func(test string) (string, error) {
		cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$")
		cmd.Env = append(os.Environ(), inner+"=1")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run("TestTheRuntimeHasTheProfile")
	require.NoError(t, err, out)
	out, err = run("TestALeakFailsTheRun")
	require.Error(t, err, out)
	assert.Contains(t, out, "leak: 1 goroutines wait for what nobody can reach")
	assert.Contains(t, out, "blockForEver")
}

func TestWhatIsRegisteredFailsTheRun(t *testing.T) {
	if !chaos.Enabled {
		t.Skip("nobody counts")
	}
	assert.NoError(t, Registered())
	stop := live.After(time.Hour, func() {})
	assert.EqualError(t, Registered(), "leak: 1 timers are set, 0 contexts are watched")
	stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop = live.AfterContext(ctx, live.Func(func() {}))
	assert.EqualError(t, Registered(), "leak: 0 timers are set, 1 contexts are watched")
	stop()
	assert.NoError(t, Registered())
}

func TestWhatCanGoOnIsNoLeak(t *testing.T) {
	ch := make(chan int)
	go func() { <-ch }()
	runtime.Gosched()
	assert.NoError(t, Find())
	close(ch)
}
