package operators

import (
	"context"
	"slices"
	"sync"

	"github.com/goreactor/reactor"
)

// letGo returns what is in a field and empties it, so that nothing hangs on a stage that
// somebody has kept after its end.
func letGo[T any](field *T) T {
	v := *field
	*field = *new(T)
	return v
}

// pending is a queue of elements that one goroutine fills and empties while another
// one may close it, which discards what is there. Without a discard hook nobody
// minds elements that are just forgotten, so the lock is only taken with one.
type pending[T any] struct {
	discard func(any)
	mu      sync.Mutex // taken only if discard is set
	items   []T        // from head on; guarded by mu, or emitting goroutine
	head    int
	room    int32 // for how many elements there is room from the start; filling goroutine
	closed  bool  // guarded by mu; only set if discard is
}

func (h *pending[T]) init(ctx context.Context) { h.discard = reactor.DiscardHookFor[T](ctx) }

// push appends v and reports true, or discards it and reports false once closed.
func (h *pending[T]) push(v T) bool {
	if h.offer(v) {
		return true
	}
	h.discard(v)
	return false
}

// offer appends v and reports true, or reports false once closed.
func (h *pending[T]) offer(v T) bool {
	if h.discard == nil {
		h.append(v)
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.append(v)
	return true
}

func (h *pending[T]) append(v T) {
	if h.items == nil && h.room > 0 {
		h.items = make([]T, 0, h.room)
	}
	if h.head > 0 && h.head >= len(h.items)/2 && len(h.items) == cap(h.items) {
		n := copy(h.items, h.items[h.head:])
		clear(h.items[n:])
		h.items, h.head = h.items[:n], 0
	}
	h.items = append(h.items, v)
}

// pop removes the oldest element; there is none once closed.
func (h *pending[T]) pop() (v T, ok bool) {
	if h.discard != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
	}
	if h.head == len(h.items) {
		return v, false
	}
	v = h.items[h.head]
	h.items[h.head] = *new(T)
	h.head++
	return v, true
}

// replace makes v the only element and returns the one before; once closed it
// discards v.
func (h *pending[T]) replace(v T) (older T, ok bool) {
	if h.discard != nil {
		h.mu.Lock()
		if h.closed {
			h.mu.Unlock()
			h.discard(v)
			return older, false
		}
		defer h.mu.Unlock()
	}
	if len(h.items) == 0 {
		h.items = append(h.items, v)
		return older, false
	}
	older, h.items[0] = h.items[0], v
	return older, true
}

// fold makes fn(acc, v) the only element, acc being the one before, or v where there
// is none. Meanwhile acc is fn's: a closing does not find it. If fn fails it comes back.
func (h *pending[T]) fold(fn func(acc, v T) T, v T) {
	if h.discard == nil {
		if len(h.items) == 0 {
			h.items = append(h.items, v)
		} else {
			h.items[0] = fn(h.items[0], v)
		}
		return
	}
	if acc, ok := h.pop(); ok {
		folded := false
		defer func() {
			if !folded {
				h.push(acc)
			}
		}()
		v = fn(acc, v)
		folded = true
	}
	h.push(v)
}

// len returns the number of elements.
func (h *pending[T]) len() int {
	if h.discard != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
	}
	return len(h.items) - h.head
}

// take removes everything and gives the slice away; the next element begins a new
// one. nil if there is nothing, or once closed.
func (h *pending[T]) take() []T {
	if h.discard != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
	}
	items := h.items[h.head:]
	h.items, h.head = nil, 0
	return items
}

// slide copies the oldest elements into dst and then removes n of them. It reports
// false once closed.
func (h *pending[T]) slide(dst []T, n int) bool {
	if h.discard != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.closed {
			return false
		}
	}
	copy(dst, h.items[h.head:])
	clear(h.items[h.head : h.head+n])
	h.head += n
	return true
}

// takeAll removes everything and closes the queue; nil if it was closed before.
func (h *pending[T]) takeAll() []T {
	if h.discard != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.closed = true
	}
	items := h.items[h.head:]
	h.items, h.head = nil, 0
	return items
}

// sort orders the elements, stably. The lock is not held while compare runs: a
// closing that comes meanwhile finds nothing, and the elements come back to a
// closed queue.
func (h *pending[T]) sort(compare func(a, b T) int) {
	if h.discard == nil {
		slices.SortStableFunc(h.items, compare)
		return
	}
	h.mu.Lock()
	items := h.items[h.head:]
	h.items, h.head = nil, 0
	h.mu.Unlock()
	defer func() {
		for _, v := range items {
			h.push(v)
		}
	}()
	slices.SortStableFunc(items, compare)
}

// close discards everything, now and later. Without a discard hook it does
// nothing: the elements go with the subscription.
func (h *pending[T]) close() {
	if h.discard == nil {
		return
	}
	for _, v := range h.takeAll() {
		h.discard(v)
	}
}

// end is close for the goroutine that fills: it lets go of the elements also where
// nobody wants them.
func (h *pending[T]) end() {
	if h.discard == nil {
		h.items, h.head = nil, 0
		return
	}
	h.close()
}
