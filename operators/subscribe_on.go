package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/foreign"
	"github.com/goreactor/reactor/internal/goid"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// SubscribeOn subscribes to src, and requests from it, on a worker of scheduler, so
// that a source that works on the goroutine that requests works on that worker.
//
//	           SubscribeOn(boundedElastic)
//	src:       1 - 2 - 3 |      on one worker, from the subscription on
//	out:       1 - 2 - 3 |      wherever src emits: on that worker
//
// A request passes through on the worker, or directly if it is made there; with
// [RequestInPlace] it passes through on the goroutine that requests. If the scheduler
// refuses, the stream fails with reactor.ErrRejected; a refused request also cancels
// src. Cancelling passes through at once and gives the worker back: its remaining tasks
// are dropped.
func SubscribeOn[T any](src reactor.Publisher[T], scheduler schedulers.Scheduler, opts ...SubscribeOnOption) reactor.Publisher[T] {
	argument.NotNil("subscribeOn", "scheduler", scheduler)
	p := &subscribeOnPublisher[T]{src: protocol.Trust("subscribeOn", src), scheduler: foreign.Scheduler(scheduler)}
	for _, o := range argument.Options("subscribeOn", opts) {
		o.applySubscribeOn(&p.config)
	}
	return p
}

// SubscribeOnOption is an option of [SubscribeOn]: [RequestInPlace].
type SubscribeOnOption interface{ applySubscribeOn(*subscribeOnConfig) }

type subscribeOnConfig struct{ inPlace bool }

// RequestInPlaceOption leaves requests on the goroutine where they are made.
type RequestInPlaceOption bool

// RequestInPlace leaves requests on the goroutine where they are made: it is for a
// source that emits on its own and whose work must not follow the requests.
func RequestInPlace() RequestInPlaceOption { return true }

func (o RequestInPlaceOption) applySubscribeOn(c *subscribeOnConfig) { c.inPlace = bool(o) }

type subscribeOnPublisher[T any] struct {
	protocol.Op
	src       reactor.Publisher[T]
	scheduler schedulers.Scheduler
	config    subscribeOnConfig
}

func (p *subscribeOnPublisher[T]) Subscribe(ctx context.Context, sub reactor.Subscriber[T]) {
	if !p.config.inPlace && callsOnRequest(p.src) {
		if c, ok := p.src.(calledOnRequest[T]); ok {
			c.callOn(p.scheduler, ctx, protocol.Strict(ctx, sub))
			return
		}
	}
	s := &subscribeOnSubscriber[T]{ctx: ctx, src: p.src, inPlace: p.config.inPlace}
	s.down = protocol.Strict(ctx, sub) // before there is a worker: it panics if there is no subscriber
	s.worker = p.scheduler.NewWorker()
	s.out.Down = s.down
	s.requests = s.passDemand
	s.link.closed = s.worker.Dispose
	defer func() { // also if downstream ends the goroutine
		if err := s.worker.Execute(s.start); err != nil {
			s.refused(err)
		}
	}()
	s.out.Down.OnSubscribe(&s.link)
}

type subscribeOnSubscriber[T any] struct {
	protocol.Inner
	protocol.Quiet
	ctx     context.Context
	src     reactor.Publisher[T]
	worker  schedulers.Worker
	inPlace bool
	down    reactor.Subscriber[T]
	out     protocol.Half        // a refused request may fail the stream at any time
	link    workerLink           // to requests, once there is an upstream
	next    func(T)              // hands elements to down; taken by the signals of upstream when they need it
	by      atomic.Uintptr       // the goroutine that subscribed
	asked   atomic.Int64         // demand that waits for the task to pass it on
	up      reactor.Subscription // set by OnSubscribe before link is
	runs    bool                 // out knows of the runs of upstream; set by OnSubscribe
	told    bool                 // and who is below is told of them; set by OnSubscribe
	taker   runTaker             // down, if it wants to know of runs without functions in between, and these are; set by OnSubscribe
	turn    protocol.Drain       // of the tasks that pass demand on in runs that taker knows of, or out by the requests: an executor's may overlap
	waiting atomic.Int64         // demand for the owner of turn
	within  atomic.Uintptr       // the goroutine in such a run; written by the owner of turn

	requests schedulers.Task // passDemand, made once
}

// workerLink is a Deferred that gives a worker back when it is cancelled.
type workerLink struct {
	protocol.Deferred
	closed func()
	half   *protocol.Half // of who is below, to be told of runs; nil if nobody is; set before there is an upstream
}

// Attach lets h know of runs. If the source emits on the goroutine that requests, which only the
// worker does, these are the runs of the source; otherwise each element is a run.
func (l *workerLink) Attach(h *protocol.Half) bool {
	if h.WantsRequested() || l.half != nil {
		return false
	}
	l.half = h
	return true
}

