package stages

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/ledger"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/proofs/roster"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// ordeals is how many scripts each stage goes through in an ordinary run.
const ordeals = 32

// mostLate is how late chaos makes tasks: longer than most timers of the roster, so that
// they change places.
const mostLate = 5 * time.Microsecond

// ordeal is a stage over a scheduler at its worst, in a script drawn from a seed.
type ordeal struct {
	*scene
	t       *testing.T
	stage   roster.Stage[element]
	chaos   *reactortest.ChaosScheduler
	random  *rand.Rand
	natural bool                // the source is one of the module, not the puppet
	pass    func(time.Duration) // lets time pass

	mu       sync.Mutex
	reported bool // a refusal went to the hook for errors that nobody takes; guarded by mu
}

func newOrdeal(t *testing.T, stage roster.Stage[element], chaos *reactortest.ChaosScheduler, pass func(time.Duration)) *ordeal {
	s := &scene{books: ledger.New(t), src: &puppet[element]{single: stage.Single}}
	s.make = s.books.Produce
	if stage.Swallows {
		s.make = func() element { return &ledger.Element{} }
	}
	s.down = &watcher{onNext: s.delivered}
	return &ordeal{scene: s, t: t, stage: stage, chaos: chaos, random: rand.New(rand.NewPCG(chaos.Seed(), 1)), pass: pass}
}

// source is the puppet, or at times a source that takes the short ways through the stage.
func (o *ordeal) source() reactor.Publisher[element] {
	o.natural = true
	switch o.random.IntN(6) {
	case 0:
		return operators.FromCallable(func() (element, error) { return o.make(), nil })
	case 1:
		return operators.Empty[element]()
	case 2:
		n := o.random.IntN(6)
		if o.stage.Single {
			n = min(n, 1)
		}
		return operators.FromSeq(func(yield func(element) bool) {
			for range n {
				if !yield(o.make()) {
					return
				}
			}
		})
	}
	o.natural = false
	return o.src
}

// ctx has the hooks of the ledger, and looks out for refusals that are only reported.
func (o *ordeal) ctx() context.Context {
	hooks := o.hooks()
	hooks.ErrorDropped = func(_ context.Context, err error) {
		if errors.Is(err, reactortest.ErrInjected) {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.reported = true
		}
	}
	return reactor.WithHooks(context.Background(), hooks)
}

// run plays the script.
func (o *ordeal) run() {
	o.down.demand = []int64{0, 1, 3, reactor.Unbounded}[o.random.IntN(4)]
	o.stage.Build(o.chaos, o.source()).Subscribe(o.ctx(), o.down)
	cancels := o.random.IntN(3) == 0
	for range o.random.IntN(14) {
		switch o.random.IntN(4) {
		case 0, 1:
			o.next(1 + o.random.IntN(3))
		case 2:
			o.down.request(1 + o.random.Int64N(3))
		case 3:
			o.pass(time.Duration(o.random.IntN(4)) * time.Microsecond)
		}
	}
	if cancels {
		o.down.cancel()
	}
	err := []error{nil, errBoom}[o.random.IntN(2)]
	for range 8 { // as often as it is repeated or retried
		o.down.request(reactor.Unbounded)
		o.pass(time.Millisecond)
		o.endAll(err)
		o.pass(time.Millisecond)
	}
	_, ended, _, failure := o.down.state()
	_, refused := o.chaos.Injected()
	if !cancels {
		assert.True(o.t, ended, "the stream hangs (%d tasks were refused)", refused)
	}
	if refused > 0 && !cancels && !errors.Is(failure, reactor.ErrRejected) {
		o.mu.Lock()
		assert.True(o.t, o.reported || o.stage.InPlace, "nobody was told of the refusal (%v)", failure)
		o.mu.Unlock()
	}
	switch {
	case failure == nil, errors.Is(failure, errBoom), o.stage.MayFailWith(failure):
	case errors.Is(failure, reactor.ErrRejected):
		assert.NotZero(o.t, refused, "no task was refused")
		assert.ErrorIs(o.t, failure, reactortest.ErrInjected, "the refusal arrives as it is")
		var rejected *schedulers.RejectedError
		assert.ErrorAs(o.t, failure, &rejected)
	default:
		assert.Fail(o.t, "a failure that nobody caused", "%v", failure)
	}
	o.down.cancel()
	o.pass(time.Hour)
	_, _, faults, _ := o.down.state()
	assert.Empty(o.t, faults)
	for _, up := range o.src.subs {
		assert.Zero(o.t, up.bad.Load(), "§3.9: a request that is not positive")
		if !up.ended && !o.stage.Hot {
			assert.Positive(o.t, up.cancels.Load(), "the source is cancelled (ended below: %v, refused: %d)", ended, refused)
		}
	}
	o.books.Check()
}

