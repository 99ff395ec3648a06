package operators

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// backoff is what happens between the end of one upstream and the subscription of the
// next, for the retry and repeat specs: callbacks, publishers to be waited for, and a
// delay, one after the other.
type backoff struct {
	op      string           // operator
	current protocol.Arbiter // the delay or publisher that is waited for; without demand
	owner   backoffOwner
	ctx     context.Context
	steps   []backoffStep // still to come; each step that has ended starts the next
}

// backoffOwner is the stage. It cancels its backoff when it is cancelled.
type backoffOwner interface {
	// backedOff says that the backoff is over, or with which error it failed.
	backedOff(err error)
}

// backoffStep has one of call, gate and delay set.
type backoffStep struct {
	call    func()                             // may panic
	gate    func() reactor.Publisher[struct{}] // may panic
	delay   time.Duration
	clock   func() schedulers.Scheduler // of the delay
	because error                       // what call and gate are told of, if it is a failure
}

// run runs the steps.
func (b *backoff) run(ctx context.Context, op string, owner backoffOwner, steps []backoffStep) {
	b.op, b.owner, b.ctx, b.steps = op, owner, ctx, steps
	b.next()
}

// next runs the next steps, up to one that has to be waited for.
func (b *backoff) next() {
	for len(b.steps) > 0 {
		if b.current.IsCancelled() {
			return
		}
		step := b.steps[0]
		b.steps[0] = backoffStep{} // it knows the failure, and the next round may last
		b.steps = b.steps[1:]
		switch {
		case step.call != nil:
			if !failure.Guard(step.call, func(err error) { b.failed(err, step.because) }) {
				return
			}
		case step.gate != nil:
			var gate reactor.Publisher[struct{}]
			if failure.Guard(func() { gate = step.gate() }, func(err error) { b.failed(err, step.because) }) {
				gate.Subscribe(b.ctx, &backoffGate{backoff: b})
			}
			return
		default:
			b.wait(step)
			return
		}
	}
	b.owner.backedOff(nil)
}

// failed ends with the failure of a function of a step. After a delay no frame on the stack says
// whose function it was.
func (b *backoff) failed(err, because error) {
	err = reactor.OperatorError(b.ctx, failure.Renamed(err, "", b.op), nil)
	if because != nil {
		err = failure.Both(err, because)
	}
	b.owner.backedOff(err)
}

func (b *backoff) wait(step backoffStep) {
	timer := &protocol.Deferred{}
	b.current.Set(timer)
	if b.current.IsCancelled() {
		return
	}
	handle, err := step.clock().ScheduleAfter(func(context.Context) { b.next() }, step.delay)
	if err != nil {
		b.owner.backedOff(rejected(b.ctx, b.op, err, nil))
		return
	}
	timer.Set(disposing{handle})
}

// disposing is the handle of a task as a subscription.
type disposing struct{ handle reactor.Disposable }

func (d disposing) Request(int64) {}
func (d disposing) Cancel()       { d.handle.Dispose() }

// backoffGate waits for a publisher.
type backoffGate struct {
	protocol.Inner
	backoff *backoff
}

func (g *backoffGate) OnSubscribe(up reactor.Subscription) {
	g.backoff.current.Set(up)
	up.Request(reactor.Unbounded)
}

func (g *backoffGate) OnNext(struct{}) {}

func (g *backoffGate) OnError(err error) {
	g.backoff.current.Ended()
	g.backoff.owner.backedOff(err)
}

func (g *backoffGate) OnComplete() {
	g.backoff.current.Ended()
	g.backoff.next()
}
