package operators

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/schedulers"
)

func TestBlock(t *testing.T) {
	ctx := context.Background()
	v, err := Block(ctx, Just(4))
	assert.True(t, v == 4 && err == nil)
	_, err = Block(ctx, Empty[int]())
	assert.ErrorIs(t, err, reactor.ErrNoElements)
	assert.EqualError(t, err, "reactor: block: no elements: the source completed empty: BlockOptional tells of that without an error, Run waits for the end alone")
	_, err = Block(ctx, failing(1))
	assert.ErrorIs(t, err, errBoom)
	v, ok, err := BlockOptional(ctx, Just(4))
	assert.True(t, v == 4 && ok && err == nil)
	_, ok, err = BlockOptional(ctx, Empty[int]())
	assert.True(t, !ok && err == nil)
	_, ok, err = BlockOptional(ctx, Error[int](errBoom))
	assert.False(t, ok)
	assert.ErrorIs(t, err, errBoom)
	v, err = BlockLast(ctx, FromSlice([]int{1, 2, 3}))
	assert.True(t, v == 3 && err == nil)
	_, err = BlockLast(ctx, Empty[int]())
	assert.ErrorIs(t, err, reactor.ErrNoElements)
	assert.EqualError(t, err, "reactor: blockLast: no elements: the source completed empty: LastOr has an element for that")
	_, err = BlockLast(ctx, failing(1))
	assert.ErrorIs(t, err, errBoom)
	v, err = BlockFirst(ctx, FromSlice([]int{1, 2, 3}))
	assert.True(t, v == 1 && err == nil)
	_, err = BlockFirst(ctx, Empty[int]())
	assert.ErrorIs(t, err, reactor.ErrNoElements)
	assert.EqualError(t, err, "reactor: blockFirst: no elements: the source completed empty: BlockOptional of Next tells of that without an error")
	_, err = Block(ctx, Map(Just(1), func(int) int { panic(errBoom) }))
	assert.ErrorIs(t, err, errBoom)
}

func TestBlockAccountsForEveryElement(t *testing.T) {
	for _, withEnd := range []bool{false, true} {
		ctx, hooks := probe.Recorded()
		if withEnd {
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
		}
		_, _ = BlockLast(ctx, FromSlice([]int{1, 2, 3}))
		_, _ = Block(ctx, JustAll(4, 5))
		_, _ = BlockFirst(ctx, FromSlice([]int{6, 7}))
		_, _ = Block(ctx, failing(8))
		_, _ = Collect(ctx, failing(9, 10))
		_ = TryForEach(ctx, FromSlice([]int{11, 12}), func(int) error { return errBoom })
		// What fails with this error is not the waiting.
		refused := func(items ...int) reactor.Publisher[int] {
			return Concat(FromSlice(items), Error[int](reactor.ErrBlocking))
		}
		_, _ = Block(ctx, refused(13))
		_, _ = BlockLast(ctx, refused(14))
		_, _ = Collect(ctx, refused(15, 16))
		assert.Equal(t, []any{1, 2, 5, 7, 8, 9, 10, 12, 13, 14, 15, 16}, hooks.Discarded)
	}
}

// Each blocking terminal as a function of a context and a source.
func blockers() map[string]func(context.Context, reactor.Publisher[int]) error {
	return map[string]func(context.Context, reactor.Publisher[int]) error{
		"block":      func(ctx context.Context, p reactor.Publisher[int]) error { _, err := Block(ctx, p); return err },
		"blockFirst": func(ctx context.Context, p reactor.Publisher[int]) error { _, err := BlockFirst(ctx, p); return err },
		"blockLast":  func(ctx context.Context, p reactor.Publisher[int]) error { _, err := BlockLast(ctx, p); return err },
		"collect":    func(ctx context.Context, p reactor.Publisher[int]) error { _, err := Collect(ctx, p); return err },
		"run":        Run[int],
		"forEach": func(ctx context.Context, p reactor.Publisher[int]) error {
			return ForEach(ctx, p, func(int) {})
		},
		"tryForEach": func(ctx context.Context, p reactor.Publisher[int]) error {
			return TryForEach(ctx, p, func(int) error { return nil })
		},
		"all": func(ctx context.Context, p reactor.Publisher[int]) error {
			for _, err := range All(ctx, p) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"future": func(ctx context.Context, p reactor.Publisher[int]) error {
			_, _, err := ToFuture(ctx, p).Wait(ctx)
			return err
		},
		"toChan": func(ctx context.Context, p reactor.Publisher[int]) error {
			ch, failure := ToChan(ctx, p)
			for range ch {
			}
			return <-failure
		},
	}
}

func TestBlockingEndsWithTheContext(t *testing.T) {
	for name, block := range blockers() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				why := errors.New("shut down")
				ctx, cancel := context.WithCancelCause(context.Background())
				src := &puppet[int]{}
				done := make(chan error)
				go func() { done <- block(ctx, src) }()
				synctest.Wait()
				cancel(why)
				assert.Equal(t, why, <-done)
				// A future cancels its source from a goroutine of its own: whoever
				// waits for it hears of the context without it.
				synctest.Wait()
				assert.EqualValues(t, 1, src.last().cancels.Load())
				// Ended before.
				go func() { done <- block(ctx, src) }()
				assert.Equal(t, why, <-done)
			})
		})
	}
}

