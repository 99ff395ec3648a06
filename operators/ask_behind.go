package operators

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
)

// askBehind is demand that the owner of an outlet has passed on once the outlet is left: upstream
// may work on the goroutine that requests, for as long as it likes, and work that is announced
// meanwhile must find an owner. Any goroutine.
type askBehind struct{ n atomic.Int64 }

// add adds n to the demand that is to be passed on.
func (b *askBehind) add(n int64) { demand.Add(&b.n, n) }

// pass asks up for the demand that is to be passed on, if there is any. A caller that may have
// become the owner calls it afterwards.
func (b *askBehind) pass(up reactor.Subscription) {
	if b.n.Load() == 0 {
		return
	}
	chaos.Yield()
	if n := b.n.Swap(0); n > 0 {
		up.Request(n)
	}
}
