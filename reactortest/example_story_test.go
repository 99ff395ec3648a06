package reactortest_test

import (
	"time"

	"github.com/goreactor/reactor/flux"
	"github.com/goreactor/reactor/reactortest"
)

// What a test reports when the publisher does something else.
func ExampleNewStepVerifier_failing() {
	clock := reactortest.NewVirtualTime()
	ticks := flux.Interval(10*time.Millisecond, flux.On(clock)).Take(3)

	reactortest.NewStepVerifier(t, ticks, reactortest.OnClock(clock)).
		ThenAwait(30 * time.Millisecond).
		ExpectNext(0).
		ExpectNext(2).As("every other tick").
		ExpectComplete().
		Verify()
	// Output:
	// reactortest: step 3 of 4 (every other tick: expect next 2) failed: expected onNext(2), but onNext(1) came
	//
	// the script
	//   ✓   1  then await 30ms                  example_story_test.go:16
	//   ✓   2  expect next 0                    example_story_test.go:17
	//   →   3  every other tick: expect next 2  example_story_test.go:18
	//       4  expect completion                example_story_test.go:19
	//
	// the signals (virtual time since the subscription)
	//           0s  onSubscribe()
	//           0s  request(unbounded)            by the script
	//         10ms  onNext(0)                     step 2
	//   →     20ms  onNext(1)
	//         30ms  onNext(2)
	//         30ms  onComplete()
	//
	// How to read it: ✓ steps were done; → marks the step that failed and the signal it failed on, if it was one.
	// Beside each signal stands the step that took it; those after the → nobody has looked at.
}
