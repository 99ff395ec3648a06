package marbles

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"strconv"
	"strings"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
)

// onParallel is the row of an operator on p, whose elements are shared out to two rails.
func onParallel[R any](op func(p flux.ParallelFlux[int]) flux.ParallelFlux[R]) row {
	return func(s *sources) reactor.Publisher[any] {
		return boxed[R](op(flux.From(s.ints("p")).Parallel(2)).Sequential())
	}
}

// onRails is the row of an operator on the streams rail 0 and rail 1.
func onRails[R any, P reactor.Publisher[R]](op func(p flux.ParallelFlux[int]) P) row {
	return func(s *sources) reactor.Publisher[any] {
		return boxed[R](op(flux.ParallelFrom(s.ints("rail 0"), s.ints("rail 1"))))
	}
}

type rails = flux.ParallelFlux[int]

// parallelRows are those of ParallelFlux.
var parallelRows = map[string]row{
	"ParallelFlux.Checkpoint": onParallel(func(p rails) rails { return p.Checkpoint("orders") }),
	"ParallelFlux.Log":        onParallel(func(p rails) rails { return p.Log(flux.LogTo(silent)) }),
	"ParallelFlux.Name":       onParallel(func(p rails) rails { return p.Name("orders") }),
	"ParallelFlux.Tag":        onParallel(func(p rails) rails { return p.Tag("tenant", "acme") }),
	"ParallelFlux.ConcatMap":  onParallel(func(p rails) rails { return p.ConcatMap(func(n int) ints { return every(3, 10*n, 10*n+1) }) }),
	"ParallelFlux.FlatMap":    onParallel(func(p rails) rails { return p.FlatMap(twice) }),
	"ParallelFlux.Sequential": onRails(func(p rails) ints { return p.Sequential() }),
	"ParallelFlux.Ordered":    onRails(func(p rails) ints { return p.Ordered(cmp.Compare[int]) }),
	"ParallelFlux.Reduce":     onRails(func(p rails) one { return p.Reduce(sum) }),
	"ParallelFlux.ReduceWith": onRails(func(p rails) ints { return p.ReduceWith(func() int { return 10 }, sum).Sequential() }),
	"ParallelFlux.Collect":    onRails(func(p rails) flux.Flux[*set] { return p.Collect(newSet, (*set).put).Sequential() }),
}

var silent = slog.New(slog.DiscardHandler)

// signalText writes a signal as pictures have it.
func signalText(s reactor.Signal[int]) string {
	if v, ok := s.Value(); ok {
		return fmt.Sprintf("next(%d)", v)
	}
	if s.Err() != nil {
		return "error(#)"
	}
	return "complete"
}

// signalOf reads what signalText has written.
func signalOf(text string) reactor.Signal[int] {
	if v, ok := strings.CutPrefix(text, "next("); ok {
		n, _ := strconv.Atoi(strings.TrimSuffix(v, ")"))
		return reactor.NextSignal(n)
	}
	return reactor.ErrorSignal[int](errMarble)
}

