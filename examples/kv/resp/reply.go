package resp

import "strconv"

// Reply is the answer to a [Command]. The zero value is the null bulk string.
type Reply struct {
	kind  kind
	last  bool
	n     int64
	data  []byte // of a bulk string, or all of an array
	plain string // of a simple string or an error
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
func Simple(text string) Reply { return Reply{kind: simple, plain: text} }

// Error returns an error. Its first word says of which kind, such as ERR.
func Error(text string) Reply { return Reply{kind: failure, plain: text} }

// Int returns an integer.
func Int(n int64) Reply { return Reply{kind: number, n: n} }

// Bulk returns a string of any bytes. They are not copied, and must not change any more. nil
// is the null bulk string.
func Bulk(data []byte) Reply {
	if data == nil {
		return Reply{}
	}
	return Reply{kind: bulk, data: data}
}

// Array returns an array of bulk strings; a nil one is null.
func Array(list ...[]byte) Reply {
	all := strconv.AppendInt([]byte{'*'}, int64(len(list)), 10)
	all = append(all, "\r\n"...)
	for _, data := range list {
		all = appendBulk(all, data)
	}
	return Reply{kind: array, data: all}
}

// Last returns r as the last reply of its connection.
func (r Reply) Last() Reply { r.last = true; return r }

// IsLast reports whether the connection ends after this reply.
func (r Reply) IsLast() bool { return r.last }

// Append appends the bytes of the reply.
func (r Reply) Append(dst []byte) []byte {
	switch r.kind {
	case simple:
		dst = append(append(dst, '+'), r.plain...)
	case failure:
		dst = append(append(dst, '-'), r.plain...)
	case number:
		dst = strconv.AppendInt(append(dst, ':'), r.n, 10)
	case array:
		return append(dst, r.data...)
	default:
		return appendBulk(dst, r.data)
	}
	return append(dst, "\r\n"...)
}

func appendBulk(dst, data []byte) []byte {
	if data == nil {
		return append(dst, "$-1\r\n"...)
	}
	dst = strconv.AppendInt(append(dst, '$'), int64(len(data)), 10)
	dst = append(dst, "\r\n"...)
	dst = append(dst, data...)
	return append(dst, "\r\n"...)
}
