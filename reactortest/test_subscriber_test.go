package reactortest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/schedulers"
)

func TestTestSubscriber(t *testing.T) {
	sub := Subscribe(t, flux.Range(1, 5), InitialRequest(0))
	assert.True(t, sub.IsSubscribed())
	sub.ExpectNothing()
	sub.Request(2)
	sub.ExpectNext(1, 2)
	sub.ExpectNothing()
	sub.Request(reactor.Unbounded)
	assert.Equal(t, []int{3, 4}, sub.ExpectNextCount(2))
	sub.ExpectNext(5)
	sub.ExpectComplete()
	assert.True(t, sub.IsCompleted())
	assert.NoError(t, sub.Err())
	assert.Equal(t, []int{1, 2, 3, 4, 5}, sub.Values())

	failing := Subscribe(t, flux.Error[int](errBoom))
	failing.AwaitEnd()
	assert.Equal(t, errBoom, failing.Err())
	assert.False(t, failing.IsCompleted())
	failing.ExpectErrorIs(errBoom)
	assert.Equal(t, errBoom, Subscribe(t, flux.Error[int](errBoom)).ExpectError())
}

func TestTestSubscriberWaits(t *testing.T) {
	s := schedulers.NewSingle("test")
	defer s.Dispose()
	sub := Subscribe(t, flux.Range(1, 100).PublishOn(s))
	sub.ExpectNextCount(100)
	sub.ExpectComplete()
}

func TestTestSubscriberBeforeTheSubscription(t *testing.T) {
	sub := NewTestSubscriber[int](t, InitialRequest(0))
	sub.Request(1)
	sub.Request(1)
	assert.False(t, sub.IsSubscribed())
	flux.Range(1, 5).Subscribe(t.Context(), sub)
	sub.ExpectNext(1, 2)
	sub.ExpectNothing()
	sub = NewTestSubscriber[int](t)
	sub.Cancel()
	assert.True(t, sub.IsCancelled())
	flux.Range(1, 5).Subscribe(t.Context(), sub)
	sub.ExpectNothing()
}

func TestTestSubscriberReports(t *testing.T) {
	for want, fn := range map[string]func(*TestSubscriber[int]){
		"reactortest: x: expected onNext(3), but onNext(2) came\n":         func(s *TestSubscriber[int]) { s.ExpectNext(1, 3) },
		"expected element 3 of 3, but onComplete() came":                   func(s *TestSubscriber[int]) { s.ExpectNextCount(3) },
		"expected onComplete(), but onNext(1) came":                        func(s *TestSubscriber[int]) { s.ExpectComplete() },
		"expected an onError, but onNext(1) came":                          func(s *TestSubscriber[int]) { s.ExpectError() },
		`expected an onError that is "boom", but onNext(1) came`:           func(s *TestSubscriber[int]) { s.ExpectErrorIs(errBoom) },
		"expected nothing, but onNext(1) came":                             func(s *TestSubscriber[int]) { s.ExpectNothing() },
		"expected onNext(1), but nothing came within 10ms":                 func(s *TestSubscriber[int]) { s.ExpectNext(1, 2); s.ExpectComplete(); s.ExpectNext(1) },
		"onNext(7) came after the end of the stream (§1.7)":                func(s *TestSubscriber[int]) { s.OnNext(7) },
		"onNext(8) came after the end of the stream (§1.7)\nthe signals (": func(s *TestSubscriber[int]) { s.OnNext(8); s.ExpectNothing() },
		"onError(nil) came (§2.13)":                                        func(s *TestSubscriber[int]) { s.OnError(nil) },
		"onSubscribe before: true":                                         func(s *TestSubscriber[int]) { s.OnSubscribe(hollow{}) },
	} {
		got := report(func(t testing.TB) { fn(Subscribe(t, flux.Range(1, 2), Named("x"), Patience(10*time.Millisecond))) })
		assert.Contains(t, got, want)
	}
	quiet := NewTestSubscriber[int](t, InitialRequest(1))
	quiet.OnNext(1)
	quiet.OnSubscribe(hollow{})
	quiet.OnNext(2)
	assert.Equal(t, []string{"onNext(1) came before onSubscribe (§1.9)", "onNext(2) came without demand (§1.1): 1 requested, this is element 2"}, quiet.Violations())
}

// requests is a subscription that notes what it is asked for.
type requests struct{ asked []int64 }

func (r *requests) Request(n int64) { r.asked = append(r.asked, n) }
func (r *requests) Cancel()         {}

// What is not legal is passed on as it is, also from before the subscription.
func TestTestSubscriberAsksForNothing(t *testing.T) {
	for _, c := range []struct{ early, want []int64 }{
		{nil, nil},
		{[]int64{-1}, []int64{-1}},
		{[]int64{0}, []int64{0}},
		{[]int64{2, -1, 3, 0}, []int64{5, -1, 0}},
	} {
		s := NewTestSubscriber[int](t, InitialRequest(0))
		for _, n := range c.early {
			s.Request(n)
		}
		var up requests
		s.OnSubscribe(&up)
		assert.Equal(t, c.want, up.asked)
		up.asked = nil
		s.Request(-1)
		assert.Equal(t, []int64{-1}, up.asked)
	}
}
