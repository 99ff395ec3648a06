package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// workerStage is the part, independent of the type of the elements, of a stage that delivers on
// a worker.
type workerStage struct {
	out      protocol.TaskOutlet
	op       string // for errors
	prefetch int64
	worker   schedulers.Worker
	up       reactor.Subscription // set by OnSubscribe
	refill   demand.Refill        // owner of out
}

// init is called once, before anything else.
func (s *workerStage) init(c publishOnConfig, w schedulers.Worker) {
	s.op, s.prefetch, s.worker = c.op, c.demand, w
	s.refill = demand.NewRefill(c.demand)
	s.out.EagerErrors = c.eager
}

func (s *workerStage) OnSubscribe(up reactor.Subscription) {
	s.up = up
	defer up.Request(s.prefetch) // also if downstream ends the goroutine
	s.out.Begin()
}

func (s *workerStage) OnError(err error) { s.out.End(err) }

func (s *workerStage) OnComplete() { s.out.End(nil) }

// overflow cancels src and ends the stream because v found no room, and discards v.
func (s *workerStage) overflow(v any, discard func(any)) {
	failure.InTurn(s.up.Cancel, func() { // which may end the goroutine
		err := unasked(s.out.Context(), s.op, s.prefetch, v)
		discard(v)
		s.out.End(err)
	})
}

// delivered accounts for n elements. Owner of out.
func (s *workerStage) delivered(n int64) {
	s.out.Produced(n)
	if n = s.refill.Consumed(n); n > 0 {
		s.out.Refill(s.up, n)
	}
}

// Rejected implements protocol.TaskFlow.
func (s *workerStage) Rejected(err error) error {
	return rejected(s.out.Context(), s.op, err, nil)
}

// Stop implements protocol.Flow.
func (s *workerStage) Stop() { s.up.Cancel() }
