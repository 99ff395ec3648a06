package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// FromSlice emits the elements of items in order. The slice is not copied: do
// not change it while it may still be subscribed to.
//
//	      FromSlice([a b c])
//	out:  a - b - c |
//
// Elements are produced on demand, on the goroutine that requests them. Elements left at
// cancellation are discarded.
//
// Not inlined: each caller in package flux would have a copy, and where a program calls that, another.
//
//go:noinline
func FromSlice[T any](items []T) reactor.Publisher[T] {
	switch len(items) {
	case 0:
		return Empty[T]()
	case 1:
		return Just(items[0])
	}
	return &slicePublisher[T]{items: items}
}

type slicePublisher[T any] struct {
	protocol.Op
	items    []T
	constant bool // what is left at cancellation is nobody's to discard
}

// pulled: see isPulled.
func (*slicePublisher[T]) pulled() bool { return true }

func (p *slicePublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &sliceSource[T]{ctx: ctx, down: protocol.Strict(ctx, s), items: p.items, constant: p.constant}
	sub.loop.InitFeeding(sub, sub.down)
	sub.down.OnSubscribe(&sub.loop)
}

type sliceSource[T any] struct {
	loop     protocol.PullLoop
	ctx      context.Context
	down     reactor.Subscriber[T]
	push     func(T) // hands elements to down; taken at the first request
	items    []T     // owner of the loop
	next     int     // index of the first element not emitted yet; owner of the loop
	constant bool
}

func (s *sliceSource[T]) Pull(n int64) bool {
	if s.push == nil {
		s.push = protocol.Push(s.down)
	}
	end := len(s.items)
	if int64(end-s.next) > n {
		end = s.next + int(n)
	}
	stop := s.loop.Stops()
	for s.next < end {
		v := s.items[s.next]
		s.next++
		s.push(v)
		if stop.Load() {
			return true
		}
	}
	if s.next == len(s.items) {
		s.loop.Finish(s.down, nil)
		return true
	}
	return false
}

func (s *sliceSource[T]) Crashed(err error) {
	if s.loop.Ended() {
		s.down.OnError(reactor.OperatorError(s.ctx, err, nil)) // the end failed; all have arrived
		return
	}
	protocol.Crash(s.ctx, s.down, err, s.items[s.next-1])
}

func (s *sliceSource[T]) Release() {
	if s.next < len(s.items) && !s.constant {
		if discard := reactor.DiscardHookFor[T](s.ctx); discard != nil {
			for _, v := range s.items[s.next:] {
				discard(v)
			}
		}
	}
	s.items, s.down, s.push = nil, nil, nil
}
