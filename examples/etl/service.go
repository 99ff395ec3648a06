package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// perPage is how many orders a page has.
const perPage = 250

// service is an HTTP server of pages of orders that fails at random: it refuses requests with
// 429 and how long to wait, or with 503, and cuts bodies off.
type service struct {
	url    string
	server *http.Server
	mu     sync.Mutex
	random *rand.Rand
	faults map[string]int // how often what went wrong
}

func startService(pages int, seed int64) (*service, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &service{url: "http://" + l.Addr().String(), random: rand.New(rand.NewPCG(uint64(seed), 0)), faults: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders", func(w http.ResponseWriter, r *http.Request) {
		page, err := strconv.Atoi(r.FormValue("page"))
		if err != nil || page < 1 || page > pages {
			http.Error(w, "there is no such page", http.StatusNotFound)
			return
		}
		s.serve(w, page)
	})
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go s.server.Serve(l) //nolint:errcheck // it ends with stop
	return s, nil
}

func (s *service) stop() { s.server.Close() }

// fault decides what goes wrong with a request, and after how many orders.
func (s *service) fault() (kind string, after int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch n := s.random.IntN(10); {
	case n < 2:
		kind = "429"
	case n < 3:
		kind = "503"
	case n < 4:
		kind, after = "cut", s.random.IntN(perPage)
	}
	s.faults[kind]++
	return kind, after
}

func (s *service) serve(w http.ResponseWriter, page int) {
	kind, after := s.fault()
	switch kind {
	case "429":
		w.Header().Set("Retry-After", "1")
		http.Error(w, "not so fast", http.StatusTooManyRequests)
		return
	case "503":
		http.Error(w, "out of order", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	lines := json.NewEncoder(w)
	for i := range perPage {
		if kind == "cut" && i == after {
			panic(http.ErrAbortHandler)
		}
		id := int64((page-1)*perPage + i + 1)
		if err := lines.Encode(order{ID: id, Customer: fmt.Sprint("customer ", id%97), Cents: id * 7 % 10_000}); err != nil {
			return
		}
	}
}
