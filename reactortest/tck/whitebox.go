package tck

import (
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/goreactor/reactor"
)

// Puppet makes the subscriber under test do something.
type Puppet interface {
	// TriggerRequest makes it request n > 0 elements; it may ask for more, or later.
	TriggerRequest(n int64)
	// SignalCancel makes it cancel.
	SignalCancel()
}

// PuppetFuncs is a [Puppet] of two functions.
type PuppetFuncs struct {
	Request func(n int64)
	Cancel  func()
}

// TriggerRequest calls Request.
func (p PuppetFuncs) TriggerRequest(n int64) { p.Request(n) }

// SignalCancel calls Cancel.
func (p PuppetFuncs) SignalCancel() { p.Cancel() }

// Whitebox describes a subscriber under test that tells what it gets.
type Whitebox[T any] struct {
	// Create returns a new subscriber that calls the Register methods of p: in OnSubscribe, in
	// OnNext and so on, in the order of the signals.
	Create func(p *Probe[T]) reactor.Subscriber[T]
	// Element returns the i-th element to send, counted from 1.
	Element func(i int) T
}

// Probe is where a subscriber under test tells what it gets.
type Probe[T any] struct {
	e          *env
	registered *latch
	wake       chan struct{}

	mu     sync.Mutex
	puppet Puppet              // guarded by mu
	events []reactor.Signal[T] // not looked at yet; guarded by mu
	nils   bool                // an OnError told of nil; guarded by mu
}

// RegisterOnSubscribe tells that the subscription is there, and how to pull the strings of the subscriber.
func (p *Probe[T]) RegisterOnSubscribe(puppet Puppet) {
	p.mu.Lock()
	p.puppet = puppet
	p.mu.Unlock()
	p.registered.open()
}

// RegisterOnNext tells of an element.
func (p *Probe[T]) RegisterOnNext(v T) { p.put(reactor.NextSignal(v)) }

// RegisterOnComplete tells of the completion.
func (p *Probe[T]) RegisterOnComplete() { p.put(reactor.CompleteSignal[T]()) }

// RegisterOnError tells of a failure.
func (p *Probe[T]) RegisterOnError(err error) {
	if err == nil {
		p.mu.Lock()
		p.nils = true
		p.mu.Unlock()
	}
	p.put(reactor.ErrorSignal[T](err))
}

func (p *Probe[T]) put(s reactor.Signal[T]) {
	p.e.note("probe: %v", s)
	p.mu.Lock()
	p.events = append(p.events, s)
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *Probe[T]) poll(d time.Duration) (s reactor.Signal[T], ok bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		p.mu.Lock()
		if len(p.events) > 0 {
			s, p.events = p.events[0], p.events[1:]
			p.mu.Unlock()
			return s, true
		}
		p.mu.Unlock()
		select {
		case <-p.wake:
		case <-timer.C:
			return s, false
		}
	}
}

func (p *Probe[T]) want(s reactor.Signal[T]) {
	got, ok := p.poll(p.e.timeout)
	p.e.lawful()
	if !ok {
		p.e.fail("the subscriber was to tell of %v, but told nothing within %v", s, p.e.timeout)
	}
	if !reflect.DeepEqual(got, s) {
		p.e.fail("the subscriber was to tell of %v, but told of %v", s, got)
	}
}

func (p *Probe[T]) none(why string) {
	if got, ok := p.poll(p.e.quiet); ok {
		p.e.fail("the subscriber told of %v although %s", got, why)
	}
}

// request makes the subscriber request.
func (p *Probe[T]) request(n int64) {
	p.e.call("TriggerRequest", func() { p.puppet.TriggerRequest(n) })
}

// cancel makes the subscriber cancel.
func (p *Probe[T]) cancel() { p.e.call("SignalCancel", p.puppet.SignalCancel) }

// VerifySubscriberWhitebox runs all tests of subscribers on w, each as a subtest of t.
func VerifySubscriberWhitebox[T any](t *testing.T, w Whitebox[T], opts ...Option) {
	t.Helper()
	if w.Create == nil || w.Element == nil {
		panic("tck: VerifySubscriberWhitebox: Whitebox.Create or Whitebox.Element is nil")
	}
	verify(t, newConfig("VerifySubscriberWhitebox", opts), whiteboxChecks(w))
}

