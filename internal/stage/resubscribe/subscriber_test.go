package resubscribe

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/leak"
	"github.com/goreactor/reactor/internal/testkit/probe"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.Cleanup(leak.Exit)) }

var errBoom = errors.New("boom")

// again is a stage that subscribes an upstream times times, and ends.
type again struct {
	Stage
	times int
}

func (a *again) OnComplete() {
	if a.times--; a.times > 0 {
		a.Advance()
	} else {
		a.Down.OnComplete()
	}
}

func (a *again) OnError(err error) { a.Down.OnError(err) }

func begin(t *testing.T, p *probe.Probe[int], times int, up func(sub *Subscriber[int])) *again {
	a := &again{times: times}
	a.Self = a
	sub := New[int](t.Context(), p, a)
	a.Subscribe = func() { up(sub) }
	a.Advance()
	return a
}

// Upstreams that end while they are subscribed do not recurse.
func TestManyThatEndAtOnce(t *testing.T) {
	p := &probe.Probe[int]{Initial: probe.All}
	n, depth, deepest := 0, 0, 0
	begin(t, p, 100_000, func(sub *Subscriber[int]) {
		depth++
		deepest = max(deepest, depth)
		n++
		sub.OnSubscribe(&probe.Source{})
		sub.OnComplete()
		depth--
	})
	p.Done(t)
	assert.Equal(t, 100_000, n)
	assert.Equal(t, 1, deepest)
}

// What one upstream has not delivered of the demand, the next one is asked for.
func TestDemandIsCarriedOver(t *testing.T) {
	p := &probe.Probe[int]{Initial: 5}
	var ups []*probe.Source
	var sub *Subscriber[int]
	begin(t, p, 3, func(s *Subscriber[int]) {
		sub = s
		ups = append(ups, &probe.Source{})
		s.OnSubscribe(ups[len(ups)-1])
	})
	assert.EqualValues(t, 5, ups[0].Asked)
	sub.OnNext(1)
	sub.OnNext(2)
	sub.OnComplete()
	assert.EqualValues(t, 3, ups[1].Asked)
	p.Request(1)
	assert.Equal(t, []int64{5, 4}, []int64{ups[0].Asked, ups[1].Asked}, "that of before hears nothing")
	sub.OnComplete()
	assert.EqualValues(t, 4, ups[2].Asked)
	sub.OnNext(3)
	p.Cancel()
	assert.Equal(t, 1, ups[2].Cancelled)
	assert.Zero(t, ups[1].Cancelled)
	p.Open(t, 1, 2, 3)
}

// After a cancellation nothing is subscribed any more.
func TestNothingNewAfterCancel(t *testing.T) {
	p := &probe.Probe[int]{Initial: 5}
	n := 0
	var sub *Subscriber[int]
	begin(t, p, 3, func(s *Subscriber[int]) {
		n++
		sub = s
		s.OnSubscribe(&probe.Source{})
	})
	p.Cancel()
	sub.OnComplete()
	assert.Equal(t, 1, n)
	p.Open(t)
}

func TestSubscriberPassesBy(t *testing.T) {
	p := &probe.Probe[int]{Initial: probe.All}
	var sub *Subscriber[int]
	begin(t, p, 1, func(s *Subscriber[int]) {
		sub = s
		s.OnSubscribe(&probe.Source{})
	})
	push := sub.Push()
	push(1)
	sub.OnNext(2)
	sub.OnError(errBoom)
	p.Failed(t, errBoom, 1, 2)
	var _ reactor.Subscriber[int] = sub
}
