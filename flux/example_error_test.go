package flux_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
)

func ExampleFlux_OnErrorReturn() {
	f := flux.Just("1", "x", "3").TryMap(strconv.Atoi).OnErrorReturn(-1)
	fmt.Println(f.Collect(context.Background()))
	// Output: [1 -1] <nil>
}

func ExampleFlux_OnErrorResume() {
	f := flux.Just("1", "x", "3").
		TryMap(strconv.Atoi).
		OnErrorResume(func(error) flux.Flux[int] { return flux.Just(7, 8) })
	fmt.Println(f.Collect(context.Background()))
	// Output: [1 7 8] <nil>
}

func ExampleFlux_OnErrorMap() {
	f := flux.Just("1", "x").
		TryMap(strconv.Atoi).
		OnErrorMap(func(err error) error { return fmt.Errorf("reading the column: %w", err) })
	fmt.Println(f.Collect(context.Background()))
	// Output: [] reading the column: strconv.Atoi: parsing "x": invalid syntax
}

func ExampleFlux_OnErrorComplete() {
	f := flux.Concat(flux.Just(1, 2), flux.Error[int](io.EOF)).OnErrorComplete(flux.WhenIs(io.EOF))
	fmt.Println(f.Collect(context.Background()))
	// Output: [1 2] <nil>
}

func ExampleFlux_OnErrorContinue() {
	f := flux.Just("1", "x", "3").
		TryMap(strconv.Atoi).
		OnErrorContinue(func(_ error, v any) { fmt.Println("skipped", v) })
	fmt.Println(f.Collect(context.Background()))
	// Output:
	// skipped x
	// [1 3] <nil>
}

func ExampleFlux_OnErrorStop() {
	f := flux.Just("1", "x", "3").
		TryMap(strconv.Atoi).
		OnErrorStop().
		OnErrorContinue(func(_ error, v any) { fmt.Println("skipped", v) })
	_, err := f.Collect(context.Background())
	fmt.Println(err)
	// Output: strconv.Atoi: parsing "x": invalid syntax
}

func ExampleWhenError() {
	temporary := flux.WhenError(func(err error) bool {
		var t interface{ Timeout() bool }
		return errors.As(err, &t) && t.Timeout()
	})
	f := flux.Error[int](context.DeadlineExceeded).OnErrorReturn(0, temporary)
	fmt.Println(f.Collect(context.Background()))
	// Output: [0] <nil>
}

func ExampleWhenIs() {
	f := flux.Error[string](fs.ErrNotExist).OnErrorReturn("default", flux.WhenIs(fs.ErrNotExist))
	fmt.Println(f.Collect(context.Background()))
	// Output: [default] <nil>
}

func ExampleWhenAs() {
	f := flux.Just("x").TryMap(strconv.Atoi).OnErrorReturn(0, flux.WhenAs[*strconv.NumError]())
	fmt.Println(f.Collect(context.Background()))
	// Output: [0] <nil>
}

// flaky fails until it was subscribed to n times.
func flaky(n int) flux.Flux[string] {
	return flux.Defer(func(context.Context) flux.Flux[string] {
		if n--; n > 0 {
			return flux.Error[string](io.ErrUnexpectedEOF)
		}
		return flux.Just("done")
	})
}

func ExampleFlux_Retry() {
	fmt.Println(flaky(3).Retry(flux.Times(2)).Collect(context.Background()))
	fmt.Println(flaky(3).Retry(flux.Times(1)).Collect(context.Background()))
	fmt.Println(flaky(3).Retry(flux.WhenIs(io.EOF)).Collect(context.Background()))
	// Output:
	// [done] <nil>
	// [] unexpected EOF
	// [] unexpected EOF
}

func ExampleFlux_RetryWhen() {
	policy := flux.RetryBackoff(5, time.Millisecond).
		MaxBackoff(10 * time.Millisecond).
		Filter(flux.WhenIs(io.ErrUnexpectedEOF)).
		DoBeforeRetry(func(s flux.RetrySignal) { fmt.Println("retry", s.TotalRetries+1, "after", s.Failure) })
	fmt.Println(flaky(3).RetryWhen(policy).Collect(context.Background()))
	// Output:
	// retry 1 after unexpected EOF
	// retry 2 after unexpected EOF
	// [done] <nil>
}

func ExampleRetryMax() {
	_, err := flaky(9).RetryWhen(flux.RetryMax(2)).Collect(context.Background())
	fmt.Println(err)
	// Output: reactor: retryWhen: retries exhausted: 2/2: unexpected EOF
}

func ExampleRetryMaxInARow() {
	fmt.Println(flaky(3).RetryWhen(flux.RetryMaxInARow(2)).Collect(context.Background()))
	// Output: [done] <nil>
}

