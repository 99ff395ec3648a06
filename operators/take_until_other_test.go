package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

func TestTakeUntilOther(t *testing.T) {
	for name, signal := range map[string]func(*puppetSubscription[string]){
		"element":    func(s *puppetSubscription[string]) { s.OnNext("stop") },
		"completion": func(s *puppetSubscription[string]) { s.OnComplete() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			src, other := &puppet[int]{}, &puppet[string]{}
			p := probeOf[int](5)
			TakeUntilOther(src, reactor.Publisher[string](other)).Subscribe(ctx, p)
			assert.EqualValues(t, 5, src.last().requested.Load())
			src.last().OnNext(1)
			signal(other.last())
			p.Done(t, 1)
			assert.EqualValues(t, 1, src.last().cancels.Load())
			src.last().OnNext(2)
			src.last().OnComplete()
			accounted(t, p, hooks, 1, 2)
		})
	}
}

func TestTakeUntilOtherSourceEnds(t *testing.T) {
	src, other := &puppet[int]{}, &puppet[string]{}
	p := run(TakeUntilOther(src, reactor.Publisher[string](other)))
	src.last().OnNext(1)
	src.last().OnComplete()
	p.Done(t, 1)
	assert.EqualValues(t, 1, other.last().cancels.Load())
	other.last().OnNext("late")
	assert.Zero(t, src.last().cancels.Load(), "it has ended already")
	p.Done(t, 1)

	p = run(TakeUntilOther(src, reactor.Publisher[string](other)))
	src.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, other.last().cancels.Load())
}

func TestTakeUntilOtherFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, other := &puppet[int]{}, &puppet[string]{}
	p := runWith(ctx, TakeUntilOther(src, reactor.Publisher[string](other)))
	other.last().OnError(errBoom)
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load(), "the source is still live")
	src.last().OnError(errBoom)
	assert.Equal(t, []any{errBoom}, hooks.Errs)
}

func TestTakeUntilOtherThatIsThereAtOnce(t *testing.T) {
	src := &puppet[int]{}
	run(TakeUntilOther(src, Just(1))).Done(t)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	run(TakeUntilOther(Range(1, 3), Error[int](errBoom))).Failed(t, errBoom)
}

func TestTakeForEndsBeforeTheSourceHasBegun(t *testing.T) {
	h := &handScheduler{}
	p := run(TakeFor[int](From[int](&silent{}), 10, On(h)))
	h.forward(10)
	p.Done(t)
}

func TestTakeFor(t *testing.T) {
	h := &handScheduler{}
	src := &puppet[int]{}
	p := run(TakeFor(src, 10, On(h)))
	src.last().OnNext(1)
	h.forward(9)
	src.last().OnNext(2)
	h.forward(1)
	p.Done(t, 1, 2)
	p = run(TakeFor(src, 10, On(h)))
	p.Cancel()
	assert.Zero(t, h.pending())
	run(TakeFor(Range(1, 3), 0, On(h))).Done(t)
	h.refuse(schedulers.ErrUnavailable)
	run(TakeFor(Range(1, 3), 10, On(h))).Failed(t, reactor.ErrRejected)
	assert.PanicsWithValue(t, "reactor: takeFor: duration must not be negative, got -1ns", func() { TakeFor(Just(1), -1) })
}

func TestTakeForWithinAnElement(t *testing.T) {
	h := &handScheduler{}
	p := probeOf[int](reactor.Unbounded)
	p.Each = func(int) {
		h.forward(10)
		assert.False(t, p.Over(), "the end waits for the element")
	}
	TakeFor(Range(1, 5), 10, On(h)).Subscribe(context.Background(), p)
	p.Done(t, 1)
}

func TestTakeForDownstreamPanics(t *testing.T) {
	h := &handScheduler{}
	run(Map(TakeFor(Range(1, 5), 10, On(h)), func(int) int { panic(errBoom) })).Failed(t, errBoom)
	assert.Zero(t, h.pending())
}

// slowToIntroduce takes the function for its elements, and gives its subscription when the stream is over.
type slowToIntroduce struct {
	protocol.Op
	over chan struct{}
}

func (p *slowToIntroduce) Subscribe(_ context.Context, s reactor.Subscriber[int]) {
	protocol.Push(s)
	<-p.over
	s.OnSubscribe(&probe.Source{})
}

// The other of takeUntilOther ends the stream on its own goroutine while src takes the function for its elements. What shows that they
// don't meet is the race detector.
func TestTakeUntilOtherEndsWhileItsSourceIsSubscribed(t *testing.T) {
	over := make(chan int)
	close(over)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	for range 100 {
		c := newEdgeCalls()
		src := &slowToIntroduce{over: c.ended}
		SubscribeFunc(ctx, TakeUntilOther(src, FromChan(over)), func(int) {}, OnError(c.end), OnComplete(func() { c.end(nil) }))
		c.check(t)
		assert.NoError(t, c.err)
	}
}