// peekRows are those of what leaves elements as they are, and of what looks at their type or signals.
var peekRows = map[string]row{
	"Flux.ContextWrite":  OnInts(func(f ints) ints { return f.ContextWrite(identity[context.Context]) }),
	"operators.Name":     OnInts(func(f ints) ints { return f.Name("orders") }),
	"operators.Tag":      OnInts(func(f ints) ints { return f.Tag("tenant", "acme") }),
	"operators.Hide":     OnInts(func(f ints) ints { return f.Hide() }),
	"Flux.DoOnSubscribe": OnInts(func(f ints) ints { return f.DoOnSubscribe(func(reactor.Subscription) {}) }),
	"Flux.DoOnRequest":   OnInts(func(f ints) ints { return f.DoOnRequest(func(int64) {}) }),
	"Flux.TryDoOnNextContext": OnInts(func(f ints) ints {
		return f.TryDoOnNextContext(func(_ context.Context, n int) error { return refuse(n, 3) })
	}),
	"Flux.DoOnErrorAs": OnInts(func(f ints) ints { return f.DoOnErrorAs(func(*fs.PathError) {}) }),
	"Flux.DoOnCancel":  OnInts(func(f ints) ints { return f.DoOnCancel(func() {}) }),
	"Flux.DoOnDiscard": OnInts(func(f ints) ints { return f.Filter(odd).DoOnDiscard(func(int) {}) }),
	"Flux.Tap": OnInts(func(f ints) ints {
		return f.Tap(func(context.Context) *flux.SignalListener[int] { return &flux.SignalListener[int]{} })
	}),
	"Flux.Log": OnInts(func(f ints) ints { return f.Log(flux.LogTo(silent)) }),
	"Flux.TryFilterContext": OnInts(func(f ints) ints {
		return f.TryFilterContext(func(_ context.Context, n int) (bool, error) { return odd(n), nil })
	}),
	"Flux.DistinctUntilChangedFunc": OnTexts(func(f texts) texts {
		return f.DistinctUntilChangedFunc(identity[string], func(a, b string) bool { return a == b })
	}),
	"Flux.Handle": OnInts(func(f ints) ints {
		return f.Handle(func(n int, k *flux.SyncSink[int]) {
			if even(n) {
				k.Next(10 * n)
			}
			if n == 4 {
				k.Complete()
			}
		})
	}),
	"Flux.TryMapOptional": OnInts(func(f ints) ints {
		return f.TryMapOptional(func(n int) (int, bool, error) { return 10 * n, even(n), refuse(-n, 1) })
	}),
	"Flux.Cast":   onAny(func(f flux.Flux[any]) ints { return f.Cast[int]() }),
	"Flux.OfType": onAny(func(f flux.Flux[any]) ints { return f.OfType[int]() }),
	"Flux.Materialize": OnInts(func(f ints) texts {
		return f.Materialize().Map(signalText)
	}),
	"flux.Dematerialize": func(s *sources) reactor.Publisher[any] { return boxed[int](flux.Dematerialize(s.of("src", signalOf))) },
	"Flux.Dematerialize": OnTexts(func(f texts) ints { return f.Dematerialize(signalOf) }),
	"Flux.ScanSeed":      OnInts(func(f ints) ints { return f.ScanSeed(10, sum) }),
	"Flux.TryScanSeed":   OnInts(func(f ints) ints { return f.TryScanSeed(10, sumTo15) }),
	"Flux.ScanWith":      OnInts(func(f ints) ints { return f.ScanWith(func() int { return 10 }, sum) }),
	"Flux.TryScanWith":   OnInts(func(f ints) ints { return f.TryScanWith(func() (int, error) { return 10, nil }, sumTo15) }),
	"Flux.Index": OnTexts(func(f texts) texts {
		return f.Index().Map(func(v reactor.Indexed[string]) string { return fmt.Sprintf("(%d %s)", v.Index, v.Value) })
	}),
	"Flux.TryMapContext": OnInts(func(f ints) texts { return f.TryMapContext(load) }),

	"Mono.ContextWrite": OnMono(func(m one) one { return m.ContextWrite(identity[context.Context]) }),
	"Mono.Materialize":  OnMono(func(m one) mono.Mono[string] { return m.Materialize().Map(signalText) }),
	"mono.Dematerialize": func(s *sources) reactor.Publisher[any] {
		return boxed[int](mono.Dematerialize(mono.From(s.of("src", signalOf))))
	},
	"Mono.Dematerialize": func(s *sources) reactor.Publisher[any] {
		return boxed[int](mono.From(s.texts("m")).Dematerialize(signalOf))
	},
	"Mono.DoOnSuccess":    OnMono(func(m one) one { return m.DoOnSuccess(func(int, bool) {}) }),
	"Mono.DoOnErrorAs":    OnMono(func(m one) one { return m.DoOnErrorAs(func(*fs.PathError) {}) }),
	"Mono.DoOnEach":       OnMono(func(m one) one { return m.DoOnEach(func(context.Context, reactor.Signal[int]) {}) }),
	"Mono.Single":         OnMono(func(m one) one { return m.Single() }),
	"Mono.SingleOptional": OnMono(func(m one) mono.Mono[bool] { return m.SingleOptional(func(_ int, ok bool) bool { return ok }) }),
	"Mono.TryMapContext":  OnMono(func(m one) mono.Mono[string] { return m.TryMapContext(load) }),
}

// errorRows are those of what becomes of errors, and of what subscribes again.
var errorRows = map[string]row{
	"Flux.OnErrorMap": OnInts(func(f ints) ints {
		return f.OnErrorMap(func(err error) error {
			if err == named("a") {
				return named("b")
			}
			return err
		})
	}),
	"operators.OnErrorContinue": OnInts(func(f ints) ints {
		return f.TryMap(func(n int) (int, error) { return n, refuseOne(n, 2) }).OnErrorContinue(func(error, any) {})
	}),
	"Flux.OnErrorStop": OnInts(func(f ints) ints {
		return f.TryMap(func(n int) (int, error) { return n, refuse(n, 2) }).OnErrorStop().OnErrorContinue(func(error, any) {})
	}),
	"Flux.Retry":      OnInts(func(f ints) ints { return f.Retry(flux.Times(1)) }),
	"Flux.Repeat":     OnInts(func(f ints) ints { return f.Repeat(flux.Times(1)) }),
	"Flux.RetryWhen":  OnInts(func(f ints) ints { return f.RetryWhen(flux.RetryFixedDelay(3, 5*steps)) }),
	"Flux.RepeatWhen": OnInts(func(f ints) ints { return f.RepeatWhen(flux.RepeatTimes(1).FixedDelay(5 * steps)) }),

	"Mono.Retry":           OnMono(func(m one) one { return m.Retry(mono.Times(1)) }),
	"Mono.RetryWhen":       OnMono(func(m one) one { return m.RetryWhen(mono.RetryFixedDelay(3, 5*steps)) }),
	"Mono.RepeatWhenEmpty": OnMono(func(m one) one { return m.RepeatWhenEmpty(mono.RepeatTimes(9).FixedDelay(5 * steps)) }),
}

// refuseOne is refuse for one number.
func refuseOne(n, bad int) error {
	if n != bad {
		return nil
	}
	return refuse(n, bad)
}

// load has the letters a, b, but not c.
func load(_ context.Context, n int) (string, error) { return string(rune('a' + n - 1)), refuse(n, 3) }

func sumTo15(a, b int) (int, error) { return a + b, refuse(a+b, 16) }

// onAny is the row of an operator on f, whose elements are numbers or quoted.
func onAny[R any, P reactor.Publisher[R]](op func(f flux.Flux[any]) P) row {
	return func(s *sources) reactor.Publisher[any] {
		return boxed[R](op(flux.From(s.of("f", func(text string) any {
			if n, err := strconv.Atoi(text); err == nil {
				return n
			}
			return text
		}))))
	}
}
