package locktest_test

import (
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/keylock/locktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

func TestStream(t *testing.T) {
	locktest.Run(t, locktest.Config{
		Open:   func(*testing.T) (a, b keylock.Backend) { s := locktest.NewStream(); return s, s },
		Around: synctest.Test,
	})
}

func TestTree(t *testing.T) {
	locktest.Run(t, locktest.Config{
		Open:   func(*testing.T) (a, b keylock.Backend) { s := locktest.NewTree(); return s, s },
		Around: synctest.Test,
	})
}
