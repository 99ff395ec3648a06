package operators

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

// What docs/decisions/0010 says of this library, where no other test does.
func TestDeviations(t *testing.T) {
	t.Run("an error of the other publisher of takeUntilOther cancels the source", func(t *testing.T) {
		src, other := &puppet[int]{}, &puppet[int]{}
		p := run(TakeUntilOther(src, other))
		other.last().OnError(errBoom)
		p.Failed(t, errBoom)
		assert.EqualValues(t, 1, src.last().cancels.Load())
	})
	t.Run("combineLatest goes on with a prefetch of 1", func(t *testing.T) {
		src := func() reactor.Publisher[int] { return Hide(Range(1, 50)) }
		got, err := BlockLast(context.Background(), CombineLatest2(src(), src(), sumOf, Prefetch(1)))
		assert.NoError(t, err)
		assert.Equal(t, 100, got)
	})
	t.Run("combineLatest with a prefetch of 1 keeps what comes before demand", func(t *testing.T) {
		first, second, p := &puppet[int]{}, &puppet[int]{}, probeOf[int](0)
		CombineLatest2(first, second, sumOf, Prefetch(1)).Subscribe(context.Background(), p)
		first.last().OnNext(1)
		second.last().OnNext(1)
		first.last().OnNext(2)
		p.Request(1)
		p.Open(t, 2)
		p.Request(1)
		p.Open(t, 2, 3)
	})
	t.Run("concatMap goes on with a prefetch of 1", func(t *testing.T) {
		got, err := BlockLast(context.Background(), Count(ConcatMap(Hide(Range(1, 50)), func(v int) reactor.Publisher[int] { return Hide(Range(v, 2)) }, Prefetch(1))))
		assert.NoError(t, err)
		assert.Equal(t, 100, got)
	})
	t.Run("bufferUntilChanged asks for what it needs", func(t *testing.T) {
		p := probeOf[[]int](1)
		BufferUntilChanged(Hide(FromSlice([]int{1, 1, 2, 2, 2, 3})), func(v int) int { return v }).Subscribe(context.Background(), p)
		p.Request(1)
		p.Request(1)
		p.Done(t, []int{1, 1}, []int{2, 2, 2}, []int{3})
	})
	t.Run("publish of a mono: one who comes while the source runs gets the outcome", func(t *testing.T) {
		src, gate := &puppet[int]{}, &puppet[int]{}
		p := run(MonoPublish(src, func(shared reactor.Publisher[int]) reactor.Publisher[int] {
			return DelaySubscription(shared, gate)
		}))
		gate.last().OnComplete()
		p.Open(t)
		src.last().OnNext(1)
		p.Done(t, 1)
	})
	for name, stage := range map[string]func(src reactor.Publisher[int]) reactor.Publisher[int]{
		"delaySubscription": func(src reactor.Publisher[int]) reactor.Publisher[int] { return DelaySubscription(src, Just(0)) },
		"or":                func(src reactor.Publisher[int]) reactor.Publisher[int] { return Or(src, Never[int]()) },
	} {
		t.Run(name+": a cancellation stops a source that emits as soon as it is asked", func(t *testing.T) {
			sent := 0
			src := DoOnNext(Hide(Range(1, 1000)), func(int) { sent++ })
			run(TakeUntil(stage(src), func(v int) bool { return v == 3 })).Done(t, 1, 2, 3)
			assert.Equal(t, 3, sent)
		})
	}
	for name, opts := range map[string][]RefCountOption{"": nil, " with grace": {Grace(time.Second), On(&handScheduler{})}} {
		t.Run("refCount"+name+" does not connect for one who cancels when subscribed", func(t *testing.T) {
			src, gone := &puppet[int]{}, probeOf[int](0)
			gone.Subscribed = func(up reactor.Subscription) { up.Cancel() }
			RefCount(Publish[int](src), 1, opts...).Subscribe(context.Background(), gone)
			assert.Zero(t, src.count())
		})
	}
	t.Run("refCount of a replay that has aged waits for as many as before", func(t *testing.T) {
		clock, src := &handScheduler{}, &puppet[int]{}
		shared := RefCount(Replay[int](src, TTL(time.Second), On(clock)), 2)
		run(shared)
		run(shared)
		src.last().OnNext(1)
		src.last().OnComplete()
		run(shared).Done(t, 1)
		clock.forward(2 * time.Second)
		late := run(shared)
		assert.Equal(t, 1, src.count())
		other := run(shared)
		assert.Equal(t, 2, src.count())
		src.last().OnNext(2)
		late.Open(t, 2)
		late.Cancel()
		other.Cancel()
		assert.EqualValues(t, 1, src.last().cancels.Load(), "nobody is left")
	})
	t.Run("filterWhen keeps the errors of its tests beside that of the source", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		src := &puppet[int]{}
		p := runWith(ctx, FilterWhen(src, func(int) reactor.Publisher[bool] { return Hide(Error[bool](errBoom)) }))
		src.last().OnNext(1)
		src.last().OnError(errOther)
		p.Failed(t, errBoom)
		p.Failed(t, errOther)
		assert.Equal(t, []any{1}, hooks.Discarded)
		assert.Empty(t, hooks.Errs)
	})
	t.Run("filterWhen of a mono reports the error of its test once", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		p := runWith(ctx, FilterWhenMono(Just(1), func(int) reactor.Publisher[bool] { return Hide(Error[bool](errBoom)) }))
		p.Failed(t, errBoom)
		assert.Equal(t, []any{1}, hooks.Discarded)
		assert.Empty(t, hooks.Errs)
	})
	t.Run("filterWhen discards what it does not deliver, once", func(t *testing.T) {
		ctx, hooks := probe.Recorded()
		p := runWith(ctx, FilterWhen(Range(1, 2), func(v int) reactor.Publisher[bool] { return Just(v == 1) }))
		p.Done(t, 1)
		assert.Equal(t, []any{2}, hooks.Discarded)
	})
	t.Run("an error that joins others stays one of those it is joined with", func(t *testing.T) {
		errThird := errors.New("third")
		joined := errors.Join(errBoom, errOther)
		for _, srcs := range [][]reactor.Publisher[int]{
			{Error[int](joined), Error[int](errThird)},
			{Error[int](errThird), Error[int](joined)},
		} {
			p := run(MergeSlice(srcs, DelayErrors()))
			parts, ok := p.Failure().(interface{ Unwrap() []error })
			assert.True(t, ok)
			assert.ElementsMatch(t, []error{joined, errThird}, parts.Unwrap())
			assert.Len(t, joined.(interface{ Unwrap() []error }).Unwrap(), 2, "what came stays as it was")
		}
	})
}
