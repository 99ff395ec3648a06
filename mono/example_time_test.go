package mono_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/operators"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

func ExampleMono_Timeout() {
	_, err := operators.Collect(context.Background(), mono.Never[int]().Timeout(time.Millisecond))
	fmt.Println(errors.Is(err, reactor.ErrTimeout))
	// Output: true
}

func ExampleMono_TimeoutFallback() {
	m := mono.Never[int]().TimeoutFallback(time.Millisecond, mono.Just(7))
	fmt.Println(operators.Collect(context.Background(), m))
	// Output: [7] <nil>
}

func ExampleMono_TimeoutFirst() {
	_, err := operators.Collect(context.Background(), mono.Never[int]().TimeoutFirst(mono.Just("now")))
	fmt.Println(err)
	// Output: reactor: timeout: no signal before the trigger
}

func ExampleMono_TimeoutFirstFallback() {
	m := mono.Never[int]().TimeoutFirstFallback(mono.Just("now"), mono.Just(7))
	fmt.Println(operators.Collect(context.Background(), m))
	// Output: [7] <nil>
}

func ExampleMono_DelayElement() {
	m := mono.Just(7).DelayElement(time.Millisecond)
	fmt.Println(operators.Collect(context.Background(), m))
	// Output: [7] <nil>
}

func ExampleMono_DelaySubscription() {
	m := mono.Just(7).DelaySubscription(mono.Just("ready"))
	fmt.Println(operators.Collect(context.Background(), m))
	// Output: [7] <nil>
}

func ExampleMono_DelaySubscriptionFor() {
	m := mono.Just(7).DelaySubscriptionFor(time.Millisecond)
	fmt.Println(operators.Collect(context.Background(), m))
	// Output: [7] <nil>
}

func ExampleMono_TakeFor() {
	m := mono.Never[int]().TakeFor(time.Millisecond)
	fmt.Println(operators.Collect(context.Background(), m))
	// Output: [] <nil>
}

func ExampleMono_TakeUntilOther() {
	m := mono.Never[int]().TakeUntilOther(mono.Just("stop"))
	fmt.Println(operators.Collect(context.Background(), m))
	// Output: [] <nil>
}

func ExampleMono_Elapsed() {
	clock := reactortest.NewVirtualTime()
	m := mono.Just(7).Elapsed(func(d time.Duration, v int) string { return fmt.Sprint(v, " after ", d) }, mono.On(clock))
	fmt.Println(operators.Collect(context.Background(), m))
	// Output: [7 after 0s] <nil>
}

func ExampleMono_Timestamp() {
	clock := reactortest.NewVirtualTime()
	m := mono.Just(7).Timestamp(func(t time.Time, v int) int64 { return t.Unix() + int64(v) }, mono.On(clock))
	fmt.Println(operators.Collect(context.Background(), m))
	// Output: [7] <nil>
}

func ExampleMono_Timed() {
	clock := reactortest.NewVirtualTime()
	fmt.Println(operators.Collect(context.Background(), mono.Just(7).Timed(mono.On(clock))))
	// Output: [7 after 0s (0s)] <nil>
}

func ExampleOn() {
	timers := schedulers.NewSingle("timers")
	defer timers.Dispose()
	m := mono.Just("late").DelayElement(time.Millisecond, mono.On(timers))
	fmt.Println(m.Block(context.Background()))
	// Output: late <nil>
}
