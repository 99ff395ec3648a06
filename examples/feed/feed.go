package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/adapt/sse"
	"github.com/goreactor/reactor/flux"
)

// replayed is how many events somebody gets who connects.
const replayed = 10

// waiting is how many events wait for a slow client.
const waiting = 32

// measurement is what there is to see.
type measurement struct {
	Number int64     `json:"number"`
	At     time.Time `json:"at"`
	Value  float64   `json:"value"`
}

// measurements measures something that goes up and down, beginning with number 1.
func measurements(every time.Duration) flux.Flux[measurement] {
	return flux.Interval(every, flux.InitialDelay(0)).
		OnBackpressureLatest().
		Map(func(n int64) measurement {
			x := float64(n) / 12
			return measurement{n + 1, time.Now().UTC(), math.Round(1000*(50+30*math.Sin(x)+9*math.Sin(7.3*x))) / 1000}
		})
}

// event is a measurement as clients get it.
func event(m measurement) (sse.Event, error) {
	data, err := json.Marshal(m)
	return sse.Event{ID: strconv.FormatInt(m.Number, 10), Data: string(data), Retry: 500 * time.Millisecond}, err
}

// feed is one hot stream for all clients.
type feed struct {
	events  flux.ConnectableFlux[sse.Event]
	slow    string       // the strategy for who has chosen none
	newest  atomic.Int64 // number of an event
	clients atomic.Int64
	missed  atomic.Int64
}

func newFeed(source flux.Flux[measurement], slow string) (*feed, error) {
	f := &feed{slow: slow}
	f.events = source.DoOnNext(func(m measurement) { f.newest.Store(m.Number) }).TryMap(event).Replay(flux.History(replayed))
	_, err := f.forSlow(slow)
	return f, err
}

// start starts the source.
func (f *feed) start(ctx context.Context) reactor.Disposable { return f.events.Connect(ctx) }

// strategy says what becomes of the events that a client can't take.
type strategy func(flux.Flux[sse.Event]) flux.Flux[sse.Event]

func (f *feed) forSlow(name string) (strategy, error) {
	miss := func(sse.Event) { f.missed.Add(1) }
	switch name {
	case "buffer":
		return func(events flux.Flux[sse.Event]) flux.Flux[sse.Event] {
			return events.OnBackpressureBufferFunc(miss, flux.Capacity(waiting), flux.BufferDropOldest)
		}, nil
	case "latest":
		return func(events flux.Flux[sse.Event]) flux.Flux[sse.Event] {
			return events.OnBackpressureLatest().DoOnDiscard(miss)
		}, nil
	case "drop":
		return func(events flux.Flux[sse.Event]) flux.Flux[sse.Event] { return events.OnBackpressureDropFunc(miss) }, nil
	case "disconnect":
		return func(events flux.Flux[sse.Event]) flux.Flux[sse.Event] {
			return events.OnBackpressureBuffer(flux.Capacity(waiting), flux.BufferError)
		}, nil
	}
	return nil, fmt.Errorf("there is no strategy %q, but buffer, latest, drop and disconnect", name)
}

// stream returns the events for a client that has seen the one called last.
func (f *feed) stream(last string, slow strategy) flux.Flux[sse.Event] {
	seen, err := strconv.ParseInt(last, 10, 64)
	if err != nil || seen > f.newest.Load() {
		seen = 0 // nothing, or something that was never sent: before the program was started again, say
	}
	events := flux.From(f.events).SkipWhile(func(e sse.Event) bool {
		n, _ := strconv.ParseInt(e.ID, 10, 64)
		return n <= seen
	})
	return slow(events).
		DoFirst(func() { f.clients.Add(1) }).
		DoFinally(func(reactor.SignalKind) { f.clients.Add(-1) })
}

//go:embed page.html
var page []byte

// handler serves the page, the events, and how many clients there are.
func (f *feed) handler() http.Handler {
	events := sse.Handler(func(r *http.Request) flux.Flux[sse.Event] {
		slow, _ := f.forSlow(f.chosen(r))
		return f.stream(sse.LastEventID(r), slow)
	}, sse.Prefetch(1), sse.WriteTimeout(30*time.Second))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		if _, err := f.forSlow(f.chosen(r)); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		events.ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /clients", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "{\"clients\":%d,\"missed\":%d}\n", f.clients.Load(), f.missed.Load())
	})
	return mux
}

// chosen returns the strategy that a client wants.
func (f *feed) chosen(r *http.Request) string {
	if name := r.FormValue("slow"); name != "" {
		return name
	}
	return f.slow
}
