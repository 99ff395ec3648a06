package reactortest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/mono"
	"github.com/goreactor/reactor/reactortest"
	"github.com/goreactor/reactor/schedulers"
)

// printed stands for the t of a test: it prints what the test would report.
type printed struct{ testing.TB }

func (printed) Helper()                  {}
func (printed) Context() context.Context { return context.Background() }
func (printed) Cleanup(func())           {}
func (printed) Failed() bool             { return false }
func (printed) Fatal(args ...any)        { fmt.Print(args...) }
func (printed) Error(args ...any)        { fmt.Print(args...) }

var t printed

func ExampleNewStepVerifier() {
	words := flux.Just("a", "few", "words")

	reactortest.NewStepVerifier(t, words.Map(strings.ToUpper)).
		ExpectNext("A", "FEW").
		ExpectNextMatches(func(s string) bool { return len(s) == 5 }).
		ExpectComplete().
		Verify()
	// Output:
}

func ExampleNewStepVerifier_demand() {
	reactortest.NewStepVerifier(t, flux.Range(1, 1000), reactortest.InitialRequest(0)).
		ExpectSubscription().
		ThenRequest(2).
		ExpectNext(1, 2).
		ThenRequest(1).
		ExpectNext(3).
		ThenCancel().
		Verify()
	// Output:
}

func ExampleNewStepVerifier_aftermath() {
	odd := func(n int) bool { return n%2 == 1 }

	reactortest.NewStepVerifier(t, flux.Range(1, 4).Filter(odd)).
		ExpectNext(1, 3).
		ExpectComplete().
		VerifyThenAssert().
		HasDiscardedExactly(2, 4).
		HasNotDroppedErrors()
	// Output:
}

func ExampleWithVirtualTime() {
	took := reactortest.WithVirtualTime(t, func() flux.Flux[int64] { return flux.Interval(time.Hour) }).
		ExpectNoEvent(time.Hour).
		ExpectNext(0).
		ThenAwait(2*time.Hour).
		ExpectNext(1, 2).
		ThenCancel().
		Verify()
	fmt.Println(took)
	// Output: 3h0m0s
}

func ExampleOnClock() {
	clock := reactortest.NewVirtualTime()
	slow := mono.Delay(24*time.Hour, mono.On(clock))

	reactortest.NewStepVerifier(t, slow, reactortest.OnClock(clock)).
		ThenAwait(24 * time.Hour).
		ExpectNext(0).
		VerifyComplete()
	// Output:
}

// In a test, t is the *testing.T of the bubble.
func ExampleBubble() {
	_ = func(t *testing.T) {
		reactortest.Bubble(t, func(t *testing.T) {
			pipeline := flux.Interval(time.Hour).PublishOn(schedulers.Parallel())
			reactortest.NewStepVerifier(t, pipeline).
				ThenAwait(2*time.Hour).
				ExpectNext(0, 1).
				ThenCancel().
				Verify()
		})
	}
}

func ExampleSubscribe() {
	sub := reactortest.Subscribe(t, flux.Range(1, 5), reactortest.InitialRequest(0))
	sub.ExpectNothing()
	sub.Request(2)
	sub.ExpectNext(1, 2)
	sub.Request(reactor.Unbounded)
	fmt.Println(sub.ExpectNextCount(3))
	sub.ExpectComplete()
	// Output: [3 4 5]
}

func ExampleNewTestSubscriber() {
	sub := reactortest.NewTestSubscriber[string](t)
	flux.Just("a", "b").Subscribe(context.Background(), sub)
	fmt.Println(sub.Values(), sub.IsCompleted())
	// Output: [a b] true
}

func ExampleNewTestPublisher() {
	src := reactortest.NewTestPublisher[int](t)
	double := func(n int) int { return 2 * n }

	reactortest.NewStepVerifier(t, flux.From(src).Map(double)).
		Then(func() { src.Next(1, 2) }).
		ExpectNext(2, 4).
		Then(func() { src.Error(errors.New("gone")) }).
		ExpectErrorMessage("gone").
		Verify()
	src.AssertSubscribers(0)
	// Output:
}

// A publisher that goes on after its end: what the pipeline makes of it.
func ExampleNewTestPublisher_violation() {
	src := reactortest.NewTestPublisher[int](t, reactortest.GoesOnAfterTheEnd)

	reactortest.NewStepVerifier(t, flux.From(src)).
		Then(func() { src.Emit(1) }).
		Then(func() { src.Next(2) }).
		ExpectNext(1).
		ExpectComplete().
		VerifyThenAssert().
		HasDroppedExactly(2)
	// Output:
}

