package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// calledOnRequest is a publisher of at most one element whose subscription calls a function, and sends
// everything, within the first Request.
type calledOnRequest[T any] = interface {
	// subscription returns what is to be handed to down.
	subscription(ctx context.Context, down reactor.Subscriber[T]) reactor.Subscription
}

// subscribeOnCall is subscribeOn for such a publisher: one task in place of a worker, since there is one
// request that counts.
type subscribeOnCall struct {
	ctx       context.Context
	down      protocol.Signals
	call      reactor.Subscription // requested by the task
	scheduler schedulers.Scheduler
	state     atomic.Uint32 // bits
	task      protocol.Handle
}

const (
	callAsked   = 1 << iota // there is demand
	callCame                // the first task has run: it takes another one if there was no demand
	callRefused             // the scheduler takes no task, and downstream was told
	callGone                // cancelled
)

func (s *subscribeOnCall) begin() {
	s.down.OnSubscribe(s)
	s.schedule(1)
}

// schedule has the n-th task run.
func (s *subscribeOnCall) schedule(n int64) {
	if s.state.Load()&callGone != 0 {
		return
	}
	task, err := s.scheduler.Schedule(s.run)
	if err == nil {
		s.task.Set(n, task)
		return
	}
	if s.state.Or(callRefused)&(callRefused|callGone) == 0 {
		s.down.OnError(rejected(s.ctx, "subscribeOn", err, nil))
	}
}

// run is the task.
func (s *subscribeOnCall) run(context.Context) {
	before := s.state.Or(callCame)
	chaos.Yield()
	if before&callAsked != 0 && before&callGone == 0 {
		s.call.Request(1)
	}
}

// Request has the function called, on a worker; n > 0.
func (s *subscribeOnCall) Request(int64) {
	before := s.state.Or(callAsked)
	chaos.Yield()
	if before&callAsked == 0 && before&callCame != 0 {
		s.schedule(2)
	}
}

// Cancel takes the task back, or cancels the call.
func (s *subscribeOnCall) Cancel() {
	if s.state.Or(callGone)&callGone != 0 {
		return
	}
	chaos.Yield()
	s.call.Cancel()
	s.task.Dispose()
}
