package tck

import (
	"testing"

	"github.com/goreactor/reactor"
)

// Blackbox describes a subscriber under test that gives no view into itself.
type Blackbox[T any] struct {
	// Create returns a new subscriber.
	Create func() reactor.Subscriber[T]
	// Element returns the i-th element to send, counted from 1.
	Element func(i int) T
	// Trigger makes the subscriber request elements; nil if it does so by itself.
	Trigger func(reactor.Subscriber[T])
	// Cancel makes the subscriber cancel. Without it the test that needs it is skipped.
	Cancel func(reactor.Subscriber[T])
}

// VerifySubscriberBlackbox runs all tests of subscribers on b that need no view into it, each as
// a subtest of t.
func VerifySubscriberBlackbox[T any](t *testing.T, b Blackbox[T], opts ...Option) {
	t.Helper()
	if b.Create == nil || b.Element == nil {
		panic("tck: VerifySubscriberBlackbox: Blackbox.Create or Blackbox.Element is nil")
	}
	verify(t, newConfig("VerifySubscriberBlackbox", opts), blackboxChecks(b))
}

func blackboxChecks[T any](b Blackbox[T]) []*check {
	var checks []*check
	add := func(name, rule, says string, run func(s *stage[T])) {
		checks = append(checks, &check{name: name, rule: rule, says: says, run: func(e *env) {
			s := &stage[T]{env: e, sub: b.Create(), up: newUpstream(e), element: b.Element}
			if b.Trigger != nil {
				s.trigger = func() { b.Trigger(s.sub) }
			}
			run(s)
		}})
	}
	add("required_spec201_blackbox_mustSignalDemandViaSubscriptionRequest", "§2.1",
		"a subscriber calls Request to get elements", func(s *stage[T]) {
			s.begin()
			const most = 512
			for range min(s.demand(), most) {
				if s.up.cancelled.isOpen() {
					return
				}
				s.send()
			}
			s.complete()
			s.lawful()
		})
	add("required_spec203_blackbox_mustNotCallMethodsOnSubscriptionOrPublisherInOnComplete", "§2.3",
		"OnComplete calls nothing on the subscription", func(s *stage[T]) {
			s.begin()
			s.silent("OnComplete", s.complete)
		})
	add("required_spec203_blackbox_mustNotCallMethodsOnSubscriptionOrPublisherInOnError", "§2.3",
		"OnError calls nothing on the subscription", func(s *stage[T]) {
			s.begin()
			s.silent("OnError", func() { s.failWith(errTest) })
		})
	add("untested_spec204_blackbox_mustConsiderTheSubscriptionAsCancelledInAfterRecievingOnCompleteOrOnError", "§2.4",
		"after OnComplete the subscription counts as cancelled", func(s *stage[T]) { s.ended(false) })
	add("required_spec205_blackbox_mustCallSubscriptionCancelIfItAlreadyHasAnSubscriptionAndReceivesAnotherOnSubscribeSignal", "§2.5",
		"a second subscription is cancelled, and the first one stays", func(s *stage[T]) {
			s.begin()
			s.second()
		})
	add("untested_spec207_blackbox_mustEnsureAllCallsOnItsSubscriptionTakePlaceFromTheSameThreadOrTakeCareOfSynchronization", "§2.7",
		"calls on the subscription do not overlap", (*stage[T]).serially)
	add("untested_spec208_blackbox_mustBePreparedToReceiveOnNextSignalsAfterHavingCalledSubscriptionCancel", "§2.8",
		"OnNext may still come after Cancel", func(s *stage[T]) {
			if b.Cancel == nil {
				s.skip("it takes a subscriber that can be told to cancel: set Blackbox.Cancel")
			}
			s.begin()
			s.demand()
			s.call("Blackbox.Cancel", func() { b.Cancel(s.sub) })
			s.await(s.up.cancelled, "the subscription was to be cancelled")
			s.silent("an OnNext after Cancel", func() { s.send() })
		})
	add("required_spec209_blackbox_mustBePreparedToReceiveAnOnCompleteSignalWithPrecedingRequestCall", "§2.9",
		"OnComplete may come after Request", func(s *stage[T]) {
			s.begin()
			s.demand()
			s.complete()
		})
	add("required_spec209_blackbox_mustBePreparedToReceiveAnOnCompleteSignalWithoutPrecedingRequestCall", "§2.9",
		"OnComplete may come without Request", func(s *stage[T]) {
			s.begin()
			s.complete()
		})
	add("required_spec210_blackbox_mustBePreparedToReceiveAnOnErrorSignalWithPrecedingRequestCall", "§2.10",
		"OnError may come after Request", func(s *stage[T]) {
			s.begin()
			s.demand()
			s.failWith(errTest)
		})
	add("required_spec210_blackbox_mustBePreparedToReceiveAnOnErrorSignalWithoutPrecedingRequestCall", "§2.10",
		"OnError may come without Request", func(s *stage[T]) {
			s.begin()
			s.failWith(errTest)
		})
	add("untested_spec213_blackbox_failingOnSignalInvocation", "§2.13",
		"the callbacks return normally", (*stage[T]).returns)
	add("required_spec213_blackbox_onSubscribe_mustThrowNullPointerExceptionWhenParametersAreNull", "§2.13",
		"OnSubscribe(nil) panics, or is taken for a failure", (*stage[T]).nilSubscription)
	add("required_spec213_blackbox_onNext_mustThrowNullPointerExceptionWhenParametersAreNull", "§2.13",
		"in Go nil and zero are elements: OnNext takes the zero value", (*stage[T]).nilElement)
	add("required_spec213_blackbox_onError_mustThrowNullPointerExceptionWhenParametersAreNull", "§2.13",
		"OnError(nil) panics, or is taken for a failure", func(s *stage[T]) {
			s.begin()
			s.nilError(nil)
		})
	add("untested_spec310_blackbox_requestMaySynchronouslyCallOnNextOnSubscriber", "§3.10",
		"Request may call OnNext before it returns", func(s *stage[T]) { s.synchronously(false) })
	add("untested_spec311_blackbox_requestMaySynchronouslyCallOnCompleteOrOnError", "§3.11",
		"Request may call OnComplete before it returns", func(s *stage[T]) { s.synchronously(true) })
	return checks
}
