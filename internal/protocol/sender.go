package protocol

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/queue"
)

// Sender sends the elements of a [Flow] down and knows the element that is on its way. A stage
// embeds it: the Sender decides what becomes of that element if the flow fails. Except for
// [Sender.Discard] and [Sender.Late], it belongs to the owner of the outlet.
//
// Its methods, except the one that makes the stage a Flow, have a type parameter, so that they are
// compiled where they are called, and not for every stage.
type Sender[T any] struct {
	sending[T]
	hook func(any) // nil if nobody wants what is discarded
}

// Attach sets up the sender and the outlet of flow for s, the subscriber downstream.
func (s *Sender[T]) Attach[F Flow](o *Outlet, ctx context.Context, down reactor.Subscriber[T], flow F) {
	to := Strict(ctx, down)
	s.hook = reactor.DiscardHookFor[T](ctx)
	if !o.InRuns {
		s.PushDown = Push(to)
	}
	o.init(ctx, signals(to), flow)
}

func (s *Sender[T]) ready(o *outlet) { s.PushDown = Push(o.down.(reactor.Subscriber[T])) }

// AttachTask is Attach for a stage whose flow runs as tasks of lane. Down is inside the module.
func (s *Sender[T]) AttachTask[F TaskFlow](o *TaskOutlet, ctx context.Context, down reactor.Subscriber[T], flow F, lane lane) {
	s.hook = reactor.DiscardHookFor[T](ctx)
	o.init(ctx, signals(Strict(ctx, down)), flow, lane)
}

// Pushing returns the function that sends elements down. It is called with the first element: then
// downstream has its subscription, and knows of runs. Owner of the outlet.
func (s *Sender[T]) Pushing(o *TaskOutlet) func(T) {
	if s.PushDown == nil {
		s.PushDown = Push(o.down.(reactor.Subscriber[T]))
	}
	return s.PushDown
}

// Late takes an element that has come when the outlet was closed: it is reported as dropped
// after the end of the source, and discarded after the end of the stream. Any goroutine.
func (s *Sender[T]) Late[U any](o *Outlet, v U) { late(&o.outlet, s.hook, v) }

// LateTask is Late for a [TaskOutlet].
func (s *Sender[T]) LateTask[U any](o *TaskOutlet, v U) { late(&o.outlet, s.hook, v) }

func late[T any](o *outlet, hook func(any), v T) {
	if o.Done() {
		reactor.DropNext(o.ctx, v)
	} else {
		discardTo(hook, v)
	}
}

// Discard passes an element of any type, which will not be sent, to the discard hook. Any
// goroutine.
func (s *Sender[T]) Discard[U any](v U) { discardTo(s.hook, v) }

// discardTo passes v to hook, which [reactor.DiscardHookFor] has returned for this or another
// type.
func discardTo[T any](hook func(any), v T) {
	if hook != nil {
		hook(v)
	} else if reactor.Owns[T]() {
		reactor.Abandon(context.Background(), v)
	}
}

// Crash is for CallFailed of a [caller] that has also marked calls of downstream: the element in
// flight has failed with err.
func (s *Sender[T]) Crash[E error](o *Outlet, err E) { o.fall(err) }

func (s *Sender[T]) crash(o *outlet, err error) {
	v, full := s.InFlight.give()
	o.crash(v, full, err)
}

// Operand is the element of the source for which a function of the user runs, where a stage sends
// elements of another type: a [Sender] keeps only elements that it sends. Owner of the outlet. Zero
// value: no function runs.
type Operand[T any] struct{ element T }

// Begin marks a call of the function with v.
func (p *Operand[T]) Begin(o *Outlet, v T) {
	p.element = v
	o.Call.Begin()
}

// End takes back what Begin has set.
func (p *Operand[T]) End(o *Outlet) {
	o.Call.End()
	p.element = *new(T)
}

// Take returns the element for which the function has failed. It is for CallFailed of a [caller],
// which knows what else its stage marks.
func (p *Operand[T]) Take() T {
	v := p.element
	p.element = *new(T)
	return v
}

// SliceSender is a [Sender] of slices that own their elements: a slice that fails on its way
// down, or is discarded, is discarded element by element.
type SliceSender[T any] struct {
	push     func([]T)
	hook     func(any) // nil if nobody wants what is discarded
	inFlight []T       // on its way down
}

