package resp

import (
	"fmt"
	"strconv"
	"strings"
)

// Reply is the answer to a [Command]. The zero value is the null bulk string.
//
// It is four words long, as a Command is: what is longer does not travel in registers, but is
// copied at each function on its way.
type Reply struct {
	kind kind
	last bool
	n    int64
	text string // of a string or an error, or all of an array
}

type kind uint8

const (
	null kind = iota
	simple
	failure
	number
	bulk
	array
)

// Simple returns a simple string, which has no line breaks.
func Simple(text string) Reply { return Reply{kind: simple, text: text} }

// Error returns an error. Its first word says of which kind, such as ERR. An error is one line,
// and may quote what the client sent: dots stand for control characters.
func Error(text string) Reply {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '.'
		}
		return r
	}, text)
	return Reply{kind: failure, text: text}
}

// Int returns an integer.
func Int(n int64) Reply { return Reply{kind: number, n: n} }

// Bulk returns a string of any bytes.
func Bulk(text string) Reply { return Reply{kind: bulk, text: text} }

// MaxArray is how many bytes an array may have: many short names can ask for many long values.
const MaxArray = 512 << 20

// Array returns an array, or an error if it would have more than MaxArray bytes.
func Array(list ...Reply) Reply {
	size := 0
	for _, r := range list {
		if size += maxAround + len(r.text); size > MaxArray {
			return Error(fmt.Sprintf("ERR reply of more than %d bytes", MaxArray))
		}
	}
	all := strconv.AppendInt([]byte{'*'}, int64(len(list)), 10)
	all = append(all, "\r\n"...)
	for _, r := range list {
		all = r.Append(all)
	}
	return Reply{kind: array, text: string(all)}
}

// maxAround is how much longer than its text a reply is at most.
const maxAround = len("$9223372036854775807\r\n\r\n")

// Last returns r as the last reply of its connection.
func (r Reply) Last() Reply { r.last = true; return r }

// IsLast reports whether the connection ends after this reply.
func (r Reply) IsLast() bool { return r.last }

// Append appends the bytes of the reply.
func (r Reply) Append(dst []byte) []byte {
	switch r.kind {
	case null:
		return append(dst, "$-1\r\n"...)
	case simple:
		dst = append(append(dst, '+'), r.text...)
	case failure:
		dst = append(append(dst, '-'), r.text...)
	case number:
		dst = strconv.AppendInt(append(dst, ':'), r.n, 10)
	case array:
		return append(dst, r.text...)
	case bulk:
		dst = strconv.AppendInt(append(dst, '$'), int64(len(r.text)), 10)
		dst = append(append(dst, "\r\n"...), r.text...)
	}
	return append(dst, "\r\n"...)
}
