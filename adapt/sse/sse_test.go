package sse_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/adapt/internal/pipenet"
	"github.com/goreactor/reactor/adapt/sse"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/reactortest/tck"
)

var errBoom = errors.New("boom")

func decoded(r io.Reader) (events []sse.Event, err error) {
	d := sse.NewDecoder(r)
	for {
		e, err := d.Next()
		if err == io.EOF {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
}

// The texts are those of the HTML standard, and what its grammar allows besides.
var texts = map[string][]sse.Event{
	"":                                   nil,
	"\n\n\n":                             nil,
	"data: YHOO\ndata: +2\ndata: 10\n\n": {{Data: "YHOO\n+2\n10"}},
	": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n": {
		{ID: "1", Data: "first event"}, {Data: "second event"}},
	"data\n\ndata\ndata\n\ndata:":                    {{}, {Data: "\n"}},
	"data: a\r\ndata: b\r\n\r\ndata: c\rdata: d\r\r": {{Data: "a\nb"}, {Data: "c\nd"}},
	"data:test\n\ndata: test\n\n":                    {{Data: "test"}, {Data: "test"}},
	"event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: none\n\ndata: x\n\n": {
		{Type: "add", Data: "73857293"}, {Type: "remove", Data: "2153"}, {Data: "x"}},
	"\uFEFFdata: a\r\n\r\ndata: b\r\rdata: c\n\n":           {{Data: "a"}, {Data: "b"}, {Data: "c"}},
	"\uFEFF\uFEFFdata: a\n\ndata: b\n\n":                    {{Data: "b"}},
	"id: 7\n\ndata: a\n\nid: 8\ndata: b":                    {{ID: "7", Data: "a"}},
	"id: 7\ndata: a\n\nid: 8\x00\ndata: b\n\n":              {{ID: "7", Data: "a"}, {ID: "7", Data: "b"}},
	"retry: 250\ndata: a\n\nretry: 1s\nretry:\ndata: b\n\n": {{Data: "a", Retry: 250 * time.Millisecond}, {Data: "b"}},
	"retry: 99999999999999999999\ndata: a\n\n":              {{Data: "a"}},
	"data: ä\xff€\nwhat: ever\nDATA: no\n\n":                {{Data: "ä\uFFFD€"}},
	"data:a:b\ndata: : c\n\n":                               {{Data: "a:b\n: c"}},
	"event: a\nevent: b\ndata: x\n\n":                       {{Type: "b", Data: "x"}},
	"data: " + strings.Repeat("x", 10_000) + "\n\n":         {{Data: strings.Repeat("x", 10_000)}},
}

func TestDecoderSplitAtEveryByte(t *testing.T) {
	for text, want := range texts {
		got, err := decoded(strings.NewReader(text))
		require.NoError(t, err)
		assert.Equal(t, want, got, "%.60q", text)
		got, err = decoded(iotest.OneByteReader(strings.NewReader(text)))
		require.NoError(t, err)
		assert.Equal(t, want, got, "byte by byte: %.60q", text)
		for i := range text {
			if i > 200 {
				break
			}
			got, err = decoded(io.MultiReader(strings.NewReader(text[:i]), strings.NewReader(text[i:])))
			require.NoError(t, err)
			require.Equal(t, want, got, "split at %d: %.60q", i, text)
		}
		assert.Equal(t, want, reference(text), "the grammar: %.60q", text)
	}
}

// reference is the algorithm of the standard on a whole text, word for word.
func reference(text string) (events []sse.Event) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.TrimPrefix(text, "\uFEFF")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	var data, event, id, last string
	var retry time.Duration
	end := strings.LastIndexByte(text, '\n') + 1
	if end == 0 {
		return nil
	}
	for line := range strings.SplitSeq(text[:end-1], "\n") {
		if line == "" {
			last = id
			if data != "" {
				events = append(events, sse.Event{ID: last, Type: event, Data: strings.TrimSuffix(data, "\n"), Retry: retry})
			}
			data, event, retry = "", "", 0
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			event = value
		case "data":
			data += value + "\n"
		case "id":
			if !strings.Contains(value, "\x00") {
				id = value
			}
		case "retry":
			if n, err := strconv.ParseUint(value, 10, 40); err == nil && n > 0 && n <= 365*24*3600*1000 { // a year is the most that is believed, and 0 says nothing
				retry = time.Duration(n) * time.Millisecond
			}
		}
	}
	return events
}

func FuzzDecoder(f *testing.F) {
	for text := range texts {
		if len(text) < 1000 {
			f.Add(text, 3)
		}
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		got, err := decoded(&pieces{text: text, size: 1 + n&15})
		require.NoError(t, err)
		require.Equal(t, reference(text), got)
	})
}

