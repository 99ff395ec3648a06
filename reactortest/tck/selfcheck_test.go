package tck

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/goreactor/reactor"
)

func broken(f flaw) Publisher[int] {
	return Publisher[int]{
		Create: func(n int64) reactor.Publisher[int] { return &flawed{n: n, flaw: f} },
		Failed: func() reactor.Publisher[int] { return &flawed{fails: true, flaw: f} },
	}
}

func failsAs(p reactor.Publisher[int]) Publisher[int] {
	b := broken(0)
	b.Failed = func() reactor.Publisher[int] { return p }
	return b
}

const (
	p111  = "optional_spec111_"
	multi = p111 + "multicast_mustProduceTheSameElementsInTheSameSequenceToAllOfItsSubscribersWhenRequesting"
)

// brokenPublishers holds for each check of publishers one that it catches.
var brokenPublishers = map[string]Publisher[int]{
	"required_createPublisher1MustProduceAStreamOfExactly1Element":                                                                   broken(oneTooMany),
	"required_createPublisher3MustProduceAStreamOfExactly3Elements":                                                                  broken(oneTooFew),
	"required_validate_maxElementsFromPublisher":                                                                                     {Max: -1},
	"required_validate_boundedDepthOfOnNextAndRequestRecursion":                                                                      broken(0), // with Depth(0)
	"required_spec101_subscriptionRequestMustResultInTheCorrectNumberOfProducedElements":                                             broken(overproduces),
	"required_spec102_maySignalLessThanRequestedAndTerminateSubscription":                                                            broken(endsOnlyOnDemand),
	"stochastic_spec103_mustSignalOnMethodsSequentially":                                                                             broken(everyOnItsOwn),
	"optional_spec104_mustSignalOnErrorWhenFails":                                                                                    failsAs(silent{}),
	"required_spec105_mustSignalOnCompleteWhenFiniteStreamTerminates":                                                                broken(neverEnds),
	"optional_spec105_emptyStreamMustTerminateBySignallingOnComplete":                                                                broken(emptyWaits),
	"untested_spec106_mustConsiderSubscriptionCancelledAfterOnErrorOrOnCompleteHasBeenCalled":                                        broken(keepsSubscribers),
	"required_spec107_mustNotEmitFurtherSignalsOnceOnCompleteHasBeenSignalled":                                                       broken(goesOn),
	"untested_spec107_mustNotEmitFurtherSignalsOnceOnErrorHasBeenSignalled":                                                          failsAs(undead{}),
	"untested_spec108_possiblyCanceledSubscriptionShouldNotReceiveOnErrorOrOnCompleteSignals":                                        broken(completesOnCancel),
	"untested_spec109_subscribeShouldNotThrowNonFatalThrowable":                                                                      broken(deaf),
	"required_spec109_subscribeThrowNPEOnNullSubscriber":                                                                             broken(acceptsNil),
	"required_spec109_mustIssueOnSubscribeForNonNullSubscriber":                                                                      broken(noOnSubscribe),
	"required_spec109_mayRejectCallsToSubscribeIfPublisherIsUnableOrUnwillingToServeThemRejectionMustTriggerOnErrorAfterOnSubscribe": failsAs(abrupt{}),
	"untested_spec110_rejectASubscriptionRequestIfTheSameSubscriberSubscribesTwice":                                                  broken(hashes),
	p111 + "maySupportMultiSubscribe":                                                                                                broken(singleFails),
	p111 + "registeredSubscribersMustReceiveOnNextOrOnCompleteSignals":                                                               broken(singleSilent),
	multi + "OneByOne":                         broken(differs),
	multi + "ManyUpfront":                      broken(differs),
	multi + "ManyUpfrontAndCompleteAsExpected": broken(endsOnlyOnDemand),
	"required_spec302_mustAllowSynchronousRequestCallsFromOnNextAndOnSubscribe":                  broken(ignoresReentrant),
	"required_spec303_mustNotAllowUnboundedRecursion":                                            broken(recurses),
	"untested_spec304_requestShouldNotPerformHeavyComputations":                                  broken(locks),
	"untested_spec305_cancelMustNotSynchronouslyPerformHeavyComputation":                         broken(locks),
	"required_spec306_afterSubscriptionIsCancelledRequestMustBeNops":                             broken(answersCancelled),
	"required_spec307_afterSubscriptionIsCancelledAdditionalCancelationsMustBeNops":              broken(cancelsOnce),
	"required_spec309_requestZeroMustSignalIllegalArgumentException":                             broken(ignoresIllegal),
	"required_spec309_requestNegativeNumberMustSignalIllegalArgumentException":                   broken(ignoresIllegal),
	"optional_spec309_requestNegativeNumberMaySignalIllegalArgumentExceptionWithSpecificMessage": broken(illegalWithoutReason),
	"required_spec312_cancelMustMakeThePublisherToEventuallyStopSignaling":                       broken(unstoppable),
	"required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber":      broken(keepsSubscribers),
	"required_spec317_mustSupportAPendingElementCountUpToLongMaxValue":                           broken(limitsDemand),
	"required_spec317_mustSupportACumulativePendingElementCountUpToLongMaxValue":                 broken(limitsDemand),
	"required_spec317_mustNotSignalOnErrorWhenPendingAboveLongMaxValue":                          broken(overflows),
	"contract_spec103_endOfTheContextMustWaitForOnNext":                                          broken(endsOverlap),
	"contract_spec103_illegalRequestMustWaitForOnNext":                                           broken(endsOverlap),
	"contract_spec312_cancelWithinOnNextMustStopTheElements":                                     broken(sendsAllRequested),
	"stochastic_contract_requestMayBeCalledFromSeveralGoroutinesAtOnce":                          broken(losesDemand),
}

