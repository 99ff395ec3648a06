package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
	"github.com/goreactor/reactor/schedulers"
)

// incomparable is an error that can't be compared with another one of its type: that panics.
type incomparable struct{ detail any }

func (incomparable) Error() string { return "incomparable" }

// The rails compare the errors that they have lost with those that others have delivered. An error that can't be compared
// keeps none of them waiting, and counts as another one.
func TestRailsWithErrorsThatCannotBeCompared(t *testing.T) {
	err := incomparable{[]int{1}}
	ctx, hooks := probe.Recorded()
	h := &handScheduler{}
	src := &puppet[int]{}
	rails := []*probe.Probe[int]{probeOf[int](1), probeOf[int](1)}
	ParallelRunOn(Parallel[int](src, 2), h).SubscribeRails(ctx, []reactor.Subscriber[int]{rails[0], rails[1]})
	src.last().OnError(err)
	rails[1].Cancel()
	ended := false
	racetest.Aside(func() {
		h.run()
		ended = true
	})
	assert.True(t, ended)
	assert.True(t, rails[0].Over())
	if assert.Len(t, hooks.Errs, 1) {
		assert.IsType(t, err, hooks.Errs[0])
	}
	h.assertReleased(t)
}

// A rail that is over when the error comes does not report it, either, as long as another rail may deliver it or when one has.
func TestRailsThatAreOverBeforeTheErrorComes(t *testing.T) {
	for _, heard := range []bool{true, false} {
		for _, first := range []bool{true, false} {
			ctx, hooks := probe.Recorded()
			a, b := &puppet[int]{}, &puppet[int]{}
			rails := []*probe.Probe[int]{probeOf[int](1), probeOf[int](1)}
			ParallelRunOn(ParallelFrom[int](a, b), schedulers.Immediate()).SubscribeRails(ctx, []reactor.Subscriber[int]{rails[0], rails[1]})
			rails[0].Cancel()
			if first {
				a.last().OnError(errBoom)
				assert.Empty(t, hooks.Errs)
			}
			if heard {
				b.last().OnError(errBoom)
				rails[1].Failed(t, errBoom)
			} else {
				b.last().OnComplete()
				rails[1].Done(t)
			}
			if !first {
				a.last().OnError(errBoom)
			}
			if heard {
				assert.Empty(t, hooks.Errs)
			} else {
				assert.Equal(t, []any{errBoom}, hooks.Errs)
			}
		}
	}
}

// The source may just be telling a rail of its error when that rail is cancelled.
func TestRailThatIsCancelledWhileTheErrorComes(t *testing.T) {
	for i := range 2 {
		racetest.Rounds(t, 2000, func() ([]func(), func()) {
			ctx, hooks := probe.Recorded()
			src := &puppet[int]{}
			rails := []*probe.Probe[int]{probeOf[int](1), probeOf[int](1)}
			ParallelRunOn(Parallel[int](src, 2), schedulers.Immediate()).SubscribeRails(ctx, []reactor.Subscriber[int]{rails[0], rails[1]})
			return []func(){func() { src.last().OnError(errBoom) }, rails[i].Cancel}, func() {
				assert.Empty(t, hooks.Errs)
				assert.ErrorIs(t, rails[1-i].Failure(), errBoom)
			}
		})
	}
}
