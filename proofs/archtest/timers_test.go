package archtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What is called later is registered by way of internal/live, which tests can ask for what
// is left: a timer or a watch over a context that nobody ends is a leak that no profile
// shows. Kits for tests, tools and examples wait for themselves.
var registers = regexp.MustCompile(`\b(time\.(AfterFunc|NewTimer|NewTicker|After|Tick)|context\.AfterFunc)\(`)

// registeringFolders are those beside the engine.
var registeringFolders = []string{
	".", "flux", "mono", "sinks", "schedulers", "executors", "executors/cron", "keylock", "netreactor",
}

// uncounted are what counts, and the lookout, whose one timer stays set as long as something is open.
var uncounted = []string{"internal/live", "internal/stall"}

func timerFindings(m *module) (findings []string) {
	for _, f := range m.code() {
		if slices.Contains(uncounted, f.dir()) || !isEngine(f.dir()) && !slices.Contains(registeringFolders, f.dir()) || strings.Contains(string(f.src), "live.TimerSet()") {
			continue // elsewhere, or it counts by itself
		}
		for i, line := range strings.Split(string(f.src), "\n") {
			code, _, _ := strings.Cut(line, "//")
			if found := registers.FindString(code); found != "" {
				findings = append(findings, fmt.Sprintf("%s:%d: %s…) is not counted: use internal/live", f.path, i+1, found))
			}
		}
	}
	return findings
}

func TestTimersAreCounted(t *testing.T) { report(t, timerFindings(load(t))) }

func TestTimerFindings(t *testing.T) {
	for _, bad := range []string{"time.AfterFunc(d, f)", "<-time.After(d)", "context.AfterFunc(ctx, f)"} {
		src := "package operators\n\nfunc f() {\n\t" + bad + "\n}\n"
		assert.Lenf(t, timerFindings(madeUp(t, "operators/a.go", src)), 1, "%s", bad)
		assert.Emptyf(t, timerFindings(madeUp(t, "operators/a_test.go", src)), "%s", bad)
		assert.Emptyf(t, timerFindings(madeUp(t, "examples/a/a.go", src)), "%s", bad)
	}
	assert.Empty(t, timerFindings(madeUp(t, "operators/a.go", "package operators\n\n// f is context.AfterFunc(…).\nfunc f() {}\n")))
}
