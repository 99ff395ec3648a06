package books

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(exit)) }

// exit ends the cached schedulers, whose idle workers wait for their end, and then the process.
func exit(code int) {
	schedulers.ShutdownNow()
	leak.Exit(code)
}
