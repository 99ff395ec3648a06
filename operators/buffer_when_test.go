package operators

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// whenScene is a BufferWhen between puppets; the buffers are opened by names.
type whenScene struct {
	src    *puppetSubscription[int]
	open   *puppetSubscription[string]
	closer map[string]*puppet[int]
	p      *probe.Probe[[]int]
	hooks  *probe.Record
}

func newWhenScene(demand int64) *whenScene {
	ctx, hooks := probe.Recorded()
	src, open := &puppet[int]{}, &puppet[string]{}
	s := &whenScene{closer: map[string]*puppet[int]{}, p: probeOf[[]int](demand), hooks: hooks}
	BufferWhen(src, open, func(name string) reactor.Publisher[int] {
		s.closer[name] = &puppet[int]{}
		return s.closer[name]
	}).Subscribe(ctx, s.p)
	s.src, s.open = src.last(), open.last()
	return s
}

func (s *whenScene) cancels(names ...string) (n int64) {
	for _, name := range names {
		n += s.closer[name].last().cancels.Load()
	}
	return n
}

func TestBufferWhen(t *testing.T) {
	s := newWhenScene(reactor.Unbounded)
	assert.Equal(t, reactor.Unbounded, s.src.requested.Load())
	s.src.OnNext(1)
	s.open.OnNext("a")
	s.src.OnNext(2)
	s.open.OnNext("b")
	s.src.OnNext(3)
	s.closer["a"].last().OnNext(0)
	assert.EqualValues(t, 1, s.cancels("a"), "the first element counts")
	s.p.Open(t, []int{2, 3})
	s.src.OnNext(4)
	s.closer["b"].last().OnComplete()
	s.open.OnNext("c")
	s.closer["c"].last().OnComplete()
	s.p.Open(t, []int{2, 3}, []int{3, 4}, []int{})
	s.open.OnNext("d")
	s.open.OnNext("e")
	s.src.OnNext(5)
	s.src.OnComplete()
	s.p.Done(t, []int{2, 3}, []int{3, 4}, []int{}, []int{5}, []int{5})
	assert.EqualValues(t, 2, s.cancels("d", "e"))
	assert.EqualValues(t, 1, s.open.cancels.Load())
	assert.Equal(t, []any{1}, s.hooks.Discarded)
}

func TestBufferWhenDoesNotShare(t *testing.T) {
	s := newWhenScene(reactor.Unbounded)
	s.open.OnNext("a")
	s.open.OnNext("b")
	s.src.OnNext(1)
	s.closer["a"].last().OnComplete()
	s.p.Got()[0][0] = -1
	_ = append(s.p.Got()[0], -2)
	s.src.OnNext(2)
	s.closer["b"].last().OnComplete()
	assert.Equal(t, [][]int{{-1}, {1, 2}}, s.p.Got())
}

func TestBufferWhenWaitsForDemand(t *testing.T) {
	s := newWhenScene(0)
	s.open.OnNext("a")
	s.open.OnNext("b")
	s.src.OnNext(1)
	s.closer["b"].last().OnComplete()
	s.src.OnNext(2)
	s.src.OnComplete()
	s.p.Open(t)
	s.p.Request(1)
	s.p.Open(t, []int{1})
	s.p.Request(1)
	s.p.Done(t, []int{1}, []int{1, 2})
}

func TestBufferWhenEndsWithTheLastBuffer(t *testing.T) {
	s := newWhenScene(reactor.Unbounded)
	s.open.OnNext("a")
	s.open.OnComplete()
	s.src.OnNext(1)
	s.p.Open(t)
	s.closer["a"].last().OnComplete()
	s.p.Done(t, []int{1})
	assert.EqualValues(t, 1, s.src.cancels.Load())
	s.src.OnNext(2)
	accountedIn(t, s.p, s.hooks, 1, 2)

	src := &puppet[int]{}
	run(BufferWhen(src, Empty[int](), func(int) reactor.Publisher[int] { return Never[int]() })).Done(t)
	assert.EqualValues(t, 1, src.last().cancels.Load())
}

func TestBufferWhenFails(t *testing.T) {
	for name, fail := range map[string]func(*whenScene){
		"source": func(s *whenScene) { s.src.OnError(errBoom) },
		"opener": func(s *whenScene) { s.open.OnError(errBoom) },
		"closer": func(s *whenScene) { s.closer["b"].last().OnError(errBoom) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newWhenScene(0)
			s.open.OnNext("a")
			s.src.OnNext(1)
			s.closer["a"].last().OnComplete()
			s.open.OnNext("b")
			s.src.OnNext(2)
			fail(s)
			s.p.Failed(t, errBoom)
			assert.ElementsMatch(t, []any{1, 2}, s.hooks.Discarded)
			if name != "source" {
				assert.EqualValues(t, 1, s.src.cancels.Load())
			}
			if name != "closer" {
				assert.EqualValues(t, 1, s.cancels("b"))
			}
			s.src.OnError(errOther)
			assert.Len(t, s.hooks.Errs, 1)
		})
	}
}

func TestBufferWhenClosingFails(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, BufferWhen(src, Just("x"), func(string) reactor.Publisher[int] { panic(errBoom) }))
	p.Failed(t, errBoom)
	assert.EqualValues(t, 1, src.last().cancels.Load())
	assert.Equal(t, []any{"x"}, hooks.Discarded)
	p = runWith(ctx, BufferWhen(src, Just("x"), func(string) reactor.Publisher[int] { return nil }))
	assert.ErrorContains(t, p.Failure(), "publisher is nil")
	assert.PanicsWithValue(t, "reactor: bufferWhen: the function is nil", func() { BufferWhen[int, int, int](src, Just(1), nil) })
}

func TestBufferWhenCancel(t *testing.T) {
	s := newWhenScene(0)
	s.open.OnNext("a")
	s.src.OnNext(1)
	s.closer["a"].last().OnComplete()
	s.open.OnNext("b")
	s.src.OnNext(2)
	s.p.Cancel()
	s.p.Cancel()
	assert.ElementsMatch(t, []any{1, 2}, s.hooks.Discarded)
	assert.EqualValues(t, 1, s.src.cancels.Load())
	assert.EqualValues(t, 1, s.open.cancels.Load())
	assert.EqualValues(t, 1, s.cancels("b"))
	s.src.OnNext(3)
	s.open.OnNext("c")
	assert.NotContains(t, s.closer, "c")
	s.p.Request(3)
	s.p.Open(t)
	accountedIn(t, s.p, s.hooks, 1, 2, 3)
}

func TestBufferWhenDownstreamPanics(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := Range(1, 3)
	p := runWith(ctx, Map(BufferWhen(src, Just(0), func(int) reactor.Publisher[int] { return Never[int]() }), func([]int) int { panic(errBoom) }))
	p.Failed(t, errBoom)
	assert.Equal(t, []any{1, 2, 3}, hooks.Discarded)
}

func TestBufferWhenSynchronousCloser(t *testing.T) {
	p := probeOf[[]int](reactor.Unbounded)
	BufferWhen(Range(1, 3), Range(0, 2), func(int) reactor.Publisher[int] { return Just(0) }).Subscribe(context.Background(), p)
	p.Done(t, []int{}, []int{})
}

func TestBufferWhenRaces(t *testing.T) {
	raceStage(t, 40, func(src elements, h *handScheduler) reactor.Publisher[[]element] {
		return BufferFor(src, time.Second, OpenEvery(2*time.Second), On(h))
	})
}