func ExampleNewColdTestPublisher() {
	src := reactortest.NewColdTestPublisher[int](t)
	src.Emit(1, 2)
	for range 2 {
		fmt.Println(reactortest.Subscribe(t, src).Values())
	}
	// Output:
	// [1 2]
	// [1 2]
}

func ExampleNewProbe() {
	probe := reactortest.NewProbe(t, flux.Range(1, 100))
	reactortest.NewStepVerifier(t, flux.From(probe).Take(3)).ExpectNext(1, 2, 3).VerifyComplete()
	fmt.Println(probe.Subscriptions(), probe.Requested())
	// Output: 1 3
}

func ExampleNewEmptyProbe() {
	fallback := reactortest.NewEmptyProbe[int](t)
	reactortest.NewStepVerifier(t, flux.Just(1).SwitchIfEmpty(fallback)).ExpectNext(1).VerifyComplete()
	fallback.AssertNotSubscribed()
	// Output:
}

func ExampleRepeatRace() {
	reactortest.RepeatRace(100, func(race func(fns ...func())) {
		sub := reactortest.Subscribe(t, flux.Range(1, 3), reactortest.InitialRequest(0))
		race(sub.Cancel, func() { sub.Request(3) })
		if len(sub.Violations()) > 0 {
			fmt.Println("the rules were broken")
		}
	})
	// Output:
}

// Two subscribers of one source, each with a script of its own.
func ExampleVerification_VerifyLater() {
	src := reactortest.NewTestPublisher[string](t)
	all := reactortest.NewStepVerifier(t, src).ExpectNext("a", "b").ExpectComplete().VerifyLater()
	first := reactortest.NewStepVerifier(t, flux.From(src).Take(1)).ExpectNext("a").ExpectComplete().VerifyLater()
	src.Emit("a", "b")
	all.Verify()
	first.Verify()
	// Output:
}

// What reaches the source of the context that ContextWrite has changed.
func ExamplePublisherProbe_AssertContextValue() {
	type user struct{}
	orders := reactortest.NewProbe(t, flux.Just(1, 2))
	reactortest.NewStepVerifier(t, flux.From(orders).ContextWriteValue(user{}, "ada")).
		ExpectNext(1, 2).
		VerifyComplete()
	orders.AssertContextValue(user{}, "ada")
	// Output:
}

// headline stands for the t of a test: it prints the first line of what the test would report.
type headline struct{ printed }

func (headline) Fatal(args ...any) {
	line, _, _ := strings.Cut(fmt.Sprint(args...), "\n")
	fmt.Println(line)
}

// A source that sends more than it is asked for: the script is played, and sees that.
func ExampleAllowUnderRequest() {
	rude := reactortest.NewColdTestPublisher[int](t, reactortest.SendsWithoutDemand)
	rude.Emit(1, 2)
	reactortest.NewStepVerifier(headline{t}, rude, reactortest.InitialRequest(1), reactortest.AllowUnderRequest()).
		ExpectNext(1, 2).
		VerifyComplete()
	// Output:
	// reactortest: step 1 of 2 (expect next 1, 2) failed: onNext(2) came without demand (§1.1): 1 requested, this is element 2
}

// What the source sees of the context: that of the verifier, as ContextWrite has changed it.
func ExampleStepVerifier_ExpectContextValue() {
	type user struct{}
	type region struct{}
	within := context.WithValue(context.Background(), region{}, "eu")
	orders := flux.Just(1, 2).ContextWriteValue(user{}, "ada")

	reactortest.NewStepVerifier(t, orders, reactortest.InContext(within)).
		ExpectContextKey(region{}).
		ExpectContextValue(user{}, "ada").
		ExpectContextMatches(func(ctx context.Context) bool { return ctx.Err() == nil }).
		ExpectNext(1, 2).
		VerifyComplete()
	// Output:
}

// Reports write the orders as the function says.
func ExampleValueFormatter() {
	type order struct {
		number string
		lines  []int
	}
	src := flux.Just(&order{number: "A-17", lines: []int{1, 2}})

	reactortest.NewStepVerifier(headline{t}, src, reactortest.ValueFormatter(func(o *order) string { return o.number })).
		ExpectNext(&order{number: "A-18"}).
		VerifyComplete()
	// Output:
	// reactortest: step 1 of 2 (expect next A-18) failed: expected onNext(A-18), but onNext(A-17) came
}
