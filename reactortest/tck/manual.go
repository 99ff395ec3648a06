package tck

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/goreactor/reactor"
)

// manual is a subscriber in the hand of a check. What comes waits in it.
type manual[T any] struct {
	e    *env
	name string

	// next, if set, is called by OnNext instead of keeping the element.
	next func(v T)
	// begun, if set, is called by OnSubscribe.
	begun func(up reactor.Subscription)

	subscribed *latch
	wake       chan struct{}

	mu sync.Mutex
	// Guarded by mu; who has seen subscribed open, or is called by the publisher, may also read it without. That of a serial
	// belongs to the signals of the publisher.
	up     reactor.Subscription
	events []reactor.Signal[T] // not looked at yet; guarded by mu
}

func newManual[T any](e *env) *manual[T] {
	return &manual[T]{e: e, subscribed: newLatch(), wake: make(chan struct{}, 1)}
}

func (m *manual[T]) OnSubscribe(up reactor.Subscription) {
	m.e.note("%sonSubscribe", m.name)
	if up == nil {
		m.e.flop("OnSubscribe was called with nil (§2.13)")
		return
	}
	m.mu.Lock()
	twice := m.up != nil
	if !twice {
		m.up = up
	}
	m.mu.Unlock()
	if twice {
		m.e.flop("OnSubscribe was called a second time (§1.9)")
		return
	}
	m.e.atEnd(up.Cancel)
	m.subscribed.open()
	if m.begun != nil {
		m.begun(up)
	}
}

func (m *manual[T]) OnNext(v T) {
	m.e.note("%sonNext(%v)", m.name, v)
	if !m.subscribed.isOpen() {
		m.e.flop("OnNext(%v) came before OnSubscribe (§1.9)", v)
	}
	if m.next != nil {
		m.next(v)
		return
	}
	m.put(reactor.NextSignal(v))
}

func (m *manual[T]) OnError(err error) {
	m.e.note("%sonError(%v)", m.name, err)
	if !m.subscribed.isOpen() {
		m.e.flop("OnError(%v) came before OnSubscribe (§1.9)", err)
	}
	if err == nil {
		m.e.flop("OnError was called with nil (§2.13)")
	}
	m.put(reactor.ErrorSignal[T](err))
}

func (m *manual[T]) OnComplete() {
	m.e.note("%sonComplete", m.name)
	if !m.subscribed.isOpen() {
		m.e.flop("OnComplete came before OnSubscribe (§1.9)")
	}
	m.put(reactor.CompleteSignal[T]())
}

func (m *manual[T]) put(s reactor.Signal[T]) {
	m.mu.Lock()
	m.events = append(m.events, s)
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// subscription waits for OnSubscribe.
func (m *manual[T]) subscription() reactor.Subscription {
	m.e.await(m.subscribed, "OnSubscribe was to come (§1.9)")
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.up
}

func (m *manual[T]) request(n int64) {
	up := m.subscription()
	m.e.note("%srequest(%d)", m.name, n)
	m.e.call(fmt.Sprintf("Request(%d)", n), func() { up.Request(n) })
}

func (m *manual[T]) cancel() {
	up := m.subscription()
	m.e.note("%scancel", m.name)
	m.e.call("Cancel", up.Cancel)
}

// poll takes the next event, waiting up to d for one.
func (m *manual[T]) poll(d time.Duration) (s reactor.Signal[T], ok bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		m.mu.Lock()
		if len(m.events) > 0 {
			s, m.events = m.events[0], m.events[1:]
			m.mu.Unlock()
			return s, true
		}
		m.mu.Unlock()
		select {
		case <-m.wake:
		case <-timer.C:
			return s, false
		}
	}
}

// want waits for a signal of this kind.
func (m *manual[T]) want(kind reactor.SignalKind, format string, args ...any) reactor.Signal[T] {
	s, ok := m.poll(m.e.timeout)
	m.e.lawful()
	what := fmt.Sprintf(format, args...)
	if !ok {
		m.e.fail("%s%s was to come, but nothing came within %v", m.name, what, m.e.timeout)
	}
	if s.Kind() != kind {
		m.e.fail("%s%s was to come, but %v came", m.name, what, s)
	}
	return s
}

func (m *manual[T]) element() T {
	v, _ := m.want(reactor.KindNext, "an element that was requested").Value()
	return v
}

func (m *manual[T]) elements(n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i], _ = m.want(reactor.KindNext, "element %d of %d that were requested", i+1, n).Value()
	}
	return out
}

func (m *manual[T]) requestElement() T {
	m.request(1)
	return m.element()
}

// completion expects OnComplete next.
func (m *manual[T]) completion() { m.want(reactor.KindComplete, "OnComplete") }

// requestEnd asks for one element more, which some publishers need, and expects OnComplete.
func (m *manual[T]) requestEnd() {
	m.request(1)
	m.completion()
}

// requestElementOrEnd asks for an element and takes what comes.
func (m *manual[T]) requestElementOrEnd() {
	m.request(1)
	if s, ok := m.poll(m.e.timeout); !ok {
		m.e.fail("%san element or the end was to come, but nothing came within %v", m.name, m.e.timeout)
	} else if s.Kind() == reactor.KindError {
		m.e.fail("%san element or the end was to come, but %v came", m.name, s)
	}
}

// illegal expects the failure of §3.9.
func (m *manual[T]) illegal(n int64) error {
	s := m.want(reactor.KindError, "OnError after Request(%d)", n)
	if !errors.Is(s.Err(), reactor.ErrIllegalRequest) {
		m.e.fail("after Request(%d) OnError was to bring a reactor.ErrIllegalRequest, but brought %v", n, s.Err())
	}
	return s.Err()
}

// none expects nothing for a while.
func (m *manual[T]) none(why string) {
	s, ok := m.poll(m.e.quiet)
	m.e.lawful()
	if ok {
		m.e.fail("%s%v came although %s", m.name, s, why)
	}
}

// loose is a subscriber of a type whose values can't be compared.
type loose[T any] struct {
	reactor.Subscriber[T]
	_ []int
}

// subscribe subscribes a new subscriber to p.
func subscribe[T any](e *env, p reactor.Publisher[T]) *manual[T] {
	m := newManual[T](e)
	m.join(p)
	return m
}

// join subscribes m to p and waits for the subscription.
func (m *manual[T]) join(p reactor.Publisher[T]) {
	m.joinIn(m.e.ctx, p)
	m.subscription()
	m.e.lawful()
}

func (m *manual[T]) joinIn(ctx context.Context, p reactor.Publisher[T]) {
	m.e.call("Subscribe", func() { p.Subscribe(ctx, m) })
	m.e.lawful()
}
