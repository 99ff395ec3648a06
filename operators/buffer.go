package operators

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/batch"
)

// Buffer emits slices of size elements each; the last one may be shorter.
//
//	src:  1 --- 2 --- 3 --- 4 --- 5 |
//	      Buffer(2)
//	out:  ----- [1 2] ----- [3 4] - [5] |
//
// With [Stride] a buffer begins at every n-th element. If n is larger than size, the
// elements in between are discarded:
//
//	      Buffer(2, Stride(3))
//	out:  ----- [1 2] ----------- [4 5] |
//
// If n is smaller than size, the buffers overlap, and the buffers that are open at the
// end are emitted as well, as demand allows:
//
//	      Buffer(2, Stride(1))
//	out:  ----- [1 2] [2 3] [3 4] [4 5] [5] |
//
// A request for n buffers asks src for the elements that fill them. An error of src
// ends the stream at once; then, and at cancellation, open buffers are discarded
// element by element; an element in several buffers is discarded with each of them.
// Slices belong to the subscriber. They come on the goroutine of src; at the end they
// may also come on the goroutine that requests. A size or stride ≤ 0 panics.
func Buffer[T any](src reactor.Publisher[T], size int, opts ...BufferOption) reactor.Publisher[[]T] {
	argument.Positive("buffer", "size", size)
	c := bufferConfig{stride: size}
	for _, o := range argument.Options("buffer", opts) {
		o.applyBuffer(&c)
	}
	return &bufferPublisher[T]{src: protocol.Trust("buffer", src), size: size, stride: c.stride}
}

// BufferAll emits one slice of all elements at the end, or nothing for an empty src.
//
//	src:  1 --- 2 --- 3 |
//	      BufferAll()
//	out:  ------------- [1 2 3] |
//
// (Reactor calls it buffer, without a size.) [CollectSlice] emits an empty slice for an
// empty src. Demand, errors and discarding are as for [Buffer].
func BufferAll[T any](src reactor.Publisher[T]) reactor.Publisher[[]T] {
	return Buffer(src, math.MaxInt)
}

// BufferOption is an option of [Buffer]: [Stride].
type BufferOption interface{ applyBuffer(*bufferConfig) }

type bufferConfig struct{ stride int }

// StrideOption is the number of elements between the beginnings of two buffers or
// windows.
type StrideOption int

// Stride makes a buffer or window begin at every n-th element; n > 0. (Reactor calls it
// skip.)
func Stride(n int) StrideOption { return StrideOption(n) }

func (o StrideOption) applyBuffer(c *bufferConfig) {
	argument.Positive("buffer", "stride", o)
	c.stride = int(o)
}

type bufferPublisher[T any] struct {
	protocol.Op
	src          reactor.Publisher[T]
	size, stride int
	accept       func(T) bool // only for buffers that follow one another; nil: all
}

func (p *bufferPublisher[T]) Subscribe(ctx context.Context, down reactor.Subscriber[[]T]) {
	switch {
	case p.stride == p.size:
		s := &bufferExactSubscriber[T]{size: p.size, accept: p.accept}
		s.Init(ctx, down, p.size)
		p.src.Subscribe(ctx, s)
	case p.stride > p.size:
		s := &bufferGapSubscriber[T]{size: p.size, stride: p.stride}
		s.Init(ctx, down, p.size)
		p.src.Subscribe(ctx, s)
	default:
		s := &bufferOverlapSubscriber[T]{size: p.size}
		s.Init(ctx, down, 0)
		s.Stride = p.stride
		p.src.Subscribe(ctx, s)
	}
}

// bufferExactSubscriber makes buffers that follow one another.
type bufferExactSubscriber[T any] struct {
	batch.Slicer[T]
	size   int
	accept func(T) bool // whether an element counts; nil: each does
	n      int          // elements in the open buffer; signals of upstream
}

func (s *bufferExactSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	s.Down.OnSubscribe(s)
}

func (s *bufferExactSubscriber[T]) OnNext(v T) {
	if s.accept != nil && !s.accept(v) {
		if s.Kept.Discard != nil {
			s.Kept.Discard(v)
		}
		s.Up.Request(1)
		return
	}
	if s.Kept.Push(v) {
		s.count()
	}
}

