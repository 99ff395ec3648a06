package operators

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/batch"
)

// BufferTimeout emits slices of size elements, or of fewer when d has passed since the
// first element of the slice came.
//
//	src:  1 - 2 ----------- 3 - 4 - 5 - 6 |
//	      BufferTimeout(3, 6 steps)
//	out:  ------- [1 2] ----------- [3 4 5] - [6] |
//
// A request asks src for the elements that fill all buffers in demand, less the elements
// that were requested and have not come yet; elements already in the open buffer are not
// subtracted. But time does not wait for demand: a buffer that is due without demand fails
// the stream with reactor.ErrOverflow. That happens if short buffers use the demand up, or
// if a request comes in the middle of a buffer, while requested elements are still on their
// way. With [FairBackpressure] such buffers wait instead.
//
// An error of src ends the stream at once; then, and at cancellation, the open buffer is
// discarded element by element. Slices belong to the subscriber. They come on the
// goroutine of src or of the timer, which is one of schedulers.Parallel() unless [On]
// names another scheduler; if it is refused, the stream fails with reactor.ErrRejected.
// A size or duration ≤ 0 panics.
func BufferTimeout[T any](src reactor.Publisher[T], size int, d time.Duration, opts ...BufferTimeoutOption) reactor.Publisher[[]T] {
	argument.Positive("bufferTimeout", "size", size)
	argument.Positive("bufferTimeout", "duration", d)
	var c bufferTimeoutConfig
	for _, o := range argument.Options("bufferTimeout", opts) {
		o.applyBufferTimeout(&c)
	}
	src = protocol.Trust("bufferTimeout", src)
	timer := afterDelay("bufferTimeout", d, timerOf("bufferTimeout", c.on))
	if c.fair {
		return &bufferTimeoutFairPublisher[T]{src: src, size: size, timer: timer, verbatim: c.verbatim}
	}
	return &bufferTimeoutPublisher[T]{src: src, size: size, timer: timer}
}

// BufferTimeoutOption is an option of [BufferTimeout]: [FairBackpressure], [On] or
// [Verbatim].
type BufferTimeoutOption interface{ applyBufferTimeout(*bufferTimeoutConfig) }

type bufferTimeoutConfig struct {
	fair     bool
	verbatim bool
	on       []SchedulerOption
}

// FairBackpressureOption makes buffers and windows wait for demand.
type FairBackpressureOption struct{}

// FairBackpressure makes a due buffer of [BufferTimeout], or a due window of
// [WindowTimeout], wait for demand instead of failing the stream.
//
// BufferTimeout then asks src for the elements of four buffers ahead of demand: for the
// first time when there is demand, and again when fewer elements than fill two buffers are
// still to come. Elements that come without demand wait, and an error of src waits behind
// them. When there is demand again, buffers that are full or whose time is over are
// emitted; other buffers wait until they are full or their time is over.
//
// WindowTimeout then asks src for the elements of one window when there is demand for the
// first time, and for as many elements as a window has got when the next window takes its
// place. A window that is due without demand waits, and gets the elements that come until
// it is full.
func FairBackpressure() FairBackpressureOption { return FairBackpressureOption{} }

func (FairBackpressureOption) applyBufferTimeout(c *bufferTimeoutConfig) { c.fair = true }

func (o VerbatimOption) applyBufferTimeout(c *bufferTimeoutConfig) { c.verbatim = bool(o) }

func (o SchedulerOption) applyBufferTimeout(c *bufferTimeoutConfig) { c.on = append(c.on, o) }

type bufferTimeoutPublisher[T any] struct {
	protocol.Op
	src   reactor.Publisher[T]
	size  int
	timer trigger
}

func (p *bufferTimeoutPublisher[T]) Subscribe(ctx context.Context, down reactor.Subscriber[[]T]) {
	s := &bufferTimeoutSubscriber[T]{}
	s.Init("bufferTimeout", ctx, down, p.size)
	s.Opened = func(id int64) { p.timer(ctx, s, id, &s.Other) }
	p.src.Subscribe(ctx, s)
}

type bufferTimeoutSubscriber[T any] struct {
	batch.Stage[T]
	awaited atomic.Int64 // elements asked of src that have not come
}

func (s *bufferTimeoutSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.Link.Set(up)
	s.Out.BeginWith(s)
}

func (s *bufferTimeoutSubscriber[T]) OnNext(v T) {
	if s.awaited.Load() == 0 && !s.Link.IsCancelled() {
		s.overflow(v)
		return
	}
	demand.Produced(&s.awaited, 1)
	s.Stage.OnNext(v)
}

// overflow fails the stream because src has sent v without a request.
func (s *bufferTimeoutSubscriber[T]) overflow(v T) {
	failure.InTurn(s.Link.Cancel, func() { // which may end the goroutine
		s.Discard(v)
		s.Out.Fail(reactor.Failure("bufferTimeout", reactor.ErrOverflow, "the source sent more than it was asked for"))
	})
}

// Request asks for the elements that fill the buffers in demand, less those that are on
// their way.
func (s *bufferTimeoutSubscriber[T]) Request(n int64) {
	s.Out.AddDemand(n)
	for {
		awaited := s.awaited.Load()
		wanted := demand.Product(s.Out.Demand(), int64(s.Size))
		if wanted <= awaited {
			return
		}
		if s.awaited.CompareAndSwap(awaited, wanted) {
			if wanted != reactor.Unbounded {
				wanted -= awaited
			}
			s.Link.Request(wanted)
			return
		}
	}
}

// Cancel ends the stream.
func (s *bufferTimeoutSubscriber[T]) Cancel() { s.Out.Cancel() }

func (s *bufferTimeoutSubscriber[T]) fired(id int64) { s.Cut(id) }

func (s *bufferTimeoutSubscriber[T]) failed(_ int64, err error) {
	failure.InTurn(s.Link.Cancel, func() { s.Out.Fail(err) }) // the first may end the goroutine
}
