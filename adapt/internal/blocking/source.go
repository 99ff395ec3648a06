package blocking

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/live"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// Resource is the part of a [Source] that has nothing to do with the elements.
type Resource interface {
	// Open acquires the resource. It is called once, first, and may block; its
	// context ends with the subscription, not when Open has returned. After an
	// error nothing else is called.
	Open(ctx context.Context) error
	// Interrupt is called at most once, after Open, when the subscription is
	// cancelled. It frees a call of Emit that blocks, from another goroutine, and
	// does not wait for it. It may overlap Emit and Close. The end of Open's context
	// comes first, unless [Settings] have Patience.
	Interrupt()
	// Close releases the resource. It is called once if Open was successful,
	// and never during a call of Emit, unless that calls [Out.Last].
	Close() error
}

// Source is a resource with elements of type T.
type Source[T any] interface {
	Resource
	// Emit waits for elements and hands them to out, until out wants no more elements or there are
	// none: io.EOF is the end. After an error it is not called again.
	//
	// [ErrWaits] says that the source waits for something that has not come yet: Emit is called
	// again when the source has woken the subscription, see [Waker], and holds up nobody meanwhile.
	//
	// The loop is the source's, so that nothing but the element crosses an interface
	// or a function value. [Out] has its form.
	Emit(out Out[T]) error
}

// Waker is a [Source] whose Emit may return [ErrWaits].
type Waker interface {
	// WakeBy is called first, with the function that has Emit called again, on the worker. Any goroutine may
	// call that, at any time.
	WakeBy(wake func())
}

// ErrWaits is what Emit returns that waits for something.
var ErrWaits = errors.New("reactor: the source waits")

// Settings say how a [Source] is read.
type Settings struct {
	Op string               // adapter and function, for errors
	On schedulers.Scheduler // where it blocks; nil is schedulers.BoundedElastic()
	// OpenApart opens on a goroutine of its own, unless On, or virtual time, says where. It is for
	// a resource that other streams have to give back first, which may need the lane for that.
	OpenApart bool
	// CloseOnWorker leaves the resource of a cancelled subscription to the worker, for
	// resources whose Close takes long. Otherwise the caller that cancels closes it,
	// unless it is being read.
	CloseOnWorker bool
	// Patience is how long a cancellation waits for Close before it ends the context of Open, for resources that this would
	// break. If the subscription's context has ended, or Open has not returned, there is nothing to wait for.
	Patience time.Duration

	inStep bool // see InStep
}

// turn is how many elements a worker reads before it looks after its other tasks.
const turn = 4096

// New returns the publisher of what the sources that make makes deliver, one for
// each subscription.
func New[T any](c Settings, make func() Source[T]) reactor.Publisher[T] {
	return &publisher[T]{settings: c, make: make}
}

type publisher[T any] struct {
	protocol.Op
	settings Settings
	make     func() Source[T]
}

func (p *publisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	down := protocol.Strict(ctx, sub)
	s := &subscription[T]{source: p.make()}
	s.PushDown = protocol.Push(down)
	s.core.settings, s.core.ctx, s.core.down, s.core.resource = p.settings, ctx, down, s.source
	on := p.settings.On
	if on == nil || p.settings.inStep {
		elastic := schedulers.BoundedElastic()
		s.core.apart = p.settings.OpenApart && !isVirtual(elastic)
		if on == nil {
			on = elastic
		}
	}
	s.core.worker = on.NewWorker()
	s.core.run, s.core.stop = apartFrom(ctx)
	s.core.drain.Init(s, s.core.worker)
	if w, ok := s.source.(Waker); ok {
		w.WakeBy(s.core.drain.Run)
	}
	down.OnSubscribe(&s.core)
	if !p.settings.inStep { // then the first request opens
		s.core.drain.Run()
	}
}

// core is the part of a subscription that has nothing to do with the type of the
// elements, and the subscription that is handed down.
type core struct {
	settings  Settings
	ctx       context.Context // of the subscription
	run       context.Context // ends with the subscription, or its cancellation; see apartFrom
	stop      context.CancelCauseFunc
	down      protocol.Signals
	worker    schedulers.Worker
	resource  Resource
	drain     protocol.TaskDrain
	demand    atomic.Int64
	cancelled atomic.Bool
	open      atomic.Bool // the resource may be interrupted
	apart     bool        // Open has a goroutine of its own; never changed
	found     atomic.Bool // that goroutine has ended
	openErr   error       // what Open has returned there; written before found

	// What follows belongs to the owner of drain.
	opening bool // that goroutine was started, and ready has not taken its result
	opened  bool
	own     bool // inside Open, on the worker: a panic is the resource's
	over    bool // terminal signal sent, failed downstream, or cancelled
}

// Request adds demand.
func (c *core) Request(n int64) {
	if demand.Add(&c.demand, n) == 0 {
		c.drain.Run()
	}
}

