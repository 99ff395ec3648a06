package operators

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

// callingStages are the stages that call the functions of FromFunc.
var callingStages = map[string]func(src reactor.Publisher[int], fn func(int) reactor.Publisher[int]) reactor.Publisher[int]{
	"flatMap": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[int]) reactor.Publisher[int] {
		return FlatMap(src, fn)
	},
	"flatMap, two at a time": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[int]) reactor.Publisher[int] {
		return FlatMap(src, fn, Concurrency(2))
	},
	"flatMap, errors delayed": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[int]) reactor.Publisher[int] {
		return FlatMap(src, fn, DelayErrors(), Concurrency(3))
	},
	"concatMap": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[int]) reactor.Publisher[int] {
		return ConcatMap(src, fn, Prefetch(2))
	},
	"concatMap, errors delayed": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[int]) reactor.Publisher[int] {
		return ConcatMap(src, fn, DelayErrors())
	},
	"concatMap, errors at a boundary": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[int]) reactor.Publisher[int] {
		return ConcatMap(src, fn, DelayErrorsToBoundary())
	},
	"concatMap, without a queue": func(src reactor.Publisher[int], fn func(int) reactor.Publisher[int]) reactor.Publisher[int] {
		return ConcatMap(src, fn, Prefetch(0))
	},
}

// What a stage tells that calls a function is what it tells when it subscribes to that function's publisher.
func TestCalledFunctionsAreAsSubscribed(t *testing.T) {
	for name, stage := range callingStages {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(racetest.Iterations(4000)) {
				called, subscribed := outcomeOfCalls(seed, stage, false), outcomeOfCalls(seed, stage, true)
				if !assert.Equal(t, subscribed, called, "seed %d", seed) {
					return
				}
			}
		})
	}
}

// outcomeOfCalls runs a random program on stage and returns what was heard of it.
func outcomeOfCalls(
	seed uint64, stage func(reactor.Publisher[int], func(int) reactor.Publisher[int]) reactor.Publisher[int], hidden bool,
) string {
	rnd := rand.New(rand.NewPCG(seed, 0))
	ctx, hooks := probe.Recorded()
	ctx = reactor.WithHooks(ctx, reactor.Hooks{OperatorError: func(_ context.Context, err error, v any) error {
		return fmt.Errorf("hook %v: %w", v, err)
	}})
	p := probeOf[int](reactor.Unbounded)
	n, log := 1+rnd.IntN(6), ""
	kinds := make([]int, n)
	for i := range kinds {
		kinds[i] = max(0, rnd.IntN(16)-7)
	}
	bad := rnd.IntN(4 * n)
	if rnd.IntN(4) == 0 { // a failure or a cancellation would find others at work
		p.Initial, kinds, bad = 1, make([]int, n), -1
	}
	p.Each = func(v int) {
		if v == bad {
			panic("downstream")
		}
	}
	of := func(v int) func(context.Context) (int, error) {
		return func(call context.Context) (int, error) {
			log += fmt.Sprint(" called ", v)
			switch kinds[v] {
			case 1:
				return v, fmt.Errorf("error %d", v)
			case 2:
				panic(fmt.Sprint("panic ", v))
			case 3:
				runtime.Goexit()
			case 4:
				p.Cancel()
				log += fmt.Sprint(" ", call.Err(), " ", context.Cause(call))
			case 5:
				p.Cancel()
				return v, call.Err()
			case 6:
				p.Cancel()
				return v, fmt.Errorf("error %d", v)
			case 7:
				p.Cancel()
				panic(fmt.Sprint("panic ", v))
			}
			return v, nil
		}
	}
	src := stage(Range(0, n), func(v int) reactor.Publisher[int] {
		inner := FromFunc(of(v))
		if hidden {
			return Hide(inner)
		}
		return inner
	})
	if rnd.IntN(3) == 0 {
		src = OnErrorContinue(src, func(err error, v any) { log += fmt.Sprint(" continued ", err, " ", v) })
	}
	racetest.Aside(func() { src.Subscribe(ctx, p) })
	for range n {
		racetest.Aside(func() { p.Request(1) })
	}
	got := p.Got()
	if p.Initial == 1 {
		slices.Sort(got) // those who wait take turns
	}
	texts := func(list []any) (all []string) {
		for _, v := range list {
			all = append(all, fmt.Sprint(v))
		}
		slices.Sort(all)
		return all
	}
	return sender.ReplaceAllString(fmt.Sprintln(kinds, bad, p.Initial, log, got, p.Over(), p.Failure(), p.Faults(), "discarded", texts(hooks.Discarded), "dropped", texts(hooks.Dropped), texts(hooks.Errs)), "panic: downstream")
}

// sender is who has sent an element that failed downstream, by the file.
var sender = regexp.MustCompile(`\w+: panic: downstream`)

