package sse

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/adapt/internal/blocking"
	"github.com/goreactor/reactor/adapt/internal/httpsend"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/mono"
)

// The errors with which [Events] fails; test for them with errors.Is.
var (
	// ErrRefused: the server has answered with something other than events, and would
	// do so again.
	ErrRefused = errors.New("refused")
	// ErrDisconnected: the server has ended the response.
	ErrDisconnected = errors.New("disconnected")
)

// defaultRetry is how long a client waits if the server has not said.
const defaultRetry = 3 * time.Second

// Events connects to a server and emits its events. When the connection is lost, or the server ends
// it, Events connects again, after the time that the server has asked for, or 3 seconds if it has
// not asked, and tells the server which event it has seen last; see [Reconnect] and [Once].
//
// Demand: events are read while there is demand. Without demand, what the server sends waits in the
// buffers of TCP; when these are full, the server is held up.
//
// Errors: an answer of another type than text/event-stream, or with a status that does not promise
// to get better, fails the stream with [ErrRefused], which wraps a *httpstream.StatusError in the
// case of a status; the status 204 completes the stream. An event that is too long, see [MaxEvent],
// fails it with bytestream.ErrTooLong. After any other error Events connects again: for how often,
// see [Reconnect].
//
// A request with a body is sent again with the same body, from its GetBody or the stream of
// httpstream.NewRequest. If the body can be sent only once, the stream fails with
// reactor.ErrIllegalState instead of connecting again.
//
// Cancellation: ends the request, and closes its body, once. The server learns of it at
// once or 50 ms later, see package httpstream.
//
// Goroutine: each connection has a goroutine of its own, or a worker, see [On]; delays run on
// schedulers.Parallel(). Events panics if client or req is nil.
func Events(client *http.Client, req *http.Request, opts ...EventsOption) flux.Flux[Event] {
	const op = "sse.events"
	argument.NotNil(op, "client", client)
	argument.NotNil(op, "request", req)
	c := config{maxEvent: defaultMaxEvent}
	for _, o := range argument.Options(op, opts) {
		o.applyEvents(&c)
	}
	argument.Positive(op, "longest event", c.maxEvent)
	template := &httpsend.Template{Op: op, Failed: httpstream.ErrRequest, Req: req}
	return flux.Defer(func(context.Context) flux.Flux[Event] {
		settings := blocking.Settings{Op: op, On: c.on}
		if c.on == nil {
			settings.On = blocking.Waiting() // it waits most of the time, and would keep a lane from others
		}
		state := &session{lastID: c.lastID, wait: defaultRetry}
		one := flux.From(blocking.New(settings, func() blocking.Source[Event] {
			return &connection{op: op, client: client, template: template, limit: c.maxEvent, once: c.once, session: state}
		}))
		if c.once {
			return one
		}
		return one.RetryWhen(state.policy(c.policy))
	})
}

// session is what a subscription keeps from one connection to the next. There is only
// one connection at a time.
type session struct {
	lastID string
	wait   time.Duration
}

// policy returns how to reconnect: as given, or for ever.
func (s *session) policy(given *flux.RetrySpec) flux.RetrySpec {
	p := flux.RetryIndefinitely()
	if given != nil {
		p = *given
	}
	return p.ModifyFilter(func(wanted flux.ErrorFilter) flux.ErrorFilter {
		return flux.WhenError(func(err error) bool { return !permanent(err) && wanted(err) })
	}).DoBeforeRetryAsync(func(signal flux.RetrySignal) mono.Mono[int64] {
		wait := s.wait
		if status, ok := errors.AsType[*httpstream.StatusError](signal.Failure); ok {
			if after, ok := status.RetryAfter(); ok {
				wait = max(wait, after)
			}
		}
		return mono.Delay(wait)
	})
}

// permanent reports whether err would come again.
func permanent(err error) bool {
	return errors.Is(err, ErrRefused) || errors.Is(err, bytestream.ErrTooLong) || errors.Is(err, reactor.ErrIllegalState) ||
		errors.Is(err, reactor.ErrRejected)
}

// connection is one request.
type connection struct {
	op       string
	client   *http.Client
	template *httpsend.Template
	limit    int
	once     bool
	session  *session

	over    bool // the server wants no more requests
	body    io.Closer
	closing sync.Once
	broken  error // the panic of closing; written once, by who closes
	decoder *Decoder
}

// Open implements blocking.Source.
func (c *connection) Open(ctx context.Context) error {
	req, err := c.template.Under(ctx)
	if err != nil {
		return err
	}
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Accept", contentType)
	req.Header.Set("Cache-Control", "no-cache")
	if c.session.lastID != "" && isHeader(c.session.lastID) {
		req.Header.Set("Last-Event-ID", c.session.lastID)
	}
	resp, err := c.template.Do(c.client, req)
	if err != nil {
		return err
	}
	if err := c.check(resp); err != nil {
		return err
	}
	c.body = resp.Body
	c.decoder = newDecoder(c.op, resp.Body, c.limit)
	c.decoder.id, c.decoder.nextID = c.session.lastID, c.session.lastID
	return nil
}

// check refuses a response that is not a stream of events, and closes its body.
func (c *connection) check(resp *http.Response) error {
	switch {
	case resp.StatusCode == http.StatusNoContent:
		c.over = true
		return nil
	case resp.StatusCode != http.StatusOK:
		status := httpstream.NewStatusError(c.op, resp)
		if status.IsTransient() {
			return status
		}
		return reactor.Failure(c.op, ErrRefused, "").CausedBy(status)
	}
	kind := resp.Header.Get("Content-Type")
	// Its parameters don't matter, not even what is wrong with them.
	if media, _, _ := strings.Cut(kind, ";"); !strings.EqualFold(strings.TrimSpace(media), contentType) {
		resp.Body.Close()
		asked := c.template.Req
		if resp.Request != nil { // the last one, after redirects
			asked = resp.Request
		}
		return reactor.Failure(c.op, ErrRefused, "%s: the type of the answer is %q, not %s", asked.URL.Redacted(), kind, contentType)
	}
	return nil
}

// Emit implements blocking.Source.
func (c *connection) Emit(out blocking.Out[Event]) error {
	defer out.End()
	if c.over {
		return io.EOF
	}
	for {
		e, err := c.next()
		if err != nil {
			return err
		}
		if out.Cancelled() {
			return out.Refuse(e)
		}
		out.Send(e)
		if !out.More() {
			return nil
		}
	}
}

func (c *connection) next() (Event, error) {
	e, err := c.decoder.Next()
	if c.session.lastID != c.decoder.id {
		c.session.lastID = c.decoder.id
	}
	if wait := c.decoder.retry; wait > 0 {
		c.session.wait = wait
	}
	if err == io.EOF && !c.once {
		err = reactor.Failure(c.op, ErrDisconnected, "after event %d", c.decoder.number)
	}
	return e, err
}

// Interrupt implements blocking.Source.
func (c *connection) Interrupt() { c.close() }

// Close implements blocking.Source. What closing the body of a response returns says
// nothing that its last Read has not said; a panic does.
func (c *connection) Close() error {
	c.close()
	return c.broken
}

// close is also called by a caller that cancels; a panic of a transport must not reach
// that caller.
func (c *connection) close() {
	c.closing.Do(func() {
		failure.Guard(func() { c.body.Close() }, func(err error) { c.broken = reactor.Failure(c.op, bytestream.ErrClose, "").CausedBy(err) })
	})
}
