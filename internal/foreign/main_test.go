package foreign

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/leak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }
