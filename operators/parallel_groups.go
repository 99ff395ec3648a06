package operators

import (
	"context"
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// ParallelGroups makes the rails a stream of publishers: group is called with the number and the
// publisher of each rail, which can be subscribed once, now or later. A rail that nobody subscribes
// to receives nothing; the others share the elements. Elements that a stage above requests on its
// own account, as [ParallelRunOn] does, wait there for a later subscriber. A rail that is
// discarded, as an element, on its way down counts as cancelled, and so do the rails that were not
// emitted when the stream is cancelled, whatever group has made of them. A panic of group fails the
// stream; rails that were subscribed to before share the elements.
func ParallelGroups[T, G any](src ParallelPublisher[T], group func(rail int, p reactor.Publisher[T]) G) reactor.Publisher[G] {
	argument.NotNil("groups", "source", src)
	argument.Given("groups", "function", group != nil)
	return &parallelGroups[T, G]{src: src, group: group}
}

type parallelGroups[T, G any] struct {
	protocol.Op
	src   ParallelPublisher[T]
	group func(int, reactor.Publisher[T]) G
}

func (p *parallelGroups[T, G]) Subscribe(ctx context.Context, s reactor.Subscriber[G]) {
	rails := newRails(p.src)
	groups := make([]G, len(rails))
	down := protocol.Strict(ctx, s)
	made, failed := 0, false
	failure.Guard(func() {
		for i, r := range rails {
			groups[i] = p.group(i, r)
			made++
		}
	}, func(err error) {
		failed = true
		defer p.giveUp(ctx, rails, groups[:made]) // also if downstream ends the goroutine
		protocol.Fail(down, reactor.OperatorError(ctx, err, nil))
	})
	if !failed {
		sub := &railSource[T, G]{ctx: ctx, down: down, groups: groups, rails: rails}
		sub.loop.InitFeeding(sub, down)
		defer startRails(ctx, p.src, rails) // also if downstream ends the goroutine
		down.OnSubscribe(&sub.loop)
	}
}

// giveUp is called when the function has failed: what it has made is discarded, and the elements go to those who have subscribed to
// a rail already.
func (p *parallelGroups[T, G]) giveUp(ctx context.Context, rails []*rail[T], groups []G) {
	for _, g := range groups {
		reactor.Discard(ctx, g)
	}
	for _, r := range rails {
		r.Discarded()
	}
	if slices.ContainsFunc(rails, (*rail[T]).wanted) {
		startRails(ctx, p.src, rails)
	}
}

// railSource emits the groups. A rail whose group does not arrive is told so directly,
// because only its group knows of the rail, and the group may be of any type.
type railSource[T, G any] struct {
	loop   protocol.PullLoop
	ctx    context.Context
	down   reactor.Subscriber[G]
	groups []G
	rails  []*rail[T]
	next   int // index of the first group that has not arrived; owner of the loop
}

func (s *railSource[T, G]) Pull(n int64) bool {
	for ; n > 0 && s.next < len(s.groups); n-- {
		s.down.OnNext(s.groups[s.next])
		s.next++
		if s.loop.Cancelled() {
			return true
		}
	}
	if s.next == len(s.groups) {
		s.loop.Finish(s.down, nil)
		return true
	}
	return false
}

func (s *railSource[T, G]) Crashed(err error) {
	at := s.next
	if at == len(s.groups) {
		s.down.OnError(reactor.OperatorError(s.ctx, err, nil)) // the end failed; all have arrived
		return
	}
	s.next++
	protocol.Crash(s.ctx, s.down, err, s.groups[at])
	s.rails[at].Discarded()
}

func (s *railSource[T, G]) Release() {
	for i := s.next; i < len(s.groups); i++ {
		reactor.Discard(s.ctx, s.groups[i])
		s.rails[i].Discarded()
	}
	s.groups, s.rails, s.down = nil, nil, nil
}
