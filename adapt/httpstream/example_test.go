package httpstream_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/goreactor/reactor/adapt/bytestream"
	"github.com/goreactor/reactor/adapt/httpstream"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/schedulers"
)

// serve starts a server for an example.
func serve(h http.Handler) (url string, client *http.Client, stop func()) {
	s := httptest.NewServer(h)
	return s.URL, s.Client(), s.Close
}

var numbers = httpstream.Handler(func(*http.Request) flux.Flux[[]byte] {
	return flux.Range(1, 3).Map(func(n int) []byte { return fmt.Appendln(nil, n) })
})

func ExampleHandler() {
	url, client, stop := serve(numbers)
	defer stop()
	resp, err := client.Get(url)
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// 1
	// 2
	// 3
	// <nil>
}

func ExampleGet() {
	url, client, stop := serve(numbers)
	defer stop()
	sum, err := bytestream.JSONLines[int](httpstream.Get(client, url)).
		Reduce(func(a, b int) int { return a + b }).Block(context.Background())
	fmt.Println(sum, err)
	// Output: 6 <nil>
}

func ExampleExchange() {
	url, client, stop := serve(numbers)
	defer stop()
	req, _ := http.NewRequest(http.MethodGet, url, nil)
	lines, err := httpstream.Exchange(client, req, func(resp *httpstream.Response) flux.Flux[string] {
		return bytestream.Lines(resp.Open).StartWithValues(resp.Status)
	}).Collect(context.Background())
	fmt.Println(lines, err)
	// Output: [200 OK 1 2 3] <nil>
}

func ExampleOpen() {
	url, client, stop := serve(http.NotFoundHandler())
	defer stop()
	req, _ := http.NewRequest(http.MethodGet, url, nil)
	_, err := bytestream.Lines(httpstream.Open(client, req)).Collect(context.Background())
	status := err.(*httpstream.StatusError)
	fmt.Println(status.Code, status.IsTransient())
	// Output: 404 false
}

func ExampleDo() {
	url, client, stop := serve(numbers)
	defer stop()
	req, _ := http.NewRequest(http.MethodGet, url, nil)
	lines := flux.FlatMapMany(httpstream.Do(client, req), func(resp *httpstream.Response) flux.Flux[string] {
		fmt.Println(resp.StatusCode)
		return bytestream.Lines(resp.Open)
	})
	fmt.Println(lines.Collect(context.Background()))
	// Output:
	// 200
	// [1 2 3] <nil>
}

func ExampleOn() {
	url, client, stop := serve(numbers)
	defer stop()
	calls := schedulers.NewSingle("calls")
	defer calls.Dispose()
	req, _ := http.NewRequest(http.MethodGet, url, nil)
	resp, _ := httpstream.Do(client, req, httpstream.On(calls)).Block(context.Background())
	defer resp.Discarded()
	fmt.Println(resp.Status)
	// Output: 200 OK
}

func ExampleNewRequest() {
	url, client, stop := serve(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		fmt.Printf("%s\n", text)
	}))
	defer stop()
	words := flux.Just("to ", "be").Map(func(s string) []byte { return []byte(s) })
	req, _ := httpstream.NewRequest(http.MethodPost, url, words)
	resp, _ := httpstream.Do(client, req).Block(context.Background())
	resp.Discarded()
	// Output: to be
}

func ExampleRetryAfter() {
	tries := 0
	url, client, stop := serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			w.Header().Set("Retry-After", "0")
			http.Error(w, "busy", http.StatusTooManyRequests)
			return
		}
		numbers.ServeHTTP(w, r)
	}))
	defer stop()
	lines := bytestream.Lines(httpstream.Get(client, url)).
		RetryWhen(flux.RetryBackoff(3, time.Millisecond).DelayFrom(httpstream.RetryAfter))
	fmt.Println(lines.Collect(context.Background()))
	fmt.Println(tries, "requests")
	// Output:
	// [1 2 3] <nil>
	// 2 requests
}

func ExampleNewStatusError() {
	url, client, stop := serve(http.NotFoundHandler())
	defer stop()
	resp, err := client.Get(url)
	if err != nil {
		panic(err)
	}
	refused := httpstream.NewStatusError("mine", resp)
	fmt.Println(refused.Code, string(refused.Body))
	// Output: 404 404 page not found
}

func ExampleErrorTrailer() {
	const trailer = httpstream.ErrorTrailerOption("Stream-Error")
	url, client, stop := serve(httpstream.Handler(func(*http.Request) flux.Flux[[]byte] {
		return flux.Just([]byte("a\n")).ConcatWith(flux.Error[[]byte](fmt.Errorf("the disk is full")))
	}, httpstream.ErrorTrailer(string(trailer))))
	defer stop()
	for line, err := range bytestream.Lines(httpstream.Get(client, url, trailer)).All(context.Background()) {
		fmt.Println(line, err)
	}
	// Output:
	// a <nil>
	//  reactor: bytestream.lines: read failed: line 2, at byte 2: reactor: httpstream.get: the server failed after it had begun to answer: Stream-Error: the stream failed
}

func ExampleContentType() {
	w := httptest.NewRecorder()
	httpstream.Handler(none, httpstream.ContentType("text/csv")).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	fmt.Println(w.Header().Get("Content-Type"))
	// Output: text/csv
}

func ExamplePrefetch() {
	httpstream.Handler(none, httpstream.Prefetch(4)) // four chunks wait for the one before them
	// Output:
}

func ExampleWriteTimeout() {
	httpstream.Handler(none, httpstream.WriteTimeout(30*time.Second)) // for clients that never read
	// Output:
}
