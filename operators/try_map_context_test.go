package operators

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// withContext are the operators whose function gets a context, each as a stage that keeps
// what fn does not fail for.
var withContext = map[string]func(src reactor.Publisher[int], fn func(context.Context, int) error) reactor.Publisher[int]{
	"TryMapContext": func(src reactor.Publisher[int], fn func(context.Context, int) error) reactor.Publisher[int] {
		return TryMapContext(src, func(ctx context.Context, v int) (int, error) { return v, fn(ctx, v) })
	},
	"TryFilterContext": func(src reactor.Publisher[int], fn func(context.Context, int) error) reactor.Publisher[int] {
		return TryFilterContext(src, func(ctx context.Context, v int) (bool, error) { return true, fn(ctx, v) })
	},
	"TryDoOnNextContext": func(src reactor.Publisher[int], fn func(context.Context, int) error) reactor.Publisher[int] {
		return TryDoOnNextContext(src, fn)
	},
}

func TestContextOfCalls(t *testing.T) {
	type key struct{}
	for name, stage := range withContext {
		t.Run(name, func(t *testing.T) {
			t.Run("carries the values and the deadline, and outlives the stream", func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), key{}, 7), time.Hour)
				defer cancel()
				var seen []context.Context
				p := runWith(ctx, stage(Range(1, 3), func(c context.Context, v int) error {
					assert.Equal(t, 7, c.Value(key{}))
					deadline, _ := c.Deadline()
					want, _ := ctx.Deadline()
					assert.Equal(t, want, deadline)
					seen = append(seen, c)
					return nil
				}))
				p.Done(t, 1, 2, 3)
				assert.Len(t, seen, 3)
				assert.Equal(t, seen[0], seen[2], "one for each subscription")
				assert.NoError(t, seen[0].Err(), "results may go on using it")
				p.Cancel()
				assert.NoError(t, seen[0].Err())
			})
			t.Run("outlives a cancellation between two calls", func(t *testing.T) {
				var seen context.Context
				run(Take(stage(Range(1, 3), func(c context.Context, v int) error {
					seen = c
					return nil
				}), 1)).Done(t, 1)
				assert.NoError(t, seen.Err(), "what was taken may go on using it")
			})
			t.Run("an error ends the stream", func(t *testing.T) {
				ctx, hooks := probe.Recorded()
				src := &puppet[int]{}
				p := runWith(ctx, stage(src, func(_ context.Context, v int) error {
					if v == 2 {
						return errBoom
					}
					return nil
				}))
				src.last().OnNext(1)
				src.last().OnNext(2)
				src.last().OnNext(3)
				p.Failed(t, errBoom, 1)
				assert.EqualValues(t, 1, src.last().cancels.Load())
				accounted(t, p, hooks, 1, 2, 3)
			})
			t.Run("a panic ends it too", func(t *testing.T) {
				run(stage(Range(1, 3), func(context.Context, int) error { panic(errBoom) })).Failed(t, errBoom)
			})
			t.Run("demand passes through", func(t *testing.T) {
				src := &puppet[int]{}
				p := probeOf[int](2)
				stage(src, func(context.Context, int) error { return nil }).Subscribe(context.Background(), p)
				assert.EqualValues(t, 2, src.last().requested.Load())
				p.Request(3)
				assert.EqualValues(t, 5, src.last().requested.Load())
			})
			t.Run("OnErrorContinue goes on behind an error and a panic", func(t *testing.T) {
				continued := OnErrorContinue(stage(Range(1, 4), func(_ context.Context, v int) error {
					switch v {
					case 2:
						return errBoom
					case 3:
						panic(errBoom)
					}
					return nil
				}), func(error, any) {})
				run(continued).Done(t, 1, 4)
			})
			t.Run("a cancellation ends the context of the call that is under way", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, hooks := probe.Recorded()
					src := &puppet[int]{}
					var cause error
					p := runWith(ctx, stage(src, func(c context.Context, v int) error {
						<-c.Done()
						cause = context.Cause(c)
						return fmt.Errorf("call %d: %w", v, c.Err())
					}))
					go src.last().OnNext(1)
					synctest.Wait()
					p.Cancel()
					synctest.Wait()
					p.Open(t)
					assert.Equal(t, reactor.ErrCancelled, cause)
					assert.Empty(t, hooks.Errs, "that it was cancelled is no news")
					assert.EqualValues(t, 1, src.last().cancels.Load())
					accounted(t, p, hooks, 1)
				})
			})
			t.Run("so does the end of the subscription's context, with its cause", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					why := errors.New("shut down")
					ctx, hooks := probe.Recorded()
					ctx, cancel := context.WithCancelCause(ctx)
					src := &puppet[int]{}
					var cause, end error
					go func() {
						end = ForEach(ctx, stage(src, func(c context.Context, v int) error {
							<-c.Done()
							cause = context.Cause(c)
							return cause
						}), func(int) {})
					}()
					synctest.Wait()
					go src.last().OnNext(1)
					synctest.Wait()
					cancel(why)
					synctest.Wait()
					assert.Equal(t, why, end)
					assert.Equal(t, why, cause)
					assert.Empty(t, hooks.Errs)
					assert.Equal(t, []any{1}, hooks.Discarded)
				})
			})
			t.Run("what a cancelled call brings is not lost silently", func(t *testing.T) {
				for _, result := range []error{nil, errBoom} {
					synctest.Test(t, func(t *testing.T) {
						ctx, hooks := probe.Recorded()
						src := &puppet[int]{}
						p := runWith(ctx, stage(src, func(c context.Context, v int) error {
							<-c.Done()
							return result
						}))
						go func() {
							src.last().OnNext(1)
							src.last().OnNext(2)
						}()
						synctest.Wait()
						p.Cancel()
						synctest.Wait()
						p.Open(t)
						accounted(t, p, hooks, 1, 2)
						if result != nil {
							assert.Equal(t, []any{errBoom}, hooks.Errs)
						}
					})
				}
			})
		})
	}
}

