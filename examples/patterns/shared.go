package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var errNotFound = errors.New("not found")

// work stands for a call that takes time: as many times ten milliseconds as id says.
func work(id int) string {
	time.Sleep(time.Duration(id) * 10 * time.Millisecond)
	return fmt.Sprintf("page %d", id)
}

// fetch is work that can be cancelled, and that fails for an id of 4.
func fetch(ctx context.Context, id int) (string, error) {
	select {
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-time.After(time.Duration(id) * 10 * time.Millisecond):
	}
	if id == 4 {
		return "", fmt.Errorf("page %d: %w", id, errNotFound)
	}
	return fmt.Sprintf("page %d", id), nil
}

// arrivals sends 1, 2, 3, … at the given milliseconds from now on, and closes the channel then.
func arrivals(at ...int) <-chan int {
	start, ch := time.Now(), make(chan int)
	go func() {
		defer close(ch)
		for i, ms := range at {
			time.Sleep(time.Until(start.Add(time.Duration(ms) * time.Millisecond)))
			ch <- i + 1
		}
	}()
	return ch
}

// since returns how many milliseconds have passed, in steps of five.
func since(start time.Time) int {
	return int(time.Since(start).Round(5*time.Millisecond) / time.Millisecond)
}

// gauge counts up and down, and knows the most there was.
type gauge struct {
	mu        sync.Mutex
	now, peak int // guarded by mu
}

func (g *gauge) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now += n
	g.peak = max(g.peak, g.now)
}

func (g *gauge) most() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.peak
}
