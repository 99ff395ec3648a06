package httpstream_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/flux"
)

// Over the loopback interface, beside the loops that a Go programmer would write. The other
// side is the same in both.

const benchLines = 20_000

var benchLine = []byte("a line of ordinary length, such as logs have, with a number 4711\n")

var benchSum int

func plainHandler(w http.ResponseWriter, _ *http.Request) {
	for range benchLines {
		if _, err := w.Write(benchLine); err != nil {
			return
		}
	}
}

func benchServer(b *testing.B, h http.Handler) *httptest.Server {
	s := httptest.NewServer(h)
	b.Cleanup(s.Close)
	b.SetBytes(int64(benchLines * len(benchLine)))
	return s
}

func scan(b *testing.B, s *httptest.Server) {
	resp, err := s.Client().Get(s.URL)
	require.NoError(b, err)
	defer resp.Body.Close()
	n := 0
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); n++ {
		benchSum += len(lines.Text())
	}
	require.Equal(b, benchLines, n)
}

func BenchmarkClient(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		s := benchServer(b, http.HandlerFunc(plainHandler))
		for b.Loop() {
			scan(b, s)
		}
	})
	b.Run("stream", func(b *testing.B) {
		s := benchServer(b, http.HandlerFunc(plainHandler))
		for b.Loop() {
			n := 0
			require.NoError(b, bytestream.Lines(httpstream.Get(s.Client(), s.URL)).ForEach(context.Background(), func(line string) {
				benchSum += len(line)
				n++
			}))
			require.Equal(b, benchLines, n)
		}
	})
}

// Chunks this small are worth a higher prefetch.
func BenchmarkServer(b *testing.B) {
	lines := flux.Range(0, benchLines).Map(func(int) []byte { return benchLine })
	for name, h := range map[string]http.Handler{
		"plain":  http.HandlerFunc(plainHandler),
		"stream": httpstream.Handler(func(*http.Request) flux.Flux[[]byte] { return lines }, httpstream.Prefetch(32)),
	} {
		b.Run(name, func(b *testing.B) {
			s := benchServer(b, h)
			for b.Loop() {
				resp, err := s.Client().Get(s.URL)
				require.NoError(b, err)
				n, err := io.Copy(io.Discard, resp.Body)
				require.NoError(b, err)
				require.EqualValues(b, benchLines*len(benchLine), n)
				resp.Body.Close()
			}
		})
	}
}
