// Package osstream has the signals of the operating system as a stream.
//
//	work.TakeUntilOther(osstream.Signals(os.Interrupt)).Run(ctx)
package osstream

import (
	"context"
	"os"
	"os/signal"
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

// waiting is how many signals wait for a subscriber.
const waiting = 8

// Signals emits the given signals as the process receives them. From the subscription
// to the cancellation these signals have no other effect, unless others listen too. The
// stream never ends by itself.
//
// Demand: up to 8 signals wait for demand; further signals are lost, as in package
// os/signal. Signals are emitted on a goroutine of the subscription; the goroutine and
// the registration end with the subscription. Signals panics without a signal.
func Signals(sigs ...os.Signal) flux.Flux[os.Signal] {
	if len(sigs) == 0 {
		panic("reactor: osstream.signals: there are no signals")
	}
	for _, s := range sigs {
		if s == nil {
			panic("reactor: osstream.signals: a signal is nil")
		}
	}
	sigs = slices.Clone(sigs) // who calls with a slice of their own may go on to use it
	return flux.Using(
		func(context.Context) (chan os.Signal, error) {
			ch := make(chan os.Signal, waiting)
			signal.Notify(ch, sigs...)
			return ch, nil
		},
		func(ch chan os.Signal) reactor.Publisher[os.Signal] { return flux.FromChan(ch) },
		func(ch chan os.Signal) error {
			signal.Stop(ch)
			return nil
		},
	)
}
