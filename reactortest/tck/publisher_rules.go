package tck

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/goid"
)

func (r *publisherRun[T]) exactly(n int64) {
	sub := subscribe(r.env, r.publisher(n, true))
	for range n {
		sub.requestElement()
	}
	sub.requestEnd()
	sub.none("the stream has ended")
}

func (r *publisherRun[T]) spec101() {
	sub := subscribe(r.env, r.publisher(5, false))
	sub.none("nothing was requested yet")
	sub.request(1)
	sub.element()
	sub.none("the 1 element that was requested has come")
	sub.request(1)
	sub.request(2)
	sub.elements(3)
	sub.none("the 4 elements that were requested have come")
}

func (r *publisherRun[T]) spec102() {
	sub := subscribe(r.env, r.publisher(3, true))
	sub.request(10)
	sub.elements(3)
	sub.completion()
}

// spec103 looks for signals that overlap. Nested ones on the same goroutine are the matter of
// §3.3. The field that each signal writes lets the race detector find signals that do not
// overlap but are not ordered either.
func (r *publisherRun[T]) spec103() {
	elements := int64(10)
	if r.spec.Max > 0 {
		elements = min(elements, r.spec.Max)
	}
	if r.rounds == 0 {
		r.skip("Rounds(0) says so")
	}
	for round := range r.rounds {
		p := r.publisher(elements, true)
		sub := newManual[T](r.env)
		end := newLatch()
		watch := &serial[T]{manual: sub, end: end, left: int(elements)}
		r.call("Subscribe", func() { p.Subscribe(r.ctx, watch) })
		r.await(end, "in round %d of %d the end was to come", round+1, r.rounds)
		r.lawful()
	}
}

// serial is a subscriber that asks for one element after the other.
type serial[T any] struct {
	*manual[T]
	end    *latch
	left   int
	holder atomic.Uint64 // the goroutine that signals, 0 for none
	last   string        // plain on purpose: signals are to be ordered
}

// signal notes that a signal begins; the result, that it ends.
func (s *serial[T]) signal(name string) func() {
	me := uint64(goid.Current())
	before := s.holder.Swap(me)
	if before != 0 && before != me {
		s.e.flop("%s came while another goroutine was in %s", name, "a signal")
	}
	s.last = name
	invite()
	return func() {
		invite() // also after what the signal has requested
		s.holder.CompareAndSwap(me, before)
	}
}

// invite lets other goroutines run.
func invite() {
	for range 3 {
		runtime.Gosched()
	}
}

func (s *serial[T]) OnSubscribe(up reactor.Subscription) {
	defer s.signal("OnSubscribe")()
	if up == nil {
		s.e.flop("OnSubscribe was called with nil (§2.13)")
		s.end.open()
		return
	}
	s.up = up
	s.e.atEnd(up.Cancel)
	up.Request(1)
}

func (s *serial[T]) OnNext(v T) {
	defer s.signal(fmt.Sprintf("OnNext(%v)", v))()
	if s.up == nil {
		s.e.flop("OnNext(%v) came before OnSubscribe (§1.9)", v)
		s.end.open()
		return
	}
	if s.left--; s.left >= 0 { // one more than there are: some publishers need that
		s.up.Request(1)
	}
}

func (s *serial[T]) OnError(err error) {
	defer s.signal(fmt.Sprintf("OnError(%v)", err))()
	s.e.flop("OnError(%v) came", err)
	s.end.open()
}

func (s *serial[T]) OnComplete() {
	defer s.signal("OnComplete")()
	s.end.open()
}

func (r *publisherRun[T]) failsOnce() {
	p := r.failing()
	sub := newManual[T](r.env)
	sub.joinIn(r.ctx, p)
	sub.subscription()
	sub.want(reactor.KindError, "OnError")
	sub.none("the stream has failed")
}

func (r *publisherRun[T]) spec105() {
	sub := subscribe(r.env, r.publisher(3, true))
	sub.requestElement()
	sub.requestElement()
	sub.requestElement()
	sub.requestEnd()
	sub.none("the stream has ended")
}

