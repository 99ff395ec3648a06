package mono_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
)

// show prints what a Mono sends, or its error.
func show[T any](m mono.Mono[T]) {
	fmt.Println(operators.Collect(context.Background(), m))
}

func ExampleMono_OnErrorReturn() {
	show(mono.Just("x").TryMap(strconv.Atoi).OnErrorReturn(-1))
	// Output: [-1] <nil>
}

func ExampleMono_OnErrorResume() {
	cached := mono.Just(41)
	show(mono.Just("x").TryMap(strconv.Atoi).OnErrorResume(func(error) mono.Mono[int] { return cached }))
	// Output: [41] <nil>
}

func ExampleMono_OnErrorMap() {
	show(mono.Error[int](io.EOF).OnErrorMap(func(err error) error { return fmt.Errorf("config: %w", err) }))
	// Output: [] config: EOF
}

func ExampleMono_OnErrorComplete() {
	show(mono.Error[int](io.EOF).OnErrorComplete(mono.WhenIs(io.EOF)))
	// Output: [] <nil>
}

func ExampleMono_OnErrorContinue() {
	m := mono.Just("x").TryMap(strconv.Atoi).OnErrorContinue(func(_ error, v any) { fmt.Println("skipped", v) })
	show(m)
	// Output:
	// skipped x
	// [] <nil>
}

func ExampleMono_OnErrorStop() {
	m := mono.Just("x").TryMap(strconv.Atoi).OnErrorStop().OnErrorContinue(func(error, any) {})
	show(m)
	// Output: [] strconv.Atoi: parsing "x": invalid syntax
}

func ExampleWhenError() {
	show(mono.Error[int](io.EOF).OnErrorReturn(0, mono.WhenError(func(err error) bool { return err == io.EOF })))
	// Output: [0] <nil>
}

func ExampleWhenIs() {
	show(mono.Error[int](fs.ErrNotExist).OnErrorReturn(0, mono.WhenIs(fs.ErrNotExist, fs.ErrPermission)))
	// Output: [0] <nil>
}

func ExampleWhenAs() {
	show(mono.Just("x").TryMap(strconv.Atoi).OnErrorReturn(0, mono.WhenAs[*strconv.NumError]()))
	// Output: [0] <nil>
}

// flaky fails until it was subscribed to n times.
func flaky(n int) mono.Mono[string] {
	return mono.FromCallable(func() (string, error) {
		if n--; n > 0 {
			return "", io.ErrUnexpectedEOF
		}
		return "done", nil
	})
}

func ExampleMono_Retry() {
	show(flaky(3).Retry(mono.Times(2)))
	show(flaky(3).Retry(mono.Times(1)))
	// Output:
	// [done] <nil>
	// [] unexpected EOF
}

func ExampleTimes() {
	show(flaky(3).Retry(mono.Times(9), mono.WhenIs(io.ErrUnexpectedEOF)))
	// Output: [done] <nil>
}

func ExampleMono_RetryWhen() {
	show(flaky(3).RetryWhen(mono.RetryBackoff(5, time.Millisecond).MaxBackoff(time.Second)))
	// Output: [done] <nil>
}

func ExampleRetryMax() {
	show(flaky(9).RetryWhen(mono.RetryMax(1)))
	// Output: [] reactor: retryWhen: retries exhausted: 1/1: unexpected EOF
}

func ExampleRetryMaxInARow() {
	show(flaky(3).RetryWhen(mono.RetryMaxInARow(2)))
	// Output: [done] <nil>
}

func ExampleRetryIndefinitely() {
	show(flaky(50).RetryWhen(mono.RetryIndefinitely()))
	// Output: [done] <nil>
}

func ExampleRetryFixedDelay() {
	show(flaky(3).RetryWhen(mono.RetryFixedDelay(2, time.Millisecond)))
	// Output: [done] <nil>
}

func ExampleRetryBackoff() {
	show(flaky(3).RetryWhen(mono.RetryBackoff(2, time.Millisecond).Jitter(0)))
	// Output: [done] <nil>
}

func ExampleRetryFrom() {
	always := mono.RetryFrom(
		func(failures reactor.Publisher[mono.RetrySignal]) reactor.Publisher[mono.RetrySignal] {
			return failures
		})
	show(flaky(3).RetryWhen(always))
	// Output: [done] <nil>
}

// later is empty until it was subscribed to n times.
func later(n int) mono.Mono[string] {
	return mono.FromOptional(func() (string, bool, error) {
		n--
		return "ready", n <= 0, nil
	})
}

func ExampleMono_RepeatWhenEmpty() {
	show(later(3).RepeatWhenEmpty(mono.RepeatTimes(9).FixedDelay(time.Millisecond)))
	// Output: [ready] <nil>
}

func ExampleMaxRepeats() {
	show(later(9).RepeatWhenEmpty(mono.RepeatTimes(9), mono.MaxRepeats(2)))
	// Output: [] reactor: repeatWhenEmpty: illegal state: still empty after 2 repetitions
}

func ExampleRepeatTimes() {
	show(later(9).RepeatWhenEmpty(mono.RepeatTimes(2)))
	// Output: [] <nil>
}

