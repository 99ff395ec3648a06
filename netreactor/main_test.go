package netreactor_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/schedulers"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		schedulers.ShutdownNow() // an example leaves idle workers, which wait for their end
		leak.Exit(code)
	}))
}
