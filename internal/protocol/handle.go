package protocol

import (
	"sync"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
)

// Handle owns a timer, or another disposable, that is replaced while the Handle lives.
// What it owns carries a number: if two goroutines set one each, the one with the
// higher number stays. A disposed Handle disposes everything that it is given. Safe for
// concurrent use; nothing is called while the lock is held. The zero value owns
// nothing.
type Handle struct {
	mu       sync.Mutex
	current  reactor.Disposable // guarded by mu
	wanted   int64              // lowest number that is still wanted; guarded by mu
	disposed bool               // guarded by mu
}

// Set makes h own d, the n-th disposable, and disposes what h owned before; or it
// disposes d if d is not wanted any more.
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

// Clear disposes what h owns if that is the n-th or an earlier one: these are not
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
