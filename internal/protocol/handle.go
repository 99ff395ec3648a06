package protocol

import (
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
)

// Handle owns a timer, or whatever else can be disposed, that is replaced while
// it lives. What it owns carries a number, so that two goroutines may set one
// each and the later one stays. Once a Handle is disposed it disposes everything
// it is given. Safe for concurrent use; nothing is called while the lock is held.
// The zero value owns nothing.
type Handle struct {
	mu       sync.Mutex
	current  reactor.Disposable // guarded by mu
	wanted   int64              // lowest number that is still wanted; guarded by mu
	disposed bool               // guarded by mu
}

// Set makes h own d, the n-th, and disposes what it owned before; or disposes d
// if that is not wanted any more.
func (h *Handle) Set(n int64, d reactor.Disposable) {
	chaos.Yield()
	h.mu.Lock()
	if !h.disposed && n >= h.wanted {
		h.wanted = n
		h.current, d = d, h.current
	}
	h.mu.Unlock()
	if d != nil {
		d.Dispose()
	}
}

// Clear disposes what h owns if it is the n-th or an earlier one. Those are not
// wanted any more.
func (h *Handle) Clear(n int64) {
	chaos.Yield()
	var d reactor.Disposable
	h.mu.Lock()
	if h.wanted <= n {
		d, h.current = h.current, nil
		h.wanted = n + 1
	}
	h.mu.Unlock()
	if d != nil {
		d.Dispose()
	}
}

// Dispose disposes what h owns and whatever it is given later.
func (h *Handle) Dispose() {
	chaos.Yield()
	h.mu.Lock()
	d := h.current
	h.current = nil
	h.disposed = true
	h.mu.Unlock()
	if d != nil {
		d.Dispose()
	}
}

// IsDisposed reports whether Dispose was called.
func (h *Handle) IsDisposed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.disposed
}