// pieces is a reader of pieces of a size.
type pieces struct {
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(p.size, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

func TestEventsThatWereWrittenAreRead(t *testing.T) {
	for _, e := range []sse.Event{
		{}, {Data: "a"}, {Data: "a\nb\n\n"}, {ID: "7", Type: "tick", Data: " a:b", Retry: time.Second}, {Data: ":"}, {Data: strings.Repeat("xyz\n", 3000)},
	} {
		text, err := e.Append(nil)
		require.NoError(t, err)
		got, err := decoded(iotest.OneByteReader(strings.NewReader(string(text))))
		require.NoError(t, err)
		assert.Equal(t, []sse.Event{e}, got)
	}
	text, err := sse.Event{Data: "a\r\nb\rc"}.Append([]byte("x"))
	require.NoError(t, err)
	assert.Equal(t, "xdata: a\ndata: b\ndata: c\n\n", string(text))
	for wait, want := range map[time.Duration]string{1: "1", time.Millisecond: "1", time.Millisecond + 1: "2"} {
		text, err = sse.Event{Retry: wait}.Append(nil)
		require.NoError(t, err)
		assert.Equal(t, "retry: "+want+"\ndata: \n\n", string(text))
	}
	text, err = sse.Comment("still\nthere").Append(nil)
	require.NoError(t, err)
	assert.Equal(t, ":still\n:there\n\n", string(text))
	for _, e := range []sse.Event{{ID: "a\nb"}, {ID: "\x00"}, {Type: "a\rb"}, {Retry: -1}} {
		_, err := e.Append(nil)
		assert.ErrorIs(t, err, reactor.ErrIllegalArgument)
	}
}

type lying int

func (l lying) Read([]byte) (int, error) { return int(l), nil }

type endless string

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e[i%len(e)]
	}
	return len(p), nil
}

func TestDecoderFails(t *testing.T) {
	for _, c := range []struct {
		r    io.Reader
		want string
	}{
		{endless("x"), "too long: event 1, at byte 0: more than 1048576 bytes"},
		{io.MultiReader(strings.NewReader("data: a\n\n"), endless("data\n")), "too long: event 2, at byte 9: more than 1048576 bytes"},
		{io.MultiReader(strings.NewReader("data: a\n\nda"), iotest.ErrReader(errBoom)), "read failed: event 2, at byte 11: boom"},
		{lying(-1), "illegal state: the sse_test.lying returned -1 bytes for a buffer of 4096"},
		{lying(0), "read failed: event 1, at byte 0: multiple Read calls return no data or error"},
	} {
		_, err := decoded(c.r)
		assert.ErrorContains(t, err, "reactor: sse.decoder: ")
		assert.ErrorContains(t, err, c.want)
	}
}

// An event that a \r ends is there before anything follows it.
func TestDecoderDoesNotWaitForWhatMayNotCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		defer w.Close()
		got := make(chan sse.Event, 1)
		go func() {
			e, _ := sse.NewDecoder(r).Next()
			got <- e
		}()
		_, err := w.Write([]byte("data: a\r\r"))
		require.NoError(t, err)
		assert.Equal(t, sse.Event{Data: "a"}, <-got)
	})
}

