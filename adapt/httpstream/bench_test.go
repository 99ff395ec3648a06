package httpstream_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/beside"
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

func scan(ctx context.Context, s *httptest.Server) (n int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		return 0, err
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK {
		return 0, errors.Join(errors.New(resp.Status), resp.Body.Close())
	}
	lines := bufio.NewScanner(resp.Body)
	for ; lines.Scan(); n++ {
		benchSum += len(lines.Text())
	}
	return n, errors.Join(lines.Err(), resp.Body.Close())
}

func BenchmarkClient(b *testing.B) {
	side := func(all func(ctx context.Context, s *httptest.Server) (int, error)) beside.Side {
		return func(b *testing.B) func() {
			s := benchServer(b, http.HandlerFunc(plainHandler))
			return func() {
				n, err := all(b.Context(), s)
				require.NoError(b, err)
				require.Equal(b, benchLines, n)
			}
		}
	}
	beside.Run(b, side(scan), side(func(_ context.Context, s *httptest.Server) (n int, err error) {
		err = bytestream.Lines(httpstream.Get(s.Client(), s.URL)).ForEach(context.Background(), func(line string) {
			benchSum += len(line)
			n++
		})
		return n, err
	}))
}

// Chunks this small are worth a higher prefetch.
func BenchmarkServer(b *testing.B) {
	lines := flux.Range(0, benchLines).Map(func(int) []byte { return benchLine })
	side := func(h http.Handler) beside.Side {
		return func(b *testing.B) func() {
			s := benchServer(b, h)
			return func() {
				resp, err := s.Client().Get(s.URL)
				require.NoError(b, err)
				n, err := io.Copy(io.Discard, resp.Body)
				require.NoError(b, err)
				require.EqualValues(b, benchLines*len(benchLine), n)
				resp.Body.Close()
			}
		}
	}
	beside.Run(b, side(http.HandlerFunc(plainHandler)),
		side(httpstream.Handler(func(*http.Request) flux.Flux[[]byte] { return lines }, httpstream.Prefetch(32))))
}
