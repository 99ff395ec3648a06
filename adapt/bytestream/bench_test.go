package bytestream_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/bytestream"
)

// Each stream of a text beside the loop that a Go programmer would write. The loops watch no
// context, so that of the streams never ends.

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

func pair(b *testing.B, size int, plain, stream func(b *testing.B) (n int)) {
	for _, way := range []struct {
		name string
		fn   func(b *testing.B) int
	}{{"plain", plain}, {"stream", stream}} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				require.Equal(b, benchLines, way.fn(b))
			}
		})
	}
}

func BenchmarkLines(b *testing.B) {
	pair(b, len(benchText), func(*testing.B) (n int) {
		lines := bufio.NewScanner(bytes.NewReader(benchText))
		for lines.Scan() {
			benchSum += len(lines.Text())
			n++
		}
		return n
	}, func(b *testing.B) (n int) {
		require.NoError(b, bytestream.Lines(openBytes(benchText)).ForEach(context.Background(), func(line string) {
			benchSum += len(line)
			n++
		}))
		return n
	})
}

func BenchmarkRecords(b *testing.B) {
	pair(b, len(benchText), func(*testing.B) (n int) {
		lines := bufio.NewScanner(bytes.NewReader(benchText))
		for lines.Scan() {
			benchChunk = bytes.Clone(lines.Bytes())
			n++
		}
		return n
	}, func(b *testing.B) (n int) {
		require.NoError(b, bytestream.Records(openBytes(benchText), bufio.ScanLines).ForEach(context.Background(), func(line []byte) {
			benchChunk = line
			n++
		}))
		return n
	})
}

// Nothing is copied: what is left is the way from the reader to the function.
func BenchmarkRecordsReuse(b *testing.B) {
	pair(b, len(benchText), func(*testing.B) (n int) {
		lines := bufio.NewScanner(bytes.NewReader(benchText))
		for lines.Scan() {
			benchSum += len(lines.Bytes())
			n++
		}
		return n
	}, func(b *testing.B) (n int) {
		require.NoError(b, bytestream.Records(openBytes(benchText), bufio.ScanLines, bytestream.Reuse()).ForEach(context.Background(), func(line []byte) {
			benchSum += len(line)
			n++
		}))
		return n
	})
}

func BenchmarkChunks(b *testing.B) {
	const size = 64
	text := make([]byte, benchLines*size)
	pair(b, len(text), func(*testing.B) (n int) {
		r := bytes.NewReader(text)
		for {
			chunk := make([]byte, size)
			k, err := r.Read(chunk)
			if err != nil {
				return n
			}
			benchChunk = chunk[:k]
			benchSum += k
			n++
		}
	}, func(b *testing.B) (n int) {
		require.NoError(b, bytestream.Chunks(openBytes(text), size).ForEach(context.Background(), func(chunk []byte) {
			benchSum += len(chunk)
			n++
		}))
		return n
	})
}

func BenchmarkCSV(b *testing.B) {
	pair(b, len(benchCSV), func(*testing.B) (n int) {
		r := csv.NewReader(bytes.NewReader(benchCSV))
		for {
			record, err := r.Read()
			if err != nil {
				return n
			}
			benchSum += len(record)
			n++
		}
	}, func(b *testing.B) (n int) {
		require.NoError(b, bytestream.CSV(openBytes(benchCSV)).ForEach(context.Background(), func(record []string) {
			benchSum += len(record)
			n++
		}))
		return n
	})
}

func BenchmarkJSONLines(b *testing.B) {
	pair(b, len(benchText), func(b *testing.B) (n int) {
		lines := bufio.NewScanner(bytes.NewReader(benchText))
		for lines.Scan() {
			var o order
			require.NoError(b, json.Unmarshal(lines.Bytes(), &o))
			benchSum += o.ID
			n++
		}
		return n
	}, func(b *testing.B) (n int) {
		require.NoError(b, bytestream.JSONLines[order](openBytes(benchText)).ForEach(context.Background(), func(o order) {
			benchSum += o.ID
			n++
		}))
		return n
	})
}

// From file to file, in chunks of 32 KiB.
func BenchmarkWrite(b *testing.B) {
	const size = 32 << 10
	dir := b.TempDir()
	source, copied := filepath.Join(dir, "source"), filepath.Join(dir, "copied")
	const bytes = 1 << 24
	require.NoError(b, os.WriteFile(source, make([]byte, bytes), 0o600))
	scale := func(n int64) int { return int(n / bytes * benchLines) } // what pair expects
	pair(b, bytes, func(b *testing.B) int {
		r, err := os.Open(source)
		require.NoError(b, err)
		defer r.Close()
		w, err := os.Create(copied)
		require.NoError(b, err)
		// Without the calls by which one file hands itself to the other.
		n, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, make([]byte, size))
		require.NoError(b, err)
		require.NoError(b, w.Close())
		return scale(n)
	}, func(b *testing.B) int {
		n, err := bytestream.Write(bytestream.Chunks(bytestream.File(source), size), bytestream.NewFile(copied)).Block(b.Context())
		require.NoError(b, err)
		return scale(n)
	})
}
