package httpstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
)

// The errors with which streams of this package fail; test for them with errors.Is.
// They come in a *reactor.OpError.
var (
	// ErrRequest: there was no response.
	ErrRequest = errors.New("request failed")
	// ErrTrailer: the server says in a trailer that the body is not complete.
	ErrTrailer = errors.New("the server failed after it had begun to answer")
)

// bodyKept is how many bytes of the body of a refusal are kept.
const bodyKept = 1 << 10

// bodyWait is how long they may take.
const bodyWait = time.Second

// StatusError is the failure of a request that was answered with another status than
// 2xx.
type StatusError struct {
	Op     string // function of this package
	Method string
	URL    string // without a password
	Code   int
	Header http.Header
	Body   []byte    // its beginning, at most 1 KiB, of what came within a second
	At     time.Time // when the answer came
}

// NewStatusError makes the error for a response, on behalf of op, and closes its body.
func NewStatusError(op string, resp *http.Response) *StatusError {
	e := &StatusError{Op: op, Code: resp.StatusCode, Header: resp.Header, At: time.Now()}
	if resp.Request != nil {
		e.Method, e.URL = resp.Request.Method, resp.Request.URL.Redacted()
	}
	late := time.AfterFunc(bodyWait, func() { closeLate(resp) })
	var err error
	e.Body, err = io.ReadAll(io.LimitReader(resp.Body, bodyKept))
	if errors.Is(err, ErrRequest) { // what the body of the request has failed with
		defer reactor.DropError(requestContext(resp), err)
	}
	if late.Stop() {
		resp.Body.Close()
	}
	return e
}

func requestContext(resp *http.Response) context.Context {
	if resp.Request != nil {
		return resp.Request.Context()
	}
	return context.Background()
}

// closeLate closes the body of a response where nobody would catch a panic.
func closeLate(resp *http.Response) {
	failure.Guard(func() { resp.Body.Close() }, func(err error) { reactor.DropError(requestContext(resp), err) })
}

// Error names the request, the status and the first line of the body.
func (e *StatusError) Error() string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(e.Body)), "\n")
	if line != "" && line != http.StatusText(e.Code) {
		line = fmt.Sprintf(": %.100q", line)
	} else {
		line = ""
	}
	request := "" // unknown if the transport is one of the user's own that does not say
	if e.URL != "" {
		request = e.Method + " " + e.URL + ": "
	}
	return fmt.Sprintf("reactor: %s: %sstatus %d %s%s", e.Op, request, e.Code, http.StatusText(e.Code), line)
}

// RetryAfter returns for how long the server does not want to be asked again. It reads
// the header of that name, a number of seconds or a date, and reports false if there is
// no header that it can use.
func (e *StatusError) RetryAfter() (time.Duration, bool) {
	text := strings.TrimSpace(e.Header.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		if seconds < 0 || seconds > int64(maxRetryAfter/time.Second) {
			return 0, false
		}
		return time.Duration(seconds) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	now := e.At
	if date, err := http.ParseTime(e.Header.Get("Date")); err == nil {
		now = date // the clocks need not agree
	}
	return min(max(at.Sub(now), 0), maxRetryAfter), true
}

// maxRetryAfter is more than any server means.
const maxRetryAfter = 365 * 24 * time.Hour

// IsTransient reports whether the same request may succeed later: true for the statuses
// 408, 425, 429, 500, 502, 503 and 504.
func (e *StatusError) IsTransient() bool {
	switch e.Code {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// RetryAfter returns how long to wait before the request that failed with err is made
// again, if a *[StatusError] in err says so; see [StatusError.RetryAfter]. It is made
// for retries:
//
//	lines.RetryWhen(flux.RetryBackoff(5, 100*time.Millisecond).DelayFrom(httpstream.RetryAfter))
func RetryAfter(err error) (time.Duration, bool) {
	if e, ok := errors.AsType[*StatusError](err); ok {
		return e.RetryAfter()
	}
	return 0, false
}
