package tck_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest/tck"
)

// In a test, t is its *testing.T.
func ExampleVerifyPublisher() {
	_ = func(t *testing.T) {
		tck.VerifyPublisher(t, tck.Publisher[int]{
			Create: func(n int64) reactor.Publisher[int] { return flux.Range(0, int(n)) },
			Failed: func() reactor.Publisher[int] { return flux.Error[int](context.Canceled) },
		}, tck.InBubbles())
	}
}

func ExampleVerifySubscriberBlackbox() {
	_ = func(t *testing.T) {
		tck.VerifySubscriberBlackbox(t, tck.Blackbox[int]{
			Create: func() reactor.Subscriber[int] {
				return operators.NewSubscriber(t.Context(), operators.SubscriberHooks[int]{})
			},
			Element: func(i int) int { return i },
		})
	}
}

func ExampleCheckPublisher() {
	results := tck.CheckPublisher(tck.Publisher[int]{
		Create: func(n int64) reactor.Publisher[int] { return flux.Range(0, int(n)) },
	}, tck.Timeout(time.Minute), tck.Quiet(time.Millisecond), tck.Rounds(1))
	for _, r := range results {
		if r.Failed != "" {
			fmt.Println(r.Name, r.Failed)
		}
	}
	// Output:
}
