package operators

import (
	"context"
	"log/slog"
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// LogOption is an option of [Log].
type LogOption interface{ applyLog(*logConfig) }

type logConfig struct {
	category string
	level    slog.Level
	kinds    []reactor.SignalKind // empty: all
	logger   *slog.Logger         // nil: slog.Default() at subscription
	line     bool                 // the place of the call belongs to the records
}

type logOption func(*logConfig)

func (o logOption) applyLog(c *logConfig) { o(c) }

// LogCategory sets the attribute "category" of the records, which tells the streams
// of a program apart.
func LogCategory(name string) LogOption { return logOption(func(c *logConfig) { c.category = name }) }

// LogLevel sets the level of the records. Records of errors have slog.LevelError, unless
// level is less than slog.LevelInfo: then they have level too, so that the errors of a
// stream that you debug are among its other records.
func LogLevel(level slog.Level) LogOption { return logOption(func(c *logConfig) { c.level = level }) }

// LogSignals chooses the kinds of signals that are logged. Without any kinds everything
// is logged.
func LogSignals(kinds ...reactor.SignalKind) LogOption {
	return logOption(func(c *logConfig) { c.kinds = slices.Clone(kinds) })
}

// LogTo sets the logger; by default it is slog.Default().
func LogTo(logger *slog.Logger) LogOption {
	argument.NotNil("log", "logger", logger)
	return logOption(func(c *logConfig) { c.logger = logger })
}

// LogOperatorLine adds the attribute "at" to the records: the file and line where Log was called,
// such as "orders.go:42". The place is recorded when the stream is assembled, which costs a few
// hundred nanoseconds.
func LogOperatorLine() LogOption { return logOption(func(c *logConfig) { c.line = true }) }

// Log logs the signals that pass here: the subscription, requests, elements, the end, and a
// cancellation. A message is the name of the signal, such as "onNext"; its attributes are
// "category", and "value", "n" or "error".
//
//	src:  1 --- 2 |
//	      Log(LogCategory("orders"))
//	out:  1 --- 2 |          level=INFO msg=onNext category=orders value=1
//
// Everything goes to slog.Default() at level info, errors at level error, unless options say
// otherwise (see [LogLevel]). Demand passes through. If the logger has the level off, nothing is
// logged, not even errors, and logging costs the subscription nothing more.
func Log[T any](src reactor.Publisher[T], opts ...LogOption) reactor.Publisher[T] {
	c := logConfig{category: "reactor", level: slog.LevelInfo}
	for _, o := range argument.Options("log", opts) {
		o.applyLog(&c)
	}
	var at *assembly
	if c.line {
		at = assembled("log", nil)
	}
	return Tap(protocol.Trust("log", src), func(ctx context.Context) *SignalListener[T] { return logListener[T](ctx, c, at) })
}

func logListener[T any](ctx context.Context, c logConfig, at *assembly) *SignalListener[T] {
	logger := c.logger
	if logger == nil {
		logger = slog.Default()
	}
	if !logger.Enabled(ctx, c.level) {
		return nil
	}
	fixed := []slog.Attr{slog.String("category", c.category)}
	if at != nil {
		fixed = append(fixed, slog.String("at", at.place()))
	}
	write := func(level slog.Level, kind reactor.SignalKind, attrs ...slog.Attr) {
		logger.LogAttrs(ctx, level, kind.String(), append(slices.Clip(fixed), attrs...)...)
	}
	wants := func(kind reactor.SignalKind) bool { return len(c.kinds) == 0 || slices.Contains(c.kinds, kind) }
	failures := slog.LevelError
	if c.level < slog.LevelInfo {
		failures = c.level
	}
	l := &SignalListener[T]{}
	if wants(reactor.KindSubscribe) {
		l.Subscription = func() { write(c.level, reactor.KindSubscribe) }
	}
	if wants(reactor.KindRequest) {
		l.Request = func(n int64) {
			if n == reactor.Unbounded {
				write(c.level, reactor.KindRequest, slog.String("n", "unbounded"))
			} else {
				write(c.level, reactor.KindRequest, slog.Int64("n", n))
			}
		}
	}
	if wants(reactor.KindNext) {
		l.Next = func(v T) { write(c.level, reactor.KindNext, slog.Any("value", v)) }
	}
	if wants(reactor.KindComplete) {
		l.Complete = func() { write(c.level, reactor.KindComplete) }
	}
	if wants(reactor.KindError) {
		l.Error = func(err error) { write(failures, reactor.KindError, slog.Any("error", err)) }
	}
	if wants(reactor.KindCancel) {
		l.Cancel = func() { write(c.level, reactor.KindCancel) }
	}
	return l
}
