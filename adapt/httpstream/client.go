package httpstream

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/internal/blocking"
	"github.com/goreactor/reactor/adapt/internal/httpsend"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/mono"
)

// Open returns the opener of the body of a response, for the functions of package bytestream. What
// these say about demand, errors, cancellation and the goroutine holds here too:
//
//	orders := bytestream.JSONLines[Order](httpstream.Open(client, req))
//
// The request is sent when somebody subscribes, once for each subscription, with the context of the
// subscription; so the stream can be retried. A status other than 2xx fails the stream with a
// *[StatusError], which waits for the beginning of the body for up to a second. If there is no
// response, the stream fails with [ErrRequest]. If the body is cut off, the stream fails with
// bytestream.ErrRead and its place; the cause is the error of net/http: io.ErrUnexpectedEOF, or
// with HTTP/2 the error of its stream. Open panics if client or req is nil.
func Open(client *http.Client, req *http.Request, opts ...OpenOption) bytestream.Opener {
	const op = "httpstream.open"
	argument.NotNil(op, "client", client)
	argument.NotNil(op, "request", req)
	return opener(op, client, req, opts)
}

func opener(op string, client *http.Client, req *http.Request, opts []OpenOption) bytestream.Opener {
	var c config
	for _, o := range argument.Options(op, opts) {
		o.applyOpen(&c)
	}
	sendable(op, c.errorTrailer)
	t := &httpsend.Template{Op: op, Failed: ErrRequest, Req: req}
	return func(ctx context.Context) (io.ReadCloser, error) {
		resp, err := t.Send(ctx, client)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode < 200 || resp.StatusCode > 299 {
			return nil, NewStatusError(op, resp)
		}
		if c.errorTrailer != "" {
			return &trailed{ReadCloser: resp.Body, op: op, resp: resp, name: c.errorTrailer}, nil
		}
		return resp.Body, nil
	}
}

// Get is [Open] for a GET request of url; a malformed url fails the stream.
func Get(client *http.Client, url string, opts ...OpenOption) bytestream.Opener {
	const op = "httpstream.get"
	argument.NotNil(op, "client", client)
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		err = reactor.Failure(op, ErrRequest, "").CausedBy(err)
		return func(context.Context) (io.ReadCloser, error) { return nil, err }
	}
	return opener(op, client, req, opts)
}

// trailed is a body with a trailer that tells whether it is complete.
type trailed struct {
	io.ReadCloser
	op   string
	resp *http.Response
	name string
}

// Read implements io.Reader.
func (t *trailed) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if err == io.EOF {
		if text := t.resp.Trailer.Get(t.name); text != "" {
			err = reactor.Failure(t.op, ErrTrailer, "%s: %s", t.name, text)
		}
	}
	return n, err
}

// Response is the element that [Do] emits. Read its body with Open, and only with Open.
// The body has to be read or discarded, as every response has to be closed.
type Response struct {
	*http.Response
	taken atomic.Bool
}

// Open is a bytestream.Opener of the body, for one subscriber:
// bytestream.Lines(resp.Open).
func (r *Response) Open(context.Context) (io.ReadCloser, error) {
	if r.taken.Swap(true) {
		return nil, reactor.Failure("httpstream.response", reactor.ErrIllegalState, "the body can be read by one subscriber only")
	}
	return r.Body, nil
}

// Discarded implements reactor.Discardable: it closes the body, unless somebody has
// opened it. A stream of the body that was cancelled before it began has not opened it:
// if you can't exclude that, call Discarded at the end in any case, as [Exchange] does.
func (r *Response) Discarded() {
	if !r.taken.Swap(true) {
		r.Body.Close()
	}
}

// Do sends a request and emits the response, whatever its status is.
//
//	      Do(client, req)
//	out:  response |
//
// The HTTP request is sent when the element is requested, once for each subscription, with the
// context of the subscription. If there is no response, the stream fails with [ErrRequest]. A
// cancellation before the response has come ends the HTTP request; a response that comes
// nonetheless is closed. After that the body belongs to the subscriber that got the response: the
// functions of package bytestream read it on demand and close it, or Discarded closes it. Do waits
// on a goroutine of its own, and emits on a worker of schedulers.BoundedElastic(), see [On]. It
// panics if client or req is nil.
func Do(client *http.Client, req *http.Request, opts ...DoOption) mono.Mono[*Response] {
	return do("httpstream.do", client, req, opts)
}

// do is [Do] under the name op.
func do(op string, client *http.Client, req *http.Request, opts []DoOption) mono.Mono[*Response] {
	argument.NotNil(op, "client", client)
	argument.NotNil(op, "request", req)
	var c config
	for _, o := range argument.Options(op, opts) {
		o.applyDo(&c)
	}
	t := &httpsend.Template{Op: op, Failed: ErrRequest, Req: req}
	return blocking.Call(op, c.on, func(ctx context.Context) (*Response, error) {
		resp, err := t.Send(ctx, client)
		if err != nil {
			return nil, err
		}
		return &Response{Response: resp}, nil
	})
}
