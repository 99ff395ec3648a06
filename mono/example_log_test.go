package mono_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
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

func ExampleMono_Log() {
	_ = mono.Just(1).Log(mono.LogTo(plain()), mono.LogCategory("orders")).Run(context.Background())
	// Output:
	// level=INFO msg=onSubscribe category=orders
	// level=INFO msg=request category=orders n=unbounded
	// level=INFO msg=onNext category=orders value=1
	// level=INFO msg=onComplete category=orders
}

func ExampleLogTo() {
	_ = mono.Error[int](io.EOF).Log(mono.LogTo(plain()), mono.LogSignals(reactor.KindError)).Run(context.Background())
	// Output: level=ERROR msg=onError category=reactor error=EOF
}

func ExampleLogOperatorLine() {
	logged := mono.Just(1).
		Log(mono.LogTo(plain()), mono.LogSignals(reactor.KindNext), mono.LogOperatorLine())
	_ = logged.Run(context.Background())
	// Output: level=INFO msg=onNext category=reactor at=example_log_test.go:43 value=1
}

func ExampleLogCategory() {
	logged := mono.Just(1).Log(mono.LogTo(plain()), mono.LogSignals(reactor.KindNext), mono.LogCategory("orders"))
	_ = logged.Run(context.Background())
	// Output: level=INFO msg=onNext category=orders value=1
}

func ExampleLogLevel() {
	logged := mono.Just(1).Log(mono.LogTo(plain()), mono.LogSignals(reactor.KindNext), mono.LogLevel(slog.LevelWarn))
	_ = logged.Run(context.Background())
	// Output: level=WARN msg=onNext category=reactor value=1
}

func ExampleLogSignals() {
	logged := mono.Just(1).Log(mono.LogTo(plain()), mono.LogSignals(reactor.KindRequest, reactor.KindComplete))
	_ = logged.Run(context.Background())
	// Output:
	// level=INFO msg=request category=reactor n=unbounded
	// level=INFO msg=onComplete category=reactor
}

func ExampleMono_Tap() {
	_ = mono.Just(1).Tap(func(context.Context) *mono.SignalListener[int] {
		n := 0 // state of one subscription
		return &mono.SignalListener[int]{
			Next:    func(int) { n++ },
			Finally: func(how reactor.SignalKind) { fmt.Println(n, how) },
		}
	}).Run(context.Background())
	// Output: 1 onComplete
}

func ExampleMono_Name() {
	fmt.Println(mono.LabelsOf(mono.Just(1).Name("orders")).Name)
	// Output: orders
}

func ExampleMono_Tag() {
	fmt.Println(mono.LabelsOf(mono.Just(1).Name("orders").Tag("tenant", "acme")).Tags)
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
	orders := mono.Metrics[int](printed{}, "orders") // once
	_ = mono.Just(1).Tap(orders).Run(context.Background())
	// Output:
	// orders.subscribed [type Mono] 1
	// orders.active [type Mono] 1
	// orders.active [type Mono] -1
	// orders.flow.duration [status completed type Mono]
}

func ExampleLabelsOf() {
	orders := mono.Just(1).Name("orders").Tag("tenant", "acme")
	fmt.Println(mono.LabelsOf(orders))
	// Output: {orders map[tenant:acme]}
}