// A function that waits for the end of its context hears of a cancellation, and of the failure of another publisher.
func TestCalledFunctionHearsOfTheEnd(t *testing.T) {
	for name, stage := range callingStages {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src, p := &puppet[int]{}, probeOf[int](reactor.Unbounded)
				var cause error
				stage(src, func(v int) reactor.Publisher[int] {
					return FromFunc(func(ctx context.Context) (int, error) {
						<-ctx.Done()
						cause = context.Cause(ctx)
						return v, cause
					})
				}).Subscribe(context.Background(), p)
				done := make(chan struct{})
				go func() {
					defer close(done)
					src.last().OnNext(1)
				}()
				synctest.Wait()
				p.Cancel()
				<-done
				assert.ErrorIs(t, cause, reactor.ErrCancelled)
				p.Open(t)
				assert.EqualValues(t, 1, src.last().cancels.Load())
			})
		})
	}
	t.Run("of the failure of another one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			src, inner := &puppet[int]{}, &puppet[int]{}
			p := run(FlatMap(src, func(v int) reactor.Publisher[int] {
				if v == 0 {
					return inner
				}
				return FromFunc(func(ctx context.Context) (int, error) { <-ctx.Done(); return v, ctx.Err() })
			}))
			src.last().OnNext(0)
			done := make(chan struct{})
			go func() {
				defer close(done)
				src.last().OnNext(1)
			}()
			synctest.Wait()
			inner.last().OnError(errBoom)
			<-done
			p.Failed(t, errBoom)
		})
	})
	t.Run("of its source", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			until := &puppet[int]{}
			p := probeOf[int](reactor.Unbounded)
			done := make(chan struct{})
			go func() {
				defer close(done)
				SwitchMap(until, func(int) reactor.Publisher[int] {
					return ConcatMap(Range(0, 3), func(v int) reactor.Publisher[int] {
						return FromFunc(func(ctx context.Context) (int, error) { <-ctx.Done(); return v, ctx.Err() })
					})
				}).Subscribe(t.Context(), p)
				until.last().OnNext(1)
			}()
			synctest.Wait()
			p.Cancel()
			<-done
			p.Open(t)
		})
	})
}

// A function of concatMap runs when its element is asked for.
func TestCalledFunctionWaitsForDemand(t *testing.T) {
	for _, prefetch := range []int{0, 2} {
		calls := 0
		p := probeOf[int](0)
		ConcatMap(Range(0, 3), func(v int) reactor.Publisher[int] {
			return FromFunc(func(context.Context) (int, error) { calls++; return v, nil })
		}, Prefetch(prefetch)).Subscribe(context.Background(), p)
		assert.Zero(t, calls)
		p.Request(1)
		assert.Equal(t, 1, calls)
		p.Open(t, 0)
		p.Request(probe.All)
		p.Done(t, 0, 1, 2)
	}
}

// A source that sends again from within a function is subscribed to there.
func TestCalledFunctionWithinAnother(t *testing.T) {
	src := &puppet[int]{}
	p := run(FlatMap(src, func(v int) reactor.Publisher[int] {
		return FromFunc(func(context.Context) (int, error) {
			if v == 0 {
				src.last().OnNext(1)
			}
			return v, nil
		})
	}))
	src.last().OnNext(0)
	src.last().OnComplete()
	p.Done(t, 1, 0)
}

// What the mapper has cancelled is not called, also where another element is on its way down and nobody has stopped yet.
func TestCalledFunctionBehindTheCancellation(t *testing.T) {
	ctx, hooks := probe.Recorded()
	src, inner := &puppet[int]{}, &puppet[int]{}
	sending, sent := make(chan struct{}), make(chan struct{})
	p := probeOf[int](reactor.Unbounded)
	p.Each = func(int) { close(sending); <-sent }
	FlatMap(src, func(v int) reactor.Publisher[int] {
		if v == 0 {
			return inner
		}
		p.Cancel()
		return FromFunc(func(context.Context) (int, error) { t.Error("called"); return v, nil })
	}).Subscribe(ctx, p)
	src.last().OnNext(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		inner.last().OnNext(10)
	}()
	<-sending
	src.last().OnNext(1)
	close(sent)
	<-done
	p.Open(t, 10)
	assert.Equal(t, []any{1}, hooks.Discarded)
	assert.EqualValues(t, 1, inner.last().cancels.Load())
}

// A function that begins while the stream is cancelled is not called, or hears of it.
func TestCalledFunctionRaces(t *testing.T) {
	for name, stage := range callingStages {
		t.Run(name, func(t *testing.T) {
			race(t, 5000, func() ([]func(), func()) {
				src, p := &puppet[int]{}, probeOf[int](reactor.Unbounded)
				var called, heard, over bool
				stage(src, func(v int) reactor.Publisher[int] {
					return FromFunc(func(ctx context.Context) (int, error) {
						called = true
						for range 100 {
							runtime.Gosched()
							if heard = ctx.Err() != nil; heard {
								break
							}
						}
						over = true
						return v, nil
					})
				}).Subscribe(context.Background(), p)
				return []func(){func() { src.last().OnNext(1) }, p.Cancel}, func() {
					assert.Equal(t, called, over)
					assert.Empty(t, p.Faults())
					assert.EqualValues(t, 1, src.last().cancels.Load())
				}
			})
		})
	}
}
