package tck

import (
	"context"
	"reflect"
	"testing"

	"github.com/goreactor/reactor"
)

// Processor describes a processor under test that passes on what it gets.
type Processor[T any] struct {
	// Create returns a new processor that asks for, or keeps, up to buffer elements.
	Create func(buffer int) reactor.Processor[T, T]
	// Element returns the i-th element to send, counted from 1.
	Element func(i int) T
	// Failed returns a publisher that fails as soon as it is subscribed, without a request: one of stage.Pull fails so in Open. Without
	// it, tests
	// that need one are skipped.
	Failed func() reactor.Publisher[T]
	// Subscribers is how many subscribers it can have at once, 0 for any number. Tests that need more are
	// skipped.
	Subscribers int
	// Coordinated says that it sends only when all subscribers have asked.
	Coordinated bool
	// Max is the largest number of elements it passes on, 0 for any.
	Max int64
}

// bufferSize is what processors are created with.
const bufferSize = 16

// VerifyProcessor runs all tests of publishers, of subscribers and of processors on p, each as a
// subtest of t.
func VerifyProcessor[T any](t *testing.T, p Processor[T], opts ...Option) {
	t.Helper()
	if p.Create == nil || p.Element == nil {
		panic("tck: VerifyProcessor: Processor.Create or Processor.Element is nil")
	}
	verify(t, newConfig("VerifyProcessor", opts), processorChecks(p))
}

func processorChecks[T any](p Processor[T]) []*check {
	checks := publisherChecks(Publisher[T]{
		Max:    p.Max,
		Failed: p.Failed,
		Create: func(n int64) reactor.Publisher[T] {
			proc := p.Create(bufferSize)
			return &fed[T]{Processor: proc, n: n, element: p.Element}
		},
	})
	checks = append(checks, whiteboxChecks(Whitebox[T]{Element: p.Element, Create: p.observed})...)
	add := func(name, rule, says string, subscribers int, run func(r *processorRun[T])) {
		checks = append(checks, &check{name: name, rule: rule, says: says, run: func(e *env) {
			if p.Subscribers > 0 && p.Subscribers < subscribers {
				e.skip("it takes %d subscribers at once, and the processor can have %d", subscribers, p.Subscribers)
			}
			proc := p.Create(bufferSize)
			r := &processorRun[T]{spec: p, proc: proc}
			r.stage = stage[T]{env: e, sub: proc, up: newUpstream(e), element: p.Element}
			e.call("OnSubscribe", func() { proc.OnSubscribe(r.up) })
			run(r)
		}})
	}
	add("required_spec104_mustCallOnErrorOnAllItsSubscribersIfItEncountersANonRecoverableError", "§1.4",
		"a failure reaches all subscribers", 2, (*processorRun[T]).spec104)
	add("mustImmediatelyPassOnOnErrorEventsReceivedFromItsUpstreamToItsDownstream", "§4.2",
		"a failure of upstream is passed on at once", 1, (*processorRun[T]).passesErrors)
	add("required_mustRequestFromUpstreamForElementsThatHaveBeenRequestedLongAgo", "§4.1",
		"demand that was there before is passed on when there is room again", 2, (*processorRun[T]).longAgo)
	return checks
}

// fed is a processor that is subscribed to a publisher of n elements when it is first subscribed
// itself.
type fed[T any] struct {
	reactor.Processor[T, T]
	n       int64
	element func(int) T
	started bool
}

func (f *fed[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	if !f.started && s != nil {
		f.started = true
		helper(f.n, f.element).Subscribe(ctx, f.Processor)
	}
	f.Processor.Subscribe(ctx, s)
}

// observed returns a processor whose subscriber tells what it gets.
func (p Processor[T]) observed(probe *Probe[T]) reactor.Subscriber[T] {
	proc := p.Create(bufferSize)
	probe.e.call("Subscribe", func() { proc.Subscribe(probe.e.ctx, &observer[T]{probe}) })
	return proc
}

// observer tells a probe what it gets.
type observer[T any] struct{ probe *Probe[T] }

func (o *observer[T]) OnSubscribe(up reactor.Subscription) {
	o.probe.RegisterOnSubscribe(PuppetFuncs{Request: up.Request, Cancel: up.Cancel})
}
func (o *observer[T]) OnNext(v T)        { o.probe.RegisterOnNext(v) }
func (o *observer[T]) OnError(err error) { o.probe.RegisterOnError(err) }
func (o *observer[T]) OnComplete()       { o.probe.RegisterOnComplete() }

type processorRun[T any] struct {
	stage[T]
	spec Processor[T]
	proc reactor.Processor[T, T]
}

func (r *processorRun[T]) subscriber(name string) *manual[T] {
	m := newManual[T](r.env)
	m.name = name + ": "
	m.join(r.proc)
	return m
}

func (r *processorRun[T]) spec104() {
	a, b := r.subscriber("first"), r.subscriber("second")
	a.request(1)
	if r.spec.Coordinated {
		b.request(1)
	}
	r.up.request()
	v := r.send()
	r.gets(a, v)
	a.request(1)
	r.failWith(errTest)
	s, ok := b.poll(r.timeout)
	if !ok && !r.spec.Coordinated {
		b.request(1) // it may be the turn of the element that it has not asked for yet
		s, ok = b.poll(r.timeout)
	}
	if ok && s.Kind() == reactor.KindNext {
		s, ok = b.poll(r.timeout)
	}
	if !ok || s.Err() != errTest {
		r.fail("second: OnError(%v) was to come, but %v came", errTest, s)
	}
	if s := a.want(reactor.KindError, "OnError"); s.Err() != errTest {
		r.fail("first: OnError(%v) was to come, but %v came", errTest, s)
	}
	r.lawful()
}

func (r *processorRun[T]) passesErrors() {
	sub := r.subscriber("subscriber")
	r.failWith(errTest)
	if s := sub.want(reactor.KindError, "OnError"); s.Err() != errTest {
		r.fail("OnError(%v) was to come, but %v came", errTest, s)
	}
	r.lawful()
}

func (r *processorRun[T]) longAgo() {
	first := r.subscriber("first")
	first.request(20)
	asked := r.up.request()
	more := func(sent int64) {
		if asked == sent {
			asked += r.up.request()
		}
	}
	r.gets(first, r.send())
	more(1)
	r.gets(first, r.send())
	more(2)
	second := r.subscriber("second")
	if r.spec.Coordinated {
		second.none("it has not asked")
		second.request(1)
		v := r.send()
		r.gets(first, v)
		r.gets(second, v)
	} else {
		v := r.send()
		r.gets(first, v)
		second.none("it has not asked")
		second.request(1)
		r.gets(second, v)
	}
	more(3)
	r.complete()
	first.completion()
	second.completion()
	r.lawful()
}

func (r *processorRun[T]) gets(sub *manual[T], want T) {
	if v := sub.element(); !reflect.DeepEqual(v, want) {
		r.fail("%s%v was to come, but %v came", sub.name, want, v)
	}
}
