package sse

import (
	"net/http"
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/schedulers"
)

type config struct {
	on           schedulers.Scheduler // nil is a goroutine for each connection
	prefetch     int
	heartbeat    time.Duration
	writeTimeout time.Duration
	maxEvent     int
	policy       *flux.RetrySpec
	once         bool
	lastID       string
}

// HandlerOption is an option of [Handler]: [Heartbeat], [Prefetch], [WriteTimeout].
type HandlerOption interface{ applyHandler(*config) }

// EventsOption is an option of [Events]: [MaxEvent], [On], [Once], [Reconnect],
// [StartAfter].
type EventsOption interface{ applyEvents(*config) }

// HeartbeatOption is the time after which a silent stream sends a comment.
type HeartbeatOption time.Duration

// Heartbeat sets the time without an event after which a comment is sent; by default 15
// seconds, and 0 means never. The comment shows proxies and clients that the connection
// lives, and shows the server if it does not.
func Heartbeat(d time.Duration) HeartbeatOption { return HeartbeatOption(d) }

func (o HeartbeatOption) applyHandler(c *config) {
	argument.NotNegative("sse.handler", "heartbeat", time.Duration(o))
	c.heartbeat = time.Duration(o)
}

// PrefetchOption is how many events are requested ahead.
type PrefetchOption int

// Prefetch sets how many events are requested ahead of the one that is being written;
// by default 16. [Handler] panics unless n > 0.
func Prefetch(n int) PrefetchOption { return PrefetchOption(n) }

func (o PrefetchOption) applyHandler(c *config) { c.prefetch = int(o) }

// WriteTimeoutOption is how long a client may hold up a write.
type WriteTimeoutOption time.Duration

// WriteTimeout ends the connection of a client that has read nothing for d > 0
// although there was something to read.
func WriteTimeout(d time.Duration) WriteTimeoutOption { return WriteTimeoutOption(d) }

func (o WriteTimeoutOption) applyHandler(c *config) {
	argument.Positive("sse.handler", "write timeout", time.Duration(o))
	c.writeTimeout = time.Duration(o)
}

// OnOption is the scheduler on which [Events] blocks.
type OnOption struct{ scheduler schedulers.Scheduler }

// On sets the scheduler whose worker reads, instead of a goroutine. Each connection
// keeps a lane of s busy. On panics if s is nil.
func On(s schedulers.Scheduler) OnOption {
	argument.NotNil("sse.on", "scheduler", s)
	return OnOption{foreign.Scheduler(s)}
}

func (o OnOption) applyEvents(c *config) { c.on = o.scheduler }

// MaxEventOption is how many bytes an event may have.
type MaxEventOption int

// MaxEvent sets how many bytes an event may have; by default 1 MiB. A longer event
// fails the stream. [Events] panics unless n > 0.
func MaxEvent(n int) MaxEventOption { return MaxEventOption(n) }

func (o MaxEventOption) applyEvents(c *config) { c.maxEvent = int(o) }

// ReconnectOption is the policy of reconnecting.
type ReconnectOption struct{ policy flux.RetrySpec }

// Reconnect sets the policy by which [Events] connects again; by default it connects
// again for ever. [ErrRefused], which can't get better, is never retried. The time that
// the server wants clients to wait, 3 seconds if it has not said so, comes before the
// delay of policy.
func Reconnect(policy flux.RetrySpec) ReconnectOption { return ReconnectOption{policy} }

func (o ReconnectOption) applyEvents(c *config) { c.policy, c.once = &o.policy, false }

// OnceOption keeps [Events] from reconnecting.
type OnceOption bool

// Once makes [Events] end with its connection: it completes when the server ends the response,
// and fails when the connection is lost. If both Once and [Reconnect] are given, the later one
// counts.
func Once() OnceOption { return true }

func (o OnceOption) applyEvents(c *config) { c.once = bool(o) }

// StartAfterOption is the ID of an event that was seen before.
type StartAfterOption string

// StartAfter makes the first connection say, in the header Last-Event-ID, that the
// event with this ID was seen last.
func StartAfter(id string) StartAfterOption { return StartAfterOption(id) }

func (o StartAfterOption) applyEvents(c *config) { c.lastID = string(o) }

// LastEventID returns the ID of the event that the client has seen last, or "" if it
// has seen none: the header of that name.
func LastEventID(r *http.Request) string { return r.Header.Get("Last-Event-ID") }
