package operators

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/buffered"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// OnBackpressureBuffer asks src for everything and keeps the elements that there is no
// demand for, without bound unless [Capacity] sets one.
//
//	src:       1 - 2 - 3 - 4 - 5 |
//	           OnBackpressureBuffer()
//	demand:    1 ------------ 2 -------- 2
//	out:       1 ------------ 2 - 3 ---- 4 - 5 |
//
// An element that comes to a full buffer fails the stream with reactor.ErrOverflow; a
// [BufferOverflowStrategy] given as an option decides otherwise. Errors,
// reactor.ErrOverflow included, wait until the buffer was delivered. But with
// [BufferDropLatest] or [BufferDropOldest] an error of src comes at once and discards
// the buffer, unless [OnBackpressureBufferFunc] is used. Cancelling discards the
// buffer. Signals go down on the goroutine of src or of the one that requests.
func OnBackpressureBuffer[T any](src reactor.Publisher[T], opts ...BackpressureBufferOption) reactor.Publisher[T] {
	return newBackpressureBuffer(src, nil, opts)
}

// OnBackpressureBufferFunc is [OnBackpressureBuffer], and calls onOverflow with each
// element that finds no room, or that has to make room under [BufferDropOldest], before
// it is discarded. An error of src waits until the buffer was delivered, whatever the
// strategy. onOverflow runs on the goroutine of src; its panic fails the stream.
func OnBackpressureBufferFunc[T any](src reactor.Publisher[T], onOverflow func(T), opts ...BackpressureBufferOption) reactor.Publisher[T] {
	argument.Given("onBackpressureBuffer", "function", onOverflow != nil)
	return newBackpressureBuffer(src, onOverflow, opts)
}

// BackpressureBufferOption is an option of [OnBackpressureBuffer]: [Capacity] or
// a [BufferOverflowStrategy].
type BackpressureBufferOption interface {
	applyBackpressureBuffer(*backpressureBufferConfig)
}

type backpressureBufferConfig struct {
	capacity int
	bounded  bool
	strategy BufferOverflowStrategy
}

// CapacityOption is how many elements a stage may keep.
type CapacityOption int

// Capacity limits the elements that a stage may keep to n > 0.
func Capacity(n int) CapacityOption { return CapacityOption(n) }

func (o CapacityOption) applyBackpressureBuffer(c *backpressureBufferConfig) {
	argument.Positive("onBackpressureBuffer", "capacity", int(o))
	c.capacity, c.bounded = int(o), true
}

// BufferOverflowStrategy says what happens to an element that comes to a full buffer.
// It is an option of [OnBackpressureBuffer].
type BufferOverflowStrategy uint8

const (
	// BufferError ends the stream with reactor.ErrOverflow once the buffer was
	// delivered. It is the default.
	BufferError BufferOverflowStrategy = iota
	// BufferDropLatest discards the element that has just come.
	BufferDropLatest
	// BufferDropOldest discards the oldest element to make room.
	BufferDropOldest
)

func (o BufferOverflowStrategy) applyBackpressureBuffer(c *backpressureBufferConfig) { c.strategy = o }

func newBackpressureBuffer[T any](src reactor.Publisher[T], onOverflow func(T), opts []BackpressureBufferOption) reactor.Publisher[T] {
	p := &backpressureBufferPublisher[T]{src: protocol.Trust("onBackpressureBuffer", src), onOverflow: onOverflow}
	for _, o := range argument.Options("onBackpressureBuffer", opts) {
		o.applyBackpressureBuffer(&p.config)
	}
	if p.config.strategy > BufferDropOldest {
		panic(fmt.Sprintf("reactor: onBackpressureBuffer: there is no BufferOverflowStrategy(%d)", uint8(p.config.strategy)))
	}
	if !p.config.bounded && p.config.strategy != BufferError {
		panic("reactor: onBackpressureBuffer: an overflow strategy needs a capacity")
	}
	return p
}

type backpressureBufferPublisher[T any] struct {
	protocol.Op
	src        reactor.Publisher[T]
	onOverflow func(T) // nil if nobody wants to know
	config     backpressureBufferConfig
}

func (p *backpressureBufferPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	s := &buffered.Stage[T]{}
	s.Init(ctx, sub, reactor.Unbounded)
	switch {
	case !p.config.bounded:
		s.Queue = queue.NewSPSC[T](reactor.Unbounded)
	case p.config.strategy == BufferError:
		s.Queue = queue.NewBounded[T](p.config.capacity)
		s.Full = func(v T) { p.overflow(s, v) }
	default:
		// The element that leaves is the business of its own discarding, so
		// an error need not wait unless somebody looks at overflows.
		s.Out.EagerErrors = p.onOverflow == nil
		q := &pending.Deque[T]{Capacity: p.config.capacity}
		s.Queue = q
		s.Full = func(v T) {
			if p.config.strategy == BufferDropOldest {
				oldest, ok := q.Replace(v)
				if !ok {
					s.Out.Run()
					return
				}
				v = oldest
			}
			p.notify(s, v)
		}
	}
	p.src.Subscribe(ctx, s)
}

// overflow ends the stage because v found no room.
func (p *backpressureBufferPublisher[T]) overflow(s *buffered.Stage[T], v T) {
	failure.InTurn(s.Up.Cancel, func() { // which may end the goroutine
		p.tell(v, func(cause error) {
			failed := reactor.Failure("onBackpressureBuffer", reactor.ErrOverflow, "the buffer of %d elements is full", p.config.capacity)
			failed.Cause = cause
			err := reactor.OperatorError(s.Out.Context(), failed, v)
			s.Discard(v)
			s.OnError(err)
		})
	})
}

// notify calls the user's function with an element that was not kept, and discards it.
func (p *backpressureBufferPublisher[T]) notify(s *buffered.Stage[T], v T) {
	p.tell(v, func(failed error) {
		defer s.Discard(v) // also if what follows ends the goroutine
		if failed != nil {
			s.Fail(reactor.OperatorError(s.Out.Context(), failed, v))
		}
	})
}

// tell calls the user's function with v, if there is one, and then goes on, with
// the failure of that function or nil.
func (p *backpressureBufferPublisher[T]) tell(v T, then func(failed error)) {
	told := true
	if p.onOverflow != nil {
		told = false
		failure.Guard(func() { p.onOverflow(v); told = true }, then)
	}
	if told {
		then(nil)
	}
}
