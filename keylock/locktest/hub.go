package locktest

import (
	"context"
	"sync"

	"github.com/goreactor/reactor/keylock"
)

// hubs are the watchers of all keys of a store, whose lock guards it.
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

// subscribed are the watchers of a key. What one has not taken yet is replaced by what
// comes, so that nobody is held up and the last state is always known.
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
