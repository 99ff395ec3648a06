package rxgo

import (
	"context"
	"errors"
	"reflect"
	"sync/atomic"
	"time"

	rx "github.com/reactivex/rxgo/v2"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/protocol"
)

// closingTime is how long an Observable has to close its channel unless told otherwise.
const closingTime = 10 * time.Second

// ToFlux returns the Flux of the items of an Observable, a Single or an OptionalSingle. It
// panics if o is nil.
//
//	o:    1 --- 2 --- 3 --- err --- 4 |
//	      ToFlux[int](o)
//	out:  1 --- 2 --- 3 --- #
//
// o is observed at each subscription, with a context that ends with the subscription; its
// producers may be at work from then on, each at most one item ahead unless it has a buffer.
//
// Demand: an item is read when there is demand for it. The end is noticed when one more item is
// requested.
//
// Errors: the first error of o ends the stream and is its error; RxGo itself goes on, and what
// it still sends is dropped, which hooks see. An item that is not a T ends the stream as well:
// the error matches reactor.ErrIllegalArgument and says where the item was and what it is. A nil
// item is an element if T is an interface type. If the context of the subscription has ended,
// its cause is the error, although o only closes its channel. A panic in a function of RxGo
// happens on a goroutine of RxGo and ends the process; functions that may panic belong on this
// side of the bridge.
//
// Cancellation: the context that o was observed with ends, and what o still sends is read and
// discarded until it closes its channel, so that no producer waits for ever. If o has not closed
// its channel within the [Patience], an error is reported as dropped; it matches
// reactor.ErrTimeout and says how many items came meanwhile. If no item came at all, the
// producer may have ended without closing the channel: rxgo.Range and others do not close their
// channel when their context ends, unless an operator follows. An Observable of rxgo.FromChannel
// is the channel itself: what others send to that channel within the Patience is read and
// discarded, also if somebody has subscribed again meanwhile. For a channel that outlives the
// subscription there is [flux.FromChan].
//
// Goroutine: each subscription has a goroutine, from the first request to the end.
func ToFlux[T any](o rx.Iterable, opts ...ToFluxOption) flux.Flux[T] {
	argument.NotNil("rxgo.toFlux", "Observable", o)
	p := &observable[T]{source: o, config: toFluxConfig{patience: closingTime}}
	for _, option := range argument.Options("rxgo.toFlux", opts) {
		option.applyToFlux(&p.config)
	}
	return flux.From[T](p)
}

// observable is an Observable as a publisher.
type observable[T any] struct {
	protocol.Op
	source rx.Iterable
	config toFluxConfig
}

