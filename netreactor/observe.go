package netreactor

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"runtime/pprof"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// labelled puts the labels of a role on the calling goroutine, for profiles.
func labelled(e *engine, role string) {
	pprof.SetGoroutineLabels(labels(e.set, role))
}

func labels(s *settings, role string) context.Context {
	return pprof.WithLabels(context.Background(), pprof.Labels("server", s.name, "role", role))
}

// logClosed logs the end of a connection: as an error what may be a mistake of this program,
// the rest for those who look closely.
func (e *engine) logClosed(c *connection, why *CloseError) {
	level := slog.LevelDebug
	if why.Reason == ReasonHandlerFailed || why.Reason == ReasonEncodeFailed {
		level = slog.LevelError
	}
	if !e.set.log.Enabled(c.context(), level) {
		return
	}
	attrs := []any{
		"server", e.set.name, "connection", c.id, "remote", textOf(c.tr.remoteAddr()), "reason", why.Reason.String(),
		"in", c.delivered.Load(), "out", c.answered.Load(),
	}
	if why.Err != nil {
		attrs = append(attrs, "error", why.Err)
	}
	if p, ok := errors.AsType[*reactor.PanicError](why.Err); ok {
		attrs = append(attrs, "stack", string(p.Stack))
	}
	e.set.log.Log(c.context(), level, "netreactor: connection closed", attrs...)
}

// textOf returns an address for the log. A connection that others have made may have none.
func textOf(at net.Addr) string {
	if at == nil {
		return ""
	}
	return at.String()
}

// log logs what is about the server. A log that panics is the user's, who hears of that as of other errors that are nobody's.
func (e *engine) log(level slog.Level, msg string, args ...any) {
	failure.Guard(func() { e.set.log.Log(e.ctx, level, msg, append([]any{"server", e.set.name}, args...)...) }, func(err error) {
		reactor.DropError(e.ctx, err)
	})
}

// say is log for who has to go on also if the log ends the goroutine: it has one of its own.
func (e *engine) say(level slog.Level, msg string, args ...any) {
	aside(func() { e.log(level, msg, args...) })
}

// foreign has a method of a listener or connection of others called by who has to go on also if that panics, or ends the goroutine: it
// has one of its own. It returns what that threw.
func (e *engine) foreign(method func()) (err error) {
	aside(func() { failure.Guard(method, func(failed error) { err = failed }) })
	if err != nil {
		aside(func() { reactor.DropError(e.ctx, err) })
	}
	return err
}

// aside runs fn on a goroutine of its own, which it may end, and waits for that.
func aside(fn func()) {
	done := newSignal()
	go func() {
		defer close(done)
		fn()
	}()
	<-done
}

// refusals logs the connections that were refused, one line for a second's worth of them.
type refusals struct {
	last   atomic.Int64 // nanoseconds of the engine's clock
	silent atomic.Uint64
}

func (r *refusals) log(e *engine, why string, client netip.Addr) {
	now, last := e.expirer.elapsed(), r.last.Load()
	if last != 0 && now-last < int64(time.Second) || !r.last.CompareAndSwap(last, now) {
		r.silent.Add(1)
		return
	}
	e.say(slog.LevelWarn, "netreactor: connection refused", "reason", why, "client", client.String(), "unlogged", r.silent.Swap(0))
}
