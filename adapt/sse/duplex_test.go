package sse_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/adapt/internal/pipenet"
	"github.com/goreactor/reactor/adapt/sse"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
)

// Events may be made of the body of the request, though their header goes out before.
func TestEventsOfWhatIsStillComing(t *testing.T) {
	for name, serve := range map[string]func(testing.TB, http.Handler) *pipenet.Server{"HTTP/1.1": pipenet.Serve, "HTTP/2": pipenet.Serve2} {
		reactortest.Bubble(t, func(t *testing.T) {
			server := serve(t, sse.Handler(func(r *http.Request) flux.Flux[sse.Event] {
				return bytestream.Lines(bytestream.From(r.Body)).
					DelaySubscriptionFor(time.Second).
					Map(func(line string) sse.Event { return sse.Event{Data: line} })
			}))
			known, err := http.NewRequest(http.MethodPost, "http://test/", strings.NewReader("a\nb\n"))
			require.NoError(t, err)
			slow, err := httpstream.NewRequest(http.MethodPost, "http://test/", flux.Just([]byte("a\n"), []byte("b\n")).DelayElements(2*time.Second))
			require.NoError(t, err)
			for _, req := range []*http.Request{known, slow} {
				got, err := sse.Events(server.Client, req, sse.Once()).Collect(t.Context())
				require.NoError(t, err, name)
				assert.Equal(t, []sse.Event{{Data: "a"}, {Data: "b"}}, got, name)
			}
		})
	}
}

// A client whose body is still to come, and does not, hears of the end nevertheless.
func TestEndBesideABodyThatIsNotRead(t *testing.T) {
	for name, serve := range map[string]func(testing.TB, http.Handler) *pipenet.Server{"HTTP/1.1": pipenet.Serve, "HTTP/2": pipenet.Serve2} {
		for _, length := range []int64{-1, 100} {
			reactortest.Bubble(t, func(t *testing.T) {
				server := serve(t, sse.Handler(func(r *http.Request) flux.Flux[sse.Event] {
					return flux.Just(sse.Event{Data: "a"}).ConcatWith(flux.Error[sse.Event](io.ErrNoProgress).DelaySubscriptionFor(time.Second))
				}))
				req, err := httpstream.NewRequest(http.MethodPost, "http://test/", flux.Just([]byte("a\n")).ConcatWith(flux.Never[[]byte]()))
				require.NoError(t, err)
				req.ContentLength = length
				begin := time.Now()
				n := 0
				err = sse.Events(server.Client, req, sse.Once()).DoOnNext(func(sse.Event) { n++ }).Run(t.Context())
				assert.ErrorIs(t, err, bytestream.ErrRead, name)
				assert.Equal(t, 1, n, name)
				assert.LessOrEqual(t, time.Since(begin), time.Second+pipenet.HangUp, name)
			})
		}
	}
}
