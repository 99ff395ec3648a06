// Package httpstream turns the bodies of HTTP requests and responses into streams,
// and streams into bodies, on clients and servers.
//
//	lines := bytestream.Lines(httpstream.Get(http.DefaultClient, "https://example.org/log"))
//
//	http.Handle("/numbers", httpstream.Handler(func(r *http.Request) flux.Flux[[]byte] {
//		return numbers.Map(func(n int) []byte { return fmt.Appendln(nil, n) })
//	}))
//
// Back-pressure reaches the other side: a body is read only while there is demand, and a response
// asks for the next element only when the one before was written, so that the buffers of TCP fill
// up and hold the sender. This side holds at most two chunks: the one under way and the one
// requested ahead.
//
// What was written is flushed whenever no further chunk has come. So a [Handler] needs a
// ResponseWriter that can flush, as that of net/http can. Behind a middleware whose ResponseWriter
// has neither a Flush nor an Unwrap method (see http.ResponseController) every response with a body
// is cut off, or marked by the [ErrorTrailer], and "feature not supported" is reported as dropped.
//
// A subscriber that cancels ends its request and closes the body. Package net/http may then read
// on, for 50 ms and 256 KiB at most, so that a connection whose body is nearly over can be used
// again; only after that does a server see that the client has gone.
package httpstream
