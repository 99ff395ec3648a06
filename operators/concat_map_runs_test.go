package operators

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// Publishers that compute what they are asked for, and others, one after the other, asked from
// elsewhere: the source fails meanwhile. That nothing has a lock shows the race detector that what
// comes is serial.
func TestConcatMapKindsOfPublishersInTurn(t *testing.T) {
	elastic, err := schedulers.NewBoundedElastic(2, 100, "turn")
	assert.NoError(t, err)
	defer elastic.Dispose()
	kinds := []func() reactor.Publisher[int]{
		func() reactor.Publisher[int] { return Range(0, 3) },
		func() reactor.Publisher[int] { return SubscribeOn(Range(0, 3), elastic) },
		func() reactor.Publisher[int] { return PublishOn(Range(0, 3), elastic) },
		func() reactor.Publisher[int] { return Just(0) },
		func() reactor.Publisher[int] { return Map(Hide(Range(0, 3)), func(v int) int { return v }) },
	}
	for failing := range 2 {
		racetest.Repeat(racetest.Iterations(300), func(race func(...func())) {
			if t.Failed() {
				return
			}
			src := &puppet[int]{}
			var items []int
			var ends []any
			var up reactor.Subscription
			over := make(chan struct{})
			ctx := reactor.WithHooks(context.Background(), reactor.Hooks{ErrorDropped: func(context.Context, error) {}})
			SubscribeFunc(ctx, ConcatMap(src, func(i int) reactor.Publisher[int] { return kinds[i%len(kinds)]() }),
				func(v int) { items = append(items, v) },
				OnSubscribe(func(s reactor.Subscription) { up = s }),
				OnError(func(err error) { ends = append(ends, err); close(over) }),
				OnComplete(func() { ends = append(ends, nil); close(over) }))
			race(func() {
				for range 20 {
					up.Request(1)
				}
				up.Request(reactor.Unbounded)
			}, func() {
				for i := range 2 * len(kinds) {
					src.last().OnNext(i)
				}
				if failing == 1 {
					src.last().OnError(errBoom)
				} else {
					src.last().OnComplete()
				}
			})
			<-over
			if failing == 1 {
				assert.Equal(t, []any{errBoom}, ends)
			} else {
				assert.Equal(t, []any{nil}, ends)
				assert.Len(t, items, 2*13)
			}
		})
	}
}

// slowToSubscribe returns from Subscribe when it is told to.
type slowToSubscribe struct {
	protocol.Op
	src  reactor.Publisher[int]
	told chan struct{}
}

func (p *slowToSubscribe) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	p.src.Subscribe(ctx, s)
	<-p.told
}

// pushesEarly takes the function that it emits by before it hands out its subscription.
type pushesEarly struct {
	protocol.Op
	next func(int)
}

func (p *pushesEarly) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	p.next = protocol.Push(s)
	s.OnSubscribe(protocol.Empty)
}

// An error of the source waits for the element of a publisher that tells of no runs, although the one
// before has done so, and has perhaps not returned yet.
func TestConcatMapElementAfterARun(t *testing.T) {
	for name, early := range map[string]bool{"that has not returned": false, "to a function that was asked for before": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src, slow, pushes := &puppet[int]{}, &puppet[int]{}, &pushesEarly{}
				told, returned := make(chan struct{}), make(chan struct{})
				next := reactor.Publisher[int](pushes)
				emit := func() { pushes.next(2) }
				if !early {
					next = &slowToSubscribe{src: slow, told: told}
					emit = func() { slow.last().OnNext(2) }
				}
				p := probeOf[int](0)
				p.Each = func(v int) {
					if v != 2 {
						return
					}
					close(told)
					<-returned
					src.last().OnError(errBoom)
					assert.NoError(t, p.Failure(), "an element is on its way")
				}
				ConcatMap(src, func(i int) reactor.Publisher[int] {
					return []reactor.Publisher[int]{Range(0, 2), next}[i]
				}).Subscribe(t.Context(), p)
				for i := range 2 {
					src.last().OnNext(i)
				}
				go func() {
					p.Request(3)
					close(returned)
				}()
				synctest.Wait()
				emit()
				p.Failed(t, errBoom, 0, 1, 2)
			})
		})
	}
}

// An element of a run that meets a cancellation on its way is let go.
func TestConcatMapCancelledDuringARun(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := probeOf[int](reactor.Unbounded)
	ConcatMap(FromSlice([]int{7, 8}), func(int) reactor.Publisher[int] {
		return Map(Range(0, 3), func(v int) int {
			if v == 1 {
				p.Cancel()
			}
			return v
		})
	}).Subscribe(ctx, p)
	p.Open(t, 0)
	assert.Equal(t, []any{1, 8}, hooks.Discarded)
}
