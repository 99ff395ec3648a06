package bytestream_test

import (
	"bufio"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/reactortest"
)

// A reader that is a stream of the same function fails like any other.
func TestNestedStreamThatFails(t *testing.T) {
	inner := bytestream.Lines(from("a\nxxxx\n"), bytestream.MaxLine(3)).Map(func(s string) []byte { return []byte(s + "\n") })
	s := reactortest.Subscribe(t, bytestream.Lines(bytestream.From(bytestream.NewReader(t.Context(), inner))))
	s.ExpectNext("a")
	err := s.ExpectError()
	assert.ErrorIs(t, err, bytestream.ErrRead)
	assert.ErrorIs(t, err, bytestream.ErrTooLong)
	assert.EqualError(t, err, "reactor: bytestream.lines: read failed: line 2, at byte 2: reactor: bytestream.lines: too long: line 2, at byte 2: more than 3 bytes")
}

// A record may have as many bytes as MaxRecord says, wherever it ends.
func TestRecordOfExactlyTheLimit(t *testing.T) {
	for _, text := range []string{"abcde", "abcde fg", "a abcde", "a abcde fg"} {
		for _, read := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader} {
			s := reactortest.Subscribe(t, bytestream.Records(bytestream.From(read(strings.NewReader(text))), bufio.ScanWords, bytestream.MaxRecord(5)))
			for _, word := range strings.Fields(text) {
				s.ExpectNext([]byte(word))
			}
			s.ExpectComplete()
		}
	}
	for _, text := range []string{"abcdef", "abcdef fg", "abcdef "} {
		_, err := bytestream.Records(from(text), bufio.ScanWords, bytestream.MaxRecord(5)).Collect(t.Context())
		assert.ErrorIs(t, err, bytestream.ErrTooLong, text)
	}
}

// A function that splits looks at all of a record again after each read: the reads grow with it, so that it looks at each byte a few
// times only.
func TestReadsOfALongRecord(t *testing.T) {
	const long = 16 << 20
	looked := 0
	split := func(data []byte, atEOF bool) (int, []byte, error) {
		looked += len(data)
		return bufio.ScanLines(data, atEOF)
	}
	records, err := bytestream.Records(from(strings.Repeat("x", long)+"\ny\n"), split, bytestream.MaxRecord(2*long)).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, records, 2)
	assert.Len(t, records[0], long)
	assert.Equal(t, "y", string(records[1]))
	assert.Less(t, looked, 5*long)
}

// After a line that took a large buffer, no more is read ahead than before it.
func TestReadAheadAfterALongLine(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		const long = 600 << 10
		src := &tracked{Reader: strings.NewReader(strings.Repeat("x", long) + "\n" + strings.Repeat("y\n", 1<<20))}
		read := 0
		counted := readFunc(func(p []byte) (int, error) {
			n, err := src.Read(p)
			read += n
			return n, err
		})
		s := reactortest.Subscribe(t, bytestream.Lines(bytestream.From(counted)), reactortest.InitialRequest(1))
		s.ExpectNextCount(1)
		for range 4 {
			s.Request(5000)
			s.ExpectNextCount(5000)
		}
		synctest.Wait()
		assert.LessOrEqual(t, read-(long+1+40_000), 16<<10)
		s.Cancel()
	})
}

// The largest number that there is stands for no limit, as it does for who adds it up.
func TestLargestLimit(t *testing.T) {
	records, err := bytestream.CSV(from("a,b\n1,2\n"), bytestream.MaxRecord(math.MaxInt)).Collect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"a", "b"}, {"1", "2"}}, records)
	lines, err := bytestream.Lines(from("a\nb\n"), bytestream.MaxLine(math.MaxInt)).Collect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, lines)
	words, err := bytestream.Records(from("a b"), bufio.ScanWords, bytestream.MaxRecord(math.MaxInt)).Collect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, [][]byte{[]byte("a"), []byte("b")}, words)
}

// The end of its line is a part of a record of CSV.
func TestCSVRecordOfExactlyTheLimit(t *testing.T) {
	for _, text := range []string{"a,b,c", "a,b\r\n", "#\na,b", "\n\na,b", "a,bc\n1,2\n"} {
		read := func(limit int) error {
			return bytestream.CSV(from(text), bytestream.MaxRecord(limit), bytestream.Comment('#')).Then().Run(t.Context())
		}
		assert.NoError(t, read(5), text)
		assert.ErrorIs(t, read(4), bytestream.ErrTooLong, text)
	}
}
