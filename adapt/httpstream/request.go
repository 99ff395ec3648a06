package httpstream

import (
	"net/http"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/internal/httpsend"
	"github.com/goreactor/reactor/internal/protocol"
)

// NewRequest returns a request whose body is what src emits, in chunked encoding. src is
// subscribed to whenever the request is sent, with the context of the subscription that
// sends it, and is asked for one chunk ahead of the one that is being sent: a server that
// does not read holds src up. A failure of src fails the request. If the request has been
// answered, it fails the response, and is reported as dropped if nobody reads the response.
// src is cancelled when the server wants no more. NewRequest panics if src is nil.
func NewRequest(method, url string, src reactor.Publisher[[]byte]) (*http.Request, error) {
	src = protocol.Trust("httpstream.newRequest", src)
	return http.NewRequest(method, url, &httpsend.Body{Src: src})
}
