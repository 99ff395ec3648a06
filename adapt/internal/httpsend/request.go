// Package httpsend sends requests, each of them as often as somebody subscribes.
package httpsend

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
)

// Body is the body of a request: what a stream emits. Without a [Template] there is no context but
// the background's, and one subscription.
type Body struct {
	Src  reactor.Publisher[[]byte]
	once sync.Once
	r    io.ReadCloser
}

func (b *Body) reader() io.ReadCloser {
	b.once.Do(func() { b.r = bytestream.NewReader(context.Background(), b.Src) })
	return b.r
}

func (b *Body) Read(p []byte) (int, error) { return b.reader().Read(p) }
func (b *Body) Close() error               { return b.reader().Close() }

// Template is a request that may be sent more than once.
type Template struct {
	Op     string // for errors
	Failed error  // there was no response
	Req    *http.Request

	used atomic.Bool // the body was sent, and there is no way to get it again
}

// Under returns the request to send under ctx.
func (t *Template) Under(ctx context.Context) (*http.Request, error) {
	req := t.Req.Clone(ctx)
	body, streams := t.Req.Body.(*Body)
	switch {
	case streams:
		u := &upload{ctx: ctx, t: t}
		again := func() (io.ReadCloser, error) {
			return &sending{upload: u, ReadCloser: bytestream.NewReader(ctx, body.Src)}, nil
		}
		req.GetBody = again
		req.Body, _ = again()
	case t.Req.Body == nil || t.Req.Body == http.NoBody:
	case t.Req.GetBody != nil:
		again, err := t.Req.GetBody()
		if err != nil {
			return nil, reactor.Failure(t.Op, t.Failed, "%s %s", t.Req.Method, t.Req.URL.Redacted()).CausedBy(err)
		}
		req.Body = again
	case t.used.Swap(true):
		return nil, reactor.Failure(t.Op, reactor.ErrIllegalState, "%s %s: the body can be sent once only", t.Req.Method, t.Req.URL.Redacted())
	}
	return req, nil
}

// Send sends the request and returns the response, whatever its status is.
func (t *Template) Send(ctx context.Context, client *http.Client) (*http.Response, error) {
	req, err := t.Under(ctx)
	if err != nil {
		return nil, err
	}
	return t.Do(client, req)
}

// Do sends req, which Under has returned.
func (t *Template) Do(client *http.Client, req *http.Request) (*http.Response, error) {
	body, streams := req.Body.(*sending)
	resp, err := client.Do(req)
	if err != nil {
		return nil, reactor.Failure(t.Op, t.Failed, "").CausedBy(err)
	}
	if _, upgraded := resp.Body.(io.Writer); streams && !upgraded {
		resp.Body = &answer{body.upload, resp.Body}
	}
	return resp, nil
}
