package tck

import (
	"math"
	"testing"

	"github.com/goreactor/reactor"
)

// Endless is what Create is asked for by the test that needs more elements than anybody counts.
const Endless int64 = math.MaxInt32

// Publisher describes the publisher under test.
type Publisher[T any] struct {
	// Create returns a new publisher of exactly n elements. With n = [Endless] it is never
	// asked for all of them.
	Create func(n int64) reactor.Publisher[T]
	// Failed returns a publisher that fails as soon as it is subscribed, without a request: one of stage.Pull fails so in Open. Without
	// it, tests
	// that need one are skipped.
	Failed func() reactor.Publisher[T]
	// Max is the largest n that Create can serve, 0 for any. Tests that need more elements
	// are skipped.
	Max int64
	// Min is the smallest n that Create can serve, for a publisher that always has elements. Tests
	// that need exactly fewer are skipped, others take as many.
	Min int64
	// NeverCompletes says that the publisher of n elements goes on for ever. Tests that need
	// the completion are skipped.
	NeverCompletes bool
}

// VerifyPublisher runs all tests of publishers on p, each as a subtest of t.
func VerifyPublisher[T any](t *testing.T, p Publisher[T], opts ...Option) {
	t.Helper()
	if p.Create == nil {
		panic("tck: VerifyPublisher: Publisher.Create is nil")
	}
	verify(t, newConfig("VerifyPublisher", opts), publisherChecks(p))
}

// publisherRun is a check of a publisher while it runs.
type publisherRun[T any] struct {
	*env
	spec Publisher[T]
}

// publisher returns the publisher of n elements, or skips the check.
func (r *publisherRun[T]) publisher(n int64, completes bool) reactor.Publisher[T] {
	if r.spec.Max > 0 && n > r.spec.Max {
		r.skip("it takes %d elements, and the publisher has %d at most", n, r.spec.Max)
	}
	if completes && n < r.spec.Min {
		r.skip("it takes %d elements, and the publisher has %d at least", n, r.spec.Min)
	}
	if completes && r.spec.NeverCompletes {
		r.skip("it takes a publisher that completes")
	}
	return r.spec.Create(max(n, r.spec.Min))
}

// failing returns a publisher that fails, or skips the check.
func (r *publisherRun[T]) failing() reactor.Publisher[T] {
	if r.spec.Failed == nil {
		r.skip("it takes a publisher that fails: set Publisher.Failed")
	}
	return r.spec.Failed()
}

