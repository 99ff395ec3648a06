package natslock

import (
	"sync"
	"time"
)

// maxHints limits how many marks are remembered.
const maxHints = 4096

// hints remembers the revisions of the marks that this process has left at its own
// releases, as long as the server keeps them: the next request for such a key then
// takes one round trip rather than three. Nothing is granted from here: a hint that is
// wrong fails the compare-and-set.
type hints struct {
	ttl time.Duration

	mu     sync.Mutex
	latest map[string]hint // guarded by mu
}

type hint struct {
	revision uint64
	until    time.Time
}

// put remembers the mark of a key.
func (h *hints) put(key string, revision uint64) {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.latest) >= maxHints {
		h.sweep(now)
	}
	if h.latest == nil {
		h.latest = map[string]hint{}
	}
	h.latest[key] = hint{revision, now.Add(h.ttl)}
}

// sweep makes room: what is over is removed, and if all of that is too little, everything. The caller
// holds mu.
func (h *hints) sweep(now time.Time) {
	for key, old := range h.latest {
		if !now.Before(old.until) {
			delete(h.latest, key)
		}
	}
	if len(h.latest) >= maxHints {
		clear(h.latest)
	}
}

// take returns the revision of the mark of a key, 0 if there is none known, and
// forgets it.
func (h *hints) take(key string) uint64 {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	got, ok := h.latest[key]
	if !ok {
		return 0
	}
	delete(h.latest, key)
	if !now.Before(got.until) {
		return 0
	}
	return got.revision
}
