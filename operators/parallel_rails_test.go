package operators

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestParallelRailsThatAreSubscribedLater(t *testing.T) {
	h := &handScheduler{}
	late := ParallelRails(Parallel(Range(0, 6), 2), func(rail reactor.Publisher[int]) reactor.Publisher[int] {
		return DelaySubscriptionFor(rail, time.Second, On(h))
	})
	p := run(ParallelSequential(late))
	p.Open(t)
	h.forward(time.Second)
	assert.ElementsMatch(t, numbers(6), p.Got())
	assert.True(t, p.Over())

	late = ParallelRails(Parallel(Error[int](errBoom), 2), func(rail reactor.Publisher[int]) reactor.Publisher[int] {
		return DelaySubscriptionFor(rail, time.Second, On(h))
	})
	p = run(ParallelSequential(late))
	h.forward(time.Second)
	p.Failed(t, errBoom)
}

func TestParallelRailsThatAreLeftAlone(t *testing.T) {
	first := true
	some := ParallelRails(Parallel(Range(0, 4), 2), func(rail reactor.Publisher[int]) reactor.Publisher[int] {
		if first {
			first = false
			return Never[int]() // the call at assembly
		}
		first = true
		return rail
	})
	first = false
	rails := subscribeRails(context.Background(), some, reactor.Unbounded)
	rails[0].Done(t, 0, 1, 2, 3)
	rails[1].Open(t)
}

// What is made of a rail is over, and nobody has subscribed to the rail: nobody will. The source is cancelled with the last
// one who wants something of it.
func TestParallelRailsThatAreOverBeforeTheyAreSubscribed(t *testing.T) {
	for name, c := range map[string]struct {
		op  func(rail stream) stream
		end func(p *probe.Probe[int])
	}{
		"cancelled": {
			func(rail stream) stream { return DelaySubscription(rail, Never[int]()) },
			func(p *probe.Probe[int]) { p.Cancel() },
		},
		"failed": {
			func(rail stream) stream { return DelaySubscription(rail, Error[int](errBoom)) },
			func(p *probe.Probe[int]) { p.Failed(t, errBoom) },
		},
		"completed": {
			func(stream) stream { return Empty[int]() },
			func(p *probe.Probe[int]) { p.Done(t) },
		},
		"panic": {
			func(rail stream) stream {
				if _, ok := rail.(interface{ Discarded() }); ok { // not the call at assembly
					panic(errBoom)
				}
				return rail
			},
			func(p *probe.Probe[int]) { p.Failed(t, errBoom) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			p := probeOf[int](9)
			ParallelSequential(ParallelRails(Parallel(src, 2), c.op)).Subscribe(ctx, p)
			if name == "cancelled" {
				src.last().OnNext(1)
			}
			c.end(p)
			switch name {
			case "cancelled":
				assert.EqualValues(t, 1, src.last().cancels.Load())
				assert.Equal(t, []any{1}, hooks.Discarded)
			default: // before the source was to be subscribed
				assert.Zero(t, src.count())
			}
		})
	}
}

func TestParallelRailsFunctionPanics(t *testing.T) {
	calls := 0
	src := ParallelRails(Parallel(Range(0, 4), 2), func(rail reactor.Publisher[int]) reactor.Publisher[int] {
		if calls++; calls == 2 {
			panic(errBoom)
		}
		return rail
	})
	rails := subscribeRails(context.Background(), src, reactor.Unbounded)
	rails[0].Failed(t, errBoom)
	rails[1].Done(t, 0, 1, 2, 3)
}

// What becomes of one rail does not get into another one.
func TestParallelRailsStayApart(t *testing.T) {
	a, b := probeOf[int](9), probeOf[int](9)
	rails := ParallelRails(Parallel(Range(1, 6), 2), func(rail stream) stream {
		return Filter(rail, func(v int) bool { return v%2 == 0 })
	})
	ParallelSubscribe(t.Context(), rails, a, b)
	a.Done(t)
	b.Done(t, 2, 4, 6)
}
