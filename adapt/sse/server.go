package sse

import (
	"net/http"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/internal/httpserve"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
)

// Handler answers each request with the events of the stream that fn returns for it.
//
// Demand: 16 events are requested ahead, see [Prefetch], and further ones when the
// client has taken some. See the package comment for what becomes of events for
// slow clients.
//
// Errors: an error of the stream ends the connection, and so does its completion; after that
// browsers connect again. (To end it for good, answer such a request with the status 204.) An event
// that can't be written is an error, see [Event.Append]. Errors are reported as dropped, and so is
// the error of a write, unless the client has gone.
//
// Cancellation: the stream is subscribed to with the context of the request, and cancelled when the
// client goes or, with [WriteTimeout], reads nothing for too long. When nothing was sent for 15
// seconds, a comment is sent, see [Heartbeat]. With HTTP/1.1, if fn leaves the body of a request to
// the stream, the handler notices that the client has gone only when the body was read or something
// can't be sent.
//
// Goroutine: the stream is subscribed to, and requested from, on the goroutine of the request. A
// stream that computes on the goroutine that requests, and takes its time, such as flux.FromSeq
// over a sequence that waits, keeps the handler from sending events that have come, and heartbeats:
// it needs SubscribeOn. Handler panics if fn is nil.
func Handler(fn func(*http.Request) flux.Flux[Event], opts ...HandlerOption) http.Handler {
	const op = "sse.handler"
	argument.NotNil(op, "function that streams", fn)
	c := config{prefetch: 16, heartbeat: 15 * time.Second}
	for _, o := range argument.Options(op, opts) {
		o.applyHandler(&c)
	}
	argument.Positive(op, "prefetch", c.prefetch)
	server := &httpserve.Server[Event]{
		Op: op, Prefetch: c.prefetch, WriteTimeout: c.writeTimeout, Eager: true,
		Idle: c.heartbeat, Heartbeat: []byte(":\n\n"),
		Encode: func(dst []byte, e Event) ([]byte, error) { return e.Append(dst) }, Appends: true,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Type", contentType)
		header.Set("Cache-Control", "no-cache")
		header.Set("X-Accel-Buffering", "no") // for a proxy that collects otherwise
		if r.Method == http.MethodHead {
			return
		}
		server.Serve(w, r, func(r *http.Request) reactor.Publisher[Event] { return fn(r) })
	})
}

const contentType = "text/event-stream"
