package operators

import (
	"context"
	"fmt"
	"math"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/protocol"
)

// Range emits count consecutive integers, beginning with start.
//
//	      Range(5, 3)
//	out:  5 - 6 - 7 |
//
// Elements are produced on demand, on the goroutine that requests them. A negative
// count panics, and so does a count that would run past the largest int.
func Range(start, count int) reactor.Publisher[int] {
	argument.NotNegative("range", "count", count)
	if count > 0 && start > math.MaxInt-(count-1) {
		panic(fmt.Sprintf("reactor: range: %d integers from %d on do not fit into an int", count, start))
	}
	switch count {
	case 0:
		return Empty[int]()
	case 1:
		return Just(start)
	}
	return &rangePublisher{start: start, count: count}
}

type rangePublisher struct {
	protocol.Op
	start, count int
}

// pulled: see isPulled.
func (*rangePublisher) pulled() bool { return true }

func (p *rangePublisher) Subscribe(ctx context.Context, s reactor.Subscriber[int]) {
	sub := &rangeSource{ctx: ctx, down: protocol.Strict(ctx, s), next: p.start, left: p.count}
	sub.loop.InitFeeding(sub, sub.down)
	sub.down.OnSubscribe(&sub.loop)
}

type rangeSource struct {
	loop protocol.PullLoop
	ctx  context.Context
	down reactor.Subscriber[int]
	push func(int) // hands elements to down; taken at the first request
	next int       // owner of the loop
	left int       // owner of the loop
}

func (s *rangeSource) Pull(n int64) bool {
	if s.push == nil {
		s.push = protocol.Push(s.down)
	}
	k := s.left
	if int64(k) > n {
		k = int(n)
	}
	s.left -= k // not wanted during the loop
	stop := s.loop.Stops()
	for end := s.next + k; s.next != end; {
		v := s.next
		s.next++
		s.push(v)
		if stop.Load() {
			return true
		}
	}
	if s.left == 0 {
		s.loop.Finish(s.down, nil)
		return true
	}
	return false
}

func (s *rangeSource) Crashed(err error) {
	if s.loop.Ended() {
		s.down.OnError(reactor.OperatorError(s.ctx, err, nil)) // the end failed; all have arrived
		return
	}
	protocol.Crash(s.ctx, s.down, err, s.next-1)
}

func (s *rangeSource) Release() { s.down, s.push = nil, nil }
