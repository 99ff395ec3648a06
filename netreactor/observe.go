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

// logClosed logs the end of a connection: as an error if that may be a mistake of this program,
// else for those who look closely.
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

// log logs what is about the server. The log is the user's: if it panics, that is reported as a dropped error.
func (e *engine) log(level slog.Level, msg string, args ...any) {
	failure.Guard(func() { e.set.log.Log(e.ctx, level, msg, append([]any{"server", e.set.name}, args...)...) }, func(err error) {
		reactor.DropError(e.ctx, err)
	})
}

// say is log for a caller that has to go on also if the log ends its goroutine: the log is called on another one.
func (e *engine) say(level slog.Level, msg string, args ...any) {
	aside(func() { e.log(level, msg, args...) })
}

// foreign calls a method of a listener or connection of others for a caller that has to go on also if the method panics or ends its
// goroutine: it is called on another one. The error is that panic, or Goexit, which is reported as dropped as well.
func (e *engine) foreign(method func()) (err error) {
	aside(func() { failure.Guard(method, func(failed error) { err = failed }) })
	if err != nil {
		aside(func() { reactor.DropError(e.ctx, err) })
	}
	return err
}

// aside runs fn on a goroutine of its own, which fn may end, and waits for the end of that.
func aside(fn func()) {
	done := newSignal()
	go func() {
		defer close(done)
		fn()
	}()
	<-done
}

// refusals logs the connections that were refused, at most one line a second.
type refusals struct {
	last   atomic.Int64  // when a line was logged last, as expirer.elapsed; 0 for never
	silent atomic.Uint64 // how many were refused since without a line
}

func (r *refusals) log(e *engine, why string, client netip.Addr) {
	now, last := e.expirer.elapsed(), r.last.Load()
	if last != 0 && now-last < int64(time.Second) || !r.last.CompareAndSwap(last, now) {
		r.silent.Add(1)
		return
	}
	e.say(slog.LevelWarn, "netreactor: connection refused", "reason", why, "client", client.String(), "unlogged", r.silent.Swap(0))
}
