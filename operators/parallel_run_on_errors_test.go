package operators

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/internal/testkit/racetest"
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
