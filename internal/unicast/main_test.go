package unicast

import (
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/goreactor/reactor/internal/testkit/leak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

// owner records what it is told.
type owner struct {
	released  []bool
	delivered atomic.Int64
	lost      atomic.Int64
}

func (o *owner) Released(cancelled bool) { o.released = append(o.released, cancelled) }

func (o *owner) Delivered(n int64) { o.delivered.Add(n) }
func (o *owner) Passed()           { o.delivered.Add(1) }
func (o *owner) Lost(n int64)      { o.lost.Add(n) }