func numbered(from, n int) flux.Flux[sse.Event] {
	return flux.Range(from, n).Map(func(i int) sse.Event { return sse.Event{ID: strconv.Itoa(i), Data: fmt.Sprint("event ", i)} })
}

func get(t *testing.T) *http.Request {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://test/events", nil)
	require.NoError(t, err)
	return req
}

func TestHandlerAndEvents(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		server := pipenet.Serve(t, sse.Handler(func(*http.Request) flux.Flux[sse.Event] { return numbered(1, 100) }))
		got, err := sse.Events(server.Client, get(t), sse.Once()).Collect(t.Context())
		require.NoError(t, err)
		require.Len(t, got, 100)
		assert.Equal(t, sse.Event{ID: "100", Data: "event 100"}, got[99])
	})
	w := httptest.NewRecorder()
	sse.Handler(func(*http.Request) flux.Flux[sse.Event] { return flux.Empty[sse.Event]() }).ServeHTTP(w, httptest.NewRequest("HEAD", "/", nil))
	assert.Equal(t, "text/event-stream", w.Header().Get("Content-Type"))
	assert.Equal(t, "no-cache", w.Header().Get("Cache-Control"))
}

// A function that panics with an element is not the server's failure, and the hooks get the element.
func TestElementInHand(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		server := pipenet.Serve(t, sse.Handler(func(*http.Request) flux.Flux[sse.Event] { return numbered(1, 2) }))
		var told []any
		ctx := reactor.WithHooks(t.Context(), reactor.Hooks{
			OperatorError: func(_ context.Context, err error, v any) error { told = append(told, v); return err },
		})
		err := sse.Events(server.Client, get(t), sse.Once()).Map(func(sse.Event) int { panic("boom") }).ForEach(ctx, func(int) {})
		assert.EqualError(t, err, "reactor: map: panic: boom")
		assert.Equal(t, []any{sse.Event{ID: "1", Data: "event 1"}}, told)
	})
}

func TestEventsReconnects(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		var asked []string
		var at []time.Duration
		begin := time.Now()
		server := pipenet.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			last := sse.LastEventID(r)
			asked, at = append(asked, last), append(at, time.Since(begin))
			switch len(asked) {
			case 2:
				w.Header().Set("Retry-After", "60")
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			case 4:
				w.WriteHeader(http.StatusNoContent)
				return
			}
			n, _ := strconv.Atoi(last)
			first := numbered(n+1, 1).Map(func(e sse.Event) sse.Event { e.Retry = 5 * time.Second; return e })
			sse.Handler(func(*http.Request) flux.Flux[sse.Event] { return first.ConcatWith(numbered(n+2, 2)) }).ServeHTTP(w, r)
		}))
		got, err := sse.Events(server.Client, get(t), sse.StartAfter("10")).Map(func(e sse.Event) string { return e.ID }).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"11", "12", "13", "14", "15", "16"}, got)
		assert.Equal(t, []string{"10", "13", "13", "16"}, asked)
		assert.Equal(t, []time.Duration{0, 5 * time.Second, 65 * time.Second, 70 * time.Second}, at)
	})
}

func TestIDOfAnEventThatWasCutOff(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		var asked []string
		server := pipenet.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked = append(asked, sse.LastEventID(r)); len(asked) > 2 {
				w.WriteHeader(http.StatusNoContent)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "id: 1\ndata: a\n\nid: 2\ndata: b\n")
		}))
		n, err := sse.Events(server.Client, get(t)).Count().Block(t.Context())
		require.NoError(t, err)
		assert.EqualValues(t, 2, n)
		assert.Equal(t, []string{"", "1", "1"}, asked, "of the last event that was complete")
	})
}

