package httpstream

import (
	"fmt"
	"net/textproto"
	"strings"
	"time"

	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/schedulers"
)

type config struct {
	on           schedulers.Scheduler // nil is a goroutine that waits, and schedulers.BoundedElastic(), which emits
	prefetch     int
	writeTimeout time.Duration
	contentType  string
	errorTrailer string
}

// OpenOption is an option of [Open] and [Get]: [ErrorTrailer].
type OpenOption interface{ applyOpen(*config) }

// DoOption is an option of [Do] and [Exchange]: [On].
type DoOption interface{ applyDo(*config) }

// HandlerOption is an option of [Handler]: [ContentType], [ErrorTrailer], [Prefetch],
// [WriteTimeout].
type HandlerOption interface{ applyHandler(*config) }

// OnOption is the scheduler on which [Do] and [Exchange] block.
type OnOption struct{ scheduler schedulers.Scheduler }

// On sets the scheduler on which [Do] and [Exchange] wait for the response and emit it, instead of
// a goroutine of their own and schedulers.BoundedElastic(). A body that is sent must not need the
// lanes of s. On panics if s is nil.
func On(s schedulers.Scheduler) OnOption {
	argument.NotNil("httpstream.on", "scheduler", s)
	return OnOption{foreign.Scheduler(s)}
}

func (o OnOption) applyDo(c *config) { c.on = o.scheduler }

// PrefetchOption is how many chunks are requested ahead.
type PrefetchOption int

// Prefetch sets how many chunks are requested ahead of the one that is being written;
// by default 1. More pay off if the chunks are small. The function that gets Prefetch
// panics unless n > 0.
func Prefetch(n int) PrefetchOption { return PrefetchOption(n) }

func (o PrefetchOption) applyHandler(c *config) { c.prefetch = int(o) }

// WriteTimeoutOption is how long a client may hold up a write.
type WriteTimeoutOption time.Duration

// WriteTimeout ends a response whose client has read nothing for d > 0 although
// there was something to read. Without it a client that never reads keeps its stream
// for as long as the server's own timeouts allow.
func WriteTimeout(d time.Duration) WriteTimeoutOption { return WriteTimeoutOption(d) }

func (o WriteTimeoutOption) applyHandler(c *config) {
	argument.Positive("httpstream.handler", "write timeout", time.Duration(o))
	c.writeTimeout = time.Duration(o)
}

// ContentTypeOption is the media type of a body.
type ContentTypeOption string

// ContentType sets the header Content-Type; by default it is
// "application/octet-stream".
func ContentType(mime string) ContentTypeOption { return ContentTypeOption(mime) }

func (o ContentTypeOption) applyHandler(c *config) { c.contentType = string(o) }

// ErrorTrailerOption is the trailer that reports a failure.
type ErrorTrailerOption string

// ErrorTrailer makes a server report a failure after the first byte in a trailer,
// instead of cutting the body off, and makes a client fail if that trailer comes. Both
// sides have to give the same name: a client that does not look at the trailer takes a
// part of the body for the whole. The function that gets ErrorTrailer panics if name
// can't be that of a trailer, such as Content-Length: package net/http would leave it
// out.
func ErrorTrailer(name string) ErrorTrailerOption { return ErrorTrailerOption(name) }

func (o ErrorTrailerOption) applyHandler(c *config) { c.errorTrailer = string(o) }
func (o ErrorTrailerOption) applyOpen(c *config)    { c.errorTrailer = string(o) }

// sendable panics if package net/http sends no trailer of that name: a stream that has failed would look complete.
func sendable(op, name string) {
	key := textproto.CanonicalMIMEHeaderKey(name)
	if strings.ContainsFunc(name, func(r rune) bool { return !strings.ContainsRune(tokenRunes, r) }) || strings.HasPrefix(key, "If-") || noTrailers[key] {
		panic(fmt.Sprintf("reactor: %s: %q can't be the name of a trailer", op, name))
	}
}

// tokenRunes are what the name of a header is made of.
const tokenRunes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~"

// noTrailers are the headers that RFC 7230 forbids in trailers, as far as net/http does.
var noTrailers = map[string]bool{
	"Authorization": true, "Cache-Control": true, "Connection": true, "Content-Encoding": true, "Content-Length": true,
	"Content-Range": true, "Content-Type": true, "Expect": true, "Host": true, "Keep-Alive": true, "Max-Forwards": true,
	"Pragma": true, "Proxy-Authenticate": true, "Proxy-Authorization": true, "Proxy-Connection": true, "Range": true,
	"Realm": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Www-Authenticate": true,
}