// Attach is [Sender.Attach].
func (s *SliceSender[T]) Attach(o *Outlet, ctx context.Context, sub reactor.Subscriber[[]T], flow Flow) {
	down := Strict(ctx, sub)
	s.SendTo(ctx, down)
	o.init(ctx, down, flow)
}

func (s *SliceSender[T]) ready(*outlet) {}

// SendTo is Attach for a stage without an outlet, which sends within OnNext.
func (s *SliceSender[T]) SendTo(ctx context.Context, down reactor.Subscriber[[]T]) {
	s.push, s.hook = Push(down), reactor.DiscardHookFor[T](ctx)
}

// SendOwn sends buf down within OnNext. If that fails, the guard upstream discards the element that
// has come, and Unwind discards the others: the first own elements of buf.
func (s *SliceSender[T]) SendOwn(buf []T, own int) {
	s.inFlight = buf[:own]
	s.push(buf)
	s.inFlight = nil
}

// OnError calls Unwind, before anything else, for a failure of a slice that SendOwn has
// sent.
func (s *SliceSender[T]) Unwind(err error) {
	if !failure.IsSettled(err) {
		s.DiscardAll(s.inFlight)
	}
	s.inFlight = nil
}

// Send sends buf down. Owner of the outlet.
func (s *SliceSender[T]) Send(buf []T) {
	s.inFlight = buf
	s.push(buf)
	s.inFlight = nil
}

// Discard discards one element. Any goroutine.
func (s *SliceSender[T]) Discard(v T) {
	if s.hook != nil {
		s.hook(v)
	}
}

// DiscardAll discards the elements of buf. Any goroutine.
func (s *SliceSender[T]) DiscardAll(buf []T) {
	if s.hook != nil {
		failure.Persist(len(buf), func(i int) bool { s.hook(buf[i]); return true }) // it may end the goroutine
	}
}

// Late is [Sender.Late].
func (s *SliceSender[T]) Late(o *Outlet, v T) { late(&o.outlet, s.hook, v) }

func (s *SliceSender[T]) crash(o *outlet, err error) {
	buf := s.inFlight
	s.inFlight = nil
	err = o.failures.Untold(err)
	defer s.told(o, buf, o.over(), err) // also if a function that fell calls ends the goroutine
	o.fell()
}

// told discards the element that was in flight, if there was one, and sends the error
// down.
func (s *SliceSender[T]) told(o *outlet, buf []T, over bool, err error) {
	if buf != nil {
		if !failure.IsSettled(err) {
			err = reactor.OperatorError(o.ctx, err, buf)
			s.DiscardAll(buf)
		}
		if !over {
			o.down.OnError(err)
			return
		}
	}
	crashedWith(o.ctx, o.down, over, nil, false, err)
}

// WindowSender is a [Sender] of streams that the stage has made, such as windows: a stream that
// fails on its way down is given up, unless somebody has subscribed to it already. S is the stream,
// W is what goes down for it.
type WindowSender[S Window, W any] struct {
	inFlight S // on its way down, if it is not zero
}

// Window is a stream that a [WindowSender] sends, as a pointer.
type Window interface {
	comparable
	// Abandon gives the stream up, unless somebody has subscribed to it.
	Abandon() bool
}

// Attach is [Sender.Attach].
func (s *WindowSender[S, W]) Attach(o *Outlet, ctx context.Context, sub reactor.Subscriber[W], flow Flow) {
	o.init(ctx, Strict(ctx, sub), flow)
}

func (s *WindowSender[S, W]) ready(*outlet) {}

// Hold keeps the stream that is about to be sent. Owner of the outlet.
func (s *WindowSender[S, W]) Hold(w S) { s.inFlight = w }

// Send sends down what was made of the stream that Hold keeps. Owner of the outlet. There are too
// few streams to keep a function for them in each subscription.
func (s *WindowSender[S, W]) Send(o *Outlet, v W) {
	o.down.(reactor.Subscriber[W]).OnNext(v)
	s.inFlight = *new(S)
}

// Crash is [Sender.Crash]: the stream that Hold keeps has failed with err. It is for a flow that
// has a guard of its own. Owner of the outlet.
func (s *WindowSender[S, W]) Crash(o *Outlet, err error) { s.crash(&o.outlet, err) }

func (s *WindowSender[S, W]) crash(o *outlet, err error) {
	w, over := s.inFlight, o.state.Or(outletCancelled)&outletOver != 0
	s.inFlight = *new(S)
	err = o.failures.Untold(err)
	failure.InTurn(func() { // each may end the goroutine
		if !over {
			o.stop()
		}
	}, func() {
		if w != *new(S) {
			w.Abandon()
		}
	}, o.release, func() { crashedWith(o.ctx, o.down, over, nil, false, err) })
}

