package queue

import (
	"sync/atomic"

	"github.com/goreactor/reactor/internal/chaos"
)

// isEmpty reports whether tail had not gone beyond head at some moment of the
// call. The order of the loads matters: read the other way round, an element
// offered and another polled in between would look like an empty queue.
func isEmpty(head, tail *atomic.Uintptr) bool {
	h := head.Load()
	chaos.Yield()
	return tail.Load() == h
}

// length returns the distance from head to tail at some moment of the call. It
// reads again only if the consumer has moved on meanwhile.
func length(head, tail *atomic.Uintptr) int {
	h := head.Load()
	for {
		chaos.Yield()
		t := tail.Load()
		chaos.Yield()
		again := head.Load()
		if again == h {
			return int(t - h)
		}
		h = again
	}
}
