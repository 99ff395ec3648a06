package operators

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// waiter is a function that waits for its context, as the only element of a publisher.
type waiter struct{ began, ended chan struct{} }

func newWaiter() *waiter { return &waiter{make(chan struct{}), make(chan struct{})} }

func (w *waiter) publisher() stream {
	return FromFunc(func(ctx context.Context) (int, error) {
		close(w.began)
		<-ctx.Done()
		close(w.ended)
		return 0, ctx.Err()
	})
}

// What becomes of the stream reaches a publisher that works where it is asked also if another one, which has made room for it,
// has caused that, or a request.
func TestFlatMapWhileTheNextPublisherWorks(t *testing.T) {
	for name, op := range map[string]func(all []stream, concurrency int) stream{
		"flatMap": func(all []stream, n int) stream {
			return FlatMap(Range(0, len(all)), func(i int) stream { return all[i] }, Concurrency(n))
		},
		"flatMap, delayed errors": func(all []stream, n int) stream {
			return FlatMap(Range(0, len(all)), func(i int) stream { return all[i] }, Concurrency(n), DelayErrors())
		},
		"flatMapSignal": func(all []stream, n int) stream {
			last := len(all) - 1
			return FlatMapSignal(Range(0, last), func(i int) stream { return all[i] }, nil, func() stream { return all[last] }, Concurrency(n))
		},
		"mergeAll": func(all []stream, n int) stream { return MergeAll[int](FromSlice(all), Concurrency(n)) },
		"flatMapSequential": func(all []stream, n int) stream {
			return FlatMapSequential(Range(0, len(all)), func(i int) stream { return all[i] }, Concurrency(n))
		},
		"mergeSequential": func(all []stream, n int) stream { return MergeSequential(all, Concurrency(n)) },
	} {
		for how, c := range map[string]struct {
			asked int64 // at the beginning
			step  func(p *probe.Probe[int], first *puppetSubscription[int])
		}{
			"the end of another":    {reactor.Unbounded, func(_ *probe.Probe[int], first *puppetSubscription[int]) { first.OnComplete() }},
			"an end without demand": {0, func(_ *probe.Probe[int], first *puppetSubscription[int]) { first.OnComplete() }},
			"a request": {0, func(p *probe.Probe[int], first *puppetSubscription[int]) {
				first.OnNext(7)
				first.OnComplete()
				p.Request(1)
			}},
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w, first, p := newWaiter(), &puppet[int]{}, probeOf[int](c.asked)
					op([]stream{first, w.publisher()}, 1).Subscribe(context.Background(), p)
					go c.step(p, first.last())
					<-w.began
					p.Cancel()
					<-w.ended
					synctest.Wait()
					p.Faultless(t)
				})
			})
		}
		if name == "flatMap, delayed errors" {
			continue
		}
		t.Run(name+", another fails", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, first, second, p := newWaiter(), &puppet[int]{}, &puppet[int]{}, probeOf[int](reactor.Unbounded)
				op([]stream{first, second, w.publisher()}, 2).Subscribe(context.Background(), p)
				go first.last().OnComplete()
				<-w.began
				second.last().OnError(errBoom)
				<-w.ended
				synctest.Wait()
				p.Failed(t, errBoom)
			})
		})
	}
}

// Others deliver meanwhile.
func TestFlatMapDeliversWhileTheNextPublisherWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, first, second, p := newWaiter(), &puppet[int]{}, &puppet[int]{}, probeOf[int](reactor.Unbounded)
		all := []stream{first, second, w.publisher()}
		FlatMap(Range(0, 3), func(i int) stream { return all[i] }, Concurrency(2)).Subscribe(context.Background(), p)
		go first.last().OnComplete()
		<-w.began
		second.last().OnNext(1)
		p.Open(t, 1)
		p.Cancel()
		<-w.ended
	})
}

// The function of that publisher may cancel.
func TestFlatMapIsCancelledByTheNextPublisher(t *testing.T) {
	for name, op := range map[string]func(src reactor.Publisher[int], fn func(int) stream) stream{
		"flatMap": func(src reactor.Publisher[int], fn func(int) stream) stream { return FlatMap(src, fn, Concurrency(1)) },
		"flatMapSequential": func(src reactor.Publisher[int], fn func(int) stream) stream {
			return FlatMapSequential(src, fn, Concurrency(1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first, p := &puppet[int]{}, probeOf[int](reactor.Unbounded)
				op(Range(0, 2), func(i int) stream {
					if i == 0 {
						return first
					}
					return FromFunc(func(ctx context.Context) (int, error) {
						p.Cancel()
						<-ctx.Done()
						return 0, ctx.Err()
					})
				}).Subscribe(context.Background(), p)
				first.last().OnComplete()
				p.Open(t)
			})
		})
	}
}