func ExampleRetryIndefinitely() {
	fmt.Println(flaky(100).RetryWhen(flux.RetryIndefinitely()).Collect(context.Background()))
	// Output: [done] <nil>
}

func ExampleRetryFixedDelay() {
	fmt.Println(flaky(3).RetryWhen(flux.RetryFixedDelay(2, time.Millisecond)).Collect(context.Background()))
	// Output: [done] <nil>
}

// busy is a failure that says when to try again.
type busy struct{ wait time.Duration }

func (b busy) Error() string { return "busy for " + b.wait.String() }

// The server says when it wants to be asked again. Other failures back off as ever.
func ExampleRetrySpec_DelayFrom() {
	clock := reactortest.NewVirtualTime()
	failures := []error{busy{30 * time.Second}, io.ErrUnexpectedEOF}
	try := 0
	flux.Defer(func(context.Context) flux.Flux[string] {
		fmt.Println("try at", clock.Now().Unix())
		if try++; try <= len(failures) {
			return flux.Error[string](failures[try-1])
		}
		return flux.Just("page")
	}).
		RetryWhen(flux.RetryBackoff(5, time.Second).Jitter(0).On(clock).
			DelayFrom(func(err error) (time.Duration, bool) {
				b, ok := errors.AsType[busy](err)
				return b.wait, ok
			})).
		DoOnNext(func(s string) { fmt.Println(s) }).
		Subscribe(context.Background(), askForAll[string]{})
	clock.AdvanceBy(time.Minute)
	// Output:
	// try at 0
	// try at 30
	// try at 32
	// page
}

func ExampleRetryBackoff() {
	fmt.Println(flaky(3).RetryWhen(flux.RetryBackoff(2, time.Millisecond).Jitter(0.2)).Collect(context.Background()))
	// Output: [done] <nil>
}

func ExampleRetryFrom() {
	policy := flux.RetryFrom(func(failures flux.Flux[flux.RetrySignal]) flux.Flux[int64] {
		return failures.TryMap(func(s flux.RetrySignal) (int64, error) {
			if s.TotalRetries == 1 {
				return 0, fmt.Errorf("giving up: %w", s.Failure)
			}
			return s.TotalRetries, nil
		})
	})
	_, err := flaky(3).RetryWhen(policy).Collect(context.Background())
	fmt.Println(err)
	// Output: giving up: unexpected EOF
}

func ExampleFlux_Repeat() {
	fmt.Println(flux.Just(1, 2).Repeat(flux.Times(1)).Collect(context.Background()))
	// Output: [1 2 1 2] <nil>
}

func ExampleTimes() {
	fmt.Println(flux.Just("tick").Repeat(flux.Times(2)).Collect(context.Background()))
	// Output: [tick tick tick] <nil>
}

func ExampleWhile() {
	left := 3
	again := func() bool { left--; return left > 0 }
	fmt.Println(flux.Just("tick").Repeat(flux.While(again)).Collect(context.Background()))
	// Output: [tick tick tick] <nil>
}

func ExampleFlux_RepeatWhen() {
	f := flux.Just("poll").RepeatWhen(flux.RepeatTimes(2).FixedDelay(time.Millisecond))
	fmt.Println(f.Collect(context.Background()))
	// Output: [poll poll poll] <nil>
}

func ExampleRepeatTimes() {
	twice := flux.RepeatTimes(9).OnlyIf(func(s flux.RepeatSignal) bool { return s.Iteration < 2 })
	fmt.Println(flux.Just(1).RepeatWhen(twice).Collect(context.Background()))
	// Output: [1 1 1] <nil>
}

func ExampleRepeatFrom() {
	untilEmpty := flux.RepeatFrom(func(completions flux.Flux[int64]) flux.Flux[int64] {
		return completions.TryMap(func(elements int64) (int64, error) {
			if elements == 0 {
				return 0, io.EOF
			}
			return elements, nil
		})
	})
	pages := [][]string{{"a", "b"}, {"c"}, {}}
	next := flux.Defer(func(context.Context) flux.Flux[string] {
		page := pages[0]
		pages = pages[1:]
		return flux.FromSlice(page)
	})
	fmt.Println(next.RepeatWhen(untilEmpty).OnErrorComplete(flux.WhenIs(io.EOF)).Collect(context.Background()))
	// Output: [a b c] <nil>
}

func ExampleConcat() {
	f := flux.Concat(flux.Just(1, 2), mono.Just(3), flux.Range(4, 2))
	fmt.Println(f.Collect(context.Background()))
	// Output: [1 2 3 4 5] <nil>
}

func ExampleConcatDelayError() {
	f := flux.ConcatDelayError(flux.Error[int](io.ErrUnexpectedEOF), flux.Just(1, 2))
	err := f.ForEach(context.Background(), func(v int) { fmt.Println(v) })
	fmt.Println(err)
	// Output:
	// 1
	// 2
	// unexpected EOF
}

