package locktest

import (
	"context"
	"sync"

	"github.com/goreactor/reactor/keylock"
)

// hubs are the watchers of all keys of a store. The lock of the store guards the map.
type hubs map[string]*subscribed

// of returns the watchers of a key.
func (h *hubs) of(key string) *subscribed {
	if *h == nil {
		*h = hubs{}
	}
	if (*h)[key] == nil {
		(*h)[key] = &subscribed{}
	}
	return (*h)[key]
}

// subscribed are the watchers of a key. A new event replaces one that a watcher has not
// taken yet, so that nobody is held up and each watcher gets the last state.
type subscribed struct {
	mu   sync.Mutex
	list map[chan keylock.Event]struct{} // mu
}

// subscribe returns a channel with the first event in it, closed when ctx ends.
func (s *subscribed) subscribe(ctx context.Context, first keylock.Event) <-chan keylock.Event {
	ch := make(chan keylock.Event, 1)
	ch <- first
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list == nil {
		s.list = map[chan keylock.Event]struct{}{}
	}
	s.list[ch] = struct{}{}
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.list, ch)
		close(ch)
	})
	return ch
}

// send gives ev to all watchers.
func (s *subscribed) send(ev keylock.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ch := range s.list {
		select {
		case <-ch:
		default:
		}
		ch <- ev
	}
}
