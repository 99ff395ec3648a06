package execstream_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/schedulers"
)

func TestMain(m *testing.M) {
	if behave, ok := children[os.Getenv("EXECSTREAM_CHILD")]; ok {
		behave()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(exit))
}

// exit ends the cached schedulers and then the process.
func exit(code int) {
	schedulers.ShutdownNow()
	leak.Exit(code)
}
