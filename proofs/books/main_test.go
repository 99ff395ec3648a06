package books

import (
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/schedulers"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // where hooks that fail are told of
	goleak.VerifyTestMain(m, goleak.Cleanup(exit))
}

// exit ends the cached schedulers, whose idle workers wait for their end, and then the process.
func exit(code int) {
	schedulers.ShutdownNow()
	leak.Exit(code)
}
