package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// page is what a request brings.
type page struct {
	path  string
	text  string
	links []string
}

var (
	errBusy = errors.New("the site is busy")
	errGone = errors.New("there is no such page")
)

// site is a tree of pages with links back to its root. Every third page is busy at the first two
// requests, and the links of every tenth lead nowhere, too.
type site struct {
	size int

	mu       sync.Mutex
	asked    map[int]int // requests by page; guarded by mu
	requests int         // guarded by mu
	now      int         // requests that are being answered; guarded by mu
	most     int         // the most of them at a time; guarded by mu
}

func newSite(size int) *site { return &site{size: size, asked: map[int]int{}} }

func pathOf(n int) string { return fmt.Sprintf("/%d", n) }

// get answers after 30 ms, or when ctx ends.
func (s *site) get(ctx context.Context, path string) (page, error) {
	var n int
	if _, err := fmt.Sscanf(path, "/%d", &n); err != nil {
		return page{}, err
	}
	s.mu.Lock()
	s.requests++
	s.asked[n]++
	times := s.asked[n]
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.now--
	}()
	select {
	case <-time.After(30 * time.Millisecond):
	case <-ctx.Done():
		return page{}, context.Cause(ctx)
	}
	switch {
	case n >= s.size:
		return page{}, fmt.Errorf("%s: %w", path, errGone)
	case n%3 == 1 && times <= 2:
		return page{}, fmt.Errorf("%s: %w", path, errBusy)
	}
	p := page{path: path, text: fmt.Sprintf("page %d", n), links: []string{pathOf(0)}}
	for k := range 3 {
		if child := 3*n + 1 + k; child < s.size {
			p.links = append(p.links, pathOf(child))
		}
	}
	if n%10 == 9 {
		p.links = append(p.links, pathOf(s.size+n))
	}
	return p, nil
}

// store is a table that takes a while.
type store struct {
	mu   sync.Mutex
	rows map[string]string // guarded by mu
}

func (s *store) save(ctx context.Context, p page) (page, error) {
	select {
	case <-time.After(2 * time.Millisecond):
	case <-ctx.Done():
		return p, context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rows == nil {
		s.rows = map[string]string{}
	}
	s.rows[p.path] = p.text
	return p, nil
}

// unseen returns the links of pages that are not in seen, and adds them.
func unseen(pages []page, seen map[string]bool) (next []string) {
	for _, p := range pages {
		for _, link := range p.links {
			if !seen[link] {
				seen[link] = true
				next = append(next, link)
			}
		}
	}
	return next
}
