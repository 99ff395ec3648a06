package operators

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// An error of the source that comes behind a cancellation, or waits for demand as one comes, is reported as dropped.
func TestMaterializeReportsAnErrorThatNobodyGets(t *testing.T) {
	for name, end := range map[string]func(p *probe.Probe[reactor.Signal[int]], up *puppetSubscription[int]){
		"cancelled before": func(p *probe.Probe[reactor.Signal[int]], up *puppetSubscription[int]) {
			p.Cancel()
			up.OnError(errBoom)
		},
		"cancelled after": func(p *probe.Probe[reactor.Signal[int]], up *puppetSubscription[int]) {
			up.OnError(errBoom)
			p.Cancel()
			p.Cancel()
		},
	} {
		for how, cancelled := range map[string]func(){"returns": func() {}, "ends the goroutine": runtime.Goexit} {
			t.Run(name+", "+how, func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				src := &puppet[int]{}
				p := probeOf[reactor.Signal[int]](0)
				Materialize[int, reactor.Signal[int]](DoOnCancel(src, cancelled)).Subscribe(ctx, p)
				up := src.last()
				racetest.Aside(func() { end(p, up) })
				if name == "cancelled before" && how != "returns" {
					up.OnError(errBoom) // the goroutine ended before
				}
				p.Open(t)
				require.Contains(t, hooks.Errs, any(errBoom))
				p.Request(1)
				p.Open(t)
			})
		}
	}
}

func TestMaterializeIsCancelledBehindACompletion(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := probeOf[reactor.Signal[int]](0)
	Materialize[int, reactor.Signal[int]](src).Subscribe(ctx, p)
	src.last().OnComplete()
	p.Cancel()
	p.Open(t)
	require.Empty(t, hooks.Errs)
}
