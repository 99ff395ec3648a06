package httpstream

import (
	"net/http"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/internal/httpserve"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
)

// Handler answers each request with what the stream emits that fn returns for it,
// chunk by chunk.
//
// Demand: one chunk is requested ahead of the one that is being written, see
// [Prefetch], so that a client that reads slowly holds up its stream. What was
// written is sent whenever no further chunk is there.
//
// Errors: one before the first byte becomes the status 500. One after it cuts the
// body off, which clients see as an unexpected end, or is told by a trailer, see
// [ErrorTrailer]. What the error is stays here: it is reported as dropped, as is
// what a write fails with ([bytestream.ErrWrite]) unless the client has gone. A panic of fn itself is one of the
// handler, for what is around it to recover; net/http closes the connection.
//
// Cancellation: the stream is subscribed to with the context of the request, and
// cancelled when the client goes or, with [WriteTimeout], reads nothing for too
// long. A client that is still there when that context ends, because of a time limit
// or a shutdown, is told as of an error.
//
// The stream may read the body of the request while its own elements are written. With
// HTTP/1.1 it has to begin before the first of them: what nobody has read of a body by
// then is done away with, so that the server hears if the client goes. A stream that gives the body up,
// by Take or a time limit for example, does not wait for a client that sends nothing; the connection of one that has sent
// nothing more when the response is over is not used again.
//
// Goroutine: that of the request, where the stream is subscribed to, and requested
// from. A stream that computes where it is asked, and takes its time, such as flux.FromSeq over a sequence that waits, keeps a chunk
// from being sent until the next one is there: it needs SubscribeOn. Handler panics if fn is nil.
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