func TestBlockingWaitsForAnotherGoroutine(t *testing.T) {
	for name, block := range blockers() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, err := range []error{nil, errBoom} {
					src := &puppet[int]{}
					done := make(chan error)
					go func() { done <- block(context.Background(), src) }()
					synctest.Wait()
					if err == nil {
						src.last().OnNext(1)
						src.last().OnComplete()
					} else {
						src.last().OnError(err)
					}
					assert.Equal(t, err, <-done)
				}
			})
		})
	}
}

func TestBlockingWhereItIsNotAllowed(t *testing.T) {
	s, err := schedulers.NewParallel("no-blocking", 1)
	require.NoError(t, err)
	defer s.Dispose()
	for name, block := range blockers() {
		if name == "toChan" {
			continue // waits on a goroutine of its own
		}
		t.Run(name, func(t *testing.T) {
			src := &puppet[int]{}
			got := make(chan error, 2)
			require.NoError(t, s.Execute(func(context.Context) {
				got <- block(context.Background(), src)
				got <- block(context.Background(), Just(1)) // does not have to wait
			}))
			assert.ErrorIs(t, <-got, reactor.ErrBlocking)
			assert.NoError(t, <-got)
			if name != "future" { // others may still want its result
				assert.EqualValues(t, 1, src.last().cancels.Load())
			}
		})
	}
}

func BenchmarkAll(b *testing.B) {
	b.ReportAllocs()
	sum := 0
	//reactorvet:ignore the source does not fail
	for v := range All(context.Background(), Range(0, b.N)) {
		sum += v
	}
}

func BenchmarkMonoLife(b *testing.B) {
	for name, ctx := range map[string]context.Context{
		"computed":   context.Background(),
		"subscribed": reactor.WithHooks(context.Background(), reactor.Hooks{}),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				src := MonoFlatMap(Map(Just(1), func(v int) int { return v + 1 }), func(v int) reactor.Publisher[int] { return Just(v * 2) })
				if v, err := Block(ctx, src); err != nil || v != 4 {
					b.Fatal(v, err)
				}
			}
		})
	}
}

func TestBlockOptional(t *testing.T) {
	v, ok, err := BlockOptional(t.Context(), Just(1))
	assert.Equal(t, []any{1, true, nil}, []any{v, ok, err})
	v, ok, err = BlockOptional(t.Context(), Empty[int]())
	assert.Equal(t, []any{0, false, nil}, []any{v, ok, err})
	_, ok, err = BlockOptional(t.Context(), Error[int](errBoom))
	assert.False(t, ok)
	assert.Equal(t, errBoom, err)
}

func TestBlockFirst(t *testing.T) {
	src := &puppet[int]{onSubscription: func(_ int, s *puppetSubscription[int]) { s.OnNext(7) }}
	v, err := BlockFirst(t.Context(), src)
	assert.NoError(t, err)
	assert.Equal(t, 7, v)
	assert.EqualValues(t, 1, src.last().cancels.Load(), "no more is needed")
	_, err = BlockFirst(t.Context(), Empty[int]())
	assert.ErrorIs(t, err, reactor.ErrNoElements)
}

func TestBlockLast(t *testing.T) {
	v, err := BlockLast(t.Context(), Range(1, 3))
	assert.NoError(t, err)
	assert.Equal(t, 3, v)
	_, err = BlockLast(t.Context(), Empty[int]())
	assert.ErrorIs(t, err, reactor.ErrNoElements)
	_, err = BlockLast(t.Context(), Concat(Just(1), Error[int](errBoom)))
	assert.Equal(t, errBoom, err)
}
