package netreactor

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// framings are those whose messages a stream can hold, by number.
func framings() []Framing {
	return []Framing{Raw(), Lines(), Delimited("ab"), Delimited("\x00"), FixedLength(3), LengthPrefixed()}
}

// decodeAll feeds data to framing, cut at every step bytes, as a connection does, and returns
// the messages.
func decodeAll(t *testing.T, framing Framing, data []byte, step int, most int) (messages []string, err error) {
	in := Input{max: most}
	for len(data) > 0 || !in.end {
		n := min(step, len(data))
		in.data = append(bytes.Clone(in.data), data[:n]...)
		data = data[n:]
		in.end = n == 0
		for in.ready() {
			before := len(in.data)
			frame, ok, err := framing.Split(&in)
			if err != nil {
				return messages, err
			}
			if !ok {
				in.seen, in.told = len(in.data), in.end
				require.LessOrEqual(t, in.need, most+prefixSize)
				break
			}
			require.Less(t, len(in.data), before, "something was used")
			require.LessOrEqual(t, len(frame), most)
			in.seen, in.need = 0, 0
			messages = append(messages, string(frame))
		}
	}
	return messages, nil
}

// FuzzFramings: however a stream is cut, it has the same messages and the same error.
func FuzzFramings(f *testing.F) {
	f.Add(uint8(1), []byte("a\nb\r\n\nc"), uint8(1), uint8(20))
	f.Add(uint8(2), []byte("xabyaab"), uint8(2), uint8(3))
	f.Add(uint8(3), []byte("x\x00\x00y"), uint8(3), uint8(200))
	f.Add(uint8(4), []byte("abcdefg"), uint8(2), uint8(10))
	f.Add(uint8(5), []byte{0, 0, 0, 1, 'x', 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, uint8(3), uint8(10))
	f.Add(uint8(5), []byte{0, 0, 1, 0}, uint8(3), uint8(10))
	f.Fuzz(func(t *testing.T, which uint8, data []byte, step, most uint8) {
		framing := framings()[int(which)%len(framings())]
		size := max(1, int(most))
		whole, wholeErr := decodeAll(t, framing, data, max(1, len(data)), size)
		cut, cutErr := decodeAll(t, framing, data, max(1, int(step)), size)
		if framing == Raw() {
			assert.Equal(t, string(data), strings.Join(cut, ""))
			return
		}
		assert.Equal(t, whole, cut)
		assert.Equal(t, wholeErr == nil, cutErr == nil)
	})
}

// FuzzRoundTrip: what is encoded is decoded again.
func FuzzRoundTrip(f *testing.F) {
	f.Add(uint8(1), []byte("one"), []byte(""))
	f.Add(uint8(5), []byte{0, 1}, []byte("x"))
	f.Fuzz(func(t *testing.T, which uint8, a, b []byte) {
		framing := framings()[int(which)%len(framings())]
		if framing == Raw() {
			return
		}
		codec := Bytes(framing)
		var stream []byte
		var want []string
		for _, m := range [][]byte{a, b} {
			if bytes.ContainsAny(m, "\n\r\x00") || bytes.Contains(append(m, 'a'), []byte("a")) && which%6 == 2 {
				return // what delimits can't be sent
			}
			encoded, err := codec.Encode(stream, m)
			if err != nil {
				require.IsType(t, FixedLength(3), framing)
				return
			}
			stream = encoded
			want = append(want, string(m))
		}
		got, err := decodeAll(t, framing, stream, 1, 1<<20)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
}
