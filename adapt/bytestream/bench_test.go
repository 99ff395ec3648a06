package bytestream_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/internal/testkit/beside"
)

// Each stream of a text beside the loop that a Go programmer would write. Both open and close
// through the same opener, and read what it returns, since a loop that knows the type of its reader
// would be compiled into it. The loops watch no context, so that of the streams never ends.

const benchLines = 10_000

var benchText = func() []byte {
	var text []byte
	for i := range benchLines {
		text = fmt.Appendf(text, "{\"id\":%d,\"note\":\"a line of ordinary length, number %d\"}\n", i, i)
	}
	return text
}()

var benchCSV = bytes.Repeat([]byte("4711,Ada Lovelace,\"London, England\",1815-12-10\n"), benchLines)

func openBytes(text []byte) bytestream.Opener {
	return func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
}

var (
	benchSum   int
	benchChunk []byte
)

// pair compares a loop with a stream: both return how many elements of text there were.
func pair(b *testing.B, text []byte, plain func(r io.Reader) (n int, err error), stream func(open bytestream.Opener) (n int, err error)) {
	open := openBytes(text)
	side := func(all func() (n int, err error)) beside.Side {
		return func(b *testing.B) func() {
			b.SetBytes(int64(len(text)))
			return func() {
				n, err := all()
				require.NoError(b, err)
				require.Equal(b, benchLines, n)
			}
		}
	}
	beside.Run(b, side(func() (n int, err error) {
		r, err := open(b.Context())
		if err != nil {
			return 0, err
		}
		n, err = plain(r)
		return n, errors.Join(err, r.Close())
	}), side(func() (n int, err error) { return stream(open) }))
}

func BenchmarkLines(b *testing.B) {
	pair(b, benchText, func(r io.Reader) (n int, err error) {
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			benchSum += len(lines.Text())
			n++
		}
		return n, lines.Err()
	}, func(open bytestream.Opener) (n int, err error) {
		err = bytestream.Lines(open).ForEach(context.Background(), func(line string) {
			benchSum += len(line)
			n++
		})
		return n, err
	})
}

func BenchmarkRecords(b *testing.B) {
	pair(b, benchText, func(r io.Reader) (n int, err error) {
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			benchChunk = bytes.Clone(lines.Bytes())
			n++
		}
		return n, lines.Err()
	}, func(open bytestream.Opener) (n int, err error) {
		err = bytestream.Records(open, bufio.ScanLines).ForEach(context.Background(), func(line []byte) {
			benchChunk = line
			n++
		})
		return n, err
	})
}

// Nothing is copied: what is left is the way from the reader to the function.
func BenchmarkRecordsReuse(b *testing.B) {
	pair(b, benchText, func(r io.Reader) (n int, err error) {
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			benchSum += len(lines.Bytes())
			n++
		}
		return n, lines.Err()
	}, func(open bytestream.Opener) (n int, err error) {
		err = bytestream.Records(open, bufio.ScanLines, bytestream.Reuse()).ForEach(context.Background(), func(line []byte) {
			benchSum += len(line)
			n++
		})
		return n, err
	})
}

func BenchmarkChunks(b *testing.B) {
	const size = 64
	pair(b, make([]byte, benchLines*size), func(r io.Reader) (n int, err error) {
		for {
			chunk := make([]byte, size)
			k, err := r.Read(chunk)
			if k > 0 {
				benchChunk = chunk[:k]
				n++
			}
			if err == io.EOF {
				return n, nil
			}
			if err != nil {
				return n, err
			}
		}
	}, func(open bytestream.Opener) (n int, err error) {
		err = bytestream.Chunks(open, size).ForEach(context.Background(), func(chunk []byte) {
			benchChunk = chunk
			n++
		})
		return n, err
	})
}

func BenchmarkCSV(b *testing.B) {
	pair(b, benchCSV, func(r io.Reader) (n int, err error) {
		records := csv.NewReader(r)
		for {
			record, err := records.Read()
			if err == io.EOF {
				return n, nil
			}
			if err != nil {
				return n, err
			}
			benchSum += len(record)
			n++
		}
	}, func(open bytestream.Opener) (n int, err error) {
		err = bytestream.CSV(open).ForEach(context.Background(), func(record []string) {
			benchSum += len(record)
			n++
		})
		return n, err
	})
}

func BenchmarkJSONLines(b *testing.B) {
	pair(b, benchText, func(r io.Reader) (n int, err error) {
		lines := bufio.NewScanner(r)
		for lines.Scan() {
			var o order
			if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
				return n, err
			}
			benchSum += o.ID
			n++
		}
		return n, lines.Err()
	}, func(open bytestream.Opener) (n int, err error) {
		err = bytestream.JSONLines[order](open).ForEach(context.Background(), func(o order) {
			benchSum += o.ID
			n++
		})
		return n, err
	})
}

// From file to file, in chunks of 32 KiB.
func BenchmarkWrite(b *testing.B) {
	const size, total = 32 << 10, 1 << 24
	dir := b.TempDir()
	source, copied := filepath.Join(dir, "source"), filepath.Join(dir, "copied")
	require.NoError(b, os.WriteFile(source, make([]byte, total), 0o600))
	side := func(all func() (n int64, err error)) beside.Side {
		return func(b *testing.B) func() {
			b.SetBytes(total)
			return func() {
				n, err := all()
				require.NoError(b, err)
				require.EqualValues(b, total, n)
			}
		}
	}
	beside.Run(b, side(func() (n int64, err error) {
		r, err := os.Open(source)
		if err != nil {
			return 0, err
		}
		defer r.Close()
		w, err := os.Create(copied)
		if err != nil {
			return 0, err
		}
		// Without the calls by which one file hands itself to the other.
		n, err = io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, make([]byte, size))
		return n, errors.Join(err, w.Close())
	}), side(func() (n int64, err error) {
		return bytestream.Write(bytestream.Chunks(bytestream.File(source), size), bytestream.NewFile(copied)).Block(context.Background())
	}))
}
