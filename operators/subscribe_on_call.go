package operators

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// calledOnRequest is a publisher of at most one element whose subscription calls a function, and
// sends everything, within the first Request; or a stage behind one that does nothing but change
// the element. Of such a stage the source is subscribed on the worker in its place: the stage works
// on the goroutine on which the element comes.
type calledOnRequest[T any] = interface {
	// callOn subscribes down, whose first request is made by a task of scheduler.
	callOn(scheduler schedulers.Scheduler, ctx context.Context, down reactor.Subscriber[T])
}

// calling is a publisher that may be a calledOnRequest, and says whether it is one: a test for this
// interface is cheaper than a test for the generic one.
type calling interface{ callsOn() bool }

func callsOnRequest(src any) bool {
	c, ok := src.(calling)
	return ok && c.callsOn()
}

// calledOn is src, which is a calledOnRequest, on scheduler. If a stage used [SubscribeOn] for
// that, each program would compile all of SubscribeOn for each type of element.
type calledOn[T any] struct {
	protocol.Op
	src       reactor.Publisher[T]
	scheduler schedulers.Scheduler
}

func (p *calledOn[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	p.src.(calledOnRequest[T]).callOn(p.scheduler, ctx, protocol.Strict(ctx, s))
}

// requested is the subscription of such a publisher.
type requested interface {
	reactor.Subscription
	// refused fails downstream because the scheduler takes no task.
	refused(err error)
}

// subscribeOnCall is subscribeOn for such a publisher: one task in place of a worker, since there
// is one request that counts. It is a part of the subscription, and the handle on the task is a
// part of it: there may be many such subscriptions, each for one element.
type subscribeOnCall struct {
	first     schedulers.Handle    // on the task; callPlaced says that it may be used
	call      requested            // what this is a part of; requested by the task
	scheduler schedulers.Scheduler // written by begin
	second    reactor.Disposable   // another task, if there was no demand at first; written before callPlacedTwice is set, read after
	state     atomic.Uint32        // bits
}

const (
	callAsked       = 1 << iota // there is demand
	callCame                    // the first task has run: it takes another one if there was no demand
	callRefused                 // the scheduler takes no task, and downstream was told
	callGone                    // cancelled
	callPlaced                  // who cancels takes the first task back; if it was cancelled before, who has placed that does
	callPlacedTwice             // the same for the second one
)

func (s *subscribeOnCall) begin(scheduler schedulers.Scheduler, call requested, down protocol.Signals) {
	s.scheduler, s.call = scheduler, call
	defer s.place() // also if downstream ends the goroutine
	down.OnSubscribe(s)
}

// place has the first task run, unless all was cancelled.
func (s *subscribeOnCall) place() {
	if s.state.Load()&callGone != 0 {
		return
	}
	if err := s.first.Schedule(s.scheduler, s); err != nil {
		s.refused(err)
		return
	}
	chaos.Yield()
	if s.state.Or(callPlaced)&callGone != 0 {
		s.first.Dispose()
	}
}

// again has another task run.
func (s *subscribeOnCall) again() {
	task, err := s.scheduler.Schedule(s.Run)
	if err != nil {
		s.refused(err)
		return
	}
	s.second = task
	chaos.Yield()
	if s.state.Or(callPlacedTwice)&callGone != 0 {
		task.Dispose()
	}
}

func (s *subscribeOnCall) refused(err error) {
	if s.state.Or(callRefused)&(callRefused|callGone) == 0 {
		s.call.refused(err)
	}
}

// Run is the task.
func (s *subscribeOnCall) Run(context.Context) {
	before := s.state.Or(callCame)
	chaos.Yield()
	if before&callAsked != 0 && before&callGone == 0 {
		roomy()
		s.call.Request(1)
	}
}

// roomy lets the stack grow while there is little on it to be moved. The end of a call asks for the
// next one, which is assembled and subscribed to within it: that exceeds the half of the stack that
// a new goroutine may use before it grows, and to grow costs more the more frames there are.
//
//go:noinline
func roomy() {
	var room [1200]byte
	runtime.KeepAlive(&room)
}

// Request has the function called, on a worker; n > 0.
func (s *subscribeOnCall) Request(int64) {
	before := s.state.Or(callAsked)
	chaos.Yield()
	if before&(callAsked|callGone) == 0 && before&callCame != 0 {
		s.again()
	}
}

// Cancel takes the task back, or cancels the call.
func (s *subscribeOnCall) Cancel() {
	before := s.state.Or(callGone)
	if before&callGone != 0 {
		return
	}
	chaos.Yield()
	s.call.Cancel()
	if before&callPlaced != 0 {
		s.first.Dispose()
	}
	if before&callPlacedTwice != 0 {
		s.second.Dispose()
	}
}
