package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/buffered"
)

// OnBackpressureLatest asks src for everything and keeps the newest element while there
// is no demand; older elements are discarded.
//
//	src:       1 - 2 - 3 - 4 |
//	         OnBackpressureLatest()
//	demand:    1 ------- 1 ------ 1
//	out:       1 ------- 3 ------ 4 |
//
// An error discards the element that is kept; completion waits for it. Signals go
// down on the goroutine of src or of the one that requests.
func OnBackpressureLatest[T any](src reactor.Publisher[T]) reactor.Publisher[T] {
	return &backpressureLatestPublisher[T]{src: protocol.Trust("onBackpressureLatest", src)}
}

type backpressureLatestPublisher[T any] struct {
	protocol.Op
	src reactor.Publisher[T]
}

func (p *backpressureLatestPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := &buffered.Stage[T]{}
	s.Init(ctx, sub, reactor.Unbounded)
	s.Out.EagerErrors = true
	s.Queue = latestBuffer[T]{queue.NewLatest[T](), s}
	p.src.Subscribe(ctx, s)
}

// latestBuffer is a queue with room for one.
type latestBuffer[T any] struct {
	*queue.Latest[T]
	stage *buffered.Stage[T]
}

// Offer keeps v and discards the element that was kept before.
func (b latestBuffer[T]) Offer(v T) bool {
	if old, replaced := b.Put(v); replaced {
		b.stage.Discard(old)
	}
	return true
}