// Push implements protocol.Pusher: OnNext where all elements count. Not inlined, see publishOnSubscriber.Push.
//
//go:noinline
func (s *bufferExactSubscriber[T]) Push() func(T) {
	if s.accept != nil {
		return s.OnNext
	}
	return func(v T) {
		if s.Kept.Push(v) {
			s.count()
		}
	}
}

// count counts an element that has been put into the open buffer.
func (s *bufferExactSubscriber[T]) count() {
	if s.n++; s.n == s.size {
		s.send()
	}
}

// send sends the open buffer, which is full.
func (s *bufferExactSubscriber[T]) send() {
	s.n = 0
	if buf := s.Take(); len(buf) > 0 {
		s.SendOwn(buf, s.size-1)
	}
}

// Request asks for what fills n buffers.
func (s *bufferExactSubscriber[T]) Request(n int64) {
	s.Up.Request(demand.Product(n, int64(s.size)))
}

// bufferGapSubscriber makes buffers with discarded elements in between.
type bufferGapSubscriber[T any] struct {
	batch.Slicer[T]
	size, stride int
	at           int         // place of the next element, counted from the beginning of the last buffer; signals of upstream
	asked        atomic.Bool // there was a request
}

func (s *bufferGapSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	s.Down.OnSubscribe(s)
}

func (s *bufferGapSubscriber[T]) OnNext(v T) {
	at := s.at
	if s.at++; s.at == s.stride {
		s.at = 0
	}
	if at >= s.size {
		if s.Kept.Discard != nil {
			s.Kept.Discard(v)
		}
		return
	}
	if !s.Kept.Push(v) || at < s.size-1 {
		return
	}
	if buf := s.Take(); len(buf) > 0 {
		s.SendOwn(buf, s.size-1)
	}
}

// Request asks for what fills n buffers, with the gaps before them: the first one
// has none.
func (s *bufferGapSubscriber[T]) Request(n int64) {
	if s.asked.Swap(true) {
		s.Up.Request(demand.Product(n, int64(s.stride)))
		return
	}
	gaps := demand.Product(n-1, int64(s.stride-s.size))
	s.Up.Request(demand.Sum(demand.Product(n, int64(s.size)), gaps))
}

// bufferOverlapSubscriber makes buffers that share elements. Each element is kept
// once, from the beginning of the oldest open buffer on, and copied when a buffer is
// full.
type bufferOverlapSubscriber[T any] struct {
	batch.RestSlicer[T]
	size     int
	n        int         // elements in kept; signals of upstream
	produced int64       // buffers sent; signals of upstream
	asked    atomic.Bool // there was a request
}

func (s *bufferOverlapSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.Up = up
	s.Down.OnSubscribe(s)
}

func (s *bufferOverlapSubscriber[T]) OnNext(v T) {
	if s.n+1 < s.size {
		if s.Kept.Push(v) {
			s.n++
		}
		return
	}
	buf := make([]T, s.size)
	if !s.Kept.Slide(buf, s.Stride) {
		s.Kept.Discard(v)
		return
	}
	buf[s.n] = v
	s.n -= s.Stride
	s.produced++
	s.SendOwn(buf, s.size-1)
	// Downstream has v already, so it is no loss if the buffers that are still open
	// were discarded meanwhile.
	if s.Kept.Offer(v) {
		s.n++
	}
}

// OnComplete accounts for the buffers that were sent and leaves the rest to the drain.
func (s *bufferOverlapSubscriber[T]) OnComplete() {
	demand.Produced(&s.Demand, s.produced)
	s.RestSlicer.OnComplete()
}

// Request asks for the elements that fill n more buffers, the first of which begins
// anew.
func (s *bufferOverlapSubscriber[T]) Request(n int64) {
	demand.Add(&s.Demand, n)
	if s.Done.Load() {
		s.Drain.Run(s)
		return
	}
	if s.asked.Swap(true) {
		s.Up.Request(demand.Product(n, int64(s.Stride)))
	} else {
		s.Up.Request(demand.Sum(int64(s.size), demand.Product(n-1, int64(s.Stride))))
	}
}
