package stages

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
)

type publisher = reactor.Publisher[element]

// TestGoexitOfFunctions lets the function of a stage end its goroutine. The guards of the stage and
// of its source see it both, and one of them discards the element; the failure is reported once.
func TestGoexitOfFunctions(t *testing.T) {
	type stage func(src publisher, die func(element)) publisher
	hidden := func(v element) publisher { return operators.Hide(operators.Just(v)) }
	flattening := func(build func(src publisher, fn func(element) publisher) publisher) stage {
		return func(src publisher, die func(element)) publisher {
			return build(src, func(v element) publisher { die(v); return hidden(v) })
		}
	}
	window := func(w publisher) publisher { return w }
	for name, build := range map[string]stage{
		"map": func(src publisher, die func(element)) publisher {
			return operators.Map(src, func(v element) element { die(v); return v })
		},
		"concatMap": flattening(func(src publisher, fn func(element) publisher) publisher {
			return operators.ConcatMap(src, fn)
		}),
		"concatMap, errors delayed": flattening(func(src publisher, fn func(element) publisher) publisher {
			return operators.ConcatMap(src, fn, operators.DelayErrors())
		}),
		"concatMap one by one": flattening(func(src publisher, fn func(element) publisher) publisher {
			return operators.ConcatMap(src, fn, operators.Prefetch(0), operators.DelayErrors())
		}),
		"switchMap": flattening(func(src publisher, fn func(element) publisher) publisher {
			return operators.SwitchMap(src, fn)
		}),
		"switchMap ahead": flattening(func(src publisher, fn func(element) publisher) publisher {
			return operators.SwitchMap(src, fn, operators.Prefetch(2))
		}),
		"exhaustMap": flattening(func(src publisher, fn func(element) publisher) publisher {
			return operators.ExhaustMap(src, fn)
		}),
		"flatMap": flattening(func(src publisher, fn func(element) publisher) publisher { return operators.FlatMap(src, fn) }),
		"flatMapSequential": flattening(func(src publisher, fn func(element) publisher) publisher {
			return operators.FlatMapSequential(src, fn)
		}),
		"flatMapSlice": func(src publisher, die func(element)) publisher {
			return operators.FlatMapSlice(src, func(v element) []element { die(v); return []element{v} })
		},
		"filterWhen": func(src publisher, die func(element)) publisher {
			return operators.FilterWhen(src, func(v element) reactor.Publisher[bool] { die(v); return operators.Just(true) })
		},
		"delayUntil": func(src publisher, die func(element)) publisher {
			return operators.DelayUntil(src, func(v element) publisher { die(v); return operators.Empty[element]() })
		},
		"window": func(src publisher, die func(element)) publisher {
			return operators.ConcatMap(operators.Window(src, 1, window), func(w publisher) publisher { die(nil); return w })
		},
		"windowUntil": func(src publisher, die func(element)) publisher {
			windows := operators.WindowUntil(src, func(v element) bool { return true }, window, operators.CutBefore())
			return operators.ConcatMap(windows, func(w publisher) publisher { die(nil); return w })
		},
		"skipLast": func(src publisher, die func(element)) publisher {
			return operators.ConcatMap(operators.SkipLast(src, 1), func(v element) publisher { die(v); return hidden(v) })
		},
		"bufferUntil": func(src publisher, die func(element)) publisher {
			buffers := operators.BufferUntil(src, func(element) bool { return true }, operators.CutBefore())
			return operators.ConcatMap(buffers, func(list []element) publisher { die(nil); return operators.FromSlice(list) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, demand := range []int64{1, reactor.Unbounded} {
				synctest.Test(t, func(t *testing.T) {
					books := ledger.New(t)
					reports, dropped := 0, 0
					hooks := books.Hooks()
					hooks.ErrorDropped = func(context.Context, error) { dropped++ }
					hooks.OperatorError = func(_ context.Context, err error, _ any) error { reports++; return err }
					down := &watcher{demand: demand, onNext: func(v any) { books.Delivered(v) }}
					calls := 0
					src := operators.FromSeq(func(yield func(element) bool) {
						for range 8 {
							if !yield(books.Produce()) {
								return
							}
						}
					})
					racetest.Aside(func() {
						boxed := operators.Map(build(operators.Hide(src), func(element) {
							if calls++; calls == 2 {
								runtime.Goexit()
							}
						}), func(v element) any { return v })
						boxed.Subscribe(reactor.WithHooks(context.Background(), hooks), down)
						down.request(8)
					})
					racetest.Aside(func() { down.request(8) })
					synctest.Wait()
					_, ended, faults, failure := down.state()
					assert.Empty(t, faults)
					assert.True(t, ended)
					assert.ErrorIs(t, failure, reactor.ErrGoexit)
					assert.Equal(t, 1, reports, "the hook for errors of functions")
					assert.Zero(t, dropped, "errors dropped")
					books.Check()
				})
			}
		})
	}
}
