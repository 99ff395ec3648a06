package netreactor

import (
	"bytes"
	"fmt"

	"github.com/goreactor/reactor/internal/argument"
)

// Codec turns the bytes of a connection into messages and back. The messages that come in
// and those that go out may be of different types, such as requests and responses.
//
// One Codec serves all connections and is called by many goroutines: it has no state. A
// codec that needs state implements [PerConnection] as well. [Bytes], [Strings] and
// [Framed] make codecs of a [Framing].
type Codec[In, Out any] interface {
	// Decode takes the next message from in and reports whether there was a whole one. It looks at
	// [Input.Bytes] and calls [Input.Advance] with the number of bytes that it has used. It is
	// called only when there is demand for a message: once for each message, as long as it finds
	// one, and again when more bytes have come. It is also called when a server ends that waits no
	// longer; a message that it then finds is discarded. Each message has to use at least one byte:
	// where the same bytes hold several messages, such as a compressed block, let In be a slice of
	// them. An error ends the connection with [ReasonMalformed], or with [ReasonTooLarge] if it is
	// [ErrTooLarge]. A panic is a fault of the program, and not of the peer: it ends the connection
	// with [ReasonHandlerFailed], and is logged with its stack.
	//
	// A message may refer to the bytes of in if the handler uses the message only within OnNext:
	// the bytes are overwritten when OnNext has returned. A codec whose messages are kept, or cross
	// to another goroutine, has to copy the bytes.
	Decode(in *Input) (msg In, ok bool, err error)
	// Encode appends the bytes of msg to dst and returns the result; if msg has no bytes, the
	// result is dst. A result that is shorter than dst is an error. An error ends the connection
	// with [ReasonEncodeFailed] when what was sent before is on its way, and nothing of msg is
	// sent. An error for a message of [Conn.Send] is returned by Send, and the connection goes on.
	// A panic counts as one of the handler's publisher, or of the caller of Send.
	Encode(dst []byte, msg Out) ([]byte, error)
}

// PerConnection is a [Codec] that keeps state for a connection, such as how much it has
// decoded of a body that arrives in pieces.
type PerConnection[In, Out any] interface {
	Codec[In, Out]
	// ForConnection returns the codec for one new connection. It is called right before the handler, or by Dial.
	ForConnection() Codec[In, Out]
}

// Input holds the bytes that a connection has received and the codec has not decoded
// yet.
type Input struct {
	data []byte // what has come and was not consumed
	seen int    // how many of the first bytes of data a Decode has seen that found no message
	need int    // Decode is not called with fewer bytes than this, but at the end
	max  int    // how many bytes a message may have
	end  bool   // nothing comes after data
	told bool   // a Decode that knew of the end has found no message
	kept bool   // data is in a buffer of the connection's own, and not in the chunk of a runner
	part bool   // the codec has a part of the next message

	frame uint32 // how many bytes of a frame do not count for max, if they are more than prefixSize
}

// Bytes returns all bytes from the end of the last message on. The slice is valid until
// Decode returns.
func (in *Input) Bytes() []byte { return in.data }

// Advance drops the first n bytes. It panics if there are fewer bytes.
func (in *Input) Advance(n int) {
	in.data = in.data[n:]
	in.seen = max(0, in.seen-n)
}

// Need says that no message can be complete before n bytes have come, those that have come already
// included: Decode is not called again before. Need holds until the next call of Decode, which has
// to call it anew.
func (in *Input) Need(n int) { in.need = n }

// Within says that Decode has taken a part of the next message with Advance, and keeps that
// part. So [ReadTimeout] counts for the message although Bytes has nothing of it, and the
// message is truncated if the peer closes now. Within holds until the next call of Decode, which
// has to call it anew, also if it returns a message.
func (in *Input) Within() { in.part = true }

// Seen returns how many of the first bytes had come already when Decode was last called
// and found no message: a search for the end of a message need not look at them again.
func (in *Input) Seen() int { return in.seen }

