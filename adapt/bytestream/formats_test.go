package bytestream_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

func chunksOf(t *testing.T, r io.Reader, size int, opts ...bytestream.ChunksOption) ([]string, error) {
	t.Helper()
	src := &tracked{Reader: r}
	var list []string
	err := bytestream.Chunks(src.open, size, opts...).ForEach(t.Context(), func(chunk []byte) { list = append(list, string(chunk)) })
	src.check(t)
	return list, err
}

func TestChunks(t *testing.T) {
	for _, opts := range [][]bytestream.ChunksOption{nil, {bytestream.Reuse()}, {bytestream.Full()}, {bytestream.Full(), bytestream.Reuse()}} {
		got, err := chunksOf(t, strings.NewReader("abcde"), 2, opts...)
		require.NoError(t, err)
		assert.Equal(t, []string{"ab", "cd", "e"}, got)
	}
	got, err := chunksOf(t, iotest.OneByteReader(strings.NewReader("abc")), 2)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "c"}, got, "what one Read returns")
	got, err = chunksOf(t, iotest.OneByteReader(strings.NewReader("abc")), 2, bytestream.Full())
	require.NoError(t, err)
	assert.Equal(t, []string{"ab", "c"}, got)
	got, err = chunksOf(t, iotest.DataErrReader(strings.NewReader("abc")), 2, bytestream.Full())
	require.NoError(t, err)
	assert.Equal(t, []string{"ab", "c"}, got)
	got, err = chunksOf(t, then("abc", errBoom), 2)
	assert.Equal(t, []string{"ab", "c"}, got)
	assert.EqualError(t, err, "reactor: bytestream.chunks: read failed: at byte 3: boom")
	got, err = chunksOf(t, then("abc", errBoom), 2, bytestream.Full())
	assert.Equal(t, []string{"ab"}, got)
	assert.EqualError(t, err, "reactor: bytestream.chunks: read failed: at byte 3: boom")
}

func TestChunksBelongToTheReceiver(t *testing.T) {
	text := make([]byte, 800)
	for i := range text {
		text[i] = byte(i / 3)
	}
	all, err := bytestream.Chunks(bytestream.From(iotest.HalfReader(bytes.NewReader(text))), 64).Collect(t.Context())
	require.NoError(t, err)
	var sum []byte
	for _, chunk := range all {
		sum = append(sum, chunk...)
		_ = append(chunk, "overwrites the next one"...)
	}
	assert.Equal(t, text, sum)
}

func TestRecords(t *testing.T) {
	records := func(r io.Reader, split bufio.SplitFunc, opts ...bytestream.RecordsOption) (list []string, err error) {
		src := &tracked{Reader: r}
		err = bytestream.Records(src.open, split, opts...).ForEach(t.Context(), func(b []byte) { list = append(list, string(b)) })
		src.check(t)
		return list, err
	}
	for _, opts := range [][]bytestream.RecordsOption{nil, {bytestream.Reuse()}} {
		got, err := records(iotest.OneByteReader(strings.NewReader("to be  or")), bufio.ScanWords, opts...)
		require.NoError(t, err)
		assert.Equal(t, []string{"to", "be", "or"}, got)
	}
	got, err := records(then("to be or", errBoom), bufio.ScanWords)
	assert.Equal(t, []string{"to", "be"}, got, "it may have been the beginning of another word")
	assert.EqualError(t, err, "reactor: bytestream.records: read failed: record 3, at byte 8: boom")

	got, err = records(strings.NewReader("to question"), bufio.ScanWords, bytestream.MaxRecord(4))
	assert.Equal(t, []string{"to"}, got)
	assert.EqualError(t, err, "reactor: bytestream.records: too long: record 2, at byte 3: more than 4 bytes")

	bad := func(data []byte, atEOF bool) (int, []byte, error) {
		if strings.HasPrefix(string(data), "x") {
			return 0, nil, errBoom
		}
		return bufio.ScanWords(data, atEOF)
	}
	got, err = records(strings.NewReader("to xx"), bad)
	assert.Equal(t, []string{"to"}, got)
	assert.ErrorIs(t, err, bytestream.ErrMalformed)
	assert.EqualError(t, err, "reactor: bytestream.records: malformed: record 2, at byte 3: boom")

	_, err = records(strings.NewReader("x"), func([]byte, bool) (int, []byte, error) { return -1, nil, nil })
	assert.EqualError(t, err, "reactor: bytestream.records: malformed: record 1, at byte 0: bufio.Scanner: SplitFunc returns negative advance count")
	_, err = records(strings.NewReader("x"), func([]byte, bool) (int, []byte, error) { return 0, []byte{}, nil })
	assert.EqualError(t, err, "reactor: bytestream.records: malformed: record 101, at byte 0: the function that splits makes no progress")
	_, err = records(strings.NewReader("x"), func(data []byte, _ bool) (int, []byte, error) { return len(data) + 1, []byte{}, nil })
	assert.EqualError(t, err, "reactor: bytestream.records: malformed: record 1, at byte 0: bufio.Scanner: SplitFunc returns advance count beyond input")
	got, err = records(strings.NewReader("xy"), func([]byte, bool) (int, []byte, error) { return 1, []byte("x"), errBoom })
	assert.Empty(t, got)
	assert.EqualError(t, err, "reactor: bytestream.records: malformed: record 1, at byte 0: boom", "though it has found something")

	// It makes progress if it does so now and then, and waits for the end of a record as long as that takes.
	text, empty := strings.Repeat("x", 200), false
	got, err = records(strings.NewReader(text), func(data []byte, _ bool) (int, []byte, error) {
		switch empty = !empty; {
		case len(data) == 0:
			return 0, nil, nil
		case empty:
			return 0, data[:0], nil
		}
		return 1, data[:1], nil
	})
	require.NoError(t, err)
	assert.Equal(t, text, strings.Join(got, ""))
	got, err = records(iotest.OneByteReader(strings.NewReader(text)), bufio.ScanWords)
	require.NoError(t, err)
	assert.Equal(t, []string{text}, got)
	_, err = records(strings.NewReader("x"), func([]byte, bool) (int, []byte, error) { panic(errBoom) })
	assert.ErrorIs(t, err, errBoom)
}