func TestEventsGivesUp(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		status, kind := http.StatusOK, "text/event-stream"
		requests := 0
		server := pipenet.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests++
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "data: a\n\n")
		}))
		s := reactortest.Subscribe(t, sse.Events(server.Client, get(t), sse.Reconnect(flux.RetryFixedDelay(2, time.Second))))
		s.ExpectNextCount(3)
		err := s.ExpectError()
		assert.ErrorIs(t, err, reactor.ErrRetryExhausted)
		assert.ErrorIs(t, err, sse.ErrDisconnected)
		assert.Equal(t, 3, requests)

		requests, kind = 0, "text/html"
		_, err = sse.Events(server.Client, get(t)).Collect(t.Context())
		assert.ErrorIs(t, err, sse.ErrRefused)
		assert.EqualError(t, err, `reactor: sse.events: refused: http://test/events: the type of the answer is "text/html", not text/event-stream`)
		status = http.StatusNotFound
		_, err = sse.Events(server.Client, get(t)).Collect(t.Context())
		assert.ErrorIs(t, err, sse.ErrRefused)
		refused, ok := errors.AsType[*httpstream.StatusError](err)
		assert.True(t, ok)
		assert.Equal(t, 404, refused.Code)
		assert.Equal(t, 2, requests)

		status, kind = 200, "text/event-stream; charset=utf-8"
		_, err = sse.Events(server.Client, get(t), sse.MaxEvent(5)).Collect(t.Context())
		assert.ErrorIs(t, err, bytestream.ErrTooLong)
		assert.EqualError(t, err, "reactor: sse.events: too long: event 1, at byte 0: more than 5 bytes")
		synctest.Wait()
		server.Client.CloseIdleConnections()
		synctest.Wait()
		assert.Zero(t, server.Conns.Load(), "no connection was left open")
	})
}

func TestEventsIsCancelled(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		src := reactortest.NewTestPublisher[sse.Event](t)
		server := pipenet.Serve(t, sse.Handler(func(*http.Request) flux.Flux[sse.Event] { return flux.From(src) }))
		s := reactortest.Subscribe(t, sse.Events(server.Client, get(t)))
		synctest.Wait()
		src.Next(sse.Event{Data: "a"})
		s.ExpectNext(sse.Event{Data: "a"})
		synctest.Wait() // see pipenet.HangUp
		s.Cancel()
		synctest.Wait()
		src.AssertCancelled(1)
		assert.Zero(t, server.Conns.Load())
	})
}

func TestHeartbeat(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		server := pipenet.Serve(t, sse.Handler(func(*http.Request) flux.Flux[sse.Event] {
			return flux.Just(sse.Event{Data: "a"}).DelayElements(20 * time.Second).ConcatWith(flux.Never[sse.Event]())
		}))
		var at []string
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_ = bytestream.Lines(httpstream.Get(server.Client, "http://test/")).ForEach(ctx, func(line string) {
			if line != "" {
				at = append(at, fmt.Sprint(line, " ", time.Since(begin)))
			}
		})
		assert.Equal(t, []string{": 15s", "data: a 20s", ": 35s", ": 50s"}, at)
	})
}

// A server may have heartbeats of its own, or none.
func TestHeartbeatOfAServer(t *testing.T) {
	for d, want := range map[time.Duration]int{0: 0, 7 * time.Second: 8, 20 * time.Second: 2} {
		t.Run(d.String(), func(t *testing.T) {
			reactortest.Bubble(t, func(t *testing.T) {
				server := pipenet.Serve(t, sse.Handler(func(*http.Request) flux.Flux[sse.Event] { return flux.Never[sse.Event]() }, sse.Heartbeat(d)))
				ctx, cancel := context.WithTimeout(t.Context(), 59*time.Second)
				defer cancel()
				beats := 0
				_ = bytestream.Lines(httpstream.Get(server.Client, "http://test/")).ForEach(ctx, func(line string) {
					if line == ":" {
						beats++
					}
				})
				assert.Equal(t, want, beats)
			})
		})
	}
}

