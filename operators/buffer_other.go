package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/batch"
	"github.com/goreactor/reactor/internal/stage/paired"
)

// BufferOther emits, each time other emits, a slice of the elements of src that have
// come since.
//
//	src:    1 - 2 - 3 - 4 - 5 ------ 6 |
//	other:  ----- x --------- x
//	        BufferOther(other)
//	out:    ----- [1 2] ----- [3 4 5] - [6] |
//
// There are no empty buffers. It asks src and other for everything; without demand for a
// buffer the stream fails with reactor.ErrOverflow. When src or other completes, the
// open buffer is emitted, the other of the two is cancelled, and the stream completes.
// An error of src or of other ends the stream at once; then, and at cancellation, the
// open buffer is discarded element by element. other is subscribed before src. Slices
// belong to the subscriber. They come on the goroutine of other; the last one comes on
// the goroutine on which src or other completes. If an element or a boundary comes while
// such a goroutine is at work, that goroutine deals with it too.
func BufferOther[T, U any](src reactor.Publisher[T], other reactor.Publisher[U]) reactor.Publisher[[]T] {
	return newBufferOther("bufferOther", src, other)
}

func newBufferOther[T, U any](op string, src reactor.Publisher[T], other reactor.Publisher[U]) reactor.Publisher[[]T] {
	return &bufferOtherPublisher[T, U]{op: op, src: protocol.Trust(op, src), other: protocol.Trust(op, other)}
}

type bufferOtherPublisher[T, U any] struct {
	protocol.Op
	op    string
	src   reactor.Publisher[T]
	other reactor.Publisher[U]
}

func (p *bufferOtherPublisher[T, U]) Subscribe(ctx context.Context, down reactor.Subscriber[[]T]) {
	s := &bufferOtherSubscriber[T]{}
	s.Init(p.op, ctx, down, 0)
	defer func() { // also if downstream ends the goroutine
		other := &paired.Other[U]{Ctx: ctx, Ended: s.otherEnded, Next: func(v U) {
			defer paired.Spend(ctx, v)
			s.Cut(batch.Open)
		}}
		s.Other.Set(0, other)
		failure.InTurn(func() { p.other.Subscribe(ctx, other) }, func() { p.src.Subscribe(ctx, s) })
	}()
	s.Out.Begin()
}

type bufferOtherSubscriber[T any] struct {
	batch.Stage[T]
}

// OnError ends the stream. As in Reactor, src is cancelled although it has ended; a
// doOnCancel above sees that.
func (s *bufferOtherSubscriber[T]) OnError(err error) {
	defer s.Stage.OnError(err) // also if a function that hears of it ends the goroutine
	s.Link.Cancel()
}

// OnComplete ends the stream; see OnError.
func (s *bufferOtherSubscriber[T]) OnComplete() {
	defer s.Stage.OnComplete() // also if a function that hears of it ends the goroutine
	s.Link.Cancel()
}

// otherEnded ends the stream on behalf of the other publisher.
func (s *bufferOtherSubscriber[T]) otherEnded(err error) {
	failure.InTurn(s.Link.Cancel, func() {
		if err != nil {
			s.Out.Fail(err)
			return
		}
		s.Out.End(nil)
	})
}