func ExampleRepeatFrom() {
	always := mono.RepeatFrom(func(runs reactor.Publisher[int64]) reactor.Publisher[int64] { return runs })
	show(later(3).RepeatWhenEmpty(always))
	// Output: [ready] <nil>
}

func ExampleMono_SwitchIfEmpty() {
	show(mono.Empty[string]().SwitchIfEmpty(mono.Just("other")))
	// Output: [other] <nil>
}

func ExampleMono_DefaultIfEmpty() {
	show(mono.Empty[string]().DefaultIfEmpty("default"))
	// Output: [default] <nil>
}

func ExampleZip() {
	name, age := mono.Just("Ada"), mono.Just(36)
	show(mono.Zip(name, age, func(n string, a int) string { return fmt.Sprint(n, " is ", a) }))
	// Output: [Ada is 36] <nil>
}

func ExampleZip3() {
	one := mono.Just(1)
	show(mono.Zip3(one, one, mono.Just("x"), func(a, b int, c string) string { return strings.Repeat(c, a+b) }))
	// Output: [xx] <nil>
}

func ExampleZip4() {
	one := mono.Just(1)
	show(mono.Zip4(one, one, one, one, func(a, b, c, d int) int { return a + b + c + d }))
	// Output: [4] <nil>
}

func ExampleZip5() {
	one := mono.Just(1)
	show(mono.Zip5(one, one, one, one, one, func(a, b, c, d, e int) int { return a + b + c + d + e }))
	// Output: [5] <nil>
}

func ExampleZip6() {
	one := mono.Just(1)
	show(mono.Zip6(one, one, one, one, one, one, func(a, b, c, d, e, f int) int { return a + b + c + d + e + f }))
	// Output: [6] <nil>
}

func ExampleZip7() {
	one := mono.Just(1)
	show(mono.Zip7(one, one, one, one, one, one, one, func(a, b, c, d, e, f, g int) int { return a + b + c + d + e + f + g }))
	// Output: [7] <nil>
}

func ExampleZip8() {
	one := mono.Just(1)
	sum := func(a, b, c, d, e, f, g, h int) int { return a + b + c + d + e + f + g + h }
	show(mono.Zip8(one, one, one, one, one, one, one, one, sum))
	// Output: [8] <nil>
}

func ExampleZipSlice() {
	words := []mono.Mono[string]{mono.Just("a"), mono.Just("b"), mono.Just("c")}
	show(mono.ZipSlice(words, func(s []string) string { return strings.Join(s, "-") }))
	// Output: [a-b-c] <nil>
}

func ExampleDelayErrors() {
	a, b := mono.Error[int](io.EOF), mono.Error[int](io.ErrClosedPipe)
	m := mono.Zip(a, b, func(x, y int) int { return x + y }, mono.DelayErrors())
	_, err := operators.Collect(context.Background(), m)
	fmt.Println(errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe))
	// Output: true true
}

func ExampleMono_ZipWith() {
	show(mono.Just(2).ZipWith(mono.Just("x"), func(n int, s string) string { return strings.Repeat(s, n) }))
	// Output: [xx] <nil>
}

func ExampleMono_ZipWhen() {
	length := func(s string) mono.Mono[int] { return mono.Just(len(s)) }
	show(mono.Just("word").ZipWhen(length, func(s string, n int) string { return fmt.Sprint(s, " ", n) }))
	// Output: [word 4] <nil>
}

func ExampleWhen() {
	show(mono.When(mono.Just(1), mono.Just(2)))
	show(mono.When(mono.Just(1), mono.Error[int](io.EOF)))
	// Output:
	// [] <nil>
	// [] EOF
}

func ExampleWhenDelayError() {
	log := mono.FromRunnable[int](func() error { fmt.Println("still runs"); return nil })
	show(mono.WhenDelayError(mono.Error[int](io.EOF), log))
	// Output:
	// still runs
	// [] EOF
}

func ExampleMono_And() {
	show(mono.Just(1).And(mono.Just("a")))
	// Output: [] <nil>
}

func ExampleFirstWithSignal() {
	show(mono.FirstWithSignal(mono.Never[string](), mono.Just("fast")))
	// Output: [fast] <nil>
}

func ExampleFirstWithValue() {
	show(mono.FirstWithValue(mono.Error[string](io.EOF), mono.Just("mirror")))
	// Output: [mirror] <nil>
}

func ExampleMono_Or() {
	show(mono.Never[int]().Or(mono.Just(1)))
	// Output: [1] <nil>
}

func ExampleSequenceEqual() {
	show(mono.SequenceEqual(operators.Range(1, 3), operators.FromSlice([]int{1, 2, 3})))
	// Output: [true] <nil>
}

func ExampleSequenceEqualFunc() {
	a, b := operators.FromSlice([]string{"a", "B"}), operators.FromSlice([]string{"A", "b"})
	show(mono.SequenceEqualFunc(a, b, strings.EqualFold))
	// Output: [true] <nil>
}

func ExamplePrefetch() {
	show(mono.SequenceEqual(operators.Range(1, 3), operators.Range(1, 4), mono.Prefetch(1)))
	// Output: [false] <nil>
}

