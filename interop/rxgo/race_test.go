package rxgo_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	rx "github.com/reactivex/rxgo/v2"
	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/interop/rxgo"
)

// reader takes elements and keeps their books.
type reader struct {
	l  *ledger.Ledger
	mu sync.Mutex
	up reactor.Subscription // guarded by mu
}

func (r *reader) OnSubscribe(up reactor.Subscription) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.up = up
}
func (r *reader) OnNext(e *ledger.Element) { r.l.Delivered(e) }
func (r *reader) OnError(error)            {}
func (r *reader) OnComplete()              {}

func (r *reader) subscription() reactor.Subscription {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.up
}

// Requests, the cancellation or the end of the context, and a producer that minds nothing meet
// in all orders: each element it could send is delivered, discarded or dropped.
func TestToFluxRaces(t *testing.T) {
	for i := range racetest.Iterations(300) {
		synctest.Test(t, func(t *testing.T) {
			l := ledger.New(t)
			ctx, cancel := context.WithCancel(l.Context(t.Context()))
			o := rx.Create([]rx.Producer{func(_ context.Context, next chan<- rx.Item) {
				for n := range 8 {
					if i%5 == 4 && n == 3 {
						next <- rx.Error(errBoom)
					}
					next <- rx.Of(l.Produce())
				}
			}})
			r := &reader{l: l}
			rxgo.ToFlux[*ledger.Element](o).Subscribe(ctx, r)
			end := r.subscription().Cancel
			if i%2 == 0 {
				end = cancel
			}
			together(
				func() { r.subscription().Request(1); r.subscription().Request(1 + rand.Int64N(8)) },
				func() { r.subscription().Request(2) },
				end,
			)
			time.Sleep(time.Minute)
			cancel()
			r.subscription().Cancel()
			synctest.Wait()
			l.Check()
		})
	}
}

func TestFromFluxRaces(t *testing.T) {
	for i := range racetest.Iterations(300) {
		synctest.Test(t, func(t *testing.T) {
			l := ledger.New(t)
			ctx, cancel := context.WithCancel(l.Context(t.Context()))
			f := flux.FromSlice(l.Slice(8))
			items := rxgo.FromFlux(f, rxgo.Prefetch(1+i%4)).Observe(rx.WithContext(ctx))
			together(
				func() {
					for range rand.IntN(10) {
						if item, ok := <-items; ok {
							l.Delivered(item.V.(*ledger.Element))
						}
					}
				},
				cancel,
			)
			synctest.Wait()
			for item := range items {
				l.Delivered(item.V.(*ledger.Element))
			}
			l.Check()
		})
	}
}

// together runs the functions at the same time and waits for them.
func together(fns ...func()) {
	var all sync.WaitGroup
	for _, fn := range fns {
		all.Go(fn)
	}
	all.Wait()
}

// A stop while an observer is slow leaves no ticker and no timer (internal/live, at the end of the
// package's tests, with the tag chaos).
func TestTimersAreStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		items := rxgo.FromFlux(flux.Range(0, 9), rxgo.Patience(time.Second)).Observe(rx.WithContext(ctx))
		time.Sleep(1500 * time.Millisecond)
		cancel()
		assert.Empty(t, <-items)
	})
}
