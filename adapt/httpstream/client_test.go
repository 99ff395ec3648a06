package httpstream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/adapt/internal/pipenet"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/reactortest/tck"
	"github.com/goreactor/reactor/schedulers"
	"github.com/goreactor/reactor/sinks"
)

var errBoom = errors.New("boom")

// answer is a transport that makes responses up, and counts what becomes of their bodies.
type answer struct {
	make         func(n int32, r *http.Request) (*http.Response, error)
	sent, closed atomic.Int32
	twice        atomic.Bool
}

func (a *answer) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := a.make(a.sent.Add(1), r)
	if resp != nil {
		resp.Request = r
		if resp.Header == nil {
			resp.Header = http.Header{}
		}
		resp.Body = &countedBody{ReadCloser: resp.Body, a: a}
	}
	return resp, err
}

func (a *answer) client() *http.Client { return &http.Client{Transport: a} }

type countedBody struct {
	io.ReadCloser
	a    *answer
	once atomic.Bool
}

func (b *countedBody) Close() error {
	if b.once.Swap(true) {
		b.a.twice.Store(true)
	}
	b.a.closed.Add(1)
	return b.ReadCloser.Close()
}

func body(s string) io.ReadCloser { return io.NopCloser(strings.NewReader(s)) }

func ok(s string) (*http.Response, error) { return &http.Response{StatusCode: 200, Body: body(s)}, nil }

func request(t *testing.T) *http.Request {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://user:secret@test/x", nil)
	require.NoError(t, err)
	return req
}

func TestOpenSendsARequestForEachSubscription(t *testing.T) {
	a := &answer{make: func(n int32, _ *http.Request) (*http.Response, error) { return ok(fmt.Sprintf("a\nb%d\n", n)) }}
	lines := bytestream.Lines(httpstream.Open(a.client(), request(t)))
	for i := range 2 {
		got, err := lines.Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"a", fmt.Sprint("b", i+1)}, got)
	}
	assert.EqualValues(t, 2, a.closed.Load())
	assert.False(t, a.twice.Load())
}

func TestOpenRefusesStatuses(t *testing.T) {
	a := &answer{make: func(int32, *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 429, Body: body("slow down\nplease"), Header: http.Header{"Retry-After": {"7"}}}, nil
	}}
	_, err := bytestream.Lines(httpstream.Open(a.client(), request(t))).Collect(t.Context())
	status, is := errors.AsType[*httpstream.StatusError](err)
	require.True(t, is)
	assert.EqualError(t, err, `reactor: httpstream.open: GET http://user:xxxxx@test/x: status 429 Too Many Requests: "slow down"`)
	assert.True(t, status.IsTransient())
	after, is := status.RetryAfter()
	assert.True(t, is)
	assert.Equal(t, 7*time.Second, after)
	assert.EqualValues(t, 1, a.closed.Load())

	a.make = func(int32, *http.Request) (*http.Response, error) { return nil, errBoom }
	_, err = bytestream.Lines(httpstream.Open(a.client(), request(t))).Collect(t.Context())
	assert.ErrorIs(t, err, httpstream.ErrRequest)
	assert.ErrorIs(t, err, errBoom)
	_, err = bytestream.Lines(httpstream.Get(a.client(), "::")).Collect(t.Context())
	assert.ErrorIs(t, err, httpstream.ErrRequest)
}

func TestRetryAfter(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		after, date string
		want        time.Duration
		ok          bool
	}{
		{"", "", 0, false},
		{"0", "", 0, true},
		{"-1", "", 0, false},
		{"soon", "", 0, false},
		{"99999999999999999", "", 0, false},
		{"31536000", "", 365 * 24 * time.Hour, true},
		{"31536001", "", 0, false},
		{at.Add(9 * time.Second).Format(http.TimeFormat), "", 9 * time.Second, true},
		{at.Add(-9 * time.Second).Format(http.TimeFormat), "", 0, true},
		{at.Add(time.Hour).Format(http.TimeFormat), at.Add(time.Hour - 2*time.Second).Format(http.TimeFormat), 2 * time.Second, true},
	} {
		h := http.Header{}
		h.Set("Retry-After", c.after)
		h.Set("Date", c.date)
		got, ok := (&httpstream.StatusError{Header: h, At: at}).RetryAfter()
		assert.Equal(t, c.want, got, c.after)
		assert.Equal(t, c.ok, ok, c.after)
	}
	_, ok := httpstream.RetryAfter(errBoom)
	assert.False(t, ok, "it says nothing")
}

