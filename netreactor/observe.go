package netreactor

import (
	"context"
	"net/netip"
	"runtime/pprof"
	"sync/atomic"
	"time"
)

// labelled puts the labels of a role on the calling goroutine, for profiles.
func labelled(e *engine, role string) {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("server", e.set.name, "role", role)))
}

// refusals logs the connections that were refused, one line for a second's worth of them.
type refusals struct {
	last   atomic.Int64 // nanoseconds of the engine's clock
	silent atomic.Uint64
}

func (r *refusals) log(e *engine, why string, client netip.Addr) {
	now, last := e.expirer.elapsed(), r.last.Load()
	if last != 0 && now-last < int64(time.Second) || !r.last.CompareAndSwap(last, now) {
		r.silent.Add(1)
		return
	}
	e.set.log.Warn("netreactor: connection refused", "server", e.set.name, "reason", why, "client", client.String(), "unlogged", r.silent.Swap(0))
}
