package sse_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/adapt/internal/pipenet"
	"github.com/goreactor/reactor/adapt/sse"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// asked is a server that sends one event and ends, and keeps what it was asked.
type asked struct {
	bodies []string
	ids    []string
	event  string
}

func (a *asked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a.bodies, a.ids = append(a.bodies, string(body)), append(a.ids, sse.LastEventID(r))
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, a.event)
}

// A body goes with each of the connections.
func TestBodyOfARequestThatIsRepeated(t *testing.T) {
	type key struct{}
	reactortest.Bubble(t, func(t *testing.T) {
		var seen []any
		src := flux.Defer(func(ctx context.Context) flux.Flux[[]byte] {
			seen = append(seen, ctx.Value(key{}))
			return flux.Just([]byte("query"))
		})
		streamed, err := httpstream.NewRequest(http.MethodPost, "http://test/", src)
		require.NoError(t, err)
		known, err := http.NewRequest(http.MethodPost, "http://test/", strings.NewReader("query"))
		require.NoError(t, err)
		for _, req := range []*http.Request{streamed, known} {
			h := &asked{event: "data: x\n\n"}
			server := pipenet.Serve(t, h)
			for i := range 2 {
				ctx := context.WithValue(t.Context(), key{}, i)
				got, err := sse.Events(server.Client, req).Take(2).Timeout(time.Minute).Collect(ctx)
				require.NoError(t, err)
				assert.Len(t, got, 2)
			}
			assert.Equal(t, []string{"query", "query", "query", "query"}, h.bodies)
		}
		assert.Equal(t, []any{0, 0, 1, 1}, seen, "the context of the subscription")

		// One that can't be sent again ends the stream with the first connection.
		once, err := http.NewRequest(http.MethodPost, "http://test/", io.MultiReader(strings.NewReader("query")))
		require.NoError(t, err)
		h := &asked{event: "data: x\n\n"}
		s := reactortest.Subscribe(t, sse.Events(pipenet.Serve(t, h).Client, once, sse.Reconnect(flux.RetryMax(3))))
		s.ExpectNextCount(1)
		err = s.ExpectError()
		assert.ErrorIs(t, err, reactor.ErrIllegalState)
		assert.ErrorContains(t, err, "reactor: sse.events: illegal state: POST http://test/: the body can be sent once only")
		assert.Equal(t, []string{"query"}, h.bodies)
		synctest.Wait()
	})
}

// An ID that can't be said in a header is not said: the client connects without it.
func TestIDThatIsNoHeader(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		h := &asked{event: "id: a\x01b\ndata: x\n\nid: ä\tc\ndata: y\n\n"}
		got, err := sse.Events(pipenet.Serve(t, h).Client, get(t), sse.StartAfter("\x7f")).Take(4).Timeout(time.Minute).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, sse.Event{ID: "a\x01b", Data: "x"}, got[0])
		assert.Equal(t, []string{"", "ä\tc"}, h.ids)
		h = &asked{event: "id: a\x01b\ndata: x\n\n"}
		_, err = sse.Events(pipenet.Serve(t, h).Client, get(t)).Take(2).Timeout(time.Minute).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"", ""}, h.ids)
	})
	for _, id := range []string{"a\x01b", "\x7f"} {
		_, err := sse.Event{ID: id}.Append(nil)
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	}
	_, err := sse.Event{ID: "ä\tb"}.Append(nil)
	assert.NoError(t, err)
}

// A request that was put together by hand need not have a header.
func TestRequestWithoutAHeader(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		h := &asked{event: "id: 1\ndata: x\n\n"}
		req := &http.Request{URL: &url.URL{Scheme: "http", Host: "test", Path: "/"}}
		got, err := sse.Events(pipenet.Serve(t, h).Client, req, sse.StartAfter("0"), sse.Once()).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []sse.Event{{ID: "1", Data: "x"}}, got)
		assert.Equal(t, []string{"0"}, h.ids)
		assert.Nil(t, req.Header, "the caller's request stays as it is")
	})
}

