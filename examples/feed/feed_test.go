package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/sse"
	"github.com/goreactor/reactor/examples/internal/childtest"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

func TestMain(m *testing.M) {
	if childtest.Main(main) {
		return
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		schedulers.ShutdownNow()
		os.Exit(code)
	}))
}

// source is what a test measures.
type source struct {
	*reactortest.TestPublisher[measurement]
	last int // number of the newest measurement
}

// measure makes n further measurements.
func (s *source) measure(n int) {
	for range n {
		s.last++
		s.Next(measurement{Number: int64(s.last)})
	}
}

// serve starts a server of a feed.
func serve(t *testing.T) (*source, *feed, *httptest.Server) {
	t.Helper()
	src := &source{TestPublisher: reactortest.NewTestPublisher[measurement](t)}
	// Buffered, as measurements wait while the clients are being served on another goroutine.
	f, err := newFeed(flux.From(src).OnBackpressureBuffer(), "buffer")
	require.NoError(t, err)
	running := f.start(t.Context())
	t.Cleanup(running.Dispose)
	s := httptest.NewServer(f.handler())
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return src, f, s
}

func number(e sse.Event) int {
	n, _ := strconv.Atoi(e.ID)
	return n
}

// A thousand clients, which come at different times, get every event from the last ten at that
// time on.
func TestThousandClients(t *testing.T) {
	const groups, between = 10, 5
	clients := 1000
	if testing.Short() {
		clients = 100
	}
	src, f, server := serve(t)
	src.measure(replayed)
	lanes, err := schedulers.NewPerTaskBoundedElastic(clients, 10, "clients") // each client waits on one
	require.NoError(t, err)
	defer lanes.Dispose()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequest(http.MethodGet, server.URL+"/events", nil)
	require.NoError(t, err)
	const last = replayed + groups*between + 1
	seen := make(chan int, 2*clients) // the numbers of events, as clients get them
	one := func(first int) flux.Flux[int] {
		want := first - 1
		return sse.Events(client, req, sse.On(lanes)).Map(number).
			TryDoOnNext(func(n int) error {
				if want++; n != want {
					return fmt.Errorf("got event %d instead of %d", n, want)
				}
				seen <- n
				return nil
			}).
			TakeUntil(func(n int) bool { return n == last })
	}
	type end struct {
		n   int
		err error
	}
	ends := make(chan end, groups)
	// await waits until n clients have got the newest event.
	await := func(n int) {
		for n > 0 {
			select {
			case number := <-seen:
				if number == src.last {
					n--
				}
			case e := <-ends:
				require.Fail(t, "a client ends early", "%v", e.err)
			}
		}
	}
	want := 0
	for group := range groups {
		first, size := src.last-replayed+1, clients/groups
		go func() {
			n, err := flux.Range(0, size).FlatMap(func(int) flux.Flux[int] { return one(first) }, flux.Concurrency(size)).Count().Block(t.Context())
			ends <- end{n, err}
		}()
		want += size * (last - first + 1)
		await(size)
		for range between {
			src.measure(1)
			await((group + 1) * size)
		}
	}
	assert.EqualValues(t, clients, f.clients.Load())
	src.measure(1)
	got := 0
	for range groups {
		e := <-ends
		require.NoError(t, e.err)
		got += e.n
	}
	assert.Equal(t, want, got)
	assert.Zero(t, f.missed.Load())
	t.Logf("%d events for %d clients", got, clients)
	for f.clients.Load() > 0 { // a server learns in its own time that a client has gone
		time.Sleep(time.Millisecond)
	}
}

// Who connects again has missed nothing that the last ten events cover.
func TestReconnect(t *testing.T) {
	src, _, server := serve(t)
	req, err := http.NewRequest(http.MethodGet, server.URL+"/events", nil)
	require.NoError(t, err)
	s := reactortest.Subscribe(t, sse.Events(server.Client(), req).Map(number), reactortest.Patience(time.Minute))
	src.measure(5)
	s.ExpectNext(from(1, 5)...)
	server.CloseClientConnections()
	src.measure(replayed)
	s.ExpectNext(from(6, 15)...)
	server.CloseClientConnections()
	src.measure(3)
	s.ExpectNext(from(16, 18)...)
	s.Cancel()
}

func TestStrategies(t *testing.T) {
	for name, want := range map[string][]int{
		"buffer": append([]int{1}, from(69, 100)...),
		"latest": {1, 100},
		"drop":   {1},
	} {
		reactortest.Bubble(t, func(t *testing.T) {
			src := reactortest.NewTestPublisher[measurement](t)
			f, err := newFeed(flux.From(src), name)
			require.NoError(t, err)
			defer f.start(t.Context()).Dispose()
			slow, err := f.forSlow(name)
			require.NoError(t, err)
			s := reactortest.Subscribe(t, f.stream("", slow).Map(number), reactortest.InitialRequest(1))
			for n := range 100 {
				src.Next(measurement{Number: int64(n + 1)})
			}
			s.Request(100)
			assert.Equal(t, want, s.Values(), name)
			assert.EqualValues(t, 100-len(want), f.missed.Load(), name)
			src.Next(measurement{Number: 101})
			assert.Equal(t, 101, s.Values()[len(want)])
			assert.EqualValues(t, 1, f.clients.Load())
			s.Cancel()
			assert.Zero(t, f.clients.Load())
		})
	}
	reactortest.Bubble(t, func(t *testing.T) {
		src := reactortest.NewTestPublisher[measurement](t)
		f, err := newFeed(flux.From(src), "disconnect")
		require.NoError(t, err)
		defer f.start(t.Context()).Dispose()
		slow, _ := f.forSlow("disconnect")
		s := reactortest.Subscribe(t, f.stream("", slow).Map(number), reactortest.InitialRequest(1))
		for n := range 50 {
			src.Next(measurement{Number: int64(n + 1)})
		}
		s.Request(100)
		s.ExpectNext(from(1, 33)...)
		s.ExpectErrorIs(reactor.ErrOverflow)
	})
	_, err := newFeed(flux.Empty[measurement](), "hope")
	assert.EqualError(t, err, `there is no strategy "hope", but buffer, latest, drop and disconnect`)
}

