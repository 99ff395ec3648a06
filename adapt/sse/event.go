package sse

import (
	"strconv"
	"strings"
	"time"

	"github.com/goreactor/reactor"
)

// Event is one server-sent event.
type Event struct {
	// ID is what a client sends in a header when it connects again. It must not hold a
	// control character other than a tab. In an event that was read it is the ID in
	// force: that of the event or, if the event has none, that of the last event before
	// that had one. An ID that can't stand in a header is left out when [Events]
	// connects again.
	ID string
	// Type is the name of the event, for addEventListener. An event without a Type is a
	// "message". It must not hold a line break.
	Type string
	// Data is the text, of any number of lines, which are separated by \n; a \r counts
	// as a line break as well.
	Data string
	// Retry is how long a client is to wait before it connects again; it is written in
	// whole milliseconds, rounded up. With 0 it is not written, and a 0 of a server
	// counts as if the server had said nothing.
	Retry time.Duration
}

// Comment is a text that clients ignore. Only events of the stream of a [Handler] can
// have one.
func Comment(text string) Event { return Event{Type: commentType, Data: text} }

// commentType can't be the type of an event.
const commentType = "\n"

// Append appends the event in the format of the standard to dst, with the blank line at
// its end. Append fails with reactor.ErrIllegalArgument if the event can't be written.
func (e Event) Append(dst []byte) ([]byte, error) {
	if e.Type == commentType {
		return append(appendLines(dst, ":", e.Data), '\n'), nil
	}
	switch {
	case !isHeader(e.ID):
		return dst, reactor.Failure("sse.event", reactor.ErrIllegalArgument, "the ID %q has a control character", e.ID)
	case strings.ContainsAny(e.Type, "\r\n"):
		return dst, reactor.Failure("sse.event", reactor.ErrIllegalArgument, "the type %q has a line break", e.Type)
	case e.Retry < 0:
		return dst, reactor.Failure("sse.event", reactor.ErrIllegalArgument, "retry must not be negative, got %v", e.Retry)
	}
	if e.ID != "" {
		dst = appendLine(dst, "id: ", e.ID)
	}
	if e.Type != "" {
		dst = appendLine(dst, "event: ", e.Type)
	}
	if e.Retry > 0 {
		dst = append(dst, "retry: "...)
		dst = strconv.AppendInt(dst, int64((e.Retry-1)/time.Millisecond)+1, 10)
		dst = append(dst, '\n')
	}
	return append(appendLines(dst, "data: ", e.Data), '\n'), nil
}

// isHeader reports whether text can be the value of a header.
func isHeader(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) < 0
}

func appendLine(dst []byte, field, text string) []byte {
	dst = append(dst, field...)
	dst = append(dst, text...)
	return append(dst, '\n')
}

// appendLines appends a field for each line of text, one if it is empty.
func appendLines(dst []byte, field, text string) []byte {
	for {
		i := strings.IndexAny(text, "\r\n")
		if i < 0 {
			return appendLine(dst, field, text)
		}
		dst = appendLine(dst, field, text[:i])
		if strings.HasPrefix(text[i:], "\r\n") {
			i++
		}
		text = text[i+1:]
	}
}
