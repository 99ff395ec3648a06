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
// the time in which an Observable has to close its channel once nobody wants its items, 10 s
// if nothing else is said. For [FromFlux] it is the time in which an observer has to read an
// item, without a limit if nothing else is said.
func Patience(d time.Duration) PatienceOption {
	argument.Positive("rxgo", "patience", d)
	return PatienceOption(d)
}

func (o PatienceOption) applyToFlux(c *toFluxConfig)     { c.patience = time.Duration(o) }
func (o PatienceOption) applyFromFlux(c *fromFluxConfig) { c.patience = time.Duration(o) }

// PrefetchOption is how many elements [FromFlux] requests ahead.
type PrefetchOption int

// Prefetch sets how many elements [FromFlux] requests ahead of the observer, 1 if nothing
// else is said: the next one when the one before has been read. It is the next one, too, where
// the Flux computes its elements when they are asked for; see [flux.Flux.All].
func Prefetch(n int) PrefetchOption {
	argument.Positive("rxgo", "prefetch", n)
	return PrefetchOption(n)
}

func (o PrefetchOption) applyFromFlux(c *fromFluxConfig) { c.prefetch = int(o) }