// Cancel cancels upstream, now or when it comes, and disposes the worker.
func (l *workerLink) Cancel() {
	l.CancelAnd(l.closed)
}

// start is the task that subscribes.
func (s *subscribeOnSubscriber[T]) start(context.Context) {
	s.by.Store(goid.Current())
	defer s.by.Store(0)
	s.src.Subscribe(s.ctx, s)
}

func (s *subscribeOnSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	source, feeds := up.(protocol.Synchronous)
	feeds = feeds && !s.inPlace && source.Feeds(s)
	if s.link.half != nil && !s.inPlace {
		s.told = s.link.half.AttachRequested(up)
		if feeds && s.told { // a source may feed and tell of no runs, as one of a single element does
			s.link.half.GoStraight(s.down)
		}
	}
	s.runs = s.told || s.out.Attach(up)
	if feeds {
		s.taker, _ = s.down.(runTaker)
	}
	s.link.Set(subscribeOnRequests[T]{s})
}

func (s *subscribeOnSubscriber[T]) OnNext(v T) {
	if !s.out.DeliverTo(s.below(), v) {
		reactor.Discard(s.ctx, v)
	}
}

// Push implements protocol.Pusher.
func (s *subscribeOnSubscriber[T]) Push() func(T) {
	if s.runs {
		return s.below() // nothing comes after a refusal: the source was cancelled before
	}
	return s.OnNext
}

// below returns the function that hands elements to down.
func (s *subscribeOnSubscriber[T]) below() func(T) {
	if s.next != nil {
		return s.next
	}
	s.next = protocol.Push(s.down)
	if half := s.link.half; half != nil && !s.told {
		push := s.next
		s.next = func(v T) {
			if !half.Within(push, v) {
				reactor.Discard(s.ctx, v)
			}
		}
	}
	return s.next
}

func (s *subscribeOnSubscriber[T]) OnError(err error) {
	defer s.worker.Dispose() // also if what hears of the end ends the goroutine, as below
	s.link.Close()
	if unheard := s.out.SourceEnd(err); unheard != nil {
		reactor.DropError(s.ctx, unheard)
	}
}

func (s *subscribeOnSubscriber[T]) OnComplete() {
	defer s.worker.Dispose()
	s.link.Close()
	s.out.SourceEnd(nil)
}

// refused ends the stream because the worker does not take a task, unless it has
// ended or was cancelled: then the worker is disposed.
func (s *subscribeOnSubscriber[T]) refused(err error) {
	s.link.CancelAnd(func() {
		defer s.worker.Dispose()
		s.out.End(rejected(s.ctx, "subscribeOn", err, nil))
	})
}

// subscribeOnRequests is upstream's subscription, reached by way of the worker.
type subscribeOnRequests[T any] struct{ stage *subscribeOnSubscriber[T] }

func (r subscribeOnRequests[T]) Request(n int64) {
	s := r.stage
	if s.inPlace || goid.Current() == s.by.Load() {
		s.request(n)
		return
	}
	if demand.Add(&s.asked, n) == 0 {
		if err := s.worker.Execute(s.requests); err != nil {
			s.refused(err)
		}
	}
}

func (r subscribeOnRequests[T]) Cancel() { r.stage.up.Cancel() }

// passDemand is the task that passes the requests on.
func (s *subscribeOnSubscriber[T]) passDemand(context.Context) {
	s.by.Store(goid.Current())
	defer s.by.Store(0)
	s.request(s.asked.Swap(0))
}

// request passes demand on, where upstream is to work.
func (s *subscribeOnSubscriber[T]) request(n int64) {
	if s.taker == nil && !s.told || s.within.Load() == goid.Current() {
		s.up.Request(n)
		return
	}
	demand.Add(&s.waiting, n)
	s.turn.Run(s)
}

// DrainPass implements protocol.Drainer: it is a run.
func (s *subscribeOnSubscriber[T]) DrainPass() {
	n := s.waiting.Swap(0)
	if n == 0 {
		return
	}
	defer s.endRun()
	s.within.Store(goid.Current())
	if s.told {
		s.out.BeginRun()
	}
	if s.taker != nil {
		s.taker.beginRun()
	}
	s.up.Request(n)
}

func (s *subscribeOnSubscriber[T]) endRun() {
	s.within.Store(0)
	if s.taker != nil {
		s.taker.endRun()
	}
	if s.told {
		s.out.EndRun()
	}
}

// runTaker is a subscriber that takes its turn among others once for many elements of a run:
// between beginRun and endRun signals come from one goroutine, and next to no time passes between
// two signals, because no function of the user is involved.
type runTaker interface {
	beginRun()
	endRun()
}
