package httpserve

import (
	"io"
	"net/http"
	"sync/atomic"
)

// requestBody is the body of a request. A server of HTTP/1 does away with what is unread of it when the first
// byte of the response is written, unless it is told that both go on at a time. That is so if the stream reads it.
// Otherwise the server is right: it listens for the leave of the client only when the body is at its end.
type requestBody struct {
	io.ReadCloser             // nil without one
	streaming     atomic.Bool // the stream is there; who has read before was the function that made it
	asked         atomic.Bool // the stream has read
	touched       atomic.Bool // that function has
}

// untouched reports whether there is a body that is left to the stream, for a response that begins before the
// stream has done anything.
func (b *requestBody) untouched() bool { return b.ReadCloser != nil && !b.touched.Load() }

// readable returns r with a body that knows whether it is read.
func readable(r *http.Request) (*requestBody, *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return &requestBody{}, r
	}
	body := &requestBody{ReadCloser: r.Body}
	r = r.WithContext(r.Context()) // a copy
	r.Body = body
	return body, r
}

// Read implements io.Reader.
func (b *requestBody) Read(p []byte) (int, error) {
	if b.streaming.Load() {
		b.asked.Store(true)
	} else {
		b.touched.Store(true)
	}
	return b.ReadCloser.Read(p)
}
