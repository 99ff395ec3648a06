package sse_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/sse"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/testkit/beside"
)

// Over the loopback interface, beside loops over lines that know no more than the format of
// the other side. The other side is the same in both.

const benchEvents = 10_000

var benchText = bytes.Repeat([]byte("id: 1234\ndata: {\"price\":4711,\"of\":\"something\"}\n\n"), benchEvents)

var benchEvent = sse.Event{ID: "1234", Data: `{"price":4711,"of":"something"}`}

func benchServer(b *testing.B, h http.Handler) *httptest.Server {
	s := httptest.NewServer(h)
	b.Cleanup(s.Close)
	b.SetBytes(int64(len(benchText)))
	return s
}

func BenchmarkClient(b *testing.B) {
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(benchText)
	})
	beside.Run(b, func(b *testing.B) func() {
		s := benchServer(b, answer)
		return func() {
			resp, err := s.Client().Get(s.URL)
			require.NoError(b, err)
			n := 0
			var e sse.Event
			lines := bufio.NewScanner(resp.Body)
			for lines.Scan() {
				field, value, _ := strings.Cut(lines.Text(), ": ")
				switch field {
				case "":
					if e == benchEvent {
						n++
					}
					e = sse.Event{}
				case "id":
					e.ID = value
				case "data":
					e.Data += value
				}
			}
			require.NoError(b, lines.Err())
			resp.Body.Close()
			require.Equal(b, benchEvents, n)
		}
	}, func(b *testing.B) func() {
		s := benchServer(b, answer)
		req, err := http.NewRequest(http.MethodGet, s.URL, nil)
		require.NoError(b, err)
		return func() {
			n := 0
			require.NoError(b, sse.Events(s.Client(), req, sse.Once()).ForEach(context.Background(), func(e sse.Event) {
				if e == benchEvent {
					n++
				}
			}))
			require.Equal(b, benchEvents, n)
		}
	})
}

func BenchmarkServer(b *testing.B) {
	events := flux.Range(0, benchEvents).Map(func(int) sse.Event { return benchEvent })
	side := func(h http.Handler) beside.Side {
		return func(b *testing.B) func() {
			s := benchServer(b, h)
			return func() {
				resp, err := s.Client().Get(s.URL)
				require.NoError(b, err)
				n, err := io.Copy(io.Discard, resp.Body)
				require.NoError(b, err)
				require.EqualValues(b, len(benchText), n)
				resp.Body.Close()
			}
		}
	}
	beside.Run(b, side(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range benchEvents {
			if _, err := fmt.Fprintf(w, "id: %s\ndata: %s\n\n", benchEvent.ID, benchEvent.Data); err != nil {
				return
			}
		}
	})), side(sse.Handler(func(*http.Request) flux.Flux[sse.Event] { return events })))
}
