package flux_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
)

// plain returns a logger to standard output without times.
func plain() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

func ExampleFlux_Log() {
	_ = flux.Just(1).Log(flux.LogTo(plain()), flux.LogCategory("orders")).Run(context.Background())
	// Output:
	// level=INFO msg=onSubscribe category=orders
	// level=INFO msg=request category=orders n=unbounded
	// level=INFO msg=onNext category=orders value=1
	// level=INFO msg=onComplete category=orders
}

func ExampleLogTo() {
	_ = flux.Error[int](io.EOF).Log(flux.LogTo(plain()), flux.LogSignals(reactor.KindError)).Run(context.Background())
	// Output: level=ERROR msg=onError category=reactor error=EOF
}

// Which of several: the file and the line of the call of Log.
func ExampleLogOperatorLine() {
	logged := flux.Just(1).
		Log(flux.LogTo(plain()), flux.LogSignals(reactor.KindNext), flux.LogOperatorLine())
	_ = logged.Run(context.Background())
	// Output: level=INFO msg=onNext category=reactor at=example_log_test.go:44 value=1
}

func ExampleLogCategory() {
	logged := flux.Just(1).Log(flux.LogTo(plain()), flux.LogSignals(reactor.KindNext), flux.LogCategory("orders"))
	_ = logged.Run(context.Background())
	// Output: level=INFO msg=onNext category=orders value=1
}

func ExampleLogLevel() {
	logged := flux.Just(1).Log(flux.LogTo(plain()), flux.LogSignals(reactor.KindNext), flux.LogLevel(slog.LevelWarn))
	_ = logged.Run(context.Background())
	// Output: level=WARN msg=onNext category=reactor value=1
}

func ExampleLogSignals() {
	logged := flux.Just(1).Log(flux.LogTo(plain()), flux.LogSignals(reactor.KindRequest, reactor.KindComplete))
	_ = logged.Run(context.Background())
	// Output:
	// level=INFO msg=request category=reactor n=unbounded
	// level=INFO msg=onComplete category=reactor
}

func ExampleFlux_Tap() {
	_ = flux.Just(1).Tap(func(context.Context) *flux.SignalListener[int] {
		n := 0 // state of one subscription
		return &flux.SignalListener[int]{
			Next:    func(int) { n++ },
			Finally: func(how reactor.SignalKind) { fmt.Println(n, how) },
		}
	}).Run(context.Background())
	// Output: 1 onComplete
}

func ExampleFlux_Name() {
	fmt.Println(flux.LabelsOf(flux.Just(1).Name("orders")).Name)
	// Output: orders
}

func ExampleFlux_Tag() {
	fmt.Println(flux.LabelsOf(flux.Just(1).Name("orders").Tag("tenant", "acme")).Tags)
	// Output: map[tenant:acme]
}

// printed is a meter that prints what it is told; of a timer that it was used.
type printed struct{}

func (printed) Counter(name string, tags ...string) func(int64) {
	return func(n int64) { fmt.Println(name, tags, n) }
}

func (p printed) Gauge(name string, tags ...string) func(int64) { return p.Counter(name, tags...) }

func (printed) Timer(name string, tags ...string) func(time.Duration) {
	return func(time.Duration) { fmt.Println(name, tags) }
}

func (printed) Remove(string) {}

func ExampleMetrics() {
	orders := flux.Metrics[int](printed{}, "orders") // once
	_ = flux.Just(1, 2).Tap(orders).Run(context.Background())
	// Output:
	// orders.subscribed [type Flux] 1
	// orders.active [type Flux] 1
	// orders.onNext.delay [type Flux]
	// orders.onNext.delay [type Flux]
	// orders.active [type Flux] -1
	// orders.flow.duration [status completed type Flux]
}

func ExampleLabelsOf() {
	orders := flux.Just(1).Name("orders").Tag("tenant", "acme")
	fmt.Println(flux.LabelsOf(orders))
	// Output: {orders map[tenant:acme]}
}