func TestContextOfCallsArguments(t *testing.T) {
	assert.PanicsWithValue(t, "reactor: tryMapContext: the mapper is nil", func() { TryMapContext[int, int](Empty[int](), nil) })
	assert.PanicsWithValue(t, "reactor: tryFilterContext: the predicate is nil", func() { TryFilterContext(Empty[int](), nil) })
	assert.PanicsWithValue(t, "reactor: tryDoOnNextContext: the callback is nil", func() { TryDoOnNextContext(Empty[int](), nil) })
}

// A call and a cancellation: either the call is told, or it had returned before.
func TestContextOfCallsRaces(t *testing.T) {
	racetest.Repeat(racetest.Iterations(2000), func(race func(...func())) {
		l := ledger.New(t)
		src := &puppet[element]{}
		p := ledgerProbe(l, reactor.Unbounded)
		var told, cancelled error
		TryMapContext(src, func(c context.Context, v element) (element, error) {
			told, cancelled = c.Err(), context.Cause(c)
			return v, nil
		}).Subscribe(l.Context(context.Background()), p)
		up := src.last()
		up.OnNext(l.Produce())
		race(func() { up.OnNext(l.Produce()) }, p.Cancel)
		if told != nil {
			assert.Equal(t, reactor.ErrCancelled, cancelled)
		}
		l.Check()
		p.Faultless(t)
	})
}

func TestTryMapContext(t *testing.T) {
	type key struct{}
	ctx, hooks := probe.Recorded()
	p := probeOf[string](3)
	TryMapContext(Range(1, 9), func(ctx context.Context, v int) (string, error) {
		if v == 3 {
			return "", errBoom
		}
		return fmt.Sprint(ctx.Value(key{}), v), nil
	}).Subscribe(context.WithValue(ctx, key{}, "me"), p)
	p.Failed(t, errBoom, "me1", "me2")
	assert.Equal(t, []any{3}, hooks.Discarded)
}