func (r *publisherRun[T]) spec105Empty() {
	sub := subscribe(r.env, r.publisher(0, true))
	sub.completion()
	sub.none("the stream has ended")
}

func (r *publisherRun[T]) spec106() {
	p := r.publisher(1, true)
	up, gone := r.oneElement(r.ctx, p, func(sub *forgotten[T]) {
		r.call("Request(10)", func() { sub.up.Request(10) })
		r.await(sub.end, "the end was to come")
	})
	r.call("Request after the end", func() { up.Request(5); up.Request(0) })
	r.call("Cancel after the end", up.Cancel)
	r.settle()
	r.lawful()
	r.collected(gone, "has ended")
	runtime.KeepAlive(p)

	p = r.publisher(1, false)
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	up, gone = r.oneElement(ctx, p, func(sub *forgotten[T]) {
		cancel()
		r.await(sub.end, "the end of the context was to be told of")
	})
	r.call("Request after the end of the context", func() { up.Request(5); up.Request(0) })
	up.up = nil // without Cancel, which nobody calls after the end
	r.settle()
	r.lawful()
	r.collected(gone, "has been told of the end of its context")
	runtime.KeepAlive(p)
}

// forgotten is a subscriber that nobody but the publisher knows.
type forgotten[T any] struct {
	env   *env
	up    reactor.Subscription
	begun *latch
	next  *latch
	end   *latch
}

func (f *forgotten[T]) OnSubscribe(up reactor.Subscription) {
	f.up = up
	f.begun.open()
}

func (f *forgotten[T]) OnNext(v T) {
	f.env.note("onNext(%v)", v)
	if f.end.isOpen() {
		f.env.flop("OnNext(%v) came after the end", v)
	}
	f.next.open()
}

func (f *forgotten[T]) OnError(err error) {
	f.env.note("onError(%v)", err)
	if f.end.isOpen() {
		f.env.flop("OnError(%v) came after the end", err)
	}
	f.end.open()
}

func (f *forgotten[T]) OnComplete() {
	f.env.note("onComplete")
	if f.end.isOpen() {
		f.env.flop("OnComplete came after the end")
	}
	f.end.open()
}

// oneElement subscribes a subscriber that only the publisher holds when the call has
// returned, and does something with it.
//
//go:noinline
func (r *publisherRun[T]) oneElement(ctx context.Context, p reactor.Publisher[T], do func(*forgotten[T])) (*fence, weak.Pointer[forgotten[T]]) {
	sub := &forgotten[T]{env: r.env, begun: newLatch(), next: newLatch(), end: newLatch()}
	r.call("Subscribe", func() { p.Subscribe(ctx, sub) })
	r.lawful()
	r.await(sub.begun, "OnSubscribe was to come (§1.9)")
	do(sub)
	return &fence{sub.up}, weak.Make(sub)
}

// fence holds the subscription of a subscriber that is to be forgotten, for a while.
type fence struct{ up reactor.Subscription }

func (f *fence) Request(n int64) { f.up.Request(n) }

// Cancel cancels and forgets.
func (f *fence) Cancel() {
	f.up.Cancel()
	f.up = nil
}

// collected ends the check unless the subscriber becomes garbage.
func (r *publisherRun[T]) collected(gone weak.Pointer[forgotten[T]], why string) {
	deadline := time.Now().Add(r.timeout)
	for {
		runtime.GC()
		if gone.Value() == nil {
			return
		}
		if !time.Now().Before(deadline) {
			r.fail("the publisher, or the context, still refers to the subscriber %v after it %s", r.timeout, why)
		}
		r.rest(r.timeout / 20)
	}
}

func (r *publisherRun[T]) spec107() {
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	sub := newManual[T](r.env)
	sub.joinIn(ctx, r.publisher(1, true))
	sub.request(10)
	sub.element()
	sub.completion()
	sub.request(10)
	cancel()
	sub.none("the stream has ended")
}