// Cancel ends a call of the resource that is under way, and closes it.
func (c *core) Cancel() {
	if c.cancelled.Swap(true) {
		return
	}
	chaos.Yield()
	if c.settings.CloseOnWorker { // even if closing ends the goroutine
		defer c.closeOnWorker()
	} else {
		defer c.drain.Cancel()
	}
	why, patient := context.Cause(c.ctx), false
	if why == nil {
		why, patient = reactor.ErrCancelled, c.settings.Patience > 0 && c.open.Load()
	}
	if patient {
		c.stopLater()
	} else {
		c.stop(why)
	}
	if c.open.Load() {
		c.resource.Interrupt()
	}
}

// stopLater ends the context of the resource if the resource is not closed in time, or if the
// context of the subscription ends meanwhile.
func (c *core) stopLater() {
	late := live.After(c.settings.Patience, func() { c.stop(reactor.ErrCancelled) })
	unwatch := live.WatchContext(c.ctx, live.Func(func() { c.stop(context.Cause(c.ctx)) }))
	live.WatchContext(c.run, live.Func(func() { // the resource was closed, perhaps before
		late()
		unwatch()
	}))
}

// closeOnWorker leaves the resource to the worker. A worker that takes no tasks any more may have
// dropped those that it had, and then nobody else closes the resource.
func (c *core) closeOnWorker() {
	if c.worker.Execute(func(context.Context) { c.drain.Cancel() }) != nil {
		c.drain.Cancel()
	}
}

// ready opens the resource if need be, and reports whether there is something to read
// from. It need not check the context of the subscription: the watch over the context
// cancels when it ends.
func (c *core) ready() bool {
	switch {
	case c.opening:
		if !c.found.Load() {
			return false // openApart runs the drain again, also after a cancellation
		}
		c.opening = false
		return c.took(c.openErr)
	case c.over:
		return false
	case c.cancelled.Load():
		c.abort()
		return false
	case c.opened:
		return true
	case c.apart:
		c.opening = true
		go c.openApart()
		return false
	}
	c.own = true
	err := c.resource.Open(c.run)
	c.own = false
	return c.took(err)
}

// openApart is the goroutine on which Open is called. It ends when Open returns.
func (c *core) openApart() {
	defer c.drain.Run() // also if Open ends the goroutine
	defer c.found.Store(true)
	failure.Guard(func() { c.openErr = c.resource.Open(c.run) }, func(err error) { c.openErr = c.named(err) })
}

// took takes what Open has returned, and reports whether there is something to read from.
func (c *core) took(err error) bool {
	switch {
	case err == nil:
		c.opened = true
		c.open.Store(true)
		chaos.Yield()
	case !c.over:
		c.finish(err)
		return false
	case !c.cancelled.Load() && !belated.IsCancellation(c.run, err): // the scheduler has refused meanwhile, and the stream has failed with that
		defer reactor.DropError(c.ctx, err)
	}
	if c.over || c.cancelled.Load() {
		c.abort()
		return false
	}
	return true
}

// finish ends the stream with what Open or Emit returned, nil for the end, joined with what closing
// returns. An io.EOF of Open is an error like any other: nothing has been read.
func (c *core) finish(err error) {
	if c.cancelled.Load() {
		c.abort() // err is what the interruption has led to
		return
	}
	// Cancelled meanwhile or not: this is the end.
	c.over = true
	var closing error
	defer func() { // also if closing ends the goroutine
		if err = joined(err, closing); err != nil {
			err = reactor.OperatorError(c.ctx, err, nil)
		}
		protocol.Finish(c.down, err)
	}()
	c.close(&closing)
}

// abort is the end of a cancelled subscription.
func (c *core) abort() {
	c.over = true
	var err error
	defer func() {
		if err != nil && !belated.IsCancellation(c.run, err) { // else the caller that has cancelled knows of it
			reactor.DropError(c.ctx, err)
		}
	}()
	c.close(&err)
}

// close closes the resource if it is open, and gives everything else back. *failed is what Close has failed with, also if Close
// ends the goroutine.
func (c *core) close(failed *error) {
	defer c.worker.Dispose()
	defer c.stop(nil)
	if !c.opened {
		return
	}
	c.opened = false
	c.open.Store(false)
	failure.Guard(func() { *failed = c.resource.Close() }, func(err error) { *failed = c.named(err) })
}

// joined returns what failed and what failed while the resource was closed. A Goexit that was reported counts only as long as
// there is nothing else.
func joined(err, closing error) error {
	if err == nil || closing == nil || failure.IsReported(closing) {
		return cmp.Or(err, closing)
	}
	return failure.Both(closing, err)
}

// named returns err with the name of the adapter if it is a panic of the resource.
func (c *core) named(err error) error {
	if p, ok := errors.AsType[*reactor.PanicError](err); ok && p.Op == "" {
		p.Op = c.settings.Op
	}
	return err
}