func publisherChecks[T any](spec Publisher[T]) []*check {
	var checks []*check
	add := func(name, rule, says string, run func(r *publisherRun[T])) {
		checks = append(checks, &check{name: name, rule: rule, says: says, run: func(e *env) { run(&publisherRun[T]{e, spec}) }})
	}
	add("required_createPublisher1MustProduceAStreamOfExactly1Element", "the set-up",
		"Create(1) returns a publisher of one element", func(r *publisherRun[T]) { r.exactly(1) })
	add("required_createPublisher3MustProduceAStreamOfExactly3Elements", "the set-up",
		"Create(3) returns a publisher of three elements", func(r *publisherRun[T]) { r.exactly(3) })
	add("required_validate_maxElementsFromPublisher", "the set-up",
		"Publisher.Max is not negative", func(r *publisherRun[T]) {
			if r.spec.Max < 0 {
				r.fail("Publisher.Max is %d", r.spec.Max)
			}
		})
	add("required_validate_boundedDepthOfOnNextAndRequestRecursion", "the set-up",
		"the depth of the recursion is at least 1", func(r *publisherRun[T]) {
			if r.depth < 1 {
				r.fail("Depth is %d", r.depth)
			}
		})
	add("required_spec101_subscriptionRequestMustResultInTheCorrectNumberOfProducedElements", "§1.1",
		"a publisher sends no more elements than were requested, and as many as were requested if it has them", (*publisherRun[T]).spec101)
	add("required_spec102_maySignalLessThanRequestedAndTerminateSubscription", "§1.2",
		"a publisher that has fewer elements than were requested sends them and ends", (*publisherRun[T]).spec102)
	add("stochastic_spec103_mustSignalOnMethodsSequentially", "§1.3",
		"the signals to one subscriber never overlap", (*publisherRun[T]).spec103)
	add("optional_spec104_mustSignalOnErrorWhenFails", "§1.4",
		"a failure is told by OnError, after OnSubscribe", (*publisherRun[T]).failsOnce)
	add("required_spec105_mustSignalOnCompleteWhenFiniteStreamTerminates", "§1.5",
		"a finite stream ends with OnComplete", (*publisherRun[T]).spec105)
	add("optional_spec105_emptyStreamMustTerminateBySignallingOnComplete", "§1.5",
		"an empty stream ends with OnComplete, without waiting for demand", (*publisherRun[T]).spec105Empty)
	add("untested_spec106_mustConsiderSubscriptionCancelledAfterOnErrorOrOnCompleteHasBeenCalled", "§1.6",
		"after the end the subscription does nothing and the subscriber is forgotten", (*publisherRun[T]).spec106)
	add("required_spec107_mustNotEmitFurtherSignalsOnceOnCompleteHasBeenSignalled", "§1.7",
		"nothing follows OnComplete", (*publisherRun[T]).spec107)
	add("untested_spec107_mustNotEmitFurtherSignalsOnceOnErrorHasBeenSignalled", "§1.7",
		"nothing follows OnError", (*publisherRun[T]).spec107Error)
	add("untested_spec108_possiblyCanceledSubscriptionShouldNotReceiveOnErrorOrOnCompleteSignals", "§1.8",
		"after Cancel no terminal signal comes", (*publisherRun[T]).spec108)
	add("untested_spec109_subscribeShouldNotThrowNonFatalThrowable", "§1.9",
		"Subscribe does not panic: with a context that has ended, OnSubscribe and then OnError with its cause come; one that ends later ends the stream with it", (*publisherRun[T]).spec109Context)
	add("required_spec109_subscribeThrowNPEOnNullSubscriber", "§1.9",
		"Subscribe panics if the subscriber is nil", (*publisherRun[T]).spec109Nil)
	add("required_spec109_mustIssueOnSubscribeForNonNullSubscriber", "§1.9",
		"OnSubscribe comes once and before everything else", (*publisherRun[T]).spec109)
	add("required_spec109_mayRejectCallsToSubscribeIfPublisherIsUnableOrUnwillingToServeThemRejectionMustTriggerOnErrorAfterOnSubscribe", "§1.9",
		"a publisher that refuses a subscriber calls OnSubscribe and then OnError", (*publisherRun[T]).failsOnce)
	add("untested_spec110_rejectASubscriptionRequestIfTheSameSubscriberSubscribesTwice", "§1.10",
		"the same subscriber, of whatever type, may come twice: it is served again or refused, and nothing panics", (*publisherRun[T]).spec110)
	add("optional_spec111_maySupportMultiSubscribe", "§1.11",
		"a publisher may serve several subscribers", (*publisherRun[T]).spec111)
	add("optional_spec111_registeredSubscribersMustReceiveOnNextOrOnCompleteSignals", "§1.11",
		"each of several subscribers gets elements or the end", (*publisherRun[T]).spec111Signals)
	add("optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingOneByOne", "§1.11",
		"several subscribers get the same elements in the same order", (*publisherRun[T]).spec111OneByOne)
	add("optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingManyUpfront", "§1.11",
		"several subscribers get the same elements in the same order", func(r *publisherRun[T]) { r.spec111Upfront(false) })
	add("optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequestingManyUpfrontAndCompleteAsExpected", "§1.11",
		"several subscribers get the same elements in the same order, and the end", func(r *publisherRun[T]) { r.spec111Upfront(true) })
	add("required_spec302_mustAllowSynchronousRequestCallsFromOnNextAndOnSubscribe", "§3.2",
		"Request may be called from OnSubscribe and OnNext", (*publisherRun[T]).spec302)
	add("required_spec303_mustNotAllowUnboundedRecursion", "§3.3",
		"the recursion of Request and OnNext is bounded", (*publisherRun[T]).spec303)
	add("untested_spec304_requestShouldNotPerformHeavyComputations", "§3.4",
		"Request returns promptly, also while the subscriber is busy in OnNext", (*publisherRun[T]).spec304)
	add("untested_spec305_cancelMustNotSynchronouslyPerformHeavyComputation", "§3.5",
		"Cancel returns promptly, also while the subscriber is busy in OnNext", (*publisherRun[T]).spec305)
	add("required_spec306_afterSubscriptionIsCancelledRequestMustBeNops", "§3.6",
		"after Cancel, Request does nothing", (*publisherRun[T]).spec306)
	add("required_spec307_afterSubscriptionIsCancelledAdditionalCancelationsMustBeNops", "§3.7",
		"after Cancel, Cancel does nothing", (*publisherRun[T]).spec307)
	add("required_spec309_requestZeroMustSignalIllegalArgumentException", "§3.9",
		"Request(0) ends the stream with OnError", func(r *publisherRun[T]) { r.spec309(0) })
	add("required_spec309_requestNegativeNumberMustSignalIllegalArgumentException", "§3.9",
		"Request of a negative number ends the stream with OnError", func(r *publisherRun[T]) {
			r.spec309(-1)
			r.spec309(math.MinInt64)
		})
	add("optional_spec309_requestNegativeNumberMaySignalIllegalArgumentExceptionWithSpecificMessage", "§3.9",
		"the error names the rule", (*publisherRun[T]).spec309Message)
	add("required_spec312_cancelMustMakeThePublisherToEventuallyStopSignaling", "§3.12",
		"after Cancel the publisher stops", (*publisherRun[T]).spec312)
	add("required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber", "§3.13",
		"after Cancel the publisher forgets the subscriber", (*publisherRun[T]).spec313)
	add("required_spec317_mustSupportAPendingElementCountUpToLongMaxValue", "§3.17",
		"a demand of math.MaxInt64 is good", func(r *publisherRun[T]) { r.spec317(math.MaxInt64) })
	add("required_spec317_mustSupportACumulativePendingElementCountUpToLongMaxValue", "§3.17",
		"demands that add up to math.MaxInt64 are good", func(r *publisherRun[T]) { r.spec317(math.MaxInt64/2, math.MaxInt64/2, 1) })
	add("required_spec317_mustNotSignalOnErrorWhenPendingAboveLongMaxValue", "§3.17",
		"a demand above math.MaxInt64 counts as that, and is no failure", (*publisherRun[T]).spec317Above)
	return append(checks, contractChecks(spec)...)
}