func ExampleFlux_ConcatWith() {
	fmt.Println(flux.Just(1).ConcatWith(flux.Just(2, 3), mono.Just(4)).Collect(context.Background()))
	// Output: [1 2 3 4] <nil>
}

func ExampleFlux_ConcatWithValues() {
	fmt.Println(flux.Just(1).ConcatWithValues(2, 3).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleFlux_StartWith() {
	fmt.Println(flux.Just(3).StartWith(flux.Just(1, 2)).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleFlux_StartWithValues() {
	fmt.Println(flux.Just(3).StartWithValues(1, 2).Collect(context.Background()))
	// Output: [1 2 3] <nil>
}

func ExampleFlux_SwitchIfEmpty() {
	fmt.Println(flux.Empty[int]().SwitchIfEmpty(flux.Just(1, 2)).Collect(context.Background()))
	// Output: [1 2] <nil>
}

func ExampleFlux_DefaultIfEmpty() {
	fmt.Println(flux.Empty[int]().DefaultIfEmpty(0).Collect(context.Background()))
	// Output: [0] <nil>
}

func ExampleFlux_Then() {
	done := flux.Just("a", "b").DoOnNext(func(s string) { fmt.Println("store", s) }).Then()
	fmt.Println(flux.From(done).Collect(context.Background()))
	// Output:
	// store a
	// store b
	// [] <nil>
}

func ExampleFlux_ThenMono() {
	m := flux.Just("a", "b").ThenMono(mono.Just(2))
	fmt.Println(flux.From(m).Collect(context.Background()))
	// Output: [2] <nil>
}

func ExampleFlux_ThenMany() {
	fmt.Println(flux.Just("a", "b").ThenMany(flux.Just(1, 2)).Collect(context.Background()))
	// Output: [1 2] <nil>
}

func ExampleFlux_ThenEmpty() {
	m := flux.Just("a").ThenEmpty(flux.Just(1, 2))
	fmt.Println(flux.From(m).Collect(context.Background()))
	// Output: [] <nil>
}

func ExampleFlux_ThenReturn() {
	m := flux.Just("a", "b").ThenReturn("stored")
	fmt.Println(flux.From(m).Collect(context.Background()))
	// Output: [stored] <nil>
}

func ExampleFlux_IgnoreElements() {
	m := flux.Concat(flux.Just(1), flux.Error[int](io.EOF)).IgnoreElements()
	fmt.Println(flux.From(m).Collect(context.Background()))
	// Output: [] EOF
}

func ExampleFirstWithSignal() {
	slow := flux.Never[string]()
	fmt.Println(flux.FirstWithSignal(slow, flux.Just("fast")).Collect(context.Background()))
	// Output: [fast] <nil>
}

func ExampleFirstWithValue() {
	f := flux.FirstWithValue(flux.Error[string](io.EOF), flux.Empty[string](), flux.Just("mirror"))
	fmt.Println(f.Collect(context.Background()))
	// Output: [mirror] <nil>
}

func ExampleFirstWithSignalSlice() {
	replicas := []flux.Flux[string]{flux.Never[string](), flux.Just("fast"), flux.Never[string]()}
	fmt.Println(flux.FirstWithSignalSlice(replicas).Collect(context.Background()))
	// Output: [fast] <nil>
}

func ExampleFirstWithValueSlice() {
	mirrors := []mono.Mono[string]{mono.Error[string](io.EOF), mono.Empty[string](), mono.Just("mirror")}
	fmt.Println(flux.FirstWithValueSlice(mirrors).Collect(context.Background()))
	// Output: [mirror] <nil>
}

func ExampleFlux_Or() {
	fmt.Println(flux.Never[int]().Or(flux.Just(1, 2)).Collect(context.Background()))
	// Output: [1 2] <nil>
}

func ExampleFlux_Next() {
	m := flux.Just(1, 2, 3).Next()
	fmt.Println(flux.From(m).Collect(context.Background()))
	// Output: [1] <nil>
}

func ExampleFlux_Single() {
	fmt.Println(flux.From(flux.Just(1).Single()).Collect(context.Background()))
	fmt.Println(flux.From(flux.Just(1, 2).Single()).Collect(context.Background()))
	// Output:
	// [1] <nil>
	// [] reactor: single: too many elements: the source sent a second element
}

func ExampleFlux_SingleOrDefault() {
	fmt.Println(flux.From(flux.Empty[int]().SingleOrDefault(7)).Collect(context.Background()))
	// Output: [7] <nil>
}

func ExampleFlux_SingleOrEmpty() {
	fmt.Println(flux.From(flux.Empty[int]().SingleOrEmpty()).Collect(context.Background()))
	// Output: [] <nil>
}