// brokenBlackboxes holds for each check of black boxes a fault that it catches.
var brokenBlackboxes = map[string]fault{
	"required_spec201_blackbox_mustSignalDemandViaSubscriptionRequest":                                                    neverRequests,
	"required_spec203_blackbox_mustNotCallMethodsOnSubscriptionOrPublisherInOnComplete":                                   cancelsAtEnd,
	"required_spec203_blackbox_mustNotCallMethodsOnSubscriptionOrPublisherInOnError":                                      requestsAtError,
	"untested_spec204_blackbox_mustConsiderTheSubscriptionAsCancelledInAfterRecievingOnCompleteOrOnError":                 goesOnAfterEnd,
	"required_spec205_blackbox_mustCallSubscriptionCancelIfItAlreadyHasAnSubscriptionAndReceivesAnotherOnSubscribeSignal": ignoresSecond,
	"untested_spec207_blackbox_mustEnsureAllCallsOnItsSubscriptionTakePlaceFromTheSameThreadOrTakeCareOfSynchronization":  overlaps,
	"untested_spec208_blackbox_mustBePreparedToReceiveOnNextSignalsAfterHavingCalledSubscriptionCancel":                   panicsAfterCancel,
	"required_spec209_blackbox_mustBePreparedToReceiveAnOnCompleteSignalWithPrecedingRequestCall":                         completeHatesDemand,
	"required_spec209_blackbox_mustBePreparedToReceiveAnOnCompleteSignalWithoutPrecedingRequestCall":                      completeNeedsDemand,
	"required_spec210_blackbox_mustBePreparedToReceiveAnOnErrorSignalWithPrecedingRequestCall":                            errorHatesDemand,
	"required_spec210_blackbox_mustBePreparedToReceiveAnOnErrorSignalWithoutPrecedingRequestCall":                         errorNeedsDemand,
	"untested_spec213_blackbox_failingOnSignalInvocation":                                                                 nextPanics,
	"required_spec213_blackbox_onSubscribe_mustThrowNullPointerExceptionWhenParametersAreNull":                            swallowsNil,
	"required_spec213_blackbox_onNext_mustThrowNullPointerExceptionWhenParametersAreNull":                                 hatesZero,
	"required_spec213_blackbox_onError_mustThrowNullPointerExceptionWhenParametersAreNull":                                ignoresNilError,
	"untested_spec310_blackbox_requestMaySynchronouslyCallOnNextOnSubscriber":                                             notReentrant,
	"untested_spec311_blackbox_requestMaySynchronouslyCallOnCompleteOrOnError":                                            endNotReentrant,
}