func ExampleMono_Then() {
	show(mono.Just("row").Then())
	// Output: [] <nil>
}

func ExampleMono_ThenMono() {
	show(mono.Just("row").ThenMono(mono.Just(1)))
	// Output: [1] <nil>
}

func ExampleMono_ThenEmpty() {
	show(mono.Just("row").ThenEmpty(mono.Just(1)))
	// Output: [] <nil>
}

func ExampleMono_ThenReturn() {
	show(mono.Just("row").ThenReturn(true))
	// Output: [true] <nil>
}

func ExampleMono_IgnoreElement() {
	show(mono.Just("row").IgnoreElement())
	// Output: [] <nil>
}

func ExampleIgnoreElements() {
	show(mono.IgnoreElements(operators.Range(1, 1000)))
	// Output: [] <nil>
}

func ExampleMono_HasElement() {
	show(mono.Just(1).HasElement())
	show(mono.Empty[int]().HasElement())
	// Output:
	// [true] <nil>
	// [false] <nil>
}

func ExampleMono_Single() {
	show(mono.Empty[int]().Single())
	// Output: [] reactor: single: no elements: the source completed empty
}

func ExampleMono_SingleOptional() {
	show(mono.Empty[int]().SingleOptional(func(v int, ok bool) string { return fmt.Sprint(v, ok) }))
	// Output: [0 false] <nil>
}

func ExampleMono_DelayUntil() {
	stored := func(v string) mono.Mono[int] {
		return mono.FromCallable(func() (int, error) { fmt.Println("store", v); return 1, nil })
	}
	show(mono.Just("row").DelayUntil(stored))
	// Output:
	// store row
	// [row] <nil>
}

// counter is a Mono of how often it was subscribed.
func counter() mono.Mono[int] {
	n := 0
	return mono.FromCallable(func() (int, error) { n++; return n, nil })
}

func ExampleMono_Share() {
	shared := counter().Share()
	show(shared)
	show(shared)
	// Output:
	// [1] <nil>
	// [1] <nil>
}

func ExampleMono_Cache() {
	cached := counter().Cache(mono.TTL(time.Hour))
	show(cached)
	show(cached)
	// Output:
	// [1] <nil>
	// [1] <nil>
}

func ExampleTTL() {
	cached := counter().Cache(mono.TTL(0))
	show(cached)
	show(cached)
	// Output:
	// [1] <nil>
	// [2] <nil>
}

func ExampleMono_CacheFor() {
	errorsNot := func(s reactor.Signal[string]) time.Duration {
		if s.Err() != nil {
			return 0
		}
		return mono.Forever
	}
	cached := flaky(2).CacheFor(errorsNot)
	show(cached)
	show(cached)
	// Output:
	// [] unexpected EOF
	// [done] <nil>
}

func ExampleMono_CacheInvalidateIf() {
	old := false
	cached := counter().CacheInvalidateIf(func(int) bool { return old })
	show(cached)
	show(cached)
	old = true
	show(cached)
	// Output:
	// [1] <nil>
	// [1] <nil>
	// [2] <nil>
}

func ExampleMono_CacheInvalidateWhen() {
	expired := func(int) mono.Mono[struct{}] { return mono.Empty[struct{}]() } // at once
	cached := counter().CacheInvalidateWhen(expired, func(v int) { fmt.Println("gone:", v) })
	show(cached)
	show(cached)
	// Output:
	// gone: 1
	// [1] <nil>
	// gone: 2
	// [2] <nil>
}

func ExampleMono_Publish() {
	twice := counter().Publish(func(n mono.Mono[int]) mono.Mono[string] {
		return n.ZipWith(n, func(a, b int) string { return fmt.Sprint(a, b) })
	})
	show(twice)
	// Output: [1 1] <nil>
}

// A user and the number of his orders are loaded at the same time; the types differ.
func ExampleWhen2() {
	user := mono.Just("ada").DoOnNext(func(name string) { fmt.Println("user", name) })
	orders := mono.Just(3).DoOnNext(func(n int) { fmt.Println(n, "orders") })
	fmt.Println(mono.When2(user, orders).Run(context.Background()))
	// Output:
	// user ada
	// 3 orders
	// <nil>
}

func ExampleWhen3() {
	fmt.Println(mono.When3(mono.Just("a"), mono.Just(1), mono.Error[bool](io.ErrUnexpectedEOF)).Run(context.Background()))
	// Output: unexpected EOF
}

func ExampleWhen4() {
	fmt.Println(mono.When4(mono.Just("a"), mono.Just(1), mono.Just(true), mono.Just('x'), mono.DelayErrors()).Run(context.Background()))
	// Output: <nil>
}

func ExampleWhenSlice() {
	var shards []mono.Mono[int]
	for n := range 3 {
		shards = append(shards, mono.FromCallable(func() (int, error) {
			fmt.Println("saved", n)
			return n, nil
		}))
	}
	show(mono.WhenSlice(shards))
	// Output:
	// saved 0
	// saved 1
	// saved 2
	// [] <nil>
}
