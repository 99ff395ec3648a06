package tck

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/goreactor/reactor"
)

// contractChecks are tests that the original does not have: of what reactor.Publisher and
// reactor.Subscription promise besides, and of what only a signal from elsewhere shows.
func contractChecks[T any](spec Publisher[T]) []*check {
	var checks []*check
	add := func(name, rule, says string, run func(r *publisherRun[T])) {
		checks = append(checks, &check{name: name, rule: rule, says: says, run: func(e *env) { run(&publisherRun[T]{e, spec}) }})
	}
	add("contract_spec103_endOfTheContextMustWaitForOnNext", "§1.3",
		"a context that ends during OnNext is told of when that has returned", (*publisherRun[T]).contextDuringOnNext)
	add("contract_spec103_illegalRequestMustWaitForOnNext", "§1.3",
		"a Request(-1) from elsewhere during OnNext is answered when that has returned", (*publisherRun[T]).illegalDuringOnNext)
	add("contract_spec312_cancelWithinOnNextMustStopTheElements", "§3.12",
		"Cancel within OnNext stops the elements that were requested", (*publisherRun[T]).cancelWithinOnNext)
	add("stochastic_contract_requestMayBeCalledFromSeveralGoroutinesAtOnce", "reactor.Subscription",
		"Request and Cancel may be called from several goroutines at once: all of the demand counts, and signals stay serial",
		(*publisherRun[T]).requestsAtOnce)
	return checks
}

func (r *publisherRun[T]) contextDuringOnNext() {
	cause := errors.New("the cause of the test")
	ctx, cancel := context.WithCancelCause(r.ctx)
	err := r.duringOnNext(ctx, "the context ended", func(reactor.Subscription) { cancel(cause) })
	if !errors.Is(err, cause) {
		r.fail("OnError was to bring the cause of the context, but brought %v", err)
	}
}

func (r *publisherRun[T]) illegalDuringOnNext() {
	err := r.duringOnNext(r.ctx, "Request(-1)", func(up reactor.Subscription) {
		r.prompt("Request(-1) while OnNext is busy", func() { up.Request(-1) })
	})
	if !errors.Is(err, reactor.ErrIllegalRequest) {
		r.fail("OnError was to bring a reactor.ErrIllegalRequest, but brought %v", err)
	}
}

// duringOnNext makes an OnNext block, has end end the stream meanwhile, and returns the error that
// comes when OnNext has returned.
func (r *publisherRun[T]) duringOnNext(ctx context.Context, what string, end func(reactor.Subscription)) error {
	p := r.publisher(2, false) // of one element the completion might be next
	sub := newManual[T](r.env)
	inside, release := newLatch(), newLatch()
	sub.next = func(T) {
		inside.open()
		<-release.ch
	}
	emitting := r.apart("Subscribe", func() {
		p.Subscribe(ctx, sub)
		if r.opens(sub.subscribed, r.timeout) {
			sub.up.Request(1)
		}
	})
	defer func() {
		release.open()
		r.opens(emitting, r.timeout)
	}()
	r.await(inside, "an element was to come")
	r.note("while onNext runs: %s", what)
	end(sub.up)
	if s, ok := sub.poll(r.quiet); ok {
		r.fail("%v came while OnNext was running", s)
	}
	release.open()
	s := sub.want(reactor.KindError, "OnError after OnNext")
	sub.none("the stream has failed")
	return s.Err()
}

// mostWithin is how many elements are asked for when the first one is answered by Cancel.
const mostWithin = 1000

func (r *publisherRun[T]) cancelWithinOnNext() {
	r.cancelsFirst(1) // after which the end would come
	n := int64(mostWithin)
	if r.spec.Max > 0 {
		n = min(n, max(r.spec.Max, 3))
	}
	if all := r.cancelsFirst(n); all >= n {
		r.fail("all %d elements came, although the first one was answered by Cancel", all)
	}
}

// cancelsFirst requests n elements, answers the first one by Cancel, and returns how many came.
func (r *publisherRun[T]) cancelsFirst(n int64) int64 {
	p := r.publisher(n, false)
	sub := newManual[T](r.env)
	var got atomic.Int64
	first := newLatch()
	sub.next = func(T) {
		if got.Add(1) == 1 {
			r.calm("Cancel in OnNext", sub.up.Cancel)
			first.open()
		}
	}
	sub.join(p)
	sub.request(n)
	r.await(first, "an element was to come")
	r.settle()
	r.lawful()
	if s, ok := sub.poll(0); ok {
		r.fail("%v came, although the first of %d elements was answered by Cancel", s, n)
	}
	return got.Load()
}

const (
	callers     = 4 // goroutines that request at once
	callsOfEach = 5
)

func (r *publisherRun[T]) requestsAtOnce() {
	const asked = callers * callsOfEach
	if r.rounds == 0 {
		r.skip("Rounds(0) says so")
	}
	for round := range r.rounds {
		sub := newManual[T](r.env)
		watch := &serial[T]{manual: sub, end: newLatch()}
		var got atomic.Int64
		progress := make(chan struct{}, 1)
		sub.next = func(T) {
			got.Add(1)
			select {
			case progress <- struct{}{}:
			default:
			}
		}
		p := r.publisher(asked+1, false)
		r.call("Subscribe", func() { p.Subscribe(r.ctx, &watched[T]{watch}) })
		r.lawful()
		up := sub.subscription()
		r.atOnce(func(int) {
			for range callsOfEach {
				up.Request(1)
			}
		})
		for got.Load() < asked {
			timer := time.NewTimer(r.timeout)
			select {
			case <-progress:
			case <-timer.C:
				if n := got.Load(); n < asked {
					r.lawful()
					r.fail("in round %d of %d, %d elements were requested by %d goroutines, but %d came within %v", round+1, r.rounds, asked, callers, n, r.timeout)
				}
			}
			timer.Stop()
		}
		r.atOnce(func(i int) {
			if i%2 == 0 {
				up.Cancel()
			} else {
				up.Request(1)
			}
		})
		r.lawful()
		if n := got.Load(); n > asked+callers/2 {
			r.fail("in round %d of %d, %d elements were requested, but %d came", round+1, r.rounds, asked+callers/2, n)
		}
	}
}

// atOnce calls fn on several goroutines at once, with their numbers.
func (r *publisherRun[T]) atOnce(fn func(i int)) {
	begin := make(chan struct{})
	var all []*latch
	for i := range callers {
		all = append(all, r.apart("Request, or Cancel, from several goroutines at once,", func() {
			<-begin
			fn(i)
		}))
	}
	close(begin)
	for _, over := range all {
		r.await(over, "Request, or Cancel, from several goroutines at once, was to return")
	}
}

// watched is a manual whose signals are watched for overlaps.
type watched[T any] struct{ *serial[T] }

func (w *watched[T]) OnSubscribe(up reactor.Subscription) {
	defer w.signal("OnSubscribe")()
	w.manual.OnSubscribe(up)
}

func (w *watched[T]) OnNext(v T) {
	defer w.signal("OnNext")()
	w.manual.OnNext(v)
}

func (w *watched[T]) OnError(err error) {
	defer w.signal("OnError")()
	w.manual.OnError(err)
}

func (w *watched[T]) OnComplete() {
	defer w.signal("OnComplete")()
	w.manual.OnComplete()
}
