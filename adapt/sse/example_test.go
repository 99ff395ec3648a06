package sse_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/goreactor/reactor/adapt/sse"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/schedulers"
)

var ticks = sse.Handler(func(r *http.Request) flux.Flux[sse.Event] {
	fmt.Printf("after %q\n", sse.LastEventID(r))
	return flux.Just(sse.Event{ID: "1", Data: "tick"}, sse.Event{ID: "2", Type: "bell", Data: "ding\ndong"})
})

func ExampleHandler() {
	w := httptest.NewRecorder()
	ticks.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	fmt.Println(w.Body)
	// Output:
	// after ""
	// id: 1
	// data: tick
	//
	// id: 2
	// event: bell
	// data: ding
	// data: dong
}

func ExampleEvents() {
	server := httptest.NewServer(ticks)
	defer server.Close()
	req, _ := http.NewRequest(http.MethodGet, server.URL, nil)
	_ = sse.Events(server.Client(), req, sse.Reconnect(flux.RetryMax(5))).
		Take(2).
		ForEach(context.Background(), func(e sse.Event) { fmt.Printf("%s %q %q\n", e.ID, e.Type, e.Data) })
	// Output:
	// after ""
	// 1 "" "tick"
	// 2 "bell" "ding\ndong"
}

func ExampleOnce() {
	server := httptest.NewServer(ticks)
	defer server.Close()
	req, _ := http.NewRequest(http.MethodGet, server.URL, nil)
	reads := schedulers.NewSingle("reads")
	defer reads.Dispose()
	n, err := sse.Events(server.Client(), req, sse.Once(), sse.StartAfter("7"), sse.MaxEvent(100), sse.On(reads)).Count().Block(context.Background())
	fmt.Println(n, err)
	// Output:
	// after "7"
	// 2 <nil>
}

func ExampleReconnect() {
	// Ten times, then the stream fails; each time after what the server has asked for.
	fmt.Printf("%T\n", sse.Reconnect(flux.RetryBackoff(10, time.Second)))
	// Output: sse.ReconnectOption
}

func ExampleStartAfter() {
	fmt.Println(sse.StartAfter("1041")) // the ID of the last event of an earlier run
	// Output: 1041
}

func ExampleMaxEvent() {
	fmt.Println(sse.MaxEvent(64 << 10))
	// Output: 65536
}

func ExampleOn() {
	fmt.Printf("%T\n", sse.On(schedulers.BoundedElastic()))
	// Output: sse.OnOption
}

func ExampleHeartbeat() {
	sse.Handler(func(*http.Request) flux.Flux[sse.Event] { return flux.Never[sse.Event]() },
		sse.Heartbeat(5*time.Second), sse.Prefetch(1), sse.WriteTimeout(time.Minute))
	// Output:
}

func ExamplePrefetch() {
	fmt.Println(sse.Prefetch(4)) // four events wait for the one before them
	// Output: 4
}

func ExampleWriteTimeout() {
	fmt.Println(time.Duration(sse.WriteTimeout(time.Minute))) // for clients that never read
	// Output: 1m0s
}

func ExampleComment() {
	text, err := sse.Comment("hello").Append(nil)
	fmt.Printf("%q %v\n", text, err)
	// Output: ":hello\n\n" <nil>
}

func ExampleNewDecoder() {
	d := sse.NewDecoder(strings.NewReader("id: 1\ndata: a\ndata: b\n\n"))
	e, err := d.Next()
	fmt.Printf("%q %v\n", e.Data, err)
	_, err = d.Next()
	fmt.Println(err)
	// Output:
	// "a\nb" <nil>
	// EOF
}

func ExampleLastEventID() {
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Last-Event-ID", "41")
	fmt.Println(sse.LastEventID(r))
	// Output: 41
}
