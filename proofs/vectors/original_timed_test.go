package vectors_test

import (
	"context"
	"errors"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

// ticks is 0 to 6, one each 2 ms.
func ticks(s *stageBook) reactor.Publisher[int64] {
	return operators.Take(operators.Interval(2*time.Millisecond, operators.On(s.clock)), 7)
}

// lists is what windows contain.
func lists(windows reactor.Publisher[reactor.Publisher[int64]]) reactor.Publisher[any] {
	return boxed(operators.ConcatMap(windows, operators.CollectSlice[int64]))
}

func asIs(w reactor.Publisher[int64]) reactor.Publisher[int64] { return w }

// The vectors compare these with Verbatim; here is what they do without.
var splitting = []comparison{
	{name: "windowTimeout", want: "[0 1] [2 3] [4 5 6] [] done", make: func(s *stageBook) reactor.Publisher[any] {
		return lists(operators.WindowTimeout(ticks(s), 3, 5*time.Millisecond, asIs, operators.On(s.clock)))
	}},
	{name: "windowTimeout, fair", want: "[0 1] [2 3] [4 5 6] [] done", make: func(s *stageBook) reactor.Publisher[any] {
		return lists(operators.WindowTimeout(ticks(s), 3, 5*time.Millisecond, asIs, operators.On(s.clock), operators.FairBackpressure()))
	}},
	{name: "windowFor", want: "[0 1] [2 3] [4 5 6] done", make: func(s *stageBook) reactor.Publisher[any] {
		return lists(operators.WindowFor(ticks(s), 5*time.Millisecond, asIs, operators.On(s.clock)))
	}},
	{name: "windowWhen", want: "[2 3] [] done", make: func(s *stageBook) reactor.Publisher[any] {
		open := operators.Take(operators.Interval(5*time.Millisecond, operators.On(s.clock)), 2)
		closing := func(int64) reactor.Publisher[int64] {
			return operators.Delay(4*time.Millisecond, operators.On(s.clock))
		}
		return lists(operators.WindowWhen(ticks(s), open, closing, asIs))
	}},
	{name: "bufferTimeout", want: "[0 1 2] [3 4 5] [6] done", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(operators.BufferTimeout(ticks(s), 3, 5*time.Millisecond, operators.On(s.clock)))
	}},
	{name: "bufferTimeout, fair", want: "[0 1 2] [3 4 5] [6] done", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(operators.BufferTimeout(ticks(s), 3, 5*time.Millisecond, operators.On(s.clock), operators.FairBackpressure()))
	}},
	{name: "groupBy, groups that are cancelled", want: "1:1 0:2 1:3 0:4 1:5 0:6 1:7 0:8 1:9 done", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.MergeAll(operators.GroupBy(numbers(9), func(v int) int { return v % 2 }, func(key int, g stream) reactor.Publisher[string] {
			return operators.Take(keyed(key, g), 2)
		})))
	}},
}

// attempts fails until the n-th subscription.
func attempts(s *stageBook, n int) stream {
	return operators.Defer(func(context.Context) stream {
		s.note("sub")
		if n--; n > 0 {
			return boom[int]()
		}
		return operators.Just(7)
	})
}

// mark is a gate that leaves a mark.
func mark(s *stageBook, line string) reactor.Publisher[int] {
	return operators.DoOnComplete(operators.Empty[int](), s.noting(line))
}

var again = []comparison{
	{name: "retry hooks", want: "sub before0 after0 sub before1 after1 sub 7 done", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(operators.RetryWhen(attempts(s, 3), operators.RetryFixedDelay(5, 3*time.Millisecond).On(s.clock).
			DoBeforeRetry(func(r operators.RetrySignal) { s.note("before", r.TotalRetries) }).
			DoAfterRetry(func(r operators.RetrySignal) { s.note("after", r.TotalRetries) })))
	}},
	{name: "retry gates", want: "sub before gate after gate' sub 7 done", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(operators.RetryWhen(attempts(s, 2), operators.RetryMax(5).
			DoBeforeRetryAsync(func(operators.RetrySignal) reactor.Publisher[int] { return mark(s, "gate") }).
			DoBeforeRetry(func(operators.RetrySignal) { s.note("before") }).
			DoAfterRetry(func(operators.RetrySignal) { s.note("after") }).
			DoAfterRetryAsync(func(operators.RetrySignal) reactor.Publisher[int] { return mark(s, "gate'") })))
	}},
	{name: "a retry hook fails", want: "error boom", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.RetryWhen(operators.Error[int](errors.New("first")), operators.RetryMax(5).
			DoBeforeRetry(func(operators.RetrySignal) { panic(errOriginal) })))
	}},
	{name: "a retry filter fails", want: "error boom", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.RetryWhen(operators.Error[int](errors.New("first")), operators.RetryMax(5).
			Filter(operators.WhenError(func(error) bool { panic(errOriginal) }))))
	}},
	{name: "a companion and demand", demand: 3, want: "1 2 1", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.RepeatWhen(list(1, 2), operators.RepeatFrom(func(p reactor.Publisher[int64]) reactor.Publisher[int64] {
			return operators.Take(p, 2)
		})))
	}},
	{name: "checkpoints", want: "1 2 error boom", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.Concat(operators.Checkpoint(numbers(2), "here"), operators.Checkpoint(boom[int](), "there")))
	}},
	{name: "tap, error", want: "1 onError error boom afterError finally", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(operators.Tap(operators.Concat(numbers(1), boom[int]()), func(context.Context) *operators.SignalListener[int] {
			return &operators.SignalListener[int]{
				Error: func(error) { s.note("onError") }, AfterError: func(error) { s.note("afterError") },
				Cancel: s.noting("cancel"), Finally: func(reactor.SignalKind) { s.note("finally") },
			}
		}))
	}},
	{name: "tap, cancelled", want: "1 cancel finally done", make: func(s *stageBook) reactor.Publisher[any] {
		return boxed(operators.Take(operators.Tap(numbers(5), func(context.Context) *operators.SignalListener[int] {
			return &operators.SignalListener[int]{Cancel: s.noting("cancel"), Finally: func(reactor.SignalKind) { s.note("finally") }}
		}), 1))
	}},
	{name: "sequenceEqual", want: "false done", make: func(*stageBook) reactor.Publisher[any] {
		return boxed(operators.SequenceEqual(numbers(3), numbers(2)))
	}},
}
