package netreactor

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/goreactor/reactor/internal/argument"
)

// They are pointers, since a method of a value is called by way of another function that loads the value; and there is one of each, so
// that they can be compared.
var (
	theRaw            = &raw{}
	theLines          = &lines{}
	theLengthPrefixed = &lengthPrefixed{}
)

// Raw does no framing at all: a message is whatever bytes have come together.
func Raw() Framing { return theRaw }

type raw struct{}

func (*raw) Split(in *Input) ([]byte, bool, error) {
	all := in.Bytes()
	all = all[:min(len(all), in.max)]
	in.Advance(len(all))
	return all, len(all) > 0, nil
}

func (*raw) Begin(dst []byte) []byte               { return dst }
func (*raw) End(dst []byte, _ int) ([]byte, error) { return dst, nil }

// Lines frames by the end of a line: "\n" or "\r\n" on the way in, "\n" on the way out. The
// last line needs no such end. A message that is sent must not contain an end of line; that
// is not checked.
func Lines() Framing { return theLines }

type lines struct{}

func (*lines) Split(in *Input) ([]byte, bool, error) {
	all := in.Bytes()
	if n := in.max; len(all) > n && all[n] == '\r' && bytes.IndexByte(all[:n], '\n') < 0 {
		// The line is as long as it may be, and this ends it.
		switch {
		case len(all) > n+1 && all[n+1] == '\n', len(all) == n+1 && in.End():
			in.Advance(min(len(all), n+2))
			return all[:n], true, nil
		case len(all) == n+1:
			return nil, false, nil
		}
	}
	line, ok, err := upTo(in, []byte{'\n'})
	if !ok && err == nil && in.End() && len(all) > 0 {
		line, ok = all, true
		in.Advance(len(line))
	}
	if n := len(line); ok && n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, ok, err
}

func (*lines) Begin(dst []byte) []byte               { return dst }
func (*lines) End(dst []byte, _ int) ([]byte, error) { return append(dst, '\n'), nil }

// Delimited frames by a delimiter, which is not part of a message. It panics if the
// delimiter is empty. A message that is sent must not contain the delimiter; that is not
// checked.
func Delimited(delimiter string) Framing {
	argument.Positive("netreactor.Delimited", "length of the delimiter", len(delimiter))
	return delimited(delimiter)
}

type delimited []byte

func (d delimited) Split(in *Input) ([]byte, bool, error) { return upTo(in, d) }
func (d delimited) Begin(dst []byte) []byte               { return dst }

func (d delimited) End(dst []byte, _ int) ([]byte, error) { return append(dst, d...), nil }

// upTo takes what stands before the first delimiter.
func upTo(in *Input, delimiter []byte) ([]byte, bool, error) {
	all := in.Bytes()
	from := max(0, in.Seen()-len(delimiter)+1) // the beginning of a delimiter may be among the bytes that were seen
	i := bytes.Index(all[from:], delimiter)
	if i += from; i >= from && i <= in.max {
		in.Advance(i + len(delimiter))
		return all[:i], true, nil
	}
	if i > in.max || len(all)-len(delimiter) >= in.max {
		return nil, false, tooLarge(in, len(all))
	}
	in.frame = uint32(len(delimiter))
	return nil, false, nil
}

// FixedLength frames messages of n bytes each. It panics unless n > 0. To send a
// message of another length ends the connection with [ReasonEncodeFailed].
func FixedLength(n int) Framing {
	argument.Positive("netreactor.FixedLength", "n", n)
	return fixedLength(n)
}

type fixedLength int

func (f fixedLength) Split(in *Input) ([]byte, bool, error) {
	n := int(f)
	if n > in.max {
		return nil, false, tooLarge(in, n)
	}
	all := in.Bytes()
	if len(all) < n {
		in.Need(n)
		return nil, false, nil
	}
	in.Advance(n)
	return all[:n], true, nil
}

func (f fixedLength) Begin(dst []byte) []byte { return dst }

func (f fixedLength) End(dst []byte, start int) ([]byte, error) {
	if n := len(dst) - start; n != int(f) {
		return dst, fmt.Errorf("netreactor: fixed length: message of %d bytes, want %d", n, int(f))
	}
	return dst, nil
}

// LengthPrefixed frames by four bytes in front of each message; they hold its length,
// the most significant byte first. A length that is negative or above [MaxFrame] ends
// the connection. The memory for a message grows with the bytes that have come.
func LengthPrefixed() Framing { return theLengthPrefixed }

type lengthPrefixed struct{}

const (
	prefixSize = 4
	noPrefix   = "\x00\x00\x00\x00" // takes the place of the prefix until the length is known
)

func (*lengthPrefixed) Split(in *Input) ([]byte, bool, error) {
	if frame, ok := in.prefixed(); ok {
		return frame, true, nil
	}
	all := in.data
	if len(all) < prefixSize {
		return nil, false, nil
	}
	size := int32(binary.BigEndian.Uint32(all))
	if size < 0 {
		return nil, false, fmt.Errorf("netreactor: length prefix: negative length %d", size)
	}
	if int(size) > in.max {
		return nil, false, tooLarge(in, int(size))
	}
	in.Need(prefixSize + int(size))
	return nil, false, nil
}

// prefixed takes the next message, in front of which its length stands, if all of it is there and it is not too long. It is inlined.
func (in *Input) prefixed() (frame []byte, ok bool) {
	if all := in.data; len(all) >= prefixSize {
		size, rest := int(int32(binary.BigEndian.Uint32(all))), all[prefixSize:]
		if uint(size) <= uint(len(rest)) && size <= in.max {
			in.data, in.seen = rest[size:], 0
			return rest[:size:size], true
		}
	}
	return nil, false
}

func (*lengthPrefixed) Begin(dst []byte) []byte { return append(dst, noPrefix...) }

func (*lengthPrefixed) End(dst []byte, start int) ([]byte, error) {
	if !putPrefix(dst, start) {
		return dst, fmt.Errorf("netreactor: length prefix: message of %d bytes, four bytes can't tell", len(dst)-start-prefixSize)
	}
	return dst, nil
}

// putPrefix puts the length of a message in the place of noPrefix at start, or reports false if the message is too long. It is inlined.
func putPrefix(dst []byte, start int) bool {
	size := len(dst) - start - prefixSize
	if size > math.MaxInt32 {
		return false
	}
	binary.BigEndian.PutUint32(dst[start:], uint32(size))
	return true
}
