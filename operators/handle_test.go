package operators

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// bothPaths runs a check once with a source that calls the element path and once with
// one that calls OnNext.
func bothPaths[T any](t *testing.T, items []T, check func(t *testing.T, src reactor.Publisher[T])) {
	t.Helper()
	t.Run("closure", func(t *testing.T) { check(t, FromSlice(items)) })
	t.Run("method", func(t *testing.T) { check(t, noPush[T]{src: FromSlice(items)}) })
}

// noPush is src for subscribers whose element path is not to be used.
type noPush[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
}

func (p noPush[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.Subscribe(ctx, noPushSubscriber[T]{Subscriber: s})
}

type noPushSubscriber[T any] struct {
	protocol.Inner
	reactor.Subscriber[T]
}

// handleNumbers skips 1, sends tens, ends at 4 with an element, fails at 5 with one,
// panics at 6 with one.
func handleNumbers(v int, sink *SyncSink[int]) {
	if v != 1 {
		sink.Next(10 * v)
	}
	switch v {
	case 4:
		sink.Complete()
	case 5:
		sink.Error(errBoom)
	case 6:
		panic(errBoom)
	}
}

func TestHandle(t *testing.T) {
	bothPaths(t, []int{1, 2, 3}, func(t *testing.T, src reactor.Publisher[int]) {
		run(Handle(src, handleNumbers)).Done(t, 20, 30)
		p := probeOf[int](1)
		Handle(src, handleNumbers).Subscribe(context.Background(), p)
		p.Open(t, 20)
		p.Request(1)
		p.Done(t, 20, 30)
	})
	for _, last := range []int{4, 5, 6} {
		bothPaths(t, []int{1, 2, last, 3}, func(t *testing.T, src reactor.Publisher[int]) {
			ctx, hooks := probe.Recorded()
			p := runWith(ctx, Handle(src, handleNumbers))
			switch last {
			case 4:
				p.Done(t, 20, 40)
				assert.Equal(t, []any{3}, hooks.Discarded)
			case 5:
				p.Failed(t, errBoom, 20, 50)
				assert.ElementsMatch(t, []any{5, 3}, hooks.Discarded)
			case 6:
				p.Failed(t, errBoom, 20)
				assert.ElementsMatch(t, []any{60, 6, 3}, hooks.Discarded, "what the failed call had provided as well")
			}
		})
	}
	requirePanics(t, "handle: the handler is nil", func() { Handle[int, int](Just(1), nil) })
}

func TestHandleMisuseOfTheSink(t *testing.T) {
	ctx, hooks := probe.Recorded()
	p := runWith(ctx, Handle(FromSlice([]int{1, 2}), func(v int, sink *SyncSink[int]) {
		sink.Next(v)
		sink.Next(10 * v)
	}))
	p.Failed(t, reactor.ErrIllegalState, 1)
	_, err := BlockLast(context.Background(), Handle(Range(1, 2), func(v int, s *SyncSink[int]) { s.Next(v); s.Next(v) }))
	assert.EqualError(t, err, "reactor: handle: illegal state: more than one element in one call")
	assert.ElementsMatch(t, []any{10, 1, 2}, hooks.Discarded)
}

func TestHandleAfterItsEnd(t *testing.T) {
	for _, fn := range []func(int, *SyncSink[int]){
		func(_ int, sink *SyncSink[int]) { sink.Complete() },
		func(_ int, sink *SyncSink[int]) { sink.Error(errBoom) },
	} {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		runWith(ctx, Handle(src, fn))
		up := src.last()
		push := protocol.Push(up.Subscriber)
		push(1)
		up.OnNext(2)
		push(3)
		up.OnError(errOther)
		assert.EqualValues(t, 1, up.cancels.Load())
		assert.Equal(t, []any{2, 3}, hooks.Dropped)
		assert.Equal(t, []any{errOther}, hooks.Errs)
	}
}

func TestHandleGoesOnUnderOnErrorContinue(t *testing.T) {
	for _, path := range []reactor.Publisher[int]{FromSlice([]int{1, 5, 6, 3}), Hide(FromSlice([]int{1, 5, 6, 3}))} {
		ctx, hooks := probe.Recorded()
		var seen []any
		p := probeOf[int](2)
		OnErrorContinue(Handle(path, handleNumbers), func(err error, v any) {
			assert.ErrorIs(t, err, errBoom)
			seen = append(seen, v)
		}).Subscribe(ctx, p)
		p.Done(t, 50, 30)
		assert.Equal(t, []any{5, 6}, seen)
		assert.Equal(t, []any{60}, hooks.Discarded)
	}
}

func TestMapOptionalOnBothPaths(t *testing.T) {
	even := func(v int) (int, bool) { return 10 * v, v%2 == 0 }
	tryEven := func(v int) (int, bool, error) {
		if v == 9 {
			return 0, true, errBoom
		}
		r, ok := even(v)
		return r, ok, nil
	}
	for name, stage := range map[string]func(reactor.Publisher[int]) reactor.Publisher[int]{
		"mapOptional":    func(src reactor.Publisher[int]) reactor.Publisher[int] { return MapOptional(src, even) },
		"tryMapOptional": func(src reactor.Publisher[int]) reactor.Publisher[int] { return TryMapOptional(src, tryEven) },
	} {
		t.Run(name, func(t *testing.T) {
			bothPaths(t, []int{1, 2, 3, 4}, func(t *testing.T, src reactor.Publisher[int]) {
				ctx, hooks := probe.Recorded()
				p := probeOf[int](1)
				stage(src).Subscribe(ctx, p)
				p.Open(t, 20)
				p.Request(1)
				p.Done(t, 20, 40)
				assert.Empty(t, hooks.Discarded)
			})
			run(OnErrorContinue(stage(FromSlice([]int{1, 2})), func(error, any) {})).Done(t, 20)
		})
	}
	bothPaths(t, []int{2, 9, 4}, func(t *testing.T, src reactor.Publisher[int]) {
		ctx, hooks := probe.Recorded()
		runWith(ctx, TryMapOptional(src, tryEven)).Failed(t, errBoom, 20)
		assert.ElementsMatch(t, []any{9, 4}, hooks.Discarded)
		run(OnErrorContinue(TryMapOptional(src, tryEven), func(error, any) {})).Done(t, 20, 40)
		run(MapOptional(src, func(int) (int, bool) { panic(errBoom) })).Failed(t, errBoom)
	})
	ctx, hooks := probe.Recorded()
	src := &puppet[int]{}
	runWith(ctx, TryMapOptional(src, tryEven))
	push := protocol.Push(src.last().Subscriber)
	push(9)
	push(1)
	src.last().OnNext(2)
	assert.Equal(t, []any{1, 2}, hooks.Dropped)
	requirePanics(t, "mapOptional: the mapper is nil", func() { MapOptional[int, int](Just(1), nil) })
	requirePanics(t, "tryMapOptional: the mapper is nil", func() { TryMapOptional[int, int](Just(1), nil) })
}

func TestCastAndOfType(t *testing.T) {
	bothPaths(t, []any{1, 2, "x", 3}, func(t *testing.T, src reactor.Publisher[any]) {
		ctx, hooks := probe.Recorded()
		p := runWith(ctx, Cast[int](src))
		p.Failed(t, reactor.ErrIllegalArgument, 1, 2)
		assert.ErrorContains(t, p.Failure(), "an element is of type string, not int")
		assert.ElementsMatch(t, []any{"x", 3}, hooks.Discarded)

		ctx, hooks = probe.Recorded()
		p = probeOf[int](2)
		OfType[int](src).Subscribe(ctx, p)
		p.Open(t, 1, 2)
		p.Request(1)
		p.Done(t, 1, 2, 3)
		assert.Equal(t, []any{"x"}, hooks.Discarded)
		ctx, hooks = probe.Recorded()
		runWith(ctx, OnErrorContinue(OfType[int](src), func(error, any) {})).Done(t, 1, 2, 3)
		assert.Equal(t, []any{"x"}, hooks.Discarded)
	})
}