func (r *publisherRun[T]) spec107Error() {
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	sub := newManual[T](r.env)
	sub.joinIn(ctx, r.failing())
	sub.subscription()
	sub.want(reactor.KindError, "OnError")
	sub.request(10)
	cancel()
	sub.none("the stream has failed")
}

func (r *publisherRun[T]) spec108() {
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	sub := newManual[T](r.env)
	sub.joinIn(ctx, r.publisher(3, false))
	sub.request(1)
	sub.element()
	sub.cancel()
	sub.none("the subscription was cancelled")
	cancel()
	sub.none("the subscription was cancelled before the context ended")
}

func (r *publisherRun[T]) spec109Context() {
	ctx, cancel := context.WithCancelCause(r.ctx)
	cause := errors.New("the cause of the test")
	ends := func(sub *manual[T]) {
		if s := sub.want(reactor.KindError, "OnError with the cause of the context"); !errors.Is(s.Err(), cause) {
			r.fail("OnError was to bring the cause of the context, but brought %v", s.Err())
		}
		sub.none("the stream has failed")
	}
	later, several := newManual[T](r.env), r.spec.Max == 0 || r.spec.Max > 1
	if several {
		later.joinIn(ctx, r.publisher(2, false))
		later.requestElement()
	} else {
		later.joinIn(ctx, r.publisher(1, false))
		later.subscription()
	}
	cancel(cause)
	ends(later)

	before := newManual[T](r.env)
	before.joinIn(ctx, r.publisher(1, false))
	before.subscription()
	ends(before)
}

func (r *publisherRun[T]) spec109Nil() {
	p := r.publisher(0, false)
	if !r.panics("Subscribe(ctx, nil)", func() { p.Subscribe(r.ctx, nil) }) {
		r.fail("Subscribe(ctx, nil) returned normally")
	}
}

func (r *publisherRun[T]) spec109() {
	sub := newManual[T](r.env)
	sub.joinIn(r.ctx, r.publisher(0, false))
	sub.subscription()
	r.settle()
	r.lawful()
}

func (r *publisherRun[T]) spec110() {
	p := r.publisher(1, false)
	first, second := newManual[T](r.env), newManual[T](r.env)
	both := &twice[T]{first: first, second: second, answered: newLatch()}
	sub := loose[T]{Subscriber: both}
	r.call("Subscribe", func() { p.Subscribe(r.ctx, sub) })
	r.lawful()
	first.subscription()
	r.call("Subscribe of the same subscriber", func() { p.Subscribe(r.ctx, sub) })
	r.lawful()
	r.await(both.answered, "a second OnSubscribe, or OnError, was to come")
	r.settle()
	r.lawful()
}

// twice is one subscriber that may be subscribed twice: the second subscription is for second.
// It asks for nothing, so that all it gets is the end of one or the other.
type twice[T any] struct {
	first, second *manual[T]
	subscribed    atomic.Int32
	answered      *latch // the second time, by OnSubscribe or OnError
}

func (t *twice[T]) OnSubscribe(up reactor.Subscription) {
	switch t.subscribed.Add(1) {
	case 1:
		t.first.OnSubscribe(up)
	case 2:
		t.second.OnSubscribe(up)
		t.answered.open()
	default:
		t.first.e.flop("OnSubscribe was called for the %d. time after two Subscribes", t.subscribed.Load())
	}
}

func (t *twice[T]) OnNext(v T) { t.first.e.flop("OnNext(%v) came without demand", v) }

func (t *twice[T]) OnError(err error) {
	t.first.e.note("onError(%v)", err)
	t.answered.open()
}

func (t *twice[T]) OnComplete() { t.first.e.note("onComplete") }

func (r *publisherRun[T]) several(n int, p reactor.Publisher[T]) []*manual[T] {
	subs := make([]*manual[T], n)
	for i := range subs {
		subs[i] = newManual[T](r.env)
		subs[i].name = fmt.Sprintf("subscriber %d: ", i+1)
		subs[i].join(p)
	}
	return subs
}

func (r *publisherRun[T]) spec111() {
	subs := r.several(2, r.publisher(1, false))
	r.settle()
	r.lawful()
	for _, sub := range subs {
		if s, ok := sub.poll(0); ok && s.Kind() == reactor.KindError {
			r.fail("%s%v came", sub.name, s)
		}
	}
}