// All but 2xx is refused, also what comes before.
func TestStatusesThatAreNoAnswer(t *testing.T) {
	for code, refused := range map[int]bool{101: true, 199: true, 200: false, 299: false, 300: true} {
		a := &answer{make: func(int32, *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: code, Body: body("a\n")}, nil
		}}
		_, err := bytestream.Lines(httpstream.Open(a.client(), request(t))).Collect(t.Context())
		status, is := errors.AsType[*httpstream.StatusError](err)
		require.Equal(t, refused, is, code)
		if refused {
			assert.Equal(t, code, status.Code)
		} else {
			assert.NoError(t, err)
		}
		assert.EqualValues(t, 1, a.closed.Load())
	}
}

// The response is waited for on the scheduler that was given: one that takes nothing fails the stream.
func TestSchedulerOfAResponse(t *testing.T) {
	s := schedulers.NewSingle("disposed")
	s.Dispose()
	_, err := httpstream.Do(http.DefaultClient, request(t), httpstream.On(s)).Block(t.Context())
	assert.ErrorIs(t, err, reactor.ErrRejected)
	_, err = httpstream.Exchange(http.DefaultClient, request(t), func(*httpstream.Response) flux.Flux[int] { return flux.Just(1) }, httpstream.On(s)).
		Collect(t.Context())
	assert.ErrorIs(t, err, reactor.ErrRejected)
}

func TestRetryAfterOfAFailure(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		a := &answer{make: func(n int32, _ *http.Request) (*http.Response, error) {
			switch n {
			case 1:
				return &http.Response{StatusCode: 429, Body: body(""), Header: http.Header{"Retry-After": {"30"}}}, nil
			case 2:
				return &http.Response{StatusCode: 503, Body: body("")}, nil
			}
			return ok("a\n")
		}}
		begin := time.Now()
		got, err := bytestream.Lines(httpstream.Open(a.client(), request(t))).
			RetryWhen(flux.RetryFixedDelay(5, time.Second).DelayFrom(httpstream.RetryAfter)).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"a"}, got)
		assert.Equal(t, 31*time.Second, time.Since(begin), "30 s as the server says, then 1 s")
	})
}

func TestBodyThatIsCutOff(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		server := pipenet.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "one\ntwo\nthr")
		}))
		s := reactortest.Subscribe(t, bytestream.Lines(httpstream.Get(server.Client, "http://test/")))
		s.ExpectNext("one", "two")
		err := s.ExpectError()
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.EqualError(t, err, "reactor: bytestream.lines: read failed: line 3, at byte 11: unexpected EOF")
	})
}

func TestDo(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		a := &answer{make: func(int32, *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 404, Body: body("a\nb\n")}, nil
		}}
		resp, err := httpstream.Do(a.client(), request(t)).Block(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 404, resp.StatusCode)
		assert.Zero(t, a.closed.Load())
		lines, err := bytestream.Lines(resp.Open).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, lines)
		_, err = bytestream.Lines(resp.Open).Collect(t.Context())
		assert.ErrorIs(t, err, reactor.ErrIllegalState)
		resp.Discarded()
		assert.EqualValues(t, 1, a.closed.Load())

		// One that nobody gets is closed.
		n, err := httpstream.Do(a.client(), request(t)).Filter(func(*httpstream.Response) bool { return false }).HasElement().Block(t.Context())
		require.NoError(t, err)
		assert.False(t, n)
		assert.EqualValues(t, 2, a.closed.Load())
		assert.False(t, a.twice.Load())
	})
}

// What is kept and subscribed again finds the shared scheduler that there is by then.
func TestSharedSchedulerThatWasShutDown(t *testing.T) {
	server := httptest.NewServer(streaming(chunks("a")))
	defer server.Close()
	req, err := http.NewRequest(http.MethodGet, server.URL, nil)
	require.NoError(t, err)
	do := httpstream.Do(server.Client(), req)
	for range 2 {
		resp, err := do.Block(t.Context())
		require.NoError(t, err)
		resp.Discarded()
		schedulers.ShutdownNow()
	}
}

