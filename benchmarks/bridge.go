package benchmarks

import (
	"context"

	rx "github.com/reactivex/rxgo/v2"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/interop/rxgo"
)

// The bridge to RxGo beside what one would write instead: a loop that reads the items, and a
// goroutine that sends them.

func rxRead() int { return rxSum(rxRange(0, Size)) }

// rxReadCtx is rxRead under a context that can end, as the bridge observes: the producers of RxGo
// then wait for two channels at each item.
func rxReadCtx() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return rxSum(rxRange(0, Size), rx.WithContext(ctx))
}

func bridgeRead() int { return libSum(rxgo.ToFlux[int](rxRange(0, Size))) }

func rxSend() int {
	return rxSum(rx.Defer([]rx.Producer{func(ctx context.Context, next chan<- rx.Item) {
		for i := range Size {
			if !rx.Of(i).SendContext(ctx, next) {
				return
			}
		}
	}}))
}

func bridgeSend() int { return rxSum(rxgo.FromFlux(flux.Range(0, Size))) }
