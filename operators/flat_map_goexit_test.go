package operators

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// A discard hook that ends the goroutine of an element which finds that the stream has failed does not keep the failure from
// downstream.
func TestFlatMapGoexitInTheDiscardOfALateElement(t *testing.T) {
	for name, send := range map[string]func(outer, inner *puppetSubscription[int]){
		"of an inner publisher": func(_, inner *puppetSubscription[int]) { inner.OnNext(1) },
		"known at once":         func(outer, _ *puppetSubscription[int]) { outer.OnNext(1) },
	} {
		t.Run(name, func(t *testing.T) {
			race(t, 3000, func() ([]func(), func()) {
				ctx := reactor.WithHooks(context.Background(), reactor.Hooks{
					Discard:      func(context.Context, any) { runtime.Goexit() },
					ErrorDropped: func(context.Context, error) {},
				})
				outer, inners := &puppet[int]{}, []*puppet[int]{{}, {}}
				p := runWith(ctx, FlatMap(outer, func(v int) reactor.Publisher[int] {
					if v < 0 {
						return inners[-v-1]
					}
					return Just(v)
				}))
				outer.last().OnNext(-1)
				outer.last().OnNext(-2)
				return []func(){
					func() {
						racetest.Aside(func() {
							for range 30 { // the failure comes among them
								send(outer.last(), inners[0].last())
							}
						})
					},
					func() { racetest.Aside(func() { inners[1].last().OnError(errBoom) }) },
				}, func() {
					assert.True(t, p.Over())
					assert.Equal(t, errBoom, p.Failure())
				}
			})
		})
	}
}

// Nor does one that is called for an element which found no room.
func TestFlatMapGoexitInTheDiscardOfWhatFindsNoRoom(t *testing.T) {
	ctx := reactor.WithHooks(context.Background(), reactor.Hooks{Discard: func(_ context.Context, v any) {
		if v == 2 {
			runtime.Goexit()
		}
	}})
	inner, p := &puppet[int]{}, probeOf[int](0)
	FlatMap(Hide(Just(0)), func(int) reactor.Publisher[int] { return inner }, Prefetch(1)).Subscribe(ctx, p)
	inner.last().OnNext(1)
	racetest.Aside(func() { inner.last().OnNext(2) })
	p.Failed(t, reactor.ErrOverflow)
}