type order struct {
	ID   int    `json:"id"`
	Note string `json:"note"`
}

func TestJSONLines(t *testing.T) {
	for _, wrap := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.DataErrReader} {
		got, err := bytestream.JSONLines[order](bytestream.From(wrap(strings.NewReader("{\"id\":1}\r\n\n  \n{\"id\":2,\"note\":\"ä\"}")))).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []order{{ID: 1}, {2, "ä"}}, got)
	}
	for input, want := range map[string]string{
		"{\"id\":1}\n{\"id\":":                         "malformed: line 2, at byte 9: ",
		"{\"id\":1}\n{\"id\":2}}\n":                    "malformed: line 2, at byte 9: ",
		"{\"id\":1}\n{\"id\":\"x\"}\n":                 "malformed: line 2, at byte 9: ",
		"{\"id\":1}\n{\"note\":\"\xff\"}":              "malformed: line 2, at byte 18: invalid UTF-8",
		"{\"id\":1}\n" + strings.Repeat(" ", 21) + "1": "too long: line 2, at byte 9: more than 20 bytes",
	} {
		s := reactortest.Subscribe(t, bytestream.JSONLines[order](from(input), bytestream.MaxLine(20)))
		s.ExpectNext(order{ID: 1})
		assert.ErrorContains(t, s.ExpectError(), "reactor: bytestream.jsonLines: "+want)
	}
	_, err := bytestream.JSONLines[int](from("x")).Collect(t.Context())
	_, ok := errors.AsType[*json.SyntaxError](err)
	assert.True(t, ok, "%v", err)
}

func TestCSV(t *testing.T) {
	got, err := bytestream.CSV(from("a,b\n1,\"x\ny\"\n"), bytestream.ValidUTF8()).Collect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"a", "b"}, {"1", "x\ny"}}, got)

	got, err = bytestream.CSV(from("# no\na;b\n1\nx\"y;\n"), bytestream.Comma(';'), bytestream.Comment('#'), bytestream.Fields(-1), bytestream.LazyQuotes()).Collect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"a", "b"}, {"1"}, {"x\"y", ""}}, got)

	for input, want := range map[string]string{
		"a,b\n1,2,3\n":        "malformed: record 2, at byte 4: record on line 2: wrong number of fields",
		"a,b\n1,\"x\"y\n":     "malformed: record 2, at byte 4: parse error on line 2, column 5: extraneous or missing \" in quoted-field",
		"a,b\n1,\"x":          "malformed: record 2, at byte 4: parse error on line 2, column 5: extraneous or missing \" in quoted-field",
		"a,b\nabc,\"\xff\"\n": "malformed: record 2, at byte 4: invalid UTF-8 in field 2: byte 0 of \"\\xff\"",
		"a,b\n1,\"" + strings.Repeat("y", 20) + "\"\n": "too long: record 2, at byte 4: more than 20 bytes",
	} {
		s := reactortest.Subscribe(t, bytestream.CSV(from(input), bytestream.ValidUTF8(), bytestream.MaxRecord(20)))
		s.ExpectNext([]string{"a", "b"})
		assert.EqualError(t, s.ExpectError(), "reactor: bytestream.csv: "+want)
	}
	_, err = bytestream.CSV(from("\"a")).Collect(t.Context())
	_, ok := errors.AsType[*csv.ParseError](err)
	assert.True(t, ok, "%v", err)

	// A quote that is never closed does not collect what comes.
	quoted := &tracked{Reader: io.MultiReader(strings.NewReader("a,\""), endless{})}
	_, err = bytestream.CSV(quoted.open).Collect(t.Context())
	assert.EqualError(t, err, "reactor: bytestream.csv: too long: record 1, at byte 0: more than 1048576 bytes")
	assert.Less(t, quoted.reads.Load(), int32(300))

	s := reactortest.Subscribe(t, bytestream.CSV(then("a,b\n1,", errBoom).open))
	s.ExpectNext([]string{"a", "b"})
	assert.EqualError(t, s.ExpectError(), "reactor: bytestream.csv: read failed: record 2, at byte 6: boom")
}

