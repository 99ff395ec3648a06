package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func evenNumber(v int) bool { return v%2 == 0 }

func TestBufferUntil(t *testing.T) {
	run(BufferUntil(Range(1, 5), evenNumber)).Done(t, []int{1, 2}, []int{3, 4}, []int{5})
	run(BufferUntil(Range(1, 4), evenNumber)).Done(t, []int{1, 2}, []int{3, 4})
	run(BufferUntil(Range(1, 5), evenNumber, CutBefore())).Done(t, []int{1}, []int{2, 3}, []int{4, 5})
	run(BufferUntil(Range(2, 3), evenNumber, CutBefore())).Done(t, []int{2, 3}, []int{4})
	run(BufferUntil(Empty[int](), evenNumber)).Done(t)
	run(BufferUntil(failing(1, 2, 3), evenNumber)).Failed(t, errBoom, []int{1, 2})
}

func TestBufferUntilDemand(t *testing.T) {
	src := &puppet[int]{}
	p := probeOf[[]int](0)
	BufferUntil(src, evenNumber).Subscribe(context.Background(), p)
	up := src.last()
	assert.Zero(t, up.requested.Load())
	p.Request(2)
	assert.EqualValues(t, 2, up.requested.Load(), "each element may be a buffer")
	up.OnNext(1)
	assert.EqualValues(t, 2, up.requested.Load())
	up.OnNext(3)
	assert.EqualValues(t, 3, up.requested.Load(), "one at a time")
	up.OnNext(4)
	p.Open(t, []int{1, 3, 4})
	assert.EqualValues(t, 4, up.requested.Load())
	up.OnNext(6)
	p.Open(t, []int{1, 3, 4}, []int{6})
	assert.EqualValues(t, 4, up.requested.Load(), "there is no demand")
	p.Request(reactor.Unbounded)
	assert.Equal(t, reactor.Unbounded, up.requested.Load())
}

func TestBufferUntilLastBufferWaitsForDemand(t *testing.T) {
	for _, n := range []int64{1, reactor.Unbounded} {
		p := probeOf[[]int](1)
		BufferUntil(Range(1, 2), evenNumber, CutBefore()).Subscribe(context.Background(), p)
		p.Open(t, []int{1})
		p.Request(n)
		p.Done(t, []int{1}, []int{2})
	}
}

// TestBufferUntilNeverRunsDry passes many buffers of one element through a slow
// consumer with little demand.
func TestBufferUntilNeverRunsDry(t *testing.T) {
	h := &handScheduler{}
	slow := FlatMap(BufferUntilChanged(Range(0, 1000), func(v int) int { return v }), func(vs []int) reactor.Publisher[int] {
		return Map(Delay(1, On(h)), func(int64) int { return vs[0] })
	}, Concurrency(2))
	p := run(slow)
	for range 1000 {
		h.forward(1)
	}
	p.Done(t, numbers(1000)...)
}

func TestBufferUntilOverflow(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := probeOf[[]int](1)
	BufferUntil(src, evenNumber).Subscribe(ctx, p)
	for i := range 4 {
		src.last().OnNext(i)
	}
	p.Failed(t, reactor.ErrOverflow, []int{0})
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnError(errOther)
	src.last().OnComplete()
	assert.Equal(t, []error{errOther}, []error(castErrors(hooks.Errs)))
	accountedIn(t, p, hooks, 0, 1, 2, 3)
}

func castErrors(list []any) (errs []error) {
	for _, e := range list {
		errs = append(errs, e.(error))
	}
	return errs
}

func TestBufferUntilPanics(t *testing.T) {
	bad := func(v int) bool {
		if v == 3 {
			panic(errBoom)
		}
		return false
	}
	key := func(v int) int { bad(v); return 0 }
	for name, b := range map[string]reactor.Publisher[[]int]{
		"bufferUntil":        BufferUntil(Range(1, 5), bad),
		"bufferWhile":        BufferWhile(Range(1, 5), func(v int) bool { return !bad(v) }),
		"bufferUntilChanged": BufferUntilChanged(Range(1, 5), key),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := runWith(ctx, b)
			p.Failed(t, errBoom)
			assert.ElementsMatch(t, []any{1, 2, 3}, hooks.Discarded)
		})
	}
}

func TestBufferUntilDownstreamPanics(t *testing.T) {
	for name, opts := range map[string][]BufferUntilOption{"after": nil, "before": {CutBefore()}} {
		t.Run(name, func(t *testing.T) {
			ctx, hooks := probe.Recorded()
			p := runWith(ctx, Map(BufferUntil(Range(1, 3), evenNumber, opts...), func([]int) int { panic(errBoom) }))
			p.Failed(t, errBoom)
			assert.ElementsMatch(t, []any{1, 2}, hooks.Discarded)
		})
	}
	ctx, hooks := probe.Recorded()
	p := runWith(ctx, Map(BufferUntil(Just(1), evenNumber), func([]int) int { panic(errBoom) }))
	p.Failed(t, errBoom)
	assert.Equal(t, []any{1}, hooks.Discarded)
}

func TestBufferUntilCancel(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	p := runWith(ctx, BufferUntil(src, evenNumber))
	for i := 1; i <= 3; i++ {
		src.last().OnNext(i)
	}
	p.Cancel()
	p.Cancel()
	assert.EqualValues(t, 1, src.last().cancels.Load())
	src.last().OnNext(4)
	src.last().OnComplete()
	p.Open(t, []int{1, 2})
	accountedIn(t, p, hooks, 1, 2, 3, 4)

	p = probeOf[[]int](1)
	BufferUntil(Range(5, 2), evenNumber, CutBefore()).Subscribe(ctx, p)
	p.Cancel()
	assert.Equal(t, 6, hooks.Discarded[len(hooks.Discarded)-1], "the last buffer, which waited for demand")
}

func TestBufferUntilBadArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: bufferUntil: the predicate is nil", func() { BufferUntil[int](Empty[int](), nil) })
	assert.PanicsWithValue(t, "reactor: bufferWhile: the predicate is nil", func() { BufferWhile[int](Empty[int](), nil) })
	assert.PanicsWithValue(t, "reactor: bufferUntilChanged: the key function is nil", func() { BufferUntilChanged[int, int](Empty[int](), nil) })
	assert.PanicsWithValue(t, "reactor: bufferUntilChanged: the comparison is nil", func() {
		BufferUntilChangedFunc(Empty[int](), func(v int) int { return v }, nil)
	})
}

func TestBufferUntilRaces(t *testing.T) {
	number := func(e element) bool { return e.Number%2 == 0 }
	raceStage(t, 40, func(src elements, _ *handScheduler) reactor.Publisher[[]element] { return BufferUntil(src, number) })
	raceStage(t, 40, func(src elements, _ *handScheduler) reactor.Publisher[[]element] {
		return BufferUntilChanged(src, func(e element) int { return e.Number / 2 })
	})
}

// A request that meets an element must not make src owe more elements than buffers are
// wanted: each may be a buffer.
func TestBufferUntilRequestRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(2000), func(race func(...func())) {
		src := &puppet[int]{}
		p := probeOf[[]int](1)
		BufferUntil(src, func(int) bool { return true }).Subscribe(quiet(), p)
		up, sent := src.last(), int64(0)
		send := func() {
			for ; sent < up.requested.Load(); sent++ {
				up.OnNext(1)
			}
		}
		race(send, func() { p.Request(1); p.Request(1) })
		send()
		require.NoError(t, p.Failure())
		require.Len(t, p.Got(), 3)
		require.False(t, p.Over())
	})
}
