package keylock_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/keylock"
	"github.com/goreactor/reactor/reactortest"
)

// meanwhile is a meter that calls fn, once, when the number of keys changes.
type meanwhile struct {
	endingMeter
	fn atomic.Pointer[func()]
}

func (m *meanwhile) Gauge(name string, _ ...string) func(int64) {
	return func(int64) {
		if fn := m.fn.Load(); fn != nil && strings.HasSuffix(name, ".keys") && m.fn.CompareAndSwap(fn, nil) {
			(*fn)()
		}
	}
}

// A key that comes and goes while a shutdown is on its way through the keys does not end it: a later one may still be granted.
func TestAShutdownWhileKeysComeAndGo(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		meter := &meanwhile{}
		m := manager(t, keylock.WithMeter(meter, "t"), keylock.LeaseTime(0))
		for i := range 1000 { // a place in each part of the manager
			take(t, m, fmt.Sprint("k", i)).Release()
		}
		var held []keylock.Lease
		fn := func() {
			for i := range 1000 {
				if l, ok := m.TryAcquire(fmt.Sprint("l", i)); ok {
					if len(held) == 0 {
						l.Release() // nothing is held now
						l, ok = m.TryAcquire(l.Key())
					}
					if ok {
						held = append(held, l)
					}
				}
			}
		}
		meter.fn.Store(&fn)
		ended := make(chan error, 1)
		go func() { ended <- m.Shutdown(t.Context()) }()
		synctest.Wait()
		require.NotEmpty(t, held)
		assert.Empty(t, ended, "%d keys are held", m.Stats().Holders)
		for _, l := range held {
			l.Release()
		}
		assert.NoError(t, <-ended)
	})
}