// endAll ends every subscription to the puppet.
func (o *ordeal) endAll(err error) {
	o.src.mu.Lock()
	subs := slices.Clone(o.src.subs)
	o.src.mu.Unlock()
	for _, up := range subs {
		up.end(err)
	}
}

// onTheirOwn are the sources that use a scheduler.
func onTheirOwn() []roster.Stage[element] {
	stage := func(name string, build func(s schedulers.Scheduler) reactor.Publisher[int64], fails ...error) roster.Stage[element] {
		return roster.Stage[element]{
			Name: name, Traits: roster.Traits{Timed: true, Fails: fails},
			Build: func(s schedulers.Scheduler, _ reactor.Publisher[element]) reactor.Publisher[any] {
				return operators.Map(build(s), func(n int64) any { return n })
			},
		}
	}
	return []roster.Stage[element]{
		stage("interval", func(s schedulers.Scheduler) reactor.Publisher[int64] {
			return operators.Take(operators.Interval(time.Microsecond, operators.On(s)), 4)
		}, reactor.ErrOverflow),
		stage("interval at its own pace", func(s schedulers.Scheduler) reactor.Publisher[int64] {
			ticks := operators.Interval(time.Microsecond, operators.On(s), operators.InitialDelay(0))
			return operators.Take(operators.OnBackpressureBuffer(ticks), 4)
		}),
		stage("delay", func(s schedulers.Scheduler) reactor.Publisher[int64] {
			return operators.Delay(time.Microsecond, operators.On(s))
		}),
	}
}

// timedStages are the stages that use a scheduler.
func timedStages() (list []roster.Stage[element]) {
	list = onTheirOwn()
	for _, stage := range roster.Stages[element]() {
		if stage.Timed {
			list = append(list, stage)
		}
	}
	return list
}

// TestChaosOnTheClock puts every stage that uses a scheduler on one at its worst, on a clock: a
// seed that fails can be repeated exactly.
func TestChaosOnTheClock(t *testing.T) {
	for _, stage := range timedStages() {
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			for n := range racetest.Iterations(ordeals) {
				if t.Failed() {
					return
				}
				clock := reactortest.NewVirtualTime()
				chaos := reactortest.NewChaosScheduler(t, reactortest.ChaosOver(clock),
					reactortest.ChaosDelays(50, mostLate), reactortest.ChaosRejections([]int{0, 5, 30, 100}[n%4]))
				o := newOrdeal(t, stage, chaos, clock.AdvanceBy)
				o.run()
				assert.Zero(t, clock.Pending(), "tasks left behind")
				if t.Failed() {
					t.Logf("script %d: ChaosSeed(%d)", n, chaos.Seed())
				}
			}
		})
	}
}

// TestChaosOnThreads does the same on real workers, in a bubble: a stream that hangs, a goroutine
// or a timer that is left would end it with a deadlock.
func TestChaosOnThreads(t *testing.T) {
	for _, stage := range timedStages() {
		t.Run(stage.Name, func(t *testing.T) {
			t.Parallel()
			for n := range racetest.Iterations(ordeals / 2) {
				if t.Failed() {
					return
				}
				synctest.Test(t, func(t *testing.T) {
					chaos := reactortest.NewChaosScheduler(t,
						reactortest.ChaosDelays(50, mostLate), reactortest.ChaosRejections([]int{0, 5, 30}[n%3]))
					newOrdeal(t, stage, chaos, func(d time.Duration) {
						time.Sleep(d)
						if d >= time.Millisecond {
							synctest.Wait() // shorter ones leave the workers at it
						}
					}).run()
				})
			}
		})
	}
}
