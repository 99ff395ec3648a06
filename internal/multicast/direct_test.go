package multicast

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor/internal/testkit/probe"
)

// nobody waits for anything.
type nobody struct{}

func (nobody) Wake() {}

// The only one of several who has asked for an element leaves when Send has found it there: the element is
// let go.
func TestDirectElementWhoseReceiversLeave(t *testing.T) {
	ctx, hooks := probe.Recorded()
	d := &Direct[int]{Line: nobody{}}
	var receivers []*Receiver[int]
	for n := range int64(2) {
		p := &probe.Probe[int]{Initial: n}
		r := d.NewReceiver(ctx, p)
		p.OnSubscribe(r)
		d.Add(r)
		receivers = append(receivers, r)
	}
	to := d.asked(d.set.load(), false)
	assert.Len(t, to, 1)
	receivers[1].Cancel()
	d.now = delivery[int]{to: to, element: 7}
	d.deliver()
	assert.Equal(t, []any{7}, hooks.Discarded)
	assert.Empty(t, hooks.Errs)
	assert.False(t, d.active)
}
