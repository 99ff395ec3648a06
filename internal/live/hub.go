package live

import (
	"context"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goreactor/reactor/internal/chaos"
)

// A hub is one context.AfterFunc that all watches over the same context share. To enter its list and to leave it takes a
// quarter of the instructions that an AfterFunc and its stop take: two small objects, the place and the function to stop.
//
// A context gets a hub when it is watched over for the second time, if no other context has used the same slot of the table
// in between: a context that is made for one subscription pays for nothing more. A hub stays in the table until its
// context has ended, or until another hub takes its slot, also while nobody watches over the context. So the table keeps
// at most as many contexts alive as it has slots, and none that has ended.
type hub struct {
	done <-chan struct{} // of the context
	stop func() bool     // ends the AfterFunc; written before the hub is in the table

	mu sync.Mutex
	// guarded by mu
	list   place // a ring that begins and ends here
	kept   bool  // in the table, or about to be
	ended  bool  // the context has ended: the list is left to end, which tells all who are in it
	closed bool  // the AfterFunc was stopped
}

// place is the place of one watch in the list of a hub.
type place struct {
	of         *hub
	on         Ended
	prev, next *place // nil when it has left; guarded by of.mu, and touched by end alone once of.ended is set
}

// slots is how many contexts have a hub that is found at most; a power of two.
const slots = 256

var (
	hubs [slots]atomic.Pointer[hub]
	// seen has, for each slot, the channel of the latest context that found no hub there. The channel is kept alive, so that
	// no other channel gets its address, but nothing else of the context is. seen is an array of its own because it is
	// written often where contexts are watched over once, which must not slow down reading hubs.
	seen [slots]atomic.Pointer[byte]
)

// hubOf returns the hub of ctx, whose channel is done, or nil if it has none.
func hubOf(ctx context.Context, done <-chan struct{}) *hub {
	at := address(done)
	i := slotOf(at)
	if h := hubs[i].Load(); h != nil && h.done == done {
		return h
	}
	if seen[i].Load() != at {
		seen[i].Store(at)
		return nil
	}
	return newHub(ctx, done, i)
}

// address returns where a channel is.
func address(done <-chan struct{}) *byte { return *(**byte)(unsafe.Pointer(&done)) }

// slotOf spreads addresses, whose lower bits are always the same.
func slotOf(at *byte) int {
	return int(uint64(uintptr(unsafe.Pointer(at))) * 0x9E3779B97F4A7C15 >> 56 & (slots - 1))
}

// newHub puts a hub for ctx into slot i of the table, or returns nil if the end of ctx is not that of a context of the standard library.
func newHub(ctx context.Context, done <-chan struct{}, i int) *hub {
	std := standard(ctx, done)
	if std == nil {
		return nil
	}
	h := &hub{done: done, kept: true}
	h.list.prev, h.list.next = &h.list, &h.list
	h.stop = context.AfterFunc(std, h.end)
	chaos.Yield()
	before := hubs[i].Swap(h)
	chaos.Yield()
	if before != nil {
		before.leaveTable()
	}
	h.mu.Lock()
	ended := h.ended
	h.mu.Unlock()
	if ended {
		hubs[i].CompareAndSwap(h, nil) // end may have looked before h was in the table
	}
	return h
}

// enter puts x into the list, or returns nil if the context has ended or the hub is closed.
func (h *hub) enter(x Ended) *place {
	p := &place{of: h, on: x}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended || h.closed {
		return nil
	}
	first := h.list.next
	p.prev, p.next = &h.list, first
	h.list.next, first.prev = p, p
	return p
}

// leave takes p out of the list, and reports false if it is not there or will be told.
func (p *place) leave() bool {
	h := p.of
	h.mu.Lock()
	if h.ended || p.next == nil {
		h.mu.Unlock()
		return false
	}
	p.prev.next, p.next.prev = p.next, p.prev
	p.prev, p.next = nil, nil
	last := h.isIdle()
	h.mu.Unlock()
	if last {
		h.stop()
	}
	unwatched()
	return true
}

// leaveTable is called when another hub has taken the slot of h: h goes on for the watches that are in its list.
func (h *hub) leaveTable() {
	h.mu.Lock()
	h.kept = false
	last := h.isIdle()
	h.mu.Unlock()
	if last {
		h.stop()
	}
}

// isIdle reports whether the caller, who holds mu, has to stop the AfterFunc: the list is empty, and nothing can enter it any
// more.
func (h *hub) isIdle() bool {
	if h.kept || h.ended || h.closed || h.list.next != &h.list {
		return false
	}
	h.closed = true
	return true
}

// end runs on a goroutine of its own when the context has ended. It calls each place of the list on another goroutine, since
// the call may block, but the last place on its own.
func (h *hub) end() {
	h.mu.Lock()
	h.ended = true
	h.mu.Unlock()
	hubs[slotOf(address(h.done))].CompareAndSwap(h, nil)
	chaos.Yield()
	// The list is nobody else's nop.
	for p := h.list.next; p != &h.list; {
		next := p.next
		p.prev, p.next = nil, nil // who keeps one place must not keep all of them alive
		if next == &h.list {
			h.list.prev, h.list.next = nil, nil
			p.on.ContextEnded()
			return
		}
		go p.on.ContextEnded()
		p = next
	}
}

// standard returns the context of the standard library whose end is that of ctx, without the values that stand in between, or nil
// if the end is that of a context of another kind: there context.AfterFunc may need a goroutine, which must not wait
// for longer than somebody watches.
func standard(ctx context.Context, done <-chan struct{}) context.Context {
	if key == nil {
		return nil
	}
	if std, ok := ctx.Value(key).(context.Context); ok && std.Done() == done {
		return std
	}
	return nil
}

// key is what package context asks a context for, to find out which one of its own it comes from.
var key = askedFor()

func askedFor() any {
	a := &asked{Context: context.Background()}
	_ = context.Cause(a)
	return a.key
}

// asked is a context that notes for which key package context asks. It has ended, since only such a context is asked for its cause.
type asked struct {
	context.Context
	key any
}

func (a *asked) Err() error { return context.Canceled }

func (a *asked) Value(key any) any {
	a.key = key
	return nil
}
