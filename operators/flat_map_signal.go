package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/belated"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// FlatMapSignal subscribes to the publisher that onNext returns for each element, and at the end
// of src to the publisher that onError or onComplete returns. It emits what these publishers send,
// in the order in which it comes.
//
//	src:  1 ----- 2 ----- |
//	      FlatMapSignal(n => n and 10n, err => -1, () => 0)
//	out:  1 - 10 - 2 - 20 - 0 |
//
// onError and onComplete may be nil. If onError is nil, an error of src passes; if onComplete is
// nil, the completion of src passes. The publisher of the end counts as one more element of src:
// it is subscribed when src might send one element more. A panic of one of the functions, a nil
// publisher, and an error of one of the publishers end the stream; onError gets errors of src
// only. Everything else, the options included, is as with [FlatMap], but [Concurrency] is 32 by
// default. The functions run on the goroutine of src; onError and onComplete may also run on a
// goroutine that delivers.
func FlatMapSignal[T, R any](
	src reactor.Publisher[T], onNext func(T) reactor.Publisher[R],
	onError func(error) reactor.Publisher[R], onComplete func() reactor.Publisher[R], opts ...FlatMapOption,
) reactor.Publisher[R] {
	argument.Given("flatMapSignal", "mapper", onNext != nil)
	p := &flatMapSignalPublisher[T, R]{
		src: protocol.Trust("flatMapSignal", src), onNext: func(v T) reactor.Publisher[R] { return onNext(v) }, onError: onError, onComplete: onComplete,
		flatMapConfig: flatMapConfig{op: "flatMapSignal", concurrency: defaultSignalConcurrency(), prefetch: defaultPrefetch()},
	}
	for _, o := range argument.Options("flatMapSignal", opts) {
		o.applyFlatMap(&p.flatMapConfig)
	}
	return p
}

// defaultSignalConcurrency is how many inner publishers FlatMapSignal subscribes at a
// time.
func defaultSignalConcurrency() int64 { return int64(queue.ExtraSmall()) }

type flatMapSignalPublisher[T, R any] struct {
	protocol.Op
	src        reactor.Publisher[T]
	onNext     func(T) reactor.Publisher[R]
	onError    func(error) reactor.Publisher[R]
	onComplete func() reactor.Publisher[R]
	flatMapConfig
}

func (p *flatMapSignalPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	sub := &flatMapSignalSubscriber[T, R]{p: p}
	sub.main = &sub.flat.main
	sub.flat.fn = func(v T) reactor.Publisher[R] { return protocol.Trust("flatMapSignal", p.onNext(v)) }
	sub.main.begin("flatMapSignal", ctx, s, p.concurrency, p.prefetch, p.delayErrors)
	p.src.Subscribe(ctx, sub)
}

// flatMapSignalSubscriber is flatMap of src followed by one more element, which stands
// for its end.
type flatMapSignalSubscriber[T, R any] struct {
	protocol.Inner
	flat    flatMapSubscriber[T, R]
	main    *flatMapMain[R] // of flat
	p       *flatMapSignalPublisher[T, R]
	src     reactor.Subscription // to src; set by OnSubscribe
	arbiter protocol.Arbiter     // to src, then to its end
	came    int64                // elements of src; its signals only
	next    protocol.Calling     // in OnNext: an error is the failure of onNext or of what is downstream; signals of src only
}

func (s *flatMapSignalSubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.src = up
	s.arbiter.Set(up)
	s.flat.OnSubscribe(&s.arbiter)
}

func (s *flatMapSignalSubscriber[T, R]) OnNext(v T) {
	s.came++
	s.next.Begin()
	s.flat.OnNext(v)
	s.next.End()
}

// Push implements protocol.Pusher.
func (s *flatMapSignalSubscriber[T, R]) Push() func(T) { return s.OnNext }

func (s *flatMapSignalSubscriber[T, R]) OnError(err error) {
	if s.next.Active() || s.main.done.Load() || s.p.onError == nil {
		s.main.sourceError(err)
		return
	}
	s.end(func() reactor.Publisher[R] { return s.p.onError(err) }, err)
}

func (s *flatMapSignalSubscriber[T, R]) OnComplete() {
	if s.p.onComplete == nil {
		s.flat.OnComplete()
	} else if !s.main.done.Load() {
		s.end(s.p.onComplete, nil)
	}
}

// end makes the publisher of fn the last one, as soon as one more is requested. err is the error of
// src, if src has failed.
func (s *flatMapSignalSubscriber[T, R]) end(fn func() reactor.Publisher[R], err error) {
	e := &flatMapSignalEnd[T, R]{s: s, fn: fn, err: err}
	if !s.arbiter.Next(s.came) {
		e.Cancel()
		return
	}
	e.ending.Store(true)
	s.arbiter.Set(e)
	e.ending.Store(false)
}

// last takes the last publisher, which fn makes because of an error of src, or of nil. It is called in place of a signal of src.
func (s *flatMapSignalSubscriber[T, R]) last(fn func() reactor.Publisher[R], because error) {
	var (
		p      reactor.Publisher[R]
		r      R
		err    error
		known  bool // p needs no subscription: r, if there is some, or err
		some   bool
		failed = func(err error) { s.main.sourceError(reactor.OperatorError(s.main.ctx, err, nil)) }
	)
	called := false
	if !failure.Guard(func() {
		p = protocol.Trust("flatMapSignal", fn())
		called = true
		var c direct.Callable[R]
		if c, known = direct.AsCallable[R](p); known {
			r, some, err = c.Call(s.main.ctx)
		}
	}, func(err error) {
		if !called && because != nil {
			err = failure.Both(err, because)
		}
		failed(err)
	}) {
		return
	}
	if err != nil {
		s.main.cont.TakeAnd(err, nil, func(err error) {
			if err != nil {
				failed(err)
			} else {
				s.flat.OnComplete()
			}
		})
		return
	}
	defer func() { // also if what follows ends the goroutine
		if !s.main.done.Load() {
			s.main.finish()
		}
	}()
	switch {
	case some:
		s.addLast(r)
	case !known:
		s.main.add(p)
	}
}

// addLast is addScalar from something that is not OnNext.
func (s *flatMapSignalSubscriber[T, R]) addLast(r R) {
	failure.Guard(func() { s.main.addScalar(r) }, func(err error) {
		err = reactor.OperatorError(s.main.ctx, err, r)
		pending.Discard(s.main.discard, r)
		s.main.sourceError(err)
	})
}

// flatMapSignalEnd is the subscription that stands in for src when that has ended.
type flatMapSignalEnd[T, R any] struct {
	s      *flatMapSignalSubscriber[T, R]
	fn     func() reactor.Publisher[R] // who sets spent takes it, as the next
	err    error                       // what fn is about; nil if src has completed
	spent  atomic.Bool
	ending atomic.Bool // src is just telling of its end
}

// Request makes the last publisher, the first time. A source that is still on the stack is
// asked as if it could go on; it takes no notice.
func (e *flatMapSignalEnd[T, R]) Request(n int64) {
	if !e.spent.Swap(true) {
		fn, err := e.fn, e.err
		e.fn, e.err = nil, nil // nothing of the error hangs on a subscription that somebody keeps
		e.s.last(fn, err)
	} else if e.ending.Load() {
		e.s.src.Request(n)
	}
}

// Cancel gives that publisher up. Then nobody gets the error of src.
func (e *flatMapSignalEnd[T, R]) Cancel() {
	if !e.spent.Swap(true) && e.err != nil {
		belated.Drop(e.s.main.ctx, e.err)
	}
}