// What a slow client can't take is up to the stream: nothing is queued without a bound.
func TestSlowClient(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		src := reactortest.NewTestPublisher[sse.Event](t)
		dropped := make(chan error, 1)
		h := sse.Handler(func(*http.Request) flux.Flux[sse.Event] { return flux.From(src) }, sse.Prefetch(4), sse.WriteTimeout(time.Minute))
		server := pipenet.Serve(t, withHook(h, dropped))
		s := reactortest.Subscribe(t, sse.Events(server.Client, get(t), sse.Once()), reactortest.InitialRequest(1))
		synctest.Wait()
		sent := 0
		for src.Requested() > int64(sent) && sent < 1000 {
			src.Next(sse.Event{Data: strings.Repeat("x", 1000)})
			sent++
			synctest.Wait()
		}
		assert.Less(t, sent, 40, "demand ends when the buffers are full")
		s.ExpectNextCount(1)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		src.AssertCancelled(1)
		assert.Regexp(t, `^reactor: sse.handler: write failed: after \d+ bytes for pipe: write pipe: i/o timeout$`, (<-dropped).Error())
		s.Request(reactor.Unbounded)
		s.AwaitEnd()
		assert.ErrorIs(t, s.Err(), bytestream.ErrRead)
	})
}

// withHook is h, with a hook for errors that nobody gets.
func withHook(h http.Handler, dropped chan<- error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hooks := reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped <- err }}
		h.ServeHTTP(w, r.WithContext(reactor.WithHooks(r.Context(), hooks)))
	})
}

func TestHandlerFails(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		for name, f := range map[string]flux.Flux[sse.Event]{
			"stream": flux.Error[sse.Event](errBoom),
			"event":  flux.Just(sse.Event{ID: "\n"}),
		} {
			dropped := make(chan error, 1)
			server := pipenet.Serve(t, withHook(sse.Handler(func(*http.Request) flux.Flux[sse.Event] { return f }), dropped))
			_, _ = sse.Events(server.Client, get(t), sse.Once()).Collect(t.Context())
			assert.Error(t, <-dropped, name)
		}
	})
}

func TestArguments(t *testing.T) {
	never := func(*http.Request) flux.Flux[sse.Event] { return flux.Never[sse.Event]() }
	//reactorvet:ignore they panic when they are put together
	for want, fn := range map[string]func(){
		"reactor: sse.events: the client is nil":                        func() { sse.Events(nil, get(t)) },
		"reactor: sse.events: the request is nil":                       func() { sse.Events(http.DefaultClient, nil) },
		"reactor: sse.events: longest event must be positive, got -2":   func() { sse.Events(http.DefaultClient, get(t), sse.MaxEvent(-2)) },
		"reactor: sse.handler: the function that streams is nil":        func() { sse.Handler(nil) },
		"reactor: sse.handler: prefetch must be positive, got 0":        func() { sse.Handler(never, sse.Prefetch(0)) },
		"reactor: sse.handler: heartbeat must not be negative, got -1s": func() { sse.Handler(never, sse.Heartbeat(-time.Second)) },
		"reactor: sse.handler: write timeout must be positive, got 0s":  func() { sse.Handler(never, sse.WriteTimeout(0)) },
		"reactor: sse.newDecoder: the reader is nil":                    func() { sse.NewDecoder(nil) },
		"reactor: sse.on: the scheduler is nil":                         func() { sse.On(nil) },
	} {
		assert.PanicsWithValue(t, want, fn)
	}
}

// transport answers with a body.
type transport func() io.Reader

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(f()), Request: r}, nil
}

func TestCompatibility(t *testing.T) {
	tck.VerifyPublisher(t, tck.Publisher[sse.Event]{
		Create: func(n int64) reactor.Publisher[sse.Event] {
			return sse.Events(&http.Client{Transport: transport(func() io.Reader {
				if n == tck.Endless {
					return endless("data\n\n")
				}
				return strings.NewReader(strings.Repeat("data\n\n", int(n)))
			})}, get(t), sse.Once())
		},
		Failed: func() reactor.Publisher[sse.Event] {
			return sse.Events(http.DefaultClient, &http.Request{URL: &url.URL{Scheme: "none"}, Header: http.Header{}}, sse.Once())
		},
	}, tck.InBubbles(), tck.Rounds(5))
}
