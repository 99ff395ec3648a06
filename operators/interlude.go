package operators

import (
	"context"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// interlude is what happens between the end of one upstream and the subscription of the
// next, for the retry and repeat specs: callbacks, publishers to be waited for, and a
// delay, one after the other.
type interlude struct {
	op      string           // operator
	current protocol.Arbiter // the delay or publisher that is waited for; without demand
	owner   interludeOwner
	ctx     context.Context
	steps   []interludeStep // left; touched by whoever the steps before have called back
}

// interludeOwner is the stage. It cancels its interlude when it is cancelled.
type interludeOwner interface {
	// interluded tells that the interlude is over, or what in it failed.
	interluded(err error)
}

// interludeStep has one of its fields set.
type interludeStep struct {
	call  func()                             // may panic
	gate  func() reactor.Publisher[struct{}] // may panic
	delay time.Duration
	clock func() schedulers.Scheduler // of the delay
}

// play runs the steps.
func (i *interlude) play(ctx context.Context, op string, owner interludeOwner, steps []interludeStep) {
	i.op, i.owner, i.ctx, i.steps = op, owner, ctx, steps
	i.next()
}

// next runs the next steps, up to one that has to be waited for.
func (i *interlude) next() {
	for len(i.steps) > 0 {
		if i.current.IsCancelled() {
			return
		}
		step := i.steps[0]
		i.steps = i.steps[1:]
		switch {
		case step.call != nil:
			if !failure.Guard(step.call, i.failed) {
				return
			}
		case step.gate != nil:
			var gate reactor.Publisher[struct{}]
			if failure.Guard(func() { gate = step.gate() }, i.failed) {
				gate.Subscribe(i.ctx, &interludeGate{interlude: i})
			}
			return
		default:
			i.wait(step)
			return
		}
	}
	i.owner.interluded(nil)
}

func (i *interlude) failed(err error) {
	i.owner.interluded(reactor.OperatorError(i.ctx, err, nil))
}

func (i *interlude) wait(step interludeStep) {
	timer := &protocol.Deferred{}
	i.current.Set(timer)
	if i.current.IsCancelled() {
		return
	}
	handle, err := step.clock().ScheduleAfter(func(context.Context) { i.next() }, step.delay)
	if err != nil {
		i.owner.interluded(rejected(i.ctx, i.op, err, nil))
		return
	}
	timer.Set(disposing{handle})
}

// disposing is the handle of a task as a subscription.
type disposing struct{ handle reactor.Disposable }

func (d disposing) Request(int64) {}
func (d disposing) Cancel()       { d.handle.Dispose() }

// interludeGate waits for a publisher.
type interludeGate struct {
	protocol.Inner
	interlude *interlude
}

func (g *interludeGate) OnSubscribe(up reactor.Subscription) {
	g.interlude.current.Set(up)
	up.Request(reactor.Unbounded)
}

func (g *interludeGate) OnNext(struct{}) {}

func (g *interludeGate) OnError(err error) {
	g.interlude.current.Ended()
	g.interlude.owner.interluded(err)
}

func (g *interludeGate) OnComplete() {
	g.interlude.current.Ended()
	g.interlude.next()
}
