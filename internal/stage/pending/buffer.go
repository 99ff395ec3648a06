package pending

import (
	"context"
	"reflect"
	"sync"

	"github.com/goreactor/reactor"
)

// Take returns what is in a field and empties it, so that nothing hangs on a stage that
// somebody has kept after its end.
func Take[T any](field *T) T {
	v := *field
	*field = *new(T)
	return v
}

// Buffer is a queue of elements that one goroutine fills and empties while another
// one may close it, which discards what is there. Without a discard hook nobody
// minds elements that are just forgotten, so the lock is only taken with one, or
// from the first element on that has to be told, where their type leaves that open.
type Buffer[T any] struct {
	Discard func(any)  // the discard hook, nil if there is none; set by Init
	mu      sync.Mutex // of who closes, and of who fills if guarded
	items   []T        // from head on; mu if guarded, or filling goroutine
	head    int        // as items
	Room    int32      // for how many elements there is room from the start; filling goroutine
	guarded bool       // who closes discards the elements; filling goroutine, which sets it with mu
	closed  bool       // mu; only set if Discard is
}

// Init looks up the discard hook of ctx. It comes before anything else.
func (h *Buffer[T]) Init(ctx context.Context) {
	h.Discard = reactor.DiscardHookFor[T](ctx)
	h.guarded = h.Discard != nil && !perElement(ctx, (*T)(nil))
}

// perElement reports whether each element by itself shows if it has to be told that it is discarded: the type that p points to
// is an interface, and no hook wants to hear of all of them.
func perElement(ctx context.Context, p any) bool {
	return reflect.TypeOf(p).Elem().Kind() == reflect.Interface && reactor.DiscardHook(ctx) == nil
}

// guard reports whether the queue is guarded, as it is from now on if v has to be told that it is discarded. Discard is set.
func (h *Buffer[T]) guard(v T) bool {
	if !h.guarded && reactor.OwnsIn(v) {
		h.arm()
	}
	return h.guarded
}

// arm guards the queue. If that was closed before, what it has is of no use to anybody.
func (h *Buffer[T]) arm() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.guarded = true
	if h.closed {
		h.items, h.head = nil, 0
	}
}

// Push appends v and reports true, or discards it and reports false once closed.
func (h *Buffer[T]) Push(v T) bool {
	if h.Offer(v) {
		return true
	}
	h.Discard(v)
	return false
}

// Offer appends v and reports true, or reports false once closed.
func (h *Buffer[T]) Offer(v T) bool {
	if h.Discard == nil || !h.guard(v) {
		h.append(v)
		return true
	}
	return h.offerLocked(v)
}

func (h *Buffer[T]) offerLocked(v T) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.append(v)
	return true
}

func (h *Buffer[T]) append(v T) {
	if h.items == nil && h.Room > 0 {
		h.items = make([]T, 0, h.Room)
	}
	if h.head > 0 && h.head >= len(h.items)/2 && len(h.items) == cap(h.items) {
		n := copy(h.items, h.items[h.head:])
		clear(h.items[n:])
		h.items, h.head = h.items[:n], 0
	}
	h.items = append(h.items, v)
}

// Pop removes the oldest element; there is none once closed.
func (h *Buffer[T]) Pop() (v T, ok bool) {
	if h.guarded {
		return h.popLocked()
	}
	return h.pop()
}

func (h *Buffer[T]) popLocked() (v T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pop()
}

func (h *Buffer[T]) pop() (v T, ok bool) {
	if h.head == len(h.items) {
		return v, false
	}
	v = h.items[h.head]
	h.items[h.head] = *new(T)
	h.head++
	return v, true
}

// Replace makes v the only element and returns the one before; once closed it
// discards v.
func (h *Buffer[T]) Replace(v T) (older T, ok bool) {
	if h.Discard != nil && h.guard(v) {
		h.mu.Lock()
		if h.closed {
			h.mu.Unlock()
			h.Discard(v)
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

// Fold makes fn(acc, v) the only element, acc being the one before, or v where there
// is none. Meanwhile acc is fn's: a closing does not find it. If fn fails it comes back.
func (h *Buffer[T]) Fold(fn func(acc, v T) T, v T) {
	if !h.guarded {
		if len(h.items) > 0 {
			v = fn(h.items[0], v)
		}
		if h.Discard != nil && h.guard(v) {
			h.Pop() // of which v has come
			h.Push(v)
		} else if len(h.items) == 0 {
			h.items = append(h.items, v)
		} else {
			h.items[0] = v
		}
		return
	}
	if acc, ok := h.Pop(); ok {
		folded := false
		defer func() {
			if !folded {
				h.Push(acc)
			}
		}()
		v = fn(acc, v)
		folded = true
	}
	h.Push(v)
}

// Folding returns [Buffer.Fold] for the elements of a loop, where there is no discard hook.
func (h *Buffer[T]) Folding(fn func(acc, v T) T) func(T) {
	return func(v T) {
		if len(h.items) == 0 {
			h.items = append(h.items, v)
		} else {
			h.items[0] = fn(h.items[0], v)
		}
	}
}

// Len returns the number of elements.
func (h *Buffer[T]) Len() int {
	if h.guarded {
		return h.lenLocked()
	}
	return len(h.items) - h.head
}

func (h *Buffer[T]) lenLocked() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.items) - h.head
}

// Take removes everything and gives the slice away; the next element begins a new
// one. nil if there is nothing, or once closed.
func (h *Buffer[T]) Take() []T {
	if h.guarded {
		h.mu.Lock()
		defer h.mu.Unlock()
	}
	items := h.items[h.head:]
	h.items, h.head = nil, 0
	return items
}

// Slide copies the oldest elements into dst and then removes n of them. It reports
// false once closed.
func (h *Buffer[T]) Slide(dst []T, n int) bool {
	if h.guarded {
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

// TakeAll removes everything and closes the queue for the goroutine that fills; nil if it was closed before.
func (h *Buffer[T]) TakeAll() []T {
	if h.Discard != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.closed = true
	}
	items := h.items[h.head:]
	h.items, h.head = nil, 0
	return items
}

// Sort lets sort order the elements. The lock is not held meanwhile: a
// closing that comes meanwhile finds nothing, and the elements come back to a
// closed queue.
func (h *Buffer[T]) Sort(sort func(items []T)) {
	if !h.guarded {
		sort(h.items[h.head:])
		return
	}
	h.mu.Lock()
	items := h.items[h.head:]
	h.items, h.head = nil, 0
	h.mu.Unlock()
	defer func() { // also if sort panics
		if !h.putBack(items) {
			DiscardAll(h.Discard, items)
		}
	}()
	sort(items)
}

// putBack puts items in front of what there is, or reports false once closed.
func (h *Buffer[T]) putBack(items []T) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.items, h.head = append(items, h.items[h.head:]...), 0
	return true
}

// Close discards everything, now and later. Without a discard hook it does
// nothing: the elements go with the subscription.
func (h *Buffer[T]) Close() { DiscardAll(h.Discard, h.Shut()) }

// Shut closes the queue for anybody, and removes what is to be discarded, which is nothing without a discard hook.
func (h *Buffer[T]) Shut() []T {
	if h.Discard == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if !h.guarded {
		return nil
	}
	items := h.items[h.head:]
	h.items, h.head = nil, 0
	return items
}

// End is close for the goroutine that fills: it lets go of the elements also where
// nobody wants them.
func (h *Buffer[T]) End() {
	DiscardAll(h.Discard, h.TakeAll())
}