// from returns the numbers from a to b.
func from(a, b int) (list []int) {
	for ; a <= b; a++ {
		list = append(list, a)
	}
	return list
}

func TestReplay(t *testing.T) {
	reactortest.Bubble(t, func(t *testing.T) {
		src := reactortest.NewTestPublisher[measurement](t)
		f, err := newFeed(flux.From(src), "buffer")
		require.NoError(t, err)
		defer f.start(t.Context()).Dispose()
		for n := range 30 {
			src.Next(measurement{Number: int64(n + 1)})
		}
		slow, _ := f.forSlow("buffer")
		for last, want := range map[string][]int{"": from(21, 30), "25": from(26, 30), "3": from(21, 30), "30": {}, "31": from(21, 30), "x": from(21, 30)} {
			s := reactortest.Subscribe(t, f.stream(last, slow).Map(number))
			assert.ElementsMatch(t, want, s.Values(), last)
		}
	})
}

func TestPages(t *testing.T) {
	_, _, server := serve(t)
	for path, want := range map[string]string{"/": "new EventSource", "/clients": `{"clients":0,"missed":0}`, "/events?slow=no": "there is no strategy"} {
		resp, err := server.Client().Get(server.URL + path)
		require.NoError(t, err)
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		require.NoError(t, err)
		assert.Contains(t, string(text), want)
	}
}

func TestRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- run(ctx, []string{"-addr", "127.0.0.1:0", "-every", "1ms"}, w) }()
	line := make([]byte, 100)
	n, err := r.Read(line)
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	resp, err := client.Get(strings.TrimSpace(string(line[:n])) + "events")
	require.NoError(t, err)
	cancel()
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	require.NoError(t, <-done)
	assert.ErrorContains(t, run(ctx, []string{"-every", "-1s"}, w), "must be positive")
	assert.ErrorContains(t, run(ctx, []string{"127.0.0.1:0"}, w), "is no flag")
	assert.ErrorContains(t, run(ctx, []string{"-slow", "hope"}, w), "no strategy")
}

// The page in a browser, named by FEED_BROWSER, through two lost connections: nothing is missed.
func TestBrowser(t *testing.T) {
	browser := os.Getenv("FEED_BROWSER")
	if browser == "" {
		t.Skip("FEED_BROWSER does not name a browser")
	}
	f, err := newFeed(measurements(100*time.Millisecond), "buffer")
	require.NoError(t, err)
	defer f.start(t.Context()).Dispose()
	type report struct{ Number, Gaps, Opened int }
	reports := make(chan report, 1000)
	mux := http.NewServeMux()
	mux.Handle("/", f.handler())
	mux.HandleFunc("POST /report", func(_ http.ResponseWriter, r *http.Request) {
		var got report
		if assert.NoError(t, json.NewDecoder(r.Body).Decode(&got)) {
			reports <- got
		}
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--user-data-dir="+filepath.Join(t.TempDir(), "profile"),
		"--remote-debugging-port=0", // which keeps it running
		server.URL+"/?report=1")
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = 5 * time.Second
	require.NoError(t, cmd.Start())
	defer func() {
		cancel()
		_ = cmd.Wait()
		server.CloseClientConnections()
	}()
	lost := 0
	for seen := 0; seen < 50; seen++ {
		select {
		case r := <-reports:
			require.Zero(t, r.Gaps, "after event %d, in connection %d", r.Number, r.Opened)
			if seen == 15 || seen == 30 {
				server.CloseClientConnections()
				lost++
			}
			if seen == 49 {
				assert.Equal(t, lost+1, r.Opened)
				t.Logf("event %d, %d missed, %d connections", r.Number, r.Gaps, r.Opened)
			}
		case <-ctx.Done():
			require.Fail(t, "the browser is silent", output.String())
		}
	}
}

// SIGTERM ends it as Ctrl-C does.
func TestTerminated(t *testing.T) {
	childtest.Terminated(t, "http://127.0.0.1:", "-addr", "127.0.0.1:0")
}

// The page counts what was missed, and not what a program that was started again does not have.
func TestPageCountsGaps(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(page), "<script>")
	script, _, _ := strings.Cut(rest, "</script>")
	cmd := exec.CommandContext(t.Context(), node, "-")
	cmd.Stdin = strings.NewReader(`
		const elements = {};
		const element = () => ({setAttribute() {}, insertRow: () => ({insertCell: () => ({})}), rows: []});
		globalThis.document = {getElementById: id => elements[id] ??= element()};
		globalThis.location = {search: ""};
		globalThis.EventSource = class { constructor() { globalThis.feed = this; } };
	` + script + `
		for (const number of [1, 2, 5, 1, 2, 4]) feed.onmessage({data: JSON.stringify({number, at: 0, value: 1})});
		console.log(elements.count.textContent, "events,", elements.gaps.textContent, "missed");
	`)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, "6 events, 3 missed\n", string(out))
}