// End reports whether the peer sends nothing after these bytes. A message that needs more
// will never be complete: Decode leaves it where it is, and the connection ends with
// [ReasonTruncated].
func (in *Input) End() bool { return in.end }

// MaxFrame returns how many bytes one message may have, see the option [MaxFrame].
func (in *Input) MaxFrame() int { return in.max }

// ready reports whether Decode has something new to look at.
func (in *Input) ready() bool {
	if in.end && !in.told {
		return true
	}
	return len(in.data) > in.seen && len(in.data) >= in.need
}

// Framing says where a message ends. The ready ones are [Raw], [Lines], [Delimited],
// [FixedLength] and [LengthPrefixed]; [Bytes], [Strings] and [Framed] make a [Codec] of one.
type Framing interface {
	// Split takes the next message from in and reports whether there was a whole one.
	// The message is a part of the bytes of in, without its frame.
	Split(in *Input) (frame []byte, ok bool, err error)
	// Begin appends the part of the frame that stands in front of a message, or leaves
	// room for it.
	Begin(dst []byte) []byte
	// End completes the frame of the message for which Begin was called; start is
	// len(dst) as it was at that call.
	End(dst []byte, start int) ([]byte, error)
}

// Bytes returns the codec whose messages are those that framing finds, each in a slice
// of its own. A slice that was sent belongs to the connection until it is written.
func Bytes(framing Framing) Codec[[]byte, []byte] {
	argument.NotNil("netreactor.Bytes", "framing", framing)
	return Framed(framing,
		func(frame []byte) ([]byte, error) { return bytes.Clone(frame), nil },
		func(dst, msg []byte) ([]byte, error) { return append(dst, msg...), nil })
}

// Strings is [Bytes] for text.
func Strings(framing Framing) Codec[string, string] {
	argument.NotNil("netreactor.Strings", "framing", framing)
	return Framed(framing,
		func(frame []byte) (string, error) { return string(frame), nil },
		func(dst []byte, msg string) ([]byte, error) { return append(dst, msg...), nil })
}

// Framed returns the codec that puts messages of any types into the frames of framing. decode
// makes a message of a frame. The bytes of the frame are valid until decode returns, so
// decode has to copy what it keeps. encode appends the bytes of a message to dst. Many
// goroutines call both.
func Framed[In, Out any](framing Framing, decode func(frame []byte) (In, error), encode func(dst []byte, msg Out) ([]byte, error)) Codec[In, Out] {
	argument.NotNil("netreactor.Framed", "framing", framing)
	argument.NotNil("netreactor.Framed", "decode function", decode)
	argument.NotNil("netreactor.Framed", "encode function", encode)
	return &framed[In, Out]{framing, framing == theLengthPrefixed, decode, encode}
}

type framed[In, Out any] struct {
	framing  Framing
	prefixed bool // framing is LengthPrefixed: what its methods do is done here, without calls by the interface, for there may be many short messages
	decode   func([]byte) (In, error)
	encode   func([]byte, Out) ([]byte, error)
}

func (f *framed[In, Out]) Decode(in *Input) (msg In, ok bool, err error) {
	var frame []byte
	if f.prefixed {
		frame, ok = in.prefixed()
	}
	if !ok {
		if frame, ok, err = f.framing.Split(in); !ok || err != nil {
			return msg, false, err
		}
	}
	msg, err = f.decode(frame)
	return msg, err == nil, err
}

func (f *framed[In, Out]) Encode(dst []byte, msg Out) ([]byte, error) {
	start := len(dst)
	if f.prefixed {
		dst = append(dst, noPrefix...)
	} else {
		dst = f.framing.Begin(dst)
	}
	dst, err := f.encode(dst, msg)
	switch {
	case err != nil:
		return dst, err
	case f.prefixed && putPrefix(dst, start):
		return dst, nil
	}
	return f.framing.End(dst, start)
}

// tooLarge is the error of a message of size bytes, or of more than these.
func tooLarge(in *Input, size int) error {
	return fmt.Errorf("netreactor: %w: %d bytes, at most %d are allowed", ErrTooLarge, size, in.max)
}
