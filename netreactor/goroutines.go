package netreactor

import (
	"sync"

	"github.com/goreactor/reactor/internal/goid"
)

// goroutines are those of a server that run handlers, and that its shutdown waits for: selectors, workers, those of
// [Business]. The goroutine of a connection is not among them: connection.maker tells of it.
type goroutines struct {
	mu  sync.Mutex
	ids map[uintptr]struct{} // mu
}

// join adds the calling goroutine, until leave is called.
func (g *goroutines) join() (leave func()) {
	id := goid.Current()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ids == nil {
		g.ids = map[uintptr]struct{}{}
	}
	g.ids[id] = struct{}{}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.ids, id)
	}
}

// has reports whether the goroutine is one of them.
func (g *goroutines) has(id uintptr) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, ok := g.ids[id]
	return ok
}
