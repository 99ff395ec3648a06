package protocol

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/racetest"
)

func TestDeferredHandsOverTheWholeSum(t *testing.T) {
	racetest.Rounds(t, 5000, func() ([]func(), func()) {
		d, up := &Deferred{}, &countingSub{}
		racers := []func(){
			func() { d.Request(3); d.Request(4) },
			func() { d.Set(up) },
			func() { d.Request(5) },
		}
		return racers, func() {
			assert.Equal(t, int64(12), up.requested.Load())
			assert.Zero(t, up.cancels.Load())
		}
	})
}

func TestDeferredCancelIsNeverLost(t *testing.T) {
	racetest.Rounds(t, 5000, func() ([]func(), func()) {
		d, up := &Deferred{}, &countingSub{}
		racers := []func(){
			func() { d.Set(up) },
			d.Cancel,
			d.Cancel,
		}
		return racers, func() {
			assert.Equal(t, int64(1), up.cancels.Load())
			assert.True(t, d.IsCancelled())
		}
	})
}

func TestDeferredRefusesASecondSubscription(t *testing.T) {
	d, first, second := &Deferred{}, &countingSub{}, &countingSub{}
	assert.True(t, d.Set(first))
	assert.False(t, d.Set(second))
	d.Request(2)
	assert.Equal(t, int64(1), second.cancels.Load())
	assert.Equal(t, int64(2), first.requested.Load())
	assert.True(t, d.Close())
	d.Cancel()
	d.Request(1)
	assert.Zero(t, first.cancels.Load(), "it ended by itself")
	assert.Equal(t, int64(2), first.requested.Load())
}

// Reactor #4398: a subscription that reaches a cancelled arbiter must not stay
// alive.
func TestArbiterCancelsWhatComesTooLate(t *testing.T) {
	racetest.Rounds(t, 5000, func() ([]func(), func()) {
		a, old, up := &Arbiter{}, &countingSub{}, &countingSub{}
		a.Set(old)
		racers := []func(){
			func() { a.Set(up) },
			a.Cancel,
		}
		return racers, func() {
			assert.LessOrEqual(t, old.cancels.Load(), int64(1))
			assert.Equal(t, int64(1), up.cancels.Load())
		}
	})
}

// Reactor #2567: the demand that one source leaves open is asked of the next,
// exactly, also when requests come during the swap.
func TestArbiterKeepsDemandExact(t *testing.T) {
	racetest.Rounds(t, 5000, func() ([]func(), func()) {
		a, first, second := &Arbiter{}, &countingSub{}, &countingSub{}
		a.Set(first)
		a.Request(10)
		racers := []func(){
			func() { a.Produced(4); a.Set(second) },
			func() { a.Request(3) },
			func() { a.Request(2) },
		}
		return racers, func() {
			// What went to the first one after it had ended is asked again.
			assert.Equal(t, int64(10-4+5), second.requested.Load())
		}
	})
}

// Reactor #2567: while sources are swapped, each is asked for what those before it
// have left open, no more.
func TestArbiterNext(t *testing.T) {
	racetest.Rounds(t, 3000, func() ([]func(), func()) {
		a := &Arbiter{}
		a.Request(10)
		var asked []int64
		var last *countingSub
		racers := []func(){
			func() {
				for n := range int64(3) {
					last = &countingSub{}
					a.Set(last)
					asked = append(asked, last.requested.Load())
					assert.True(t, a.Next(n))
				}
				last = &countingSub{}
				a.Set(last)
			},
			func() { a.Request(1); a.Request(2) },
		}
		return racers, func() {
			assert.Equal(t, int64(10+3-0-1-2), last.requested.Load())
			assert.LessOrEqual(t, asked[2], int64(12))
		}
	})
	a, up := &Arbiter{}, &countingSub{}
	a.Request(reactor.Unbounded)
	assert.True(t, a.Next(5))
	a.Set(up)
	assert.Equal(t, reactor.Unbounded, up.requested.Load())
	a.Cancel()
	assert.False(t, a.Next(0))
}

func TestArbiterTake(t *testing.T) {
	a, up := &Arbiter{}, &countingSub{}
	assert.False(t, a.Take())
	a.Request(2)
	assert.True(t, a.Take())
	a.Set(up)
	assert.Equal(t, int64(1), up.requested.Load())
	a.Produced(1)
	assert.False(t, a.Take())
	a.Request(reactor.Unbounded)
	assert.True(t, a.Take())
	assert.True(t, a.IsUnbounded())
}

func TestArbiterDoesNotCancelWhatHasEnded(t *testing.T) {
	for name, ended := range map[string]func(*Arbiter){"Ended": (*Arbiter).Ended, "Next": func(a *Arbiter) { a.Next(1) }} {
		for name2, leave := range map[string]func(*Arbiter){"Cancel": (*Arbiter).Cancel, "Switch": func(a *Arbiter) { a.Switch(&countingSub{}) }} {
			t.Run(name+", "+name2, func(t *testing.T) {
				a, first, second := &Arbiter{}, &countingSub{}, &countingSub{}
				a.Set(first)
				ended(a)
				a.Request(3)
				assert.EqualValues(t, 3, first.requested.Load(), "it ignores that")
				leave(a)
				assert.Zero(t, first.cancels.Load())

				a = &Arbiter{}
				a.Set(first)
				ended(a)
				a.Set(second)
				leave(a)
				assert.Zero(t, first.cancels.Load())
				assert.EqualValues(t, 1, second.cancels.Load(), "the next one lives")

				a = &Arbiter{ToTheEnded: true}
				a.Set(first)
				ended(a)
				leave(a)
				assert.EqualValues(t, 1, first.cancels.Load())
			})
		}
	}
}

func TestArbiterSwitchCancelsTheOldOne(t *testing.T) {
	a, first, second := &Arbiter{}, &countingSub{}, &countingSub{}
	a.Request(reactor.Unbounded)
	a.Set(first)
	a.Produced(1000)
	assert.True(t, a.IsUnbounded())
	a.Switch(second)
	assert.Equal(t, int64(1), first.cancels.Load())
	assert.Equal(t, reactor.Unbounded, second.requested.Load())
	a.Cancel()
	a.Cancel()
	a.Request(1)
	assert.Equal(t, int64(1), second.cancels.Load())
	assert.True(t, a.IsCancelled())
}

// A stage whose subscriber ends the goroutine in OnSubscribe hears of the end all the same.
func TestAnEndBehindAGoexitInOnSubscribe(t *testing.T) {
	p := &probe[int]{probeState: probeState[int]{onSub: runtime.Goexit}}
	racetest.Aside(func() { Complete(p) })
	racetest.Aside(func() { Fail(p, assert.AnError) })
	assert.Equal(t, 1, p.done)
	assert.Equal(t, []error{assert.AnError}, p.errs)
}