func (r *publisherRun[T]) spec111Signals() {
	subs := r.several(2, r.publisher(1, false))
	subs[0].requestElementOrEnd()
	subs[1].requestElementOrEnd()
	r.lawful()
}

func (r *publisherRun[T]) spec111OneByOne() {
	subs := r.several(3, r.publisher(5, true))
	got := make([][]T, len(subs))
	take := func(i, n int) {
		subs[i].request(int64(n))
		got[i] = append(got[i], subs[i].elements(n)...)
	}
	take(0, 1)
	take(1, 2)
	take(0, 1)
	take(2, 3)
	take(2, 1)
	take(2, 1)
	subs[2].requestEnd()
	take(1, 3)
	subs[1].requestEnd()
	take(0, 2)
	take(0, 1)
	subs[0].requestEnd()
	r.same(got)
}

func (r *publisherRun[T]) spec111Upfront(completes bool) {
	subs := r.several(3, r.publisher(3, completes))
	got := make([][]T, len(subs))
	for _, sub := range subs {
		sub.request(4)
	}
	for i, sub := range subs {
		got[i] = sub.elements(3)
	}
	if completes {
		for _, sub := range subs {
			sub.completion()
		}
	}
	r.same(got)
}

func (r *publisherRun[T]) same(got [][]T) {
	for i := range got[1:] {
		if !reflect.DeepEqual(got[0], got[i+1]) {
			r.fail("subscriber 1 got %v, subscriber %d got %v", got[0], i+2, got[i+1])
		}
	}
}

func (r *publisherRun[T]) spec302() {
	const elements = 6
	sub := newManual[T](r.env)
	var got atomic.Int64
	sub.begun = func(up reactor.Subscription) {
		for range 3 {
			r.calm("Request in OnSubscribe", func() { up.Request(1) })
		}
	}
	sub.next = func(T) {
		if got.Add(1) < elements {
			r.calm("Request in OnNext", func() { sub.up.Request(1) })
		}
	}
	sub.join(r.publisher(elements, false))
	deadline := time.NewTimer(r.timeout)
	defer deadline.Stop()
	for got.Load() < elements {
		r.lawful()
		select {
		case <-deadline.C:
			r.fail("%d elements were to come that were requested from OnSubscribe and OnNext, but %d came within %v", elements, got.Load(), r.timeout)
		default:
			r.rest(time.Millisecond)
		}
	}
	r.lawful()
}

func (r *publisherRun[T]) spec303() {
	signals := r.depth + 1
	sub := newManual[T](r.env)
	over := newLatch()
	var received atomic.Int64
	var mu sync.Mutex
	depths := map[uintptr]int{} // by goroutine; guarded by mu, for those whose signals overlap
	enter := func(by int) int {
		mu.Lock()
		defer mu.Unlock()
		depths[goid.Current()] += by
		return depths[goid.Current()]
	}
	sub.next = func(T) {
		depth := enter(1)
		defer enter(-1)
		if depth > r.depth {
			r.flop("OnNext was called within OnNext, %d deep, on one goroutine; at most %d are allowed", depth, r.depth)
			over.open()
			return
		}
		if received.Add(1) >= int64(signals) {
			over.open()
			return
		}
		r.calm("Request in OnNext", func() { sub.up.Request(1) })
	}
	sub.join(r.publisher(int64(signals), false))
	sub.request(1)
	r.await(over, "%d elements were to come", signals)
	r.lawful()
}

// busy subscribes, makes an OnNext block, calls do meanwhile, and lets go.
func (r *publisherRun[T]) busy(what string, do func(reactor.Subscription)) {
	sub := newManual[T](r.env)
	inside, release := newLatch(), newLatch()
	sub.next = func(T) {
		inside.open()
		<-release.ch
	}
	p := r.publisher(3, false)
	emitting := newLatch()
	go func() {
		defer emitting.open()
		r.calm("Subscribe", func() { p.Subscribe(r.ctx, sub) })
		if r.opens(sub.subscribed, r.timeout) {
			r.calm("Request", func() { sub.up.Request(1) })
		}
	}()
	defer func() {
		release.open()
		r.opens(emitting, r.timeout)
	}()
	r.await(inside, "an element was to come")
	r.prompt(what+" while OnNext is busy", func() { do(sub.up) })
}