// BatchSender is a [Sender] for the goroutine of a [TaskOutlet]. It takes the elements out of a
// queue in batches.
type BatchSender[T any] struct {
	hook func(any) // nil if nobody wants what is discarded

	// What follows belongs to the owner of the outlet.
	push  func(T) // made with the first element, see [Sender.Pushing]
	batch []T     // made with the first element; batch[next:held] is still to be sent
	next  int     // the element before is on its way down
	held  int
}

// Attach is [Sender.Attach]. Flow runs as tasks of lane.
func (s *BatchSender[T]) Attach[F TaskFlow](o *TaskOutlet, ctx context.Context, down reactor.Subscriber[T], flow F, lane lane) {
	s.hook = reactor.DiscardHookFor[T](ctx)
	o.init(ctx, signals(down), flow, lane)
}

func (s *BatchSender[T]) ready(*outlet) {}

// SendBatch takes at most n elements out of q, and no more than size, and sends them. It returns
// how many it took, and false if the stream was stopped meanwhile.
func (s *BatchSender[T]) SendBatch(o *TaskOutlet, q queue.SPSC[T], n, size int) (k int, all bool) {
	if s.batch == nil {
		if q.IsEmpty() {
			return 0, true
		}
		s.batch = make([]T, size)
		s.Straight(o)
	}
	k = q.PollBatch(s.batch[:min(n, len(s.batch))])
	s.held = k
	for i := 0; i < k; i++ {
		s.next = i + 1
		s.push(s.batch[i])
		if o.Cancelled() {
			return k, false
		}
	}
	s.next, s.held = 0, 0
	clear(s.batch[:k])
	return k, true
}

// Straight returns the function that sends down an element of a source which comes while the flow
// requests it. If the element fails, the source has it in flight, and the error of the source ends
// the stream.
func (s *BatchSender[T]) Straight(o *TaskOutlet) func(T) {
	if s.push == nil {
		s.push = Push(o.down.(reactor.Subscriber[T]))
	}
	return s.push
}

// LateTask is [Sender.LateTask].
func (s *BatchSender[T]) LateTask[U any](o *TaskOutlet, v U) { late(&o.outlet, s.hook, v) }

// Discard discards one element. Any goroutine.
func (s *BatchSender[T]) Discard[U any](v U) { discardTo(s.hook, v) }

// DropBatch discards the elements that were taken out of the queue and not sent, and reports
// whether there were any. Owner of the outlet.
func (s *BatchSender[T]) DropBatch() (some bool) {
	rest := s.batch[s.next:max(s.next, s.held)]
	s.next, s.held = 0, 0
	for _, v := range rest {
		s.Discard(v)
	}
	clear(s.batch)
	return len(rest) > 0
}

func (s *BatchSender[T]) crash(o *outlet, err error) {
	var v any
	full := s.next > 0
	if full {
		v = s.batch[s.next-1]
	}
	o.crash(v, full, err)
}

// Calling marks that an element of a source is on its way down within the source's OnNext: an
// error that the source signals meanwhile is the failure of that element, which has unwound to
// the guard above. Only signals of that source touch it. A stage whose guard has to tell a
// failing function from a failure downstream marks the calls of the function instead. The zero
// value is unmarked.
type Calling struct{ active bool }

// Deliver sends v to down, marked.
func (c *Calling) Deliver[T any](down reactor.Subscriber[T], v T) {
	c.active = true
	down.OnNext(v)
	c.active = false
}

// Next calls next with v, marked.
func (c *Calling) Next[T any](next func(T), v T) {
	c.active = true
	next(v)
	c.active = false
}

// Around returns next as a function that marks its calls.
func (c *Calling) Around[T any](next func(T)) func(T) {
	return func(v T) {
		c.active = true
		next(v)
		c.active = false
	}
}

// Begin sets the mark, for a call that takes more than a line.
func (c *Calling) Begin() { c.active = true }

// End takes back what Begin has set.
func (c *Calling) End() { c.active = false }

// Active reports whether the error that has come is the failure of an element on its way down.
func (c *Calling) Active() bool { return c.active }

// Failed is Active, and takes the mark back.
func (c *Calling) Failed() bool {
	failed := c.active
	c.active = false
	return failed
}
