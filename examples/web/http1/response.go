package http1

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// Response is the answer to a [Request].
type Response struct {
	Status      int
	ContentType string // of Body
	Body        []byte // it is not copied, and must not change any more
	Allow       string // methods, if the one that was asked for is not allowed

	head    bool // without the body
	last    bool // of the connection
	old     bool // to a client of HTTP/1.0
	interim bool
}

// Text returns a response that is a text.
func Text(status int, text string) Response {
	return Response{Status: status, ContentType: "text/plain; charset=utf-8", Body: []byte(text)}
}

// Continue returns leave to send a body.
func Continue() Response { return Response{Status: http.StatusContinue, interim: true} }

// To returns the response as the answer to q: without a body if q wants none, and as the last
// one of the connection if q says so.
func (r Response) To(q Request) Response {
	r.head, r.last, r.old = q.IsHead(), q.Close && !r.interim, q.minor == 0 && q.Status == 0
	return r
}

// IsLast reports whether the connection ends after this response.
func (r Response) IsLast() bool { return r.last }

// Append appends the bytes of the response.
func (r Response) Append(dst []byte) []byte {
	dst = append(dst, "HTTP/1.1 "...)
	dst = strconv.AppendInt(dst, int64(r.Status), 10)
	dst = append(append(dst, ' '), http.StatusText(r.Status)...)
	if r.interim {
		return append(dst, "\r\n\r\n"...)
	}
	dst = append(append(dst, "\r\nDate: "...), date()...)
	if r.ContentType != "" {
		dst = append(append(dst, "\r\nContent-Type: "...), r.ContentType...)
	}
	if r.Allow != "" {
		dst = append(append(dst, "\r\nAllow: "...), r.Allow...)
	}
	bare := r.Status == http.StatusNoContent || r.Status == http.StatusNotModified // a body would be taken for the next response
	if !bare {
		dst = strconv.AppendInt(append(dst, "\r\nContent-Length: "...), int64(len(r.Body)), 10)
	}
	switch {
	case r.last:
		dst = append(dst, "\r\nConnection: close"...)
	case r.old: // such a client takes it for the end of the connection otherwise
		dst = append(dst, "\r\nConnection: keep-alive"...)
	}
	dst = append(dst, "\r\n\r\n"...)
	if r.head || bare {
		return dst
	}
	return append(dst, r.Body...)
}

// now is the date as the header has it, for the second that it was made in.
var now atomic.Pointer[stamp]

type stamp struct {
	second int64
	text   string
}

// date returns the current date.
func date() string {
	t := time.Now()
	s := now.Load()
	if s == nil || s.second != t.Unix() {
		s = &stamp{t.Unix(), t.UTC().Format(http.TimeFormat)}
		now.Store(s)
	}
	return s.text
}