func (r *publisherRun[T]) spec304() {
	r.busy("Request", func(up reactor.Subscription) { up.Request(1) })
}

func (r *publisherRun[T]) spec305() { r.busy("Cancel", reactor.Subscription.Cancel) }

func (r *publisherRun[T]) spec306() {
	sub := subscribe(r.env, r.publisher(3, false))
	sub.cancel()
	sub.request(1)
	sub.request(1)
	sub.request(0)
	sub.request(-1)
	sub.none("the subscription was cancelled")
}

func (r *publisherRun[T]) spec307() {
	sub := subscribe(r.env, r.publisher(1, false))
	sub.cancel()
	sub.cancel()
	sub.cancel()
	sub.none("the subscription was cancelled")
	r.lawful()
}

func (r *publisherRun[T]) spec309(n int64) {
	sub := subscribe(r.env, r.publisher(10, false))
	sub.request(n)
	sub.illegal(n)
	sub.request(5)
	sub.request(n)
	sub.none("the stream has failed")
}

func (r *publisherRun[T]) spec309Message() {
	sub := subscribe(r.env, r.publisher(10, false))
	sub.request(-7)
	text := sub.illegal(-7).Error()
	for _, words := range []string{"3.9", "non-positive subscription request", "negative subscription request"} {
		if strings.Contains(text, words) {
			return
		}
	}
	r.fail("the text of the error is %q", text)
}

func (r *publisherRun[T]) spec312() {
	const asked = 15
	sub := subscribe(r.env, r.publisher(20, false))
	sub.request(10)
	sub.request(5)
	// First an element and then the cancellation: a publisher that takes its time might
	// otherwise be cancelled before it has begun.
	sub.element()
	sub.cancel()
	for got := 1; ; got++ {
		if got > asked {
			r.fail("%d elements came, of which %d were requested, in spite of Cancel", got, asked)
		}
		if s, ok := sub.poll(r.quiet); !ok {
			break
		} else if s.Kind() != reactor.KindNext {
			r.fail("%v came after Cancel", s)
		}
	}
	r.lawful()
}

func (r *publisherRun[T]) spec313() {
	p := r.publisher(3, false)
	_, gone := r.oneElement(r.ctx, p, func(sub *forgotten[T]) {
		r.call("Request(1)", func() { sub.up.Request(1) })
		r.await(sub.next, "an element was to come")
		r.call("Cancel", sub.up.Cancel)
	})
	r.lawful()
	r.collected(gone, "has cancelled")
	runtime.KeepAlive(p)
}

func (r *publisherRun[T]) spec317(requests ...int64) {
	sub := subscribe(r.env, r.publisher(3, true))
	for _, n := range requests {
		sub.request(n)
	}
	sub.elements(3)
	sub.completion()
	sub.none("the stream has ended")
}

// mostLate is how many elements may be under way when a publisher is cancelled.
const mostLate = 10_000

func (r *publisherRun[T]) spec317Above() {
	sub := newManual[T](r.env)
	calls, late := 10, 0
	over := newLatch()
	sub.next = func(T) {
		if calls == 0 {
			sub.up.Cancel()
			over.open()
			if late++; late > mostLate {
				r.flop("more than %d elements came after Cancel", mostLate)
				runtime.Goexit() // it would go on for ever
			}
			return
		}
		calls--
		r.calm("Request of math.MaxInt64-1", func() { sub.up.Request(math.MaxInt64 - 1) })
	}
	sub.join(r.publisher(Endless, false))
	sub.request(1)
	r.await(over, "11 elements were to come")
	if s, ok := sub.poll(r.quiet); ok {
		r.fail("%v came", s)
	}
	r.lawful()
}
