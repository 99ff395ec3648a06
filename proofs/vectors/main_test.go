package vectors

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/schedulers"
)

// A run that does not end is parked for good, and a run ends at a point in time, not
// with its stream: what is open then keeps the sequences that it reads. Nothing else may
// stay behind.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/goreactor/reactor/proofs/vectors.(*Builder).step"),
		goleak.IgnoreAnyFunction("iter.Pull[...].func1"),
		goleak.Cleanup(exit),
	)
}

// exit ends the cached schedulers, whose idle workers wait for their end, and then the
// process.
func exit(code int) {
	schedulers.ShutdownNow()
	leak.Exit(code)
}
