package httpstream

import (
	"net/http"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/mono"
)

// Exchange sends a request and emits the elements of the stream that fn returns for the
// response, whatever the status is; at the end of that stream the body is closed, unless
// it is closed already.
//
//	Exchange(client, req, func(resp *Response) flux.Flux[string] {
//		if resp.StatusCode == http.StatusNotFound {
//			return flux.Empty[string]()
//		}
//		return bytestream.Lines(resp.Open)
//	})
//
// Until the response has come, demand, errors and the goroutine are as with [Do]; after
// that they are those of the stream that fn has returned. Cancellation ends the request,
// or the stream, and closes the body, also if the stream has not begun to read. Exchange
// panics if client, req or fn is nil.
func Exchange[T any, P reactor.Publisher[T]](client *http.Client, req *http.Request, fn func(*Response) P, opts ...DoOption) flux.Flux[T] {
	const op = "httpstream.exchange"
	argument.NotNil(op, "function that reads the response", fn)
	// A function of this one, so that a panic of fn is reported under its name.
	use := func(resp *Response) P { return fn(resp) }
	return flux.UsingWhen(do(op, client, req, opts), use, func(resp *Response) mono.Mono[T] {
		return mono.FromRunnable[T](func() error {
			resp.Discarded()
			return nil
		})
	})
}