// whiteStage is a stage whose subscriber tells what it gets.
type whiteStage[T any] struct {
	stage[T]
	probe *Probe[T]
}

// start calls OnSubscribe and waits until the subscriber has told of it.
func (s *whiteStage[T]) start() {
	s.begin()
	s.await(s.probe.registered, "the subscriber was to tell of OnSubscribe, by Probe.RegisterOnSubscribe")
	s.lawful()
}

func whiteboxChecks[T any](w Whitebox[T]) []*check {
	var checks []*check
	add := func(name, rule, says string, run func(s *whiteStage[T])) {
		checks = append(checks, &check{name: name, rule: rule, says: says, run: func(e *env) {
			p := &Probe[T]{e: e, registered: newLatch(), wake: make(chan struct{}, 1)}
			s := &whiteStage[T]{probe: p}
			s.stage = stage[T]{env: e, sub: w.Create(p), up: newUpstream(e), element: w.Element}
			s.trigger = func() {
				s.await(p.registered, "the subscriber was to tell of OnSubscribe, by Probe.RegisterOnSubscribe")
				p.request(1)
			}
			run(s)
		}})
	}
	add("required_exerciseWhiteboxHappyPath", "the set-up",
		"the subscriber requests, takes elements and cancels as it is told, and tells of what it gets", func(s *whiteStage[T]) {
			s.start()
			s.probe.request(1)
			s.probe.request(1)
			asked := s.up.request()
			s.probe.want(reactor.NextSignal(s.send()))
			s.probe.request(1)
			if asked == 1 {
				s.up.request()
			}
			s.probe.want(reactor.NextSignal(s.send()))
			s.probe.cancel()
			s.await(s.up.cancelled, "the subscription was to be cancelled")
			s.lawful()
		})
	add("required_spec201_mustSignalDemandViaSubscriptionRequest", "§2.1",
		"a subscriber calls Request to get elements", func(s *whiteStage[T]) {
			s.start()
			s.probe.request(1)
			s.up.request()
			s.send()
			s.lawful()
		})
	add("required_spec203_mustNotCallMethodsOnSubscriptionOrPublisherInOnComplete", "§2.3",
		"OnComplete calls nothing on the subscription", func(s *whiteStage[T]) {
			s.begin()
			s.silent("OnComplete", s.complete)
		})
	add("required_spec203_mustNotCallMethodsOnSubscriptionOrPublisherInOnError", "§2.3",
		"OnError calls nothing on the subscription", func(s *whiteStage[T]) {
			s.begin()
			s.silent("OnError", func() { s.failWith(errTest) })
		})
	add("untested_spec204_mustConsiderTheSubscriptionAsCancelledInAfterRecievingOnCompleteOrOnError", "§2.4",
		"after OnError the subscription counts as cancelled, and requests don't reach it", func(s *whiteStage[T]) {
			s.start()
			s.probe.request(1)
			s.up.request()
			s.failWith(errTest)
			s.silent("a late OnNext after the end", func() {
				s.call("a late OnNext", func() { s.sub.OnNext(s.element(1)) })
			})
		})
	add("required_spec205_mustCallSubscriptionCancelIfItAlreadyHasAnSubscriptionAndReceivesAnotherOnSubscribeSignal", "§2.5",
		"a second subscription is cancelled, and the first one stays", func(s *whiteStage[T]) {
			s.start()
			s.second()
		})
	add("untested_spec206_mustCallSubscriptionCancelIfItIsNoLongerValid", "§2.6",
		"a subscriber that wants no more cancels, once, without elements having come", func(s *whiteStage[T]) {
			s.start()
			s.probe.cancel()
			s.await(s.up.cancelled, "the subscription was to be cancelled")
			s.settle()
			s.lawful()
		})
	add("untested_spec207_mustEnsureAllCallsOnItsSubscriptionTakePlaceFromTheSameThreadOrTakeCareOfSynchronization", "§2.7",
		"calls on the subscription do not overlap", func(s *whiteStage[T]) { s.serially() })
	add("required_spec208_mustBePreparedToReceiveOnNextSignalsAfterHavingCalledSubscriptionCancel", "§2.8",
		"OnNext may still come after Cancel", func(s *whiteStage[T]) {
			s.start()
			s.probe.request(1)
			s.up.request()
			s.probe.cancel()
			s.await(s.up.cancelled, "the subscription was to be cancelled")
			s.send()
			s.probe.request(1)
			s.probe.request(1)
			s.settle()
			s.lawful()
		})
	add("required_spec209_mustBePreparedToReceiveAnOnCompleteSignalWithPrecedingRequestCall", "§2.9",
		"OnComplete may come after Request", func(s *whiteStage[T]) {
			s.start()
			s.probe.request(1)
			s.up.request()
			s.complete()
			s.probe.want(reactor.CompleteSignal[T]())
		})
	add("required_spec209_mustBePreparedToReceiveAnOnCompleteSignalWithoutPrecedingRequestCall", "§2.9",
		"OnComplete may come without Request", func(s *whiteStage[T]) {
			s.start()
			s.complete()
			s.probe.want(reactor.CompleteSignal[T]())
		})
	add("required_spec210_mustBePreparedToReceiveAnOnErrorSignalWithPrecedingRequestCall", "§2.10",
		"OnError may come after Request", func(s *whiteStage[T]) {
			s.start()
			s.probe.request(1)
			s.probe.request(1)
			s.failWith(errTest)
			s.probe.want(reactor.ErrorSignal[T](errTest))
		})
	add("required_spec210_mustBePreparedToReceiveAnOnErrorSignalWithoutPrecedingRequestCall", "§2.10",
		"OnError may come without Request", func(s *whiteStage[T]) {
			s.start()
			s.failWith(errTest)
			s.probe.want(reactor.ErrorSignal[T](errTest))
		})
	add("untested_spec213_failingOnSignalInvocation", "§2.13",
		"the callbacks return normally", func(s *whiteStage[T]) { s.returns() })
	add("required_spec213_onSubscribe_mustThrowNullPointerExceptionWhenParametersAreNull", "§2.13",
		"OnSubscribe(nil) panics, or is taken for a failure", func(s *whiteStage[T]) {
			s.trigger = func() {
				if s.probe.registered.isOpen() {
					s.probe.request(1)
				}
			}
			s.nilSubscription()
		})
	add("required_spec213_onNext_mustThrowNullPointerExceptionWhenParametersAreNull", "§2.13",
		"in Go nil and zero are elements: OnNext takes the zero value", func(s *whiteStage[T]) {
			s.nilElement()
			var zero T
			s.probe.want(reactor.NextSignal(zero))
		})
	add("required_spec213_onError_mustThrowNullPointerExceptionWhenParametersAreNull", "§2.13",
		"OnError(nil) panics, or is taken for a failure", func(s *whiteStage[T]) {
			s.start()
			s.nilError(func() (error, bool) {
				got, ok := s.probe.poll(s.timeout)
				s.probe.mu.Lock()
				defer s.probe.mu.Unlock()
				if s.probe.nils {
					return nil, false
				}
				return got.Err(), ok
			})
		})
	add("required_spec308_requestMustRegisterGivenNumberElementsToBeProduced", "§3.8",
		"what was requested adds up", func(s *whiteStage[T]) {
			s.start()
			s.probe.request(2)
			asked := s.up.request()
			s.probe.want(reactor.NextSignal(s.send()))
			if asked < 2 {
				s.up.request()
			}
			s.probe.want(reactor.NextSignal(s.send()))
			s.probe.none("no more elements were sent")
			s.probe.request(3)
			s.lawful()
		})
	add("untested_spec310_requestMaySynchronouslyCallOnNextOnSubscriber", "§3.10",
		"Request may call OnNext before it returns", func(s *whiteStage[T]) {
			s.synchronously(false)
			s.probe.want(reactor.NextSignal(s.element(1)))
		})
	add("untested_spec311_requestMaySynchronouslyCallOnCompleteOrOnError", "§3.11",
		"Request may call OnComplete before it returns", func(s *whiteStage[T]) {
			s.synchronously(true)
			s.probe.want(reactor.NextSignal(s.element(1)))
		})
	return checks
}
