package operators

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// Who comes while a cache computes gets the same outcome.
func TestComputedCacheIsJoined(t *testing.T) {
	for name, c := range map[string]struct {
		ttl  time.Duration
		want int // calls of the function, for two at the same time and a third one
	}{"kept": {Forever, 1}, "not kept": {0, 2}} {
		var src reactor.Publisher[int]
		var seen []int
		calls := 0
		got := func(v int) { seen = append(seen, v) }
		src = MonoCacheFor(FromFunc(func(context.Context) (int, error) {
			if calls++; calls == 1 {
				SubscribeFunc(context.Background(), src, got)
			}
			return calls, nil
		}), func(reactor.Signal[int]) time.Duration { return c.ttl })
		SubscribeFunc(context.Background(), src, got)
		SubscribeFunc(context.Background(), src, got)
		assert.Equal(t, []int{1, 1, c.want}, seen, name)
		assert.Equal(t, c.want, calls, name)
	}
}

// What has to be waited for is subscribed to in the same run.
func TestComputedCacheGoesOnWithASubscription(t *testing.T) {
	calls := 0
	later := &puppet[int]{}
	src := MonoCache(MonoFlatMap(FromCallable(func() (int, error) { calls++; return 1, nil }), func(int) reactor.Publisher[int] { return later }))
	require.True(t, isComputable(src))
	var seen []int
	for range 2 {
		SubscribeFunc(context.Background(), src, func(v int) { seen = append(seen, v) })
	}
	assert.Empty(t, seen)
	later.last().OnNext(7)
	later.last().OnComplete()
	SubscribeFunc(context.Background(), src, func(v int) { seen = append(seen, v) })
	assert.Equal(t, []int{7, 7, 7}, seen)
	assert.Equal(t, 1, calls)
}

// A context that ends within the function ends its own subscriber only, and what is kept is not discarded.
func TestComputedCacheOutlivesTheContext(t *testing.T) {
	for name, c := range map[string]struct {
		ttl       time.Duration
		discarded int
	}{"kept": {Forever, 0}, "not kept": {0, 1}} {
		ctx, cancel := context.WithCancelCause(context.Background())
		v := &owned{}
		src := MonoCacheFor(FromFunc(func(own context.Context) (*owned, error) {
			cancel(errOther)
			assert.NoError(t, own.Err(), "others may wait for it")
			return v, nil
		}), func(reactor.Signal[*owned]) time.Duration { return c.ttl })
		_, err := Block(ctx, src)
		assert.Equal(t, errOther, err, name)
		assert.Equal(t, c.discarded, v.discarded, name)
	}
}

// A function that ends the goroutine leaves no run behind.
func TestComputedCacheGoexit(t *testing.T) {
	calls, v := 0, &owned{}
	src := MonoCache(FromCallable(func() (*owned, error) { calls++; runtime.Goexit(); return nil, nil }))
	lost := MonoCacheFor(Just(v), func(reactor.Signal[*owned]) time.Duration { runtime.Goexit(); return 0 })
	var ends []error
	for _, s := range []reactor.Publisher[*owned]{src, src, lost} {
		racetest.Aside(func() {
			SubscribeFunc(context.Background(), s, func(*owned) { t.Error("called") }, OnError(func(err error) { ends = append(ends, err) }))
		})
	}
	require.Len(t, ends, 3)
	for _, err := range ends {
		assert.ErrorIs(t, err, reactor.ErrGoexit)
	}
	assert.Equal(t, 1, calls, "the error is kept")
	assert.Equal(t, 1, v.discarded)
}

// A run that has come to a publisher which has to be waited for goes on, though the one who began it is gone by then.
func TestComputedCacheGoesOnThoughItsFirstOneIsGone(t *testing.T) {
	for name, first := range map[string]func(ctx context.Context, src reactor.Publisher[int]){
		"block":     func(ctx context.Context, src reactor.Publisher[int]) { _, _ = Block(ctx, src) },
		"subscribe": func(ctx context.Context, src reactor.Publisher[int]) { SubscribeFunc(ctx, src, func(int) {}) },
		"then": func(ctx context.Context, src reactor.Publisher[int]) {
			SubscribeFunc(ctx, ThenMono(Just(1), src), func(int) {})
		},
		"resume": func(ctx context.Context, src reactor.Publisher[int]) {
			SubscribeFunc(ctx, OnErrorResume(src, func(err error) reactor.Publisher[int] { return Just(9) }), func(int) {})
		},
		"retry": func(ctx context.Context, src reactor.Publisher[int]) {
			SubscribeFunc(ctx, Retry(src), func(int) {})
		},
		"filterWhen": func(ctx context.Context, src reactor.Publisher[int]) {
			SubscribeFunc(ctx, FilterWhenMono(Just(1), func(int) reactor.Publisher[bool] { return Map(src, func(int) bool { return true }) }), func(int) {})
		},
		"flatMap": func(ctx context.Context, src reactor.Publisher[int]) {
			SubscribeFunc(ctx, MonoFlatMap(Just(1), func(int) reactor.Publisher[int] { return src }), func(int) {})
		},
		"flatMap flux": func(ctx context.Context, src reactor.Publisher[int]) {
			SubscribeFunc(ctx, FlatMap(Range(0, 3), func(int) reactor.Publisher[int] { return src }), func(int) {})
		},
		"concatMap flux": func(ctx context.Context, src reactor.Publisher[int]) {
			SubscribeFunc(ctx, ConcatMap(Range(0, 3), func(int) reactor.Publisher[int] { return src }), func(int) {})
		},
		"zip": func(ctx context.Context, src reactor.Publisher[int]) {
			SubscribeFunc(ctx, MonoZip2(Just(1), src, func(a, b int) int { return a + b }), func(int) {})
		},
		"zip first": func(ctx context.Context, src reactor.Publisher[int]) {
			SubscribeFunc(ctx, MonoZip2(src, Just(1), func(a, b int) int { return a + b }), func(int) {})
		},
		"using": func(ctx context.Context, src reactor.Publisher[int]) {
			SubscribeFunc(ctx, MonoUsing(func(context.Context) (int, error) { return 1, nil }, func(int) reactor.Publisher[int] { return src }, func(int) error { return nil }), func(int) {})
		},
		"doFinally": func(ctx context.Context, src reactor.Publisher[int]) {
			SubscribeFunc(ctx, DoFinally(src, func(reactor.SignalKind) {}), func(int) {})
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			later := &puppet[int]{}
			src := MonoCache(MonoFlatMap(FromCallable(func() (int, error) { cancel(); return 1, nil }), func(int) reactor.Publisher[int] { return later }))
			first(ctx, src)
			got := 0
			SubscribeFunc(context.Background(), src, func(v int) { got = v })
			if assert.NotEmpty(t, later.subs) {
				later.last().OnNext(7)
				later.last().OnComplete()
				assert.Equal(t, 7, got)
			}
		})
	}
}
