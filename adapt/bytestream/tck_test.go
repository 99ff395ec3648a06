package bytestream_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/reactortest/tck"
)

// ofNumbers opens a text of n lines that are JSON, CSV and words as well.
func ofNumbers(n int64) bytestream.Opener {
	return func(context.Context) (io.ReadCloser, error) {
		if n == tck.Endless {
			return io.NopCloser(&ones{}), nil
		}
		return io.NopCloser(bytes.NewReader(bytes.Repeat([]byte("1\n"), int(n)))), nil
	}
}

// ones is an endless text.
type ones struct{}

func (ones) Read(p []byte) (int, error) { return copy(p, "1\n1\n1\n1\n"), nil }

func noFile(context.Context) (io.ReadCloser, error) { return nil, errBoom }

func verify[T any](t *testing.T, name string, make func(open bytestream.Opener) reactor.Publisher[T]) {
	t.Run(name, func(t *testing.T) {
		tck.VerifyPublisher(t, tck.Publisher[T]{
			Create: func(n int64) reactor.Publisher[T] { return make(ofNumbers(n)) },
			Failed: func() reactor.Publisher[T] { return make(noFile) },
		}, tck.InBubbles(), tck.Rounds(10))
	})
}

func TestCompatibility(t *testing.T) {
	verify(t, "Lines", func(open bytestream.Opener) reactor.Publisher[string] { return bytestream.Lines(open) })
	verify(t, "Chunks", func(open bytestream.Opener) reactor.Publisher[[]byte] {
		return bytestream.Chunks(open, 2, bytestream.Full())
	})
	verify(t, "Records", func(open bytestream.Opener) reactor.Publisher[[]byte] {
		return bytestream.Records(open, bufio.ScanWords)
	})
	verify(t, "CSV", func(open bytestream.Opener) reactor.Publisher[[]string] { return bytestream.CSV(open) })
	verify(t, "JSONLines", func(open bytestream.Opener) reactor.Publisher[int] { return bytestream.JSONLines[int](open) })
}

func TestCompatibilityOfWrite(t *testing.T) {
	tck.VerifyPublisher(t, tck.Publisher[int64]{
		Create: func(n int64) reactor.Publisher[int64] { return bytestream.Write(texts("a"), bytestream.To(io.Discard)) },
		Failed: func() reactor.Publisher[int64] {
			return bytestream.Write(texts("a"), func(context.Context) (io.WriteCloser, error) { return nil, errBoom })
		},
		Max: 1, Min: 1,
	}, tck.InBubbles(), tck.Rounds(10))
}