// broken is a transport that panics.
type broken struct{}

func (broken) RoundTrip(*http.Request) (*http.Response, error) { panic("boom") }

// A panic is that of the function that sends, not of what it is made of.
func TestTransportThatPanics(t *testing.T) {
	req, err := http.NewRequest(http.MethodGet, "http://test/", nil)
	require.NoError(t, err)
	client := &http.Client{Transport: broken{}}
	_, err = httpstream.Do(client, req).Block(t.Context())
	assert.EqualError(t, err, "reactor: httpstream.do: panic: boom")
	_, err = httpstream.Exchange(client, req, func(*httpstream.Response) flux.Flux[int] { return flux.Empty[int]() }).Collect(t.Context())
	assert.EqualError(t, err, "reactor: httpstream.exchange: panic: boom")
}

func TestDoIsCancelled(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		own, err := schedulers.NewBoundedElastic(1, 10, "own")
		require.NoError(t, err)
		defer own.Dispose()
		waiting := make(chan struct{})
		a := &answer{make: func(_ int32, r *http.Request) (*http.Response, error) {
			close(waiting)
			<-r.Context().Done()
			return ok("late")
		}}
		s := reactortest.Subscribe(t, httpstream.Do(a.client(), request(t), httpstream.On(own)))
		<-waiting
		s.Cancel()
		synctest.Wait()
		assert.EqualValues(t, 1, a.closed.Load(), "the response that came too late")
		assert.Empty(t, s.Values())
	})
}

func TestRequestBodyFromAStream(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		var got []string
		server := pipenet.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			text, err := io.ReadAll(r.Body)
			got = append(got, fmt.Sprintf("%s %v", text, err == nil))
		}))
		send := func(f flux.Flux[[]byte]) error {
			req, err := httpstream.NewRequest(http.MethodPost, "http://test/", f)
			require.NoError(t, err)
			resp, err := httpstream.Do(server.Client, req).Block(t.Context())
			if err == nil {
				resp.Discarded()
			}
			return err
		}
		require.NoError(t, send(chunks("ab", "cd")))
		err := send(chunks("ab").ConcatWith(flux.Error[[]byte](errBoom)))
		assert.ErrorIs(t, err, errBoom)
		synctest.Wait()
		assert.Equal(t, []string{"abcd true", "ab false"}, got)
		// Also with a client of anybody.
		req, err := httpstream.NewRequest(http.MethodPost, "http://test/", chunks("x"))
		require.NoError(t, err)
		resp, err := server.Client.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, "x true", got[2])
	})
	once, err := http.NewRequest(http.MethodPost, "http://test/", io.MultiReader(strings.NewReader("a")))
	require.NoError(t, err)
	a := &answer{make: func(int32, *http.Request) (*http.Response, error) { return ok("") }}
	do := httpstream.Do(a.client(), once)
	_, err = do.Block(t.Context())
	require.NoError(t, err)
	_, err = do.Block(t.Context())
	assert.EqualError(t, err, "reactor: httpstream.do: illegal state: POST http://test/: the body can be sent once only")
}

func chunks(parts ...string) flux.Flux[[]byte] {
	return flux.FromSlice(parts).Map(func(s string) []byte { return []byte(s) })
}

// The server learns that a client has cancelled, whether the client was reading or not, and the
// connection is closed: at once, or when net/http has given up hope of using it again.
func TestCancellationReachesTheServer(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		gone := make(chan struct{})
		server := pipenet.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "a\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			close(gone)
		}))
		for i := range 200 {
			gone = make(chan struct{})
			demand, latest := reactor.Unbounded, time.Duration(0) // it blocks in a Read
			if i%2 == 0 {
				demand, latest = 1, pipenet.HangUp // it waits for demand
			}
			s := reactortest.Subscribe(t, bytestream.Lines(httpstream.Get(server.Client, "http://test/")), reactortest.InitialRequest(demand))
			s.ExpectNext("a")
			if i%2 != 0 || i%4 == 2 {
				synctest.Wait()
				latest = 0
			}
			begin := time.Now()
			s.Cancel()
			<-gone
			assert.LessOrEqual(t, time.Since(begin), latest, "round %d", i)
			synctest.Wait()
			assert.Zero(t, server.Conns.Load())
			assert.Zero(t, bytestream.AbandonedReads())
		}
	})
}