// brokenWhiteboxes holds for each check of white boxes a fault that it catches.
var brokenWhiteboxes = map[string]fault{
	"required_exerciseWhiteboxHappyPath":                                                                         tellsNoElement,
	"required_spec201_mustSignalDemandViaSubscriptionRequest":                                                    neverRequests,
	"required_spec203_mustNotCallMethodsOnSubscriptionOrPublisherInOnComplete":                                   cancelsAtEnd,
	"required_spec203_mustNotCallMethodsOnSubscriptionOrPublisherInOnError":                                      requestsAtError,
	"untested_spec204_mustConsiderTheSubscriptionAsCancelledInAfterRecievingOnCompleteOrOnError":                 goesOnAfterEnd,
	"required_spec205_mustCallSubscriptionCancelIfItAlreadyHasAnSubscriptionAndReceivesAnotherOnSubscribeSignal": takesSecond,
	"untested_spec206_mustCallSubscriptionCancelIfItIsNoLongerValid":                                             cannotCancel,
	"untested_spec207_mustEnsureAllCallsOnItsSubscriptionTakePlaceFromTheSameThreadOrTakeCareOfSynchronization":  overlaps,
	"required_spec208_mustBePreparedToReceiveOnNextSignalsAfterHavingCalledSubscriptionCancel":                   panicsAfterCancel,
	"required_spec209_mustBePreparedToReceiveAnOnCompleteSignalWithPrecedingRequestCall":                         completeHatesDemand,
	"required_spec209_mustBePreparedToReceiveAnOnCompleteSignalWithoutPrecedingRequestCall":                      tellsNoComplete,
	"required_spec210_mustBePreparedToReceiveAnOnErrorSignalWithPrecedingRequestCall":                            errorHatesDemand,
	"required_spec210_mustBePreparedToReceiveAnOnErrorSignalWithoutPrecedingRequestCall":                         tellsNoError,
	"untested_spec213_failingOnSignalInvocation":                                                                 nextPanics,
	"required_spec213_onSubscribe_mustThrowNullPointerExceptionWhenParametersAreNull":                            swallowsNil,
	"required_spec213_onNext_mustThrowNullPointerExceptionWhenParametersAreNull":                                 hatesZero,
	"required_spec213_onError_mustThrowNullPointerExceptionWhenParametersAreNull":                                passesNilError,
	"required_spec308_requestMustRegisterGivenNumberElementsToBeProduced":                                        requestsOnce,
	"untested_spec310_requestMaySynchronouslyCallOnNextOnSubscriber":                                             notReentrant,
	"untested_spec311_requestMaySynchronouslyCallOnCompleteOrOnError":                                            endNotReentrant,
}

// brokenProcessors holds for each check that processors have of their own a defect that it catches.
var brokenProcessors = map[string]defect{
	"required_spec104_mustCallOnErrorOnAllItsSubscribersIfItEncountersANonRecoverableError": failsFirstOnly,
	"mustImmediatelyPassOnOnErrorEventsReceivedFromItsUpstreamToItsDownstream":              swallowsFailure,
	"required_mustRequestFromUpstreamForElementsThatHaveBeenRequestedLongAgo":               asksOnce,
}

func blackbox(f fault) []*check {
	return blackboxChecks(Blackbox[int]{
		Create:  func() reactor.Subscriber[int] { return &faulty{fault: f} },
		Element: number,
		Trigger: func(s reactor.Subscriber[int]) { s.(*faulty).request(1) },
		Cancel:  func(s reactor.Subscriber[int]) { s.(*faulty).cancel() },
	})
}

func whitebox(f fault) []*check {
	return whiteboxChecks(Whitebox[int]{
		Create:  func(p *Probe[int]) reactor.Subscriber[int] { return &faulty{fault: f, probe: p} },
		Element: number,
	})
}

func processor(d defect) []*check {
	return processorChecks(Processor[int]{
		Create:  func(buffer int) reactor.Processor[int, int] { return &relay{buffer: int64(buffer), defect: d} },
		Element: number,
		Failed:  failing,
	})
}

func number(i int) int { return i }

var bubbly = newConfig("a test", []Option{InBubbles()})

// caught runs the check of that name and returns what it said, "" if nothing.
func caught(t *testing.T, c config, checks []*check, name string) string {
	t.Helper()
	i := slices.IndexFunc(checks, func(ch *check) bool { return ch.name == name })
	require.GreaterOrEqual(t, i, 0, "no check is called %s", name)
	r := execute(t, c, checks[i])
	if failed, ok := strings.CutPrefix(r.skip, "optional, and not kept: "); ok {
		r.failed = failed
	}
	if r.failed == "" {
		return ""
	}
	return r.String()
}

