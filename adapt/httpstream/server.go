package httpstream

import (
	"net/http"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/internal/httpserve"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
)

// Handler answers each request, chunk by chunk, with the elements of the stream that fn returns for
// it.
//
// Demand: one chunk is requested ahead of the one that is being written, see [Prefetch], so that a
// client that reads slowly holds up its stream. What was written is sent whenever no further chunk
// has come.
//
// Errors: an error before the first byte becomes the status 500. An error after the first byte cuts
// the body off, which clients see as an unexpected end, or is reported in a trailer, see
// [ErrorTrailer]. The client does not learn what the error is: it is reported as dropped here, as
// is the error of a write ([bytestream.ErrWrite]) unless the client has gone. A panic of fn itself
// is a panic of the handler, which code around the handler may recover; net/http closes the
// connection.
//
// Cancellation: the stream is subscribed to with the context of the request, and cancelled when the
// client goes or, with [WriteTimeout], reads nothing for too long. If that context ends while the
// client is still there, because of a time limit or a shutdown, the client sees that as it sees an
// error.
//
// The stream may read the body of the request while its own elements are written. With HTTP/1.1 it
// has to begin to read before its first element: a body that nobody has begun to read by then is
// thrown away, so that the server learns if the client goes. A stream that stops reading the body,
// by Take or a time limit for example, does not wait for a client that sends nothing; if such a
// client has sent nothing more when the response is over, its connection is not used again.
//
// Goroutine: the stream is subscribed to, and requested from, on the goroutine of the request. A
// stream that computes on the goroutine that requests, and takes its time, such as flux.FromSeq
// over a sequence that waits, keeps a chunk from being sent until the next one has come: it needs
// SubscribeOn. Handler panics if fn is nil.
//
// [bytestream.ErrWrite]: https://pkg.go.dev/github.com/goreactor/reactor/adapt/bytestream#ErrWrite
func Handler(fn func(*http.Request) flux.Flux[[]byte], opts ...HandlerOption) http.Handler {
	const op = "httpstream.handler"
	argument.NotNil(op, "function that streams", fn)
	c := config{prefetch: 1, contentType: "application/octet-stream"}
	for _, o := range argument.Options(op, opts) {
		o.applyHandler(&c)
	}
	argument.Positive(op, "prefetch", c.prefetch)
	sendable(op, c.errorTrailer)
	server := &httpserve.Server[[]byte]{
		Op: op, Prefetch: c.prefetch, WriteTimeout: c.writeTimeout, ErrorTrailer: c.errorTrailer, Whole: true,
		Encode: func(_ []byte, chunk []byte) ([]byte, error) { return chunk, nil },
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", c.contentType)
		if r.Method == http.MethodHead {
			return
		}
		server.Serve(w, r, func(r *http.Request) reactor.Publisher[[]byte] { return fn(r) })
	})
}