// A client that stops reading stops the sender: two buffers are under way at most. So does a
// server that stops reading.
func TestBackPressureReachesTheOtherSide(t *testing.T) {
	const buffer = 16 << 10
	endless := flux.GenerateStateless(func(s *flux.SyncSink[[]byte]) { s.Next(make([]byte, 1<<10)) })
	reactortest.Bubble(t, func(t *testing.T) {
		server := pipenet.Serve(t, httpstream.Handler(func(*http.Request) flux.Flux[[]byte] { return endless }))
		s := reactortest.Subscribe(t, bytestream.Chunks(httpstream.Get(server.Client, "http://test/"), buffer), reactortest.InitialRequest(0))
		read := 0
		for range 20 {
			s.Request(1)
			read += len(s.ExpectNextCount(1)[0])
			synctest.Wait()
			assert.LessOrEqual(t, server.ToClient.Load()-int64(read), int64(2*buffer))
		}
		t.Logf("%d bytes read, %d under way", read, server.ToClient.Load()-int64(read))
		s.Cancel()
		synctest.Wait()
		assert.Zero(t, server.Conns.Load())
	})
	reactortest.Bubble(t, func(t *testing.T) {
		read, more := 0, make(chan struct{})
		server := pipenet.Serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			buf := make([]byte, buffer)
			for range more {
				n, _ := io.ReadFull(r.Body, buf)
				read += n
			}
		}))
		req, err := httpstream.NewRequest(http.MethodPost, "http://test/", endless)
		require.NoError(t, err)
		s := reactortest.Subscribe(t, httpstream.Do(server.Client, req))
		for range 20 {
			more <- struct{}{}
			synctest.Wait()
			assert.LessOrEqual(t, server.ToServer.Load()-int64(read), int64(2*buffer))
		}
		t.Logf("%d bytes read, %d under way", read, server.ToServer.Load()-int64(read))
		s.Cancel()
		close(more)
		synctest.Wait()
	})
}

func TestArguments(t *testing.T) {
	req := request(t)
	read := func(*httpstream.Response) flux.Flux[int] { return flux.Empty[int]() }
	//reactorvet:ignore they panic when they are put together
	for want, fn := range map[string]func(){
		"reactor: httpstream.open: the client is nil":      func() { httpstream.Open(nil, req) },
		"reactor: httpstream.open: the request is nil":     func() { httpstream.Open(http.DefaultClient, nil) },
		"reactor: httpstream.get: the client is nil":       func() { httpstream.Get(nil, "") },
		"reactor: httpstream.do: the client is nil":        func() { httpstream.Do(nil, req) },
		"reactor: httpstream.do: the request is nil":       func() { httpstream.Do(http.DefaultClient, nil) },
		"reactor: httpstream.exchange: the client is nil":  func() { httpstream.Exchange(nil, req, read) },
		"reactor: httpstream.exchange: the request is nil": func() { httpstream.Exchange(http.DefaultClient, nil, read) },
		"reactor: httpstream.exchange: the function that reads the response is nil": func() {
			httpstream.Exchange[int, flux.Flux[int]](http.DefaultClient, req, nil)
		},
		"reactor: httpstream.newRequest: the publisher is nil":                 func() { _, _ = httpstream.NewRequest("GET", "http://test", nil) },
		"reactor: httpstream.on: the scheduler is nil":                         func() { httpstream.On(nil) },
		"reactor: httpstream.handler: the function that streams is nil":        func() { httpstream.Handler(nil) },
		"reactor: httpstream.handler: write timeout must be positive, got -1s": func() { httpstream.Handler(none, httpstream.WriteTimeout(-time.Second)) },
		"reactor: httpstream.handler: prefetch must be positive, got 0":        func() { httpstream.Handler(none, httpstream.Prefetch(0)) },
	} {
		assert.PanicsWithValue(t, want, fn)
	}
}

func none(*http.Request) flux.Flux[[]byte] { return flux.Empty[[]byte]() }