// names returns the names of the checks that only these have.
func names(checks []*check, without ...string) (out []string) {
	for _, ch := range checks {
		if !slices.Contains(without, ch.name) {
			out = append(out, ch.name)
		}
	}
	return out
}

func TestSelfCheckCoversEveryCheck(t *testing.T) {
	publishers := names(publisherChecks(broken(0)))
	boxes := names(whitebox(0))
	assert.ElementsMatch(t, publishers, slices.Collect(maps.Keys(brokenPublishers)))
	assert.ElementsMatch(t, names(blackbox(0)), slices.Collect(maps.Keys(brokenBlackboxes)))
	assert.ElementsMatch(t, boxes, slices.Collect(maps.Keys(brokenWhiteboxes)))
	assert.ElementsMatch(t, names(processor(0), append(publishers, boxes...)...), slices.Collect(maps.Keys(brokenProcessors)))

	all := slices.Concat(names(processor(0)), names(blackbox(0)))
	untested, ours := 0, 0
	for _, name := range all {
		switch {
		case strings.HasPrefix(name, "untested_"):
			untested++
		case strings.Contains(name, "contract_"):
			ours++
		}
	}
	live := len(all) - untested - ours
	assert.Equal(t, 59, live, "the live tests of the original")
	assert.GreaterOrEqual(t, untested, 15, "tests that the original leaves empty")
	t.Logf("%d tests that are live in the original, %d that it leaves empty, %d that it does not have", live, untested, ours)
}

// Each check catches a deliberately broken implementation.
func TestSelfCheck(t *testing.T) {
	run := func(name string, checks []*check) {
		t.Run(name, func(t *testing.T) {
			if raceDetector && strings.HasPrefix(name, "stochastic_") {
				t.Skip("the race detector catches it as well, and fails this test for it")
			}
			c := bubbly
			if name == "required_validate_boundedDepthOfOnNextAndRequestRecursion" {
				c.depth = 0
			}
			said := caught(t, c, checks, name)
			assert.NotEmpty(t, said, "not caught")
			t.Log(said)
		})
	}
	for name, p := range brokenPublishers {
		run(name, publisherChecks(p))
	}
	for name, f := range brokenBlackboxes {
		run(name, blackbox(f))
	}
	for name, f := range brokenWhiteboxes {
		run(name, whitebox(f))
	}
	for name, d := range brokenProcessors {
		run(name, processor(d))
	}
	run("required_spec213_onError_mustThrowNullPointerExceptionWhenParametersAreNull", whitebox(forgetsFaultyNil))
	run("required_spec205_blackbox_mustCallSubscriptionCancelIfItAlreadyHasAnSubscriptionAndReceivesAnotherOnSubscribeSignal", blackbox(cancelsBothLate))
	run("untested_spec110_rejectASubscriptionRequestIfTheSameSubscriberSubscribesTwice", publisherChecks(broken(ignoresTheSame)))
	run("untested_spec109_subscribeShouldNotThrowNonFatalThrowable", publisherChecks(broken(deafLater)))
	run("untested_spec106_mustConsiderSubscriptionCancelledAfterOnErrorOrOnCompleteHasBeenCalled", publisherChecks(broken(goesOn)))
	run("required_spec107_mustNotEmitFurtherSignalsOnceOnCompleteHasBeenSignalled", publisherChecks(broken(endsAfterTheEnd)))
	run("untested_spec108_possiblyCanceledSubscriptionShouldNotReceiveOnErrorOrOnCompleteSignals", publisherChecks(broken(endsAfterCancel)))
	run("required_spec317_mustNotSignalOnErrorWhenPendingAboveLongMaxValue", publisherChecks(broken(sendsAllRequested)))
	run("required_spec317_mustNotSignalOnErrorWhenPendingAboveLongMaxValue", publisherChecks(broken(sendsAllRequested|doesNotWait)))
	run("stochastic_spec103_mustSignalOnMethodsSequentially", publisherChecks(broken(doesNotWait)))
	run("required_spec309_requestZeroMustSignalIllegalArgumentException", publisherChecks(broken(failsAgain)))
	run("required_spec309_requestNegativeNumberMustSignalIllegalArgumentException", publisherChecks(broken(failsAgain)))
	run("untested_spec107_mustNotEmitFurtherSignalsOnceOnErrorHasBeenSignalled", publisherChecks(broken(endsAfterFailure)))
	run("contract_spec312_cancelWithinOnNextMustStopTheElements", publisherChecks(broken(completesCancelled)))
	run("untested_spec106_mustConsiderSubscriptionCancelledAfterOnErrorOrOnCompleteHasBeenCalled", publisherChecks(broken(keepsUntilCancel)))
}

