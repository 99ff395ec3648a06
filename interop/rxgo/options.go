package rxgo

import (
	"time"

	"github.com/goreactor/reactor/internal/argument"
)

// ToFluxOption is an option of [ToFlux]: [Patience].
type ToFluxOption interface{ applyToFlux(*toFluxConfig) }

// FromFluxOption is an option of [FromFlux]: [Patience] or [Prefetch].
type FromFluxOption interface{ applyFromFlux(*fromFluxConfig) }

type toFluxConfig struct{ patience time.Duration }

type fromFluxConfig struct {
	patience time.Duration // 0: report a standstill and go on waiting
	prefetch int
}

// PatienceOption is how long a bridge waits for the side of RxGo.
type PatienceOption time.Duration

// Patience sets how long a bridge waits for the side of RxGo, for d > 0. For [ToFlux] that is
// the time in which an Observable has to close its channel once nobody wants its items; by
// default 10 s. For [FromFlux] it is the time in which an observer has to read an item; by
// default there is no limit.
func Patience(d time.Duration) PatienceOption {
	argument.Positive("rxgo", "patience", d)
	return PatienceOption(d)
}

func (o PatienceOption) applyToFlux(c *toFluxConfig)     { c.patience = time.Duration(o) }
func (o PatienceOption) applyFromFlux(c *fromFluxConfig) { c.patience = time.Duration(o) }

// PrefetchOption is how many elements [FromFlux] requests ahead.
type PrefetchOption int

// Prefetch sets how many elements [FromFlux] requests ahead of the observer; by default 1: the
// next element is requested when the one before has been read. That is also so, whatever n is,
// where the Flux computes its elements on request; see [flux.Flux.All].
func Prefetch(n int) PrefetchOption {
	argument.Positive("rxgo", "prefetch", n)
	return PrefetchOption(n)
}

func (o PrefetchOption) applyFromFlux(c *fromFluxConfig) { c.prefetch = int(o) }