func TestCompatibility(t *testing.T) {
	t.Run("Open", func(t *testing.T) {
		tck.VerifyPublisher(t, tck.Publisher[string]{
			Create: func(n int64) reactor.Publisher[string] {
				a := &answer{make: func(int32, *http.Request) (*http.Response, error) {
					if n == tck.Endless {
						return &http.Response{StatusCode: 200, Body: io.NopCloser(ones{})}, nil
					}
					return ok(strings.Repeat("1\n", int(n)))
				}}
				return bytestream.Lines(httpstream.Get(a.client(), "http://test/"))
			},
			Failed: func() reactor.Publisher[string] { return bytestream.Lines(httpstream.Get(http.DefaultClient, "::")) },
		}, tck.InBubbles(), tck.Rounds(5))
	})
	t.Run("Do", func(t *testing.T) {
		tck.VerifyPublisher(t, tck.Publisher[*httpstream.Response]{
			Create: func(int64) reactor.Publisher[*httpstream.Response] {
				a := &answer{make: func(int32, *http.Request) (*http.Response, error) { return ok("") }}
				return httpstream.Do(a.client(), request(t))
			},
			Max: 1, Min: 1,
		}, tck.InBubbles(), tck.Rounds(5))
	})
}

type ones struct{}

func (ones) Read(p []byte) (int, error) { return copy(p, "1\n1\n1\n1\n"), nil }

// Requests that wait for their answers leave the lanes to what they send.
func TestMoreUploadsThanLanes(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	defer server.Close()
	n := 2 * schedulers.BoundedElastic().Stats().Capacity
	for name, send := range map[string]func(*http.Request) flux.Flux[string]{
		"Open": func(r *http.Request) flux.Flux[string] { return bytestream.Lines(httpstream.Open(server.Client(), r)) },
		"Do": func(r *http.Request) flux.Flux[string] {
			return flux.From(httpstream.Do(server.Client(), r)).FlatMap(func(resp *httpstream.Response) flux.Flux[string] { return bytestream.Lines(resp.Open) })
		},
	} {
		got, err := flux.Range(0, n).FlatMap(func(int) flux.Flux[string] {
			body := bytestream.Lines(bytestream.From(strings.NewReader("a\nb"))).Map(func(s string) []byte { return []byte(s + "\n") })
			r, err := httpstream.NewRequest(http.MethodPost, server.URL, body)
			require.NoError(t, err)
			return send(r)
		}).Timeout(time.Minute).Collect(t.Context())
		require.NoError(t, err, name)
		assert.Len(t, got, 2*n, name)
	}
}

// What a body fails with when the response has begun is what the response fails with, and if nobody reads that, it is dropped.
func TestBodyFailsBehindTheBeginningOfTheResponse(t *testing.T) {
	broken := make(chan struct{}, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		assert.NoError(t, control.EnableFullDuplex())
		_, _ = io.WriteString(w, "hello\n")
		assert.NoError(t, control.Flush())
		_, err := io.Copy(io.Discard, r.Body)
		assert.Error(t, err)
		broken <- struct{}{}
	}))
	defer server.Close()
	request := func(fail *sinks.EmptySink[[]byte]) *http.Request {
		r, err := httpstream.NewRequest(http.MethodPost, server.URL, flux.Just([]byte("a")).ConcatWith(fail))
		require.NoError(t, err)
		return r
	}
	var got []string
	first := sinks.Empty[[]byte]()
	err := bytestream.Lines(httpstream.Open(server.Client(), request(first))).ForEach(t.Context(), func(line string) {
		got = append(got, line)
		first.TryEmitError(errBoom)
	})
	require.ErrorIs(t, err, errBoom)
	assert.ErrorIs(t, err, httpstream.ErrRequest)
	assert.Equal(t, []string{"hello"}, got)
	<-broken

	var dropped error
	ctx := reactor.WithHooks(t.Context(), reactor.Hooks{ErrorDropped: func(_ context.Context, err error) { dropped = err }})
	second := sinks.Empty[[]byte]()
	resp, err := httpstream.Do(server.Client(), request(second)).Block(ctx)
	require.NoError(t, err)
	second.TryEmitError(errBoom)
	<-broken
	assert.NoError(t, dropped)
	resp.Discarded()
	assert.ErrorIs(t, dropped, errBoom)
}