// A flaw that is another check's business neither stops a check nor ends the process.
func TestSelfCheckSurvives(t *testing.T) {
	for name, p := range map[string]Publisher[int]{
		"required_spec302_mustAllowSynchronousRequestCallsFromOnNextAndOnSubscribe": broken(oneTooMany),
		"stochastic_spec103_mustSignalOnMethodsSequentially":                        {Create: func(int64) reactor.Publisher[int] { return hasty{} }},
		"required_spec303_mustNotAllowUnboundedRecursion":                           broken(everyOnItsOwn),
	} {
		t.Run(name, func(t *testing.T) { t.Log(caught(t, bubbly, publisherChecks(p), name)) })
	}
}

// What does not return, or ends its goroutine, fails its check, which says where; it neither stops nor ends the test.
func TestSelfCheckComesBack(t *testing.T) {
	const (
		reentrant = "required_spec302_mustAllowSynchronousRequestCallsFromOnNextAndOnSubscribe"
		sends     = "required_spec201_blackbox_mustSignalDemandViaSubscriptionRequest"
	)
	t.Run("bubble", func(t *testing.T) {
		assert.Contains(t, caught(t, bubbly, publisherChecks(broken(locks)), reentrant), "Subscribe was to return, but has not within "+(patient*bubbly.timeout).String()+": it is in Request in OnSubscribe, and there in Request in OnNext\n")
		assert.Contains(t, caught(t, bubbly, blackbox(nextWaits), sends), "OnNext was to return, but has not within")
		assert.Contains(t, caught(t, bubbly, blackbox(nextEnds), sends), "OnNext has ended its goroutine")
	})
	t.Run("wall clock", func(t *testing.T) {
		brief := newConfig("a test", []Option{Timeout(10 * time.Millisecond)}) // what it waits for in vain depends on the machine
		assert.Contains(t, caught(t, brief, publisherChecks(broken(locks)), reentrant), "within ")
		assert.Contains(t, caught(t, brief, blackbox(nextWaits), sends), "within ")
		assert.Contains(t, caught(t, newConfig("a test", []Option{Timeout(time.Minute)}), blackbox(nextEnds), sends), "OnNext has ended its goroutine")
	})
	left := &check{name: "left", rule: "none", says: "nothing", run: func(*env) { go waitForEver() }}
	assert.Contains(t, execute(t, bubbly, left).failed, "goroutines that were started still wait when all is over")
}

// The same implementations without a flaw pass, so that it is the flaw that is caught.
func TestSelfCheckSoundOnesPass(t *testing.T) {
	t.Run("publisher", func(t *testing.T) { verify(t, bubbly, publisherChecks(broken(0))) })
	t.Run("black box", func(t *testing.T) { verify(t, bubbly, blackbox(0)) })
	t.Run("white box", func(t *testing.T) { verify(t, bubbly, whitebox(0)) })
	t.Run("processor", func(t *testing.T) { verify(t, bubbly, processor(0)) })
}

func TestANilOptionIsRefused(t *testing.T) {
	spec := Publisher[int]{Create: func(int64) reactor.Publisher[int] { return nil }}
	assert.PanicsWithValue(t, "tck: VerifyPublisher: an option is nil", func() { VerifyPublisher(t, spec, nil) })
	assert.PanicsWithValue(t, "tck: CheckPublisher: an option is nil", func() { CheckPublisher(spec, Quiet(1), nil) })
}

// What can't be is refused: no round at all would pass every test that needs rounds.
func TestOptionsThatCanNotBeAreRefused(t *testing.T) {
	assert.PanicsWithValue(t, "tck: Rounds: -1 is negative", func() { Rounds(-1) })
	assert.PanicsWithValue(t, "tck: Quiet: -1ns is negative", func() { Quiet(-1) })
	assert.PanicsWithValue(t, "tck: Timeout: 0s is not positive", func() { Timeout(0) })
}
