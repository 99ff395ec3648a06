package operators

import (
	"context"
	"iter"
	"testing"

	"github.com/goreactor/reactor"
)

// A sequence that computes one element ahead is asked by another goroutine while it is subscribed to: that is no demand for one more.
func TestFlatMapSeqIsAskedWhileItIsSubscribedTo(t *testing.T) {
	p := probeOf[int](0)
	came, subscribed, asked := make(chan struct{}), make(chan struct{}), make(chan struct{})
	p.Each = func(v int) {
		if v == 1 {
			close(came)
			<-subscribed
		}
	}
	p.Subscribed = func(reactor.Subscription) {
		go func() {
			defer close(asked)
			p.Request(1)
		}()
		<-came
	}
	FlatMapSeq(Just(0), func(int) iter.Seq[int] {
		return func(yield func(int) bool) { _ = yield(1) && yield(2) && yield(3) }
	}).Subscribe(context.Background(), p)
	close(subscribed)
	<-asked
	p.Open(t, 1)
	p.Request(2)
	p.Done(t, 1, 2, 3)
}