func TestCSVReuse(t *testing.T) {
	var seen []string
	require.NoError(t, bytestream.CSV(from("a,b\nc,d\n"), bytestream.Reuse()).ForEach(t.Context(), func(r []string) {
		seen = append(seen, strings.Join(r, "+"))
	}))
	assert.Equal(t, []string{"a+b", "c+d"}, seen)
}

func TestFormatsReadOnDemand(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		src := &tracked{Reader: endless{}}
		s := reactortest.Subscribe(t, bytestream.Chunks(src.open, 1024), reactortest.InitialRequest(3))
		s.ExpectNextCount(3)
		synctest.Wait()
		assert.EqualValues(t, 3, src.reads.Load(), "nothing is read ahead")
		s.Cancel()
		synctest.Wait()
		src.check(t)
	})
}

// Records finds what bufio.Scanner finds, whatever the function, the limit, and the pieces in
// which the text comes; but it does not take the failure of a reader for its end.
func TestRecordsAreThoseOfAScanner(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	untilStop := func(data []byte, atEOF bool) (int, []byte, error) {
		advance, token, err := bufio.ScanWords(data, atEOF)
		if err == nil && string(token) == "stop" {
			return 0, []byte("end"), bufio.ErrFinalToken
		}
		return advance, token, err
	}
	pairs := func(data []byte, atEOF bool) (int, []byte, error) { // skips, without a record, what is odd
		skipped := 0
		for len(data) >= 2 && data[0] == ' ' {
			skipped++
			data = data[1:]
			if !atEOF { // else there would be no further call
				return skipped, nil, nil
			}
		}
		if len(data) >= 2 {
			return skipped + 2, data[:2], nil
		}
		return 0, nil, nil
	}
	splits := []bufio.SplitFunc{bufio.ScanLines, bufio.ScanWords, bufio.ScanRunes, bufio.ScanBytes, untilStop, pairs}
	words := []string{"a", "bb", " ", "\n", "\r\n", "stop", "ä", "\xff", strings.Repeat("x", 50)}
	readers := []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader}
	for round := range 1000 {
		var text strings.Builder
		for range random.IntN(40) {
			text.WriteString(words[random.IntN(len(words))])
		}
		split, limit := splits[random.IntN(len(splits))], 1+random.IntN(100)
		read := readers[random.IntN(len(readers))]
		reader := func() io.Reader {
			if round%5 == 0 {
				return io.MultiReader(read(strings.NewReader(text.String())), iotest.ErrReader(errBoom))
			}
			return read(strings.NewReader(text.String()))
		}

		scanner := bufio.NewScanner(reader())
		scanner.Buffer(make([]byte, 0, limit+2), limit+2) // with \r\n
		scanner.Split(func(data []byte, atEOF bool) (int, []byte, error) {
			fails := round%5 == 0
			if fails && len(data) == 0 {
				return 0, nil, nil
			}
			return split(data, atEOF && !fails)
		})
		var want []string
		failed := error(nil)
		for failed == nil && scanner.Scan() {
			if len(scanner.Bytes()) > limit {
				failed = bufio.ErrTooLong
			} else {
				want = append(want, scanner.Text())
			}
		}
		failed = cmp.Or(failed, scanner.Err())
		var got []string
		err := bytestream.Records(bytestream.From(reader()), split, bytestream.MaxRecord(limit), bytestream.Reuse(), bytestream.On(schedulers.Immediate())).
			ForEach(t.Context(), func(b []byte) { got = append(got, string(b)) })
		require.Equal(t, want, got, "%q, at most %d", text.String(), limit)
		switch failed {
		case nil:
			require.NoError(t, err)
		case bufio.ErrTooLong:
			require.ErrorIs(t, err, bytestream.ErrTooLong, "%q, at most %d", text.String(), limit)
		default:
			require.ErrorIs(t, err, failed)
		}
	}
}