func (p *observable[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	o := &observation[T]{ctx: ctx, down: protocol.Strict(ctx, s), patience: p.config.patience}
	o.push = protocol.Push(o.down)
	o.wake = make(chan struct{}, 1)
	own, cancel := context.WithCancel(ctx)
	o.stopped, o.stop = own.Done(), cancel
	if ctx.Err() == nil {
		fail := func(err error) {
			cancel()
			protocol.Fail(o.down, reactor.OperatorError(ctx, err, nil))
		}
		if !failure.Guard(func() { o.items = p.source.Observe(rx.WithContext(own)) }, fail) {
			return
		}
		if o.items == nil {
			fail(reactor.Failure("rxgo.toFlux", reactor.ErrProtocol, "Observe of a %T returned no channel", p.source))
			return
		}
	}
	o.down.OnSubscribe(o)
}

// observation is one subscription.
type observation[T any] struct {
	ctx      context.Context
	down     reactor.Subscriber[T]
	push     func(T)        // hands elements to down
	items    <-chan rx.Item // nil: ctx had ended before, nothing was observed
	patience time.Duration

	stop      context.CancelFunc // ends the context of items
	stopped   <-chan struct{}    // closed by that
	wake      chan struct{}      // holds a token when demand came up while there was none
	demand    atomic.Int64
	started   atomic.Bool // the goroutine exists or has existed
	cancelled atomic.Bool

	// What follows belongs to the goroutine.

	hand   protocol.InFlight[T]
	read   int64 // items so far
	closed bool  // items has been closed
	failed bool  // downstream has been told of an error
}

func (o *observation[T]) Request(n int64) {
	if demand.Add(&o.demand, n) != 0 || o.cancelled.Load() {
		return
	}
	chaos.Yield()
	if !o.started.Swap(true) {
		go o.run()
		return
	}
	select {
	case o.wake <- struct{}{}:
	default: // a token that has not been taken serves as well
	}
}

func (o *observation[T]) Cancel() {
	if o.cancelled.Swap(true) {
		return
	}
	o.stop()
	chaos.Yield()
	if !o.started.Swap(true) && o.items != nil {
		go o.drain()
	}
}

// run is the goroutine.
func (o *observation[T]) run() {
	clean := false
	defer func() { // even if who hears of a failure ends the goroutine
		o.hand.Clear()
		o.stop() // RxGo keeps goroutines until the context has ended, also after completion
		if !o.closed {
			o.drain()
		}
	}()
	defer func() {
		if !clean {
			err := failure.Recovered(recover())
			o.failed = true
			o.hand.Crash(o.ctx, o.down, false, err)
		}
	}()
	for !o.over(o.demand.Load()) {
		select {
		case <-o.wake:
		case <-o.stopped:
		}
	}
	clean = true
}

// over emits n elements, and as many as are requested meanwhile; it reports whether the
// stream has ended.
func (o *observation[T]) over(n int64) bool {
	for n > 0 {
		for range n {
			if o.next() {
				return true
			}
		}
		chaos.Yield()
		n = demand.Produced(&o.demand, n)
		if o.demand.Load() == reactor.Unbounded {
			n = reactor.Unbounded
		}
	}
	return o.interrupted()
}

// interrupted reports whether the stream was cancelled, or its context has ended; the watch
// over the context reports that end downstream.
func (o *observation[T]) interrupted() bool {
	select {
	case <-o.stopped:
		return true
	default:
		return false
	}
}

// next waits for an item and hands it down; it reports whether the stream has ended.
func (o *observation[T]) next() (over bool) {
	var item rx.Item
	var open bool
	select {
	case item, open = <-o.items: // a select with one case is cheaper than the one below
	default:
		select {
		case item, open = <-o.items:
		case <-o.stopped:
			return true
		}
	}
	chaos.Yield()
	switch {
	case !open:
		o.closed = true
		if !o.interrupted() { // for at the end of its context it is closed, too
			o.down.OnComplete()
		}
		return true
	case o.cancelled.Load(), item.E != nil && o.interrupted(): // whose cause is told downstream
		o.drop(item)
		return true
	}
	o.read++
	v, ok := item.V.(T)
	if !ok || item.E != nil {
		if !o.acceptable(item) {
			return true
		}
	}
	o.hand.Hold(v)
	o.push(v)
	o.hand.Sent()
	return o.cancelled.Load()
}

// acceptable reports whether item is an element after all, though its value is not a T. If not,
// the stream ends.
func (o *observation[T]) acceptable(item rx.Item) bool {
	switch {
	case item.E != nil:
		o.fail(reactor.OperatorError(o.ctx, item.E, nil))
	case item.V == nil && reflect.TypeFor[T]().Kind() == reflect.Interface:
		return true
	default:
		err := reactor.OperatorError(o.ctx, wrongType[T](o.read, item.V), item.V)
		reactor.Discard(o.ctx, item.V) // first: who gets the error may be the last to look
		o.fail(err)
	}
	return false
}

// wrongType is the error for an item that is not a T; at counts from 1.
func wrongType[T any](at int64, v any) error {
	return reactor.Failure("rxgo.toFlux", reactor.ErrIllegalArgument,
		"item %d is of type %T, not %v: %s", at, v, reflect.TypeFor[T](), short(v))
}

// fail ends the stream with err.
func (o *observation[T]) fail(err error) {
	o.failed = true
	o.stop()
	o.down.OnError(err)
}

// drain reads the items that nobody wants until items is closed, or until the patience
// is over.
func (o *observation[T]) drain() {
	if o.items == nil {
		return
	}
	live.TimerSet()
	defer live.TimerDone()
	limit := time.NewTimer(o.patience)
	defer limit.Stop()
	for read := 0; ; read++ {
		select {
		case item, open := <-o.items:
			if !open {
				return
			}
			o.drop(item)
		case <-limit.C:
			reactor.DropError(o.ctx, reactor.Failure("rxgo.toFlux", reactor.ErrTimeout,
				"the Observable has not closed its channel within %v of the end of its context, and sent %d items meanwhile; its producer may wait for ever",
				o.patience, read))
			return
		}
	}
}

// answers reports whether err is the answer of some function to the end of its context.
func (o *observation[T]) answers(err error) bool {
	return errors.Is(err, context.Canceled) || o.ctx.Err() != nil && errors.Is(err, o.ctx.Err())
}

// drop does away with an item that came after the end.
func (o *observation[T]) drop(item rx.Item) {
	switch {
	case item.E != nil && !o.failed && o.answers(item.E):
		// That is what was wanted.
	case item.E != nil:
		reactor.DropError(o.ctx, item.E)
	case o.failed:
		reactor.DropNext(o.ctx, item.V)
	default:
		reactor.Discard(o.ctx, item.V)
	}
}