// DrainRejected ends the stream because the scheduler refuses to read.
func (c *core) DrainRejected(err error) {
	if c.over || c.cancelled.Load() {
		return
	}
	c.finish(reactor.Failure(c.settings.Op, reactor.ErrRejected, "the scheduler refused to read").CausedBy(err))
}

type subscription[T any] struct {
	core   core
	source Source[T]

	// What follows belongs to the owner of core.drain.
	protocol.LoopSender[T]      // what is in flight once Emit has not returned
	reading                bool // inside Emit: a panic while nothing is in flight is the resource's
}

// DrainPass reads as many elements as were requested.
func (s *subscription[T]) DrainPass() {
	c := &s.core
	if !c.ready() {
		return
	}
	left := turn
	for n := c.demand.Load(); n > 0; {
		most := min(n, int64(left))
		if !s.read(most) {
			return
		}
		n = demand.Produced(&c.demand, most)
		if left -= int(most); left == 0 && n > 0 {
			c.drain.Yield()
			return
		}
	}
}

// read reads n elements, or to the end, which it sends down; then it reports false.
func (s *subscription[T]) read(n int64) bool {
	c := &s.core
	s.reading = true
	err := s.source.Emit(Out[T]{home: s, push: s.PushDown, left: n})
	s.reading = false
	switch {
	case c.over:
		return false
	case err == ErrWaits:
		return false // a cancellation makes a pass of its own
	case err == io.EOF:
		c.finish(nil)
		return false
	case err != nil:
		c.finish(err)
		return false
	case c.cancelled.Load():
		c.abort()
		return false
	}
	return true
}

// Downstream implements protocol.Fallible. A stream that is over may have its only element in flight, see [Out.Last].
func (s *subscription[T]) Downstream() (context.Context, protocol.Signals, bool) {
	return s.core.ctx, s.core.down, s.core.over && !s.InFlight.Full()
}

// Fell implements protocol.Fallible: the resource, or something downstream, panicked.
func (s *subscription[T]) Fell(err error) error {
	c := &s.core
	if c.own || s.reading && !s.InFlight.Full() {
		err = c.named(err)
	}
	c.own, s.reading = false, false
	c.cancelled.Store(true)
	c.over = true
	var closing error
	c.close(&closing)
	return joined(err, closing)
}

// DrainRejected implements what protocol.TaskDrain wants.
func (s *subscription[T]) DrainRejected(err error) { s.core.DrainRejected(err) }

// Out takes the elements of a [Source], one at a time, on the goroutine that has called Emit. What
// an element costs is small enough to be compiled into the loop of the source, which has this form:
//
//	defer out.End()
//	for {
//		v, err := s.next()
//		if err != nil {
//			return err
//		}
//		if out.Cancelled() {
//			return out.Refuse(v)
//		}
//		out.Send(v)
//		if !out.More() {
//			return nil
//		}
//	}
//
// It is a variable of that function, so that the element in hand is on its stack: an element that is
// stored on the heap costs a write barrier while the collector is at work, which it often is where
// elements are allocated.
type Out[T any] struct {
	home *subscription[T]
	push func(T) // hands elements to home.core.down
	hand protocol.InFlight[T]
	left int64 // how many are still wanted
}

// End keeps the element that was in hand when Emit did not return. Emit defers it.
func (o *Out[T]) End() {
	if o.hand.Full() {
		o.home.InFlight.Hold(o.hand.Element())
	}
}

// Cancelled reports whether nobody wants the element that was read.
func (o *Out[T]) Cancelled() bool { return o.home.core.cancelled.Load() }

// Refuse discards v, which Emit has read while the subscription was cancelled. It returns nil.
//
//go:noinline
func (o *Out[T]) Refuse(v T) error {
	reactor.Discard(o.home.core.ctx, v)
	return nil
}

// Send hands v down. It is followed by a call of More.
func (o *Out[T]) Send(v T) {
	o.hand.Hold(v)
	o.push(v)
}

// More reports, after Send, whether another element is wanted.
func (o *Out[T]) More() bool {
	o.hand.Sent()
	o.left--
	return o.left > 0 && !o.home.core.cancelled.Load()
}

// Last hands v down, and completes the stream: v is the only element there is. The resource
// is closed before, and if that fails v is discarded. Emit returns nil then.
func (o *Out[T]) Last(v T) {
	s := o.home
	c := &s.core
	if c.cancelled.Load() {
		_ = o.Refuse(v)
		return
	}
	s.InFlight.Hold(v)
	s.reading = false
	c.over = true
	var err error
	if c.close(&err); err != nil {
		s.InFlight.Discard(c.ctx)
		c.down.OnError(reactor.OperatorError(c.ctx, err, v))
		return
	}
	s.InFlight.SendHeld(s.PushDown)
	if !c.cancelled.Load() {
		c.down.OnComplete()
	}
}
