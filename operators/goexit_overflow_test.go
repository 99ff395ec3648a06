package operators

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// flood is a publisher by somebody else, which sends elements until its goroutine ends, whatever is requested.
type flood struct{ sent []any }

func (f *flood) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	s.OnSubscribe(dam{})
	for i := range 99 {
		f.sent = append(f.sent, i)
		s.OnNext(i)
	}
}

type dam struct{}

func (dam) Request(int64) {}
func (dam) Cancel()       {}

// A source sends more than it was asked for, and what hears of the cancellation that this leads to ends the goroutine: the
// stream fails because of that all the same, and the element that has no place is discarded.
func TestGoexitInTheCancellationOfAnOverflow(t *testing.T) {
	never := Never[int]()
	h := &handScheduler{}
	for name, op := range map[string]func(src stream) stream{
		"bufferTimeout": func(src stream) stream {
			return Map(BufferTimeout(src, 2, time.Hour, On(h)), func(b []int) int { return len(b) })
		},
		"bufferTimeout, fair": func(src stream) stream {
			return Map(BufferTimeout(src, 2, time.Hour, On(h), FairBackpressure()), func(b []int) int { return len(b) })
		},
		"zip": func(src stream) stream { return Zip([]stream{src, never}, func([]int) int { return 0 }, Prefetch(2)) },
		"combineLatest": func(src stream) stream {
			return CombineLatest([]stream{Hide(Just(1)), src}, func(v []int) int { return v[1] }, Prefetch(2))
		},
		"flatMap": func(src stream) stream {
			return FlatMap(FromSlice([]stream{never, src}), func(s stream) stream { return s }, Prefetch(2))
		},
		"mergeSequential":          func(src stream) stream { return MergeSequential([]stream{never, src}, Prefetch(2)) },
		"mergeSequential, in turn": func(src stream) stream { return MergeSequential([]stream{src, never}, Prefetch(2)) },
		"mergeComparing": func(src stream) stream {
			return MergeComparing(func(a, b int) int { return a - b }, []stream{never, src}, Prefetch(2))
		},
		"concatMap": func(src stream) stream { return ConcatMap(src, func(int) stream { return never }, Prefetch(2)) },
		"throttle":  func(src stream) stream { return Throttle(src, 1, time.Hour, On(h), Prefetch(2)) },
		"publishOn": func(src stream) stream { return PublishOn(src, h, Prefetch(2)) },
		"limitRate": func(src stream) stream { return LimitRate(src, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src := &flood{}
			p := probeOf[int](0)
			racetest.Aside(func() { op(DoOnCancel(From[int](src), runtime.Goexit)).Subscribe(ctx, p) })
			last := src.sent[len(src.sent)-1]
			assert.Contains(t, hooks.Discarded, last)
			if !p.Over() { // what waits comes first
				assert.NotContains(t, hooks.Discarded, src.sent[0])
				p.Request(9)
				for range 9 {
					h.forward(time.Hour)
				}
			}
			assert.True(t, p.Over(), "the subscriber waits for ever")
			assert.ErrorContains(t, p.Failure(), "asked for")
		})
	}
}
