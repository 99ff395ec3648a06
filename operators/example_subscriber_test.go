package operators_test

import (
	"context"
	"fmt"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/operators"
)

func ExampleNewSubscriber() {
	ctx := context.Background()
	s := operators.NewSubscriber(ctx, operators.SubscriberHooks[int]{
		OnNext: func(s *operators.BaseSubscriber[int], v int) {
			fmt.Println(v)
			if v == 2 {
				s.Cancel()
			}
		},
		OnCancel: func() { fmt.Println("cancelled") },
		Finally:  func(how reactor.SignalKind) { fmt.Println(how) },
	})
	operators.Range(1, 5).Subscribe(ctx, s)
	// Output:
	// 1
	// 2
	// cancelled
	// cancel
}
