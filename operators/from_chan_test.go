package operators

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func filled(items ...int) chan int {
	ch := make(chan int, len(items)+1)
	for _, v := range items {
		ch <- v
	}
	return ch
}

func TestFromChan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ch := make(chan int)
		p := run(FromChan(ch))
		for i := range 3 {
			ch <- i
		}
		synctest.Wait()
		p.Open(t, 0, 1, 2)
		close(ch)
		synctest.Wait()
		p.Done(t, 0, 1, 2)
	})
	assert.Panics(t, func() { FromChan[int](nil) })
}

func TestFromChanTakesOnlyWhatIsRequested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ch := filled(1, 2, 3, 4)
		p := probeOf[int](0)
		FromChan(ch).Subscribe(context.Background(), p)
		synctest.Wait()
		assert.Len(t, ch, 4, "nothing before the first request")
		for i := range 2 {
			p.Request(1)
			synctest.Wait()
			assert.Len(t, ch, 3-i)
		}
		p.Open(t, 1, 2)
		close(ch)
		p.Request(3)
		synctest.Wait()
		p.Done(t, 1, 2, 3, 4)
	})
}

func TestFromChanRequestsFromWithinOnNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ch := filled(1, 2, 3)
		close(ch)
		p := probeOf[int](1)
		p.Each = func(int) { p.Request(1) }
		FromChan(ch).Subscribe(context.Background(), p)
		synctest.Wait()
		p.Done(t, 1, 2, 3)
	})
}

// The end of a bubble fails the test if a goroutine is left.
func TestFromChanCancelEndsTheGoroutine(t *testing.T) {
	for name, at := range map[string]func(p *probe.Probe[int], ch chan int){
		"waiting for an element": func(p *probe.Probe[int], ch chan int) { p.Request(1) },
		"waiting for demand":     func(p *probe.Probe[int], ch chan int) { ch <- 1; p.Request(1) },
		"not started":            func(*probe.Probe[int], chan int) {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ch := filled()
				p := probeOf[int](0)
				FromChan(ch).Subscribe(context.Background(), p)
				at(p, ch)
				synctest.Wait()
				p.Cancel()
				p.Cancel()
				p.Request(1)
				synctest.Wait()
				assert.False(t, p.Over())
			})
		})
	}
}

func TestFromChanEndOfContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("shut down")
		ctx, cancel := context.WithCancelCause(context.Background())
		done := make(chan error)
		go func() {
			_, err := Collect(ctx, FromChan(filled(1)))
			done <- err
		}()
		synctest.Wait()
		cancel(cause)
		assert.Equal(t, cause, <-done)
	})
}

func TestFromChanDownstreamPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		ch := filled(1, 2, 3)
		p := runWith(ctx, Map(FromChan(ch), func(v int) int {
			if v == 2 {
				panic(errBoom)
			}
			return v
		}))
		synctest.Wait()
		p.Failed(t, errBoom, 1)
		assert.Equal(t, []any{2}, hooks.Discarded)
		assert.Len(t, ch, 1, "the rest stays in the channel")
	})
}

func TestMonoFromChan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ch := filled(1, 2)
		p := run(MonoFromChan(ch))
		synctest.Wait()
		p.Done(t, 1)
		assert.Len(t, ch, 1)
		empty := make(chan int)
		close(empty)
		p = run(MonoFromChan(empty))
		synctest.Wait()
		p.Done(t)
		assert.Panics(t, func() { MonoFromChan[int](nil) })
	})
}

func TestFromChanRaces(t *testing.T) {
	for range racetest.Iterations(200) {
		synctest.Test(t, func(t *testing.T) {
			l := ledger.New(t)
			ch := make(chan *ledger.Element, 8)
			for range 8 {
				ch <- l.Produce()
			}
			p := probeOf[*ledger.Element](0)
			p.Each = func(e *ledger.Element) { l.Delivered(e) }
			FromChan(ch).Subscribe(l.Context(context.Background()), p)
			racetest.Race(func() { p.Request(1); p.Request(2) }, func() { p.Request(3) }, func() { p.Cancel() })
			synctest.Wait()
			assert.Empty(t, p.Faults())
			for len(ch) > 0 {
				l.Delivered(<-ch)
			}
			l.Check()
		})
	}
}

func BenchmarkFromChan(b *testing.B) {
	ch := make(chan int, b.N)
	for i := range b.N {
		ch <- i
	}
	close(ch)
	b.ReportAllocs()
	b.ResetTimer()
	sum := 0
	if err := ForEach(context.Background(), FromChan(ch), func(v int) { sum += v }); err != nil {
		b.Fatal(err)
	}
}

func TestFromChanTakesNothingAfterACancellation(t *testing.T) {
	ch := filled(1)
	p := probeOf[int](0)
	FromChan(ch).Subscribe(t.Context(), p)
	sub := p.Up.(*chanSubscription[int])
	sub.demand.Store(1) // the goroutine is late: it runs when all is over
	sub.Cancel()
	sub.run()
	p.Open(t)
	assert.Len(t, ch, 1)
}