// A client says what it wants, and from the second connection on what it has seen last.
func TestHeadersOfARequest(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		var headers []http.Header
		server := pipenet.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			headers = append(headers, r.Header)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "id: 1\ndata: x\n\n")
		}))
		req, err := http.NewRequest(http.MethodGet, "http://test/", nil)
		require.NoError(t, err)
		_, err = sse.Events(server.Client, req).Take(2).Collect(t.Context())
		require.NoError(t, err)
		require.Len(t, headers, 2)
		for _, h := range headers {
			assert.Equal(t, []string{"text/event-stream"}, h["Accept"])
			assert.Equal(t, []string{"no-cache"}, h["Cache-Control"])
		}
		assert.NotContains(t, headers[0], "Last-Event-Id")
		assert.Equal(t, []string{"1"}, headers[1]["Last-Event-Id"])
	})
}

// Events reads on the scheduler that it was given: one that takes nothing ends it.
func TestSchedulerOfEvents(t *testing.T) {
	s := schedulers.NewSingle("disposed")
	s.Dispose()
	req, err := http.NewRequest(http.MethodGet, "http://test/", nil)
	require.NoError(t, err)
	_, err = sse.Events(http.DefaultClient, req, sse.On(s)).Collect(t.Context())
	assert.ErrorIs(t, err, reactor.ErrRejected)
}

// What stands behind the type of the answer does not matter, as for browsers.
func TestTypesOfAnswers(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		kind := ""
		server := pipenet.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, "data: x\n\n")
		}))
		for _, kind = range []string{
			"text/event-stream", "Text/Event-Stream ; charset=utf-8", "text/event-stream; charset",
			"text/event-stream; charset=utf-8; charset=utf-8", "text/event-stream; a b",
		} {
			got, err := sse.Events(server.Client, get(t), sse.Once()).Collect(t.Context())
			assert.NoError(t, err, kind)
			assert.Len(t, got, 1, kind)
		}
		for _, kind = range []string{"", ";", "text/event-streams", "text/event-stream x", "text/plain; text/event-stream"} {
			_, err := sse.Events(server.Client, get(t), sse.Once()).Collect(t.Context())
			assert.ErrorIs(t, err, sse.ErrRefused, kind)
		}
	})
}

// brokenBody is a body that waits, and panics when it is closed.
type brokenBody struct{ *io.PipeReader }

func (b brokenBody) Close() error {
	b.PipeReader.Close()
	panic("close")
}

// A body that can't be closed is not the failure of who cancels.
func TestBodyThatPanicsWhenItIsClosed(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		r, w := io.Pipe()
		client := &http.Client{Transport: answer(func(req *http.Request) *http.Response {
			header := http.Header{"Content-Type": {"text/event-stream"}}
			return &http.Response{StatusCode: 200, Header: header, Body: brokenBody{r}, Request: req}
		})}
		var dropped []error
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = append(dropped, err) }})
		s := reactortest.NewTestSubscriber[sse.Event](t)
		sse.Events(client, get(t)).Subscribe(ctx, s)
		_, err := io.WriteString(w, "data: x\n\n")
		require.NoError(t, err)
		s.ExpectNext(sse.Event{Data: "x"})
		synctest.Wait()
		assert.NotPanics(t, s.Cancel)
		synctest.Wait()
		require.Len(t, dropped, 1)
		assert.EqualError(t, dropped[0], "reactor: sse.events: close failed: reactor: panic: close")
	})
}

// answer answers without a server.
type answer func(*http.Request) *http.Response

func (a answer) RoundTrip(req *http.Request) (*http.Response, error) { return a(req), nil }

// A transport need not say what it has answered.
func TestAnswerWithoutItsRequest(t *testing.T) {
	client := &http.Client{Transport: answer(func(*http.Request) *http.Response {
		return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}
	})}
	_, err := sse.Events(client, get(t)).Collect(t.Context())
	assert.ErrorIs(t, err, sse.ErrRefused)
	assert.EqualError(t, err, `reactor: sse.events: refused: http://test/events: the type of the answer is "", not text/event-stream`)
}
