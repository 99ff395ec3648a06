package operators

import (
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// zipBatch is how many elements of a source are taken out of its queue at a time.
const zipBatch = 32

// zipSource is the subscriber of one source of a zip.
//
// A synchronous source without user functions needs no queue: the flow asks it
// when the batch is empty, and it fills the batch.
type zipSource[T any] struct {
	protocol.Inner
	z      *tuplesCore
	src    reactor.Publisher[T]
	link   protocol.Deferred
	queue  queue.SPSC[T] // written before ready, unless pulled
	pulled bool          // the flow asks for elements; written before ready
	ready  atomic.Bool   // subscribed
	done   atomic.Bool   // no element will come any more

	// What follows belongs to the owner of out. A synchronous source emits
	// into batch while the owner asks it for elements.
	batch     []T // what is not combined begins at next
	next      int
	scalar    bool // the element was known at once
	replenish demand.Refill
}

func zipFrom[T any](z *tuplesCore, src reactor.Publisher[T]) *zipSource[T] {
	return &zipSource[T]{z: z, src: src, replenish: demand.NewRefill(z.prefetch)}
}

// head returns the element to be combined; there is one.
func (in *zipSource[T]) head() T { return in.batch[in.next] }

// advance lets go of the element that head returns.
func (in *zipSource[T]) advance() {
	in.batch[in.next] = *new(T)
	in.next++
}

// call implements zipMember.
func (in *zipSource[T]) call() (scalar, some bool, err error) {
	c, ok := direct.AsCallable[T](in.src)
	if !ok {
		return false, false, nil
	}
	v, some, err := callGuarded(in.z.out.Context(), c)
	if some && err == nil {
		in.scalar, in.batch = true, []T{v}
		in.done.Store(true)
	}
	return true, some, err
}

// subscribe implements zipMember.
func (in *zipSource[T]) subscribe() {
	if !in.scalar {
		in.src.Subscribe(in.z.out.Context(), in)
	}
}

// cancel implements zipMember.
func (in *zipSource[T]) cancel() { in.link.Cancel() }

// fill implements zipMember.
func (in *zipSource[T]) fill() (n int, ended bool) {
	if n = len(in.batch) - in.next; n > 0 {
		return n, false
	}
	// Before the look into the queue: elements come before the end.
	done := in.done.Load()
	if !in.ready.Load() {
		return 0, done
	}
	size := int(min(zipBatch, in.z.prefetch))
	if in.batch == nil {
		in.batch = make([]T, 0, size)
	}
	in.next = 0
	if !in.pulled {
		n = in.queue.PollBatch(in.batch[:cap(in.batch)])
		in.batch = in.batch[:n]
		return n, n == 0 && done
	}
	in.batch = in.batch[:0]
	if !done {
		in.link.Request(int64(size))
		done = in.done.Load()
	}
	n = len(in.batch)
	return n, n == 0 && done
}

// refill implements zipMember.
func (in *zipSource[T]) refill(n int64) {
	if in.pulled || in.scalar {
		return
	}
	if n = in.replenish.Consumed(n); n > 0 {
		in.link.Request(n)
	}
}

// clear implements zipMember.
func (in *zipSource[T]) clear() {
	for in.next < len(in.batch) {
		v := in.head()
		in.advance()
		pending.Discard(in.z.discard, v)
	}
	if !in.ready.Load() || in.pulled {
		return
	}
	for v, ok := in.queue.Poll(); ok; v, ok = in.queue.Poll() {
		pending.Discard(in.z.discard, v)
	}
}

func (in *zipSource[T]) OnSubscribe(up reactor.Subscription) {
	z := in.z
	asked := z.prefetch
	if z.single {
		in.queue, asked = queue.NewRing[T](1), reactor.Unbounded
	} else if sync, ok := up.(protocol.Synchronous); ok && sync.Feeds(in) {
		in.pulled = true
	} else {
		in.queue = queue.NewSPSC[T](z.prefetch)
	}
	if !in.link.Set(up) {
		return
	}
	in.ready.Store(true)
	if in.pulled { // and has an element, for what is known to be empty is not subscribed
		z.out.Run()
	} else {
		in.link.Request(asked)
	}
}

func (in *zipSource[T]) OnNext(v T) {
	z := in.z
	switch {
	case in.pulled:
		// There is room: it sends what it is asked for.
		in.batch = append(in.batch, v)
	case in.done.Load() && !z.single:
		reactor.DropNext(z.out.Context(), v)
	case z.out.Stopped() || in.done.Load():
		pending.Discard(z.discard, v)
	case !in.queue.Offer(v):
		in.overflow(v)
	default:
		if z.single {
			in.done.Store(true)
			failure.InTurn(in.link.Cancel, z.out.Run) // the first may end the goroutine
			return
		}
		// If others wait before it, the flow will look here again.
		if in.queue.Len() == 1 {
			z.out.Run()
		}
	}
}

// Push implements protocol.Pusher.
//
//go:noinline
func (in *zipSource[T]) Push() func(T) {
	return func(v T) {
		if in.pulled {
			in.batch = append(in.batch, v)
			return
		}
		in.OnNext(v)
	}
}

// overflow fails the stream because the source has sent more than it was asked for.
func (in *zipSource[T]) overflow(v T) {
	in.done.Store(true)
	var err error = reactor.Failure("zip", reactor.ErrOverflow, "a source sent more than the %d elements it was asked for", in.z.prefetch)
	failure.InTurn( // each may end the goroutine
		in.link.Cancel,
		func() { err = reactor.OperatorError(in.z.out.Context(), err, v) },
		func() { pending.Discard(in.z.discard, v) },
		func() { in.z.fail(err) },
	)
}

func (in *zipSource[T]) OnError(err error) {
	if in.done.Load() {
		reactor.DropError(in.z.out.Context(), err)
		return
	}
	in.done.Store(true)
	in.z.fail(err)
}

func (in *zipSource[T]) OnComplete() {
	if in.done.Load() {
		return
	}
	in.done.Store(true)
	if !in.pulled {
		if !in.ready.Load() || in.queue.IsEmpty() { // else it is looked at when what is there has been combined
			in.z.changes.Add(1)
		}
		in.z.out.Run()
	}
}
