package sse

import (
	"strconv"
	"strings"
	"time"

	"github.com/goreactor/reactor"
)

// Event is one server-sent event.
type Event struct {
	// ID is what a client says when it connects again. It must not hold a line
	// break or a NUL. Of an event that was read it is the one in force: that of
	// the event, or of the last one before it that had one.
	ID string
	// Type is what the event is called, for addEventListener. An event without one
	// is a "message". It must not hold a line break.
	Type string
	// Data is the text, of any number of lines, which are separated by \n; a \r is
	// taken for a line break as well.
	Data string
	// Retry is how long a client is to wait before it connects again, in whole
	// milliseconds; 0 says nothing about it.
	Retry time.Duration
}

// Comment is a text that clients ignore, as an event: only the stream of a [Handler]
// can have one.
func Comment(text string) Event { return Event{Type: commentType, Data: text} }

// commentType can't be the type of an event.
const commentType = "\n"

// Append appends the event in the format of the standard to dst, with the blank line
// at its end. It fails with reactor.ErrIllegalArgument if the event can't be written.
func (e Event) Append(dst []byte) ([]byte, error) {
	if e.Type == commentType {
		return append(appendLines(dst, ":", e.Data), '\n'), nil
	}
	switch {
	case strings.ContainsAny(e.ID, "\r\n\x00"):
		return dst, reactor.Failure("sse.event", reactor.ErrIllegalArgument, "the ID %q has a line break or a NUL", e.ID)
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
		dst = strconv.AppendInt(dst, e.Retry.Milliseconds(), 10)
		dst = append(dst, '\n')
	}
	return append(appendLines(dst, "data: ", e.Data), '\n'), nil
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
