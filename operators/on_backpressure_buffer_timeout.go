package operators

import (
	"context"
	"math"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/buffered"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/schedulers"
)

// OnBackpressureBufferTimeout asks src for everything and keeps up to capacity
// elements that there is no demand for, each for ttl.
//
//	src:       1 - 2 - 3 - 4 |
//	           OnBackpressureBufferTimeout(3 steps, 8, evicted)
//	demand:    - - - - - - 2
//	out:       ----------- 3 - 4 |      evicted: 1, 2
//
// An element is given up when its time is over, when it has to make room for a newer
// one, or when it is still there at a cancellation: onEvict is called with it, and then
// it is discarded. onEvict runs on the goroutine of src, of a timer or of the caller
// that cancels, possibly on several at once; its panic is reported as dropped. Timers
// are those of schedulers.Parallel() unless [On] names another scheduler; if they are
// refused the stream fails with reactor.ErrRejected. Errors wait until the elements
// that are kept were delivered.
func OnBackpressureBufferTimeout[T any](src reactor.Publisher[T], ttl time.Duration, capacity int, onEvict func(T), opts ...SchedulerOption) reactor.Publisher[T] {
	argument.NotNegative("onBackpressureBufferTimeout", "time to live", ttl)
	argument.Positive("onBackpressureBufferTimeout", "capacity", capacity)
	argument.Given("onBackpressureBufferTimeout", "function", onEvict != nil)
	return &bufferTTLPublisher[T]{
		src:       protocol.Trust("onBackpressureBufferTimeout", src),
		ttl:       ttl,
		capacity:  capacity,
		onEvict:   onEvict,
		scheduler: timerOf("onBackpressureBufferTimeout", opts),
	}
}

type bufferTTLPublisher[T any] struct {
	protocol.Op
	src       reactor.Publisher[T]
	ttl       time.Duration
	capacity  int
	onEvict   func(T)
	scheduler schedulers.Scheduler
}

func (p *bufferTTLPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	q := &ttlBuffer[T]{publisher: p, worker: p.scheduler.NewWorker()}
	q.items.Capacity = p.capacity
	q.timer = q.expire
	q.stage.Queue = q
	q.stage.Init(ctx, sub, reactor.Unbounded)
	q.stage.Taken = q.startTimer
	q.stage.Dropped = q.tell
	q.stage.Released = q.worker.Dispose
	p.src.Subscribe(ctx, &q.stage)
}

// stamped is an element with the time at which it was kept.
type stamped[T any] struct {
	value T
	at    time.Time
}

// ttlBuffer is the queue of the stage; it also removes the elements that are too old.
type ttlBuffer[T any] struct {
	publisher *bufferTTLPublisher[T]
	stage     buffered.Stage[T]
	worker    schedulers.Worker
	timer     schedulers.Task // expire, made once
	items     pending.Deque[stamped[T]]
}

// Offer keeps v, at the cost of the oldest element if there is no room.
func (q *ttlBuffer[T]) Offer(v T) bool {
	if oldest, full := q.items.Replace(stamped[T]{v, q.publisher.scheduler.Now()}); full {
		q.evict(oldest.value)
	}
	return true
}

// Poll takes the oldest element.
func (q *ttlBuffer[T]) Poll() (T, bool) {
	item, ok := q.items.Poll()
	return item.value, ok
}

// IsEmpty reports whether there is no element.
func (q *ttlBuffer[T]) IsEmpty() bool { return q.items.IsEmpty() }

// startTimer is called for each element that is kept. Each element has a timer of its
// own: the timer of an element that is delivered in time finds nothing to do.
func (q *ttlBuffer[T]) startTimer() {
	if _, err := q.worker.ScheduleAfter(q.timer, q.publisher.ttl); err != nil && !q.stage.Out.Cancelled() {
		q.stage.Fail(rejected(q.stage.Out.Context(), "onBackpressureBufferTimeout", err, nil))
	}
}

// expire evicts the elements that are too old.
func (q *ttlBuffer[T]) expire(context.Context) {
	var limit time.Time
	if !failure.Guard(func() { limit = q.publisher.scheduler.Now().Add(-q.publisher.ttl) }, func(err error) { // the clock may be one of the user
		q.stage.Fail(rejected(q.stage.Out.Context(), "onBackpressureBufferTimeout", err, nil))
	}) {
		return
	}
	defer func() { // also if the function of the user ends the goroutine
		if q.items.IsEmpty() && q.stage.Out.Done() {
			q.stage.Out.Run()
		}
	}()
	failure.Persist(math.MaxInt, func(int) bool {
		item, ok := q.items.PollIf(func(i stamped[T]) bool { return !i.at.After(limit) })
		if ok {
			q.evict(item.value)
		}
		return ok
	})
}

func (q *ttlBuffer[T]) evict(v T) {
	defer q.stage.Discard(v) // also if the function ends the goroutine
	q.tell(v)
}

// tell calls the user's function.
func (q *ttlBuffer[T]) tell(v T) {
	failure.Guard(func() { q.publisher.onEvict(v) }, func(err error) { reactor.DropError(q.stage.Out.Context(), err) })
}
