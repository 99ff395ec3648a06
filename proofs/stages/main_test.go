package stages

import (
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/schedulers"
)

// A round leaves hardly anything alive: on the few megabytes of an ordinary heap the
// collector would stop the racing goroutines all the time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	goleak.VerifyTestMain(m, goleak.Cleanup(exit))
}

// exit ends the cached schedulers, whose idle workers wait for their end, and then the
// process.
func exit(code int) {
	schedulers.ShutdownNow()
	leak.Exit(code)
}
