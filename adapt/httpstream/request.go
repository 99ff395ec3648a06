package httpstream

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/internal/protocol"
)

// NewRequest returns a request whose body is what src emits, in chunked encoding.
// src is subscribed to whenever the request is sent, with the context of the
// subscription that sends it, and asked for one chunk ahead of the one that is being
// sent: a server that does not read holds it up. Its failure fails the request. It
// is cancelled when the server wants no more. NewRequest panics if src is nil.
func NewRequest(method, url string, src reactor.Publisher[[]byte]) (*http.Request, error) {
	src = protocol.Trust("httpstream.newRequest", src)
	body := &requestBody{src: src}
	return http.NewRequest(method, url, body)
}

// requestBody is the body of a request that was not sent by this package: then there
// is no context but the background's.
type requestBody struct {
	src  reactor.Publisher[[]byte]
	once sync.Once
	r    io.ReadCloser
}

func (b *requestBody) reader() io.ReadCloser {
	b.once.Do(func() { b.r = bytestream.NewReader(context.Background(), b.src) })
	return b.r
}

func (b *requestBody) Read(p []byte) (int, error) { return b.reader().Read(p) }
func (b *requestBody) Close() error               { return b.reader().Close() }

// template is a request that may be sent more than once.
type template struct {
	op   string
	req  *http.Request
	used atomic.Bool // the body was sent, and there is no way to get it again
}

// under returns the request to send under ctx.
func (t *template) under(ctx context.Context) (*http.Request, error) {
	req := t.req.Clone(ctx)
	body, streams := t.req.Body.(*requestBody)
	switch {
	case streams:
		again := func() (io.ReadCloser, error) { return bytestream.NewReader(ctx, body.src), nil }
		req.GetBody = again
		req.Body, _ = again()
	case t.req.Body == nil || t.req.Body == http.NoBody:
	case t.req.GetBody != nil:
		again, err := t.req.GetBody()
		if err != nil {
			return nil, reactor.Failure(t.op, ErrRequest, "%s %s", t.req.Method, t.req.URL.Redacted()).CausedBy(err)
		}
		req.Body = again
	case t.used.Swap(true):
		return nil, reactor.Failure(t.op, reactor.ErrIllegalState, "%s %s: the body can be sent once only", t.req.Method, t.req.URL.Redacted())
	}
	return req, nil
}

// send sends the request and returns the response, whatever its status is.
func (t *template) send(ctx context.Context, client *http.Client) (*http.Response, error) {
	req, err := t.under(ctx)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, reactor.Failure(t.op, ErrRequest, "").CausedBy(err)
	}
	return resp, nil
}
