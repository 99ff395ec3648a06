package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// SwitchMapOption configures [SwitchMap]: [Prefetch] (default 0: demand is passed on),
// [DelayErrors].
type SwitchMapOption interface{ applySwitchMap(*switchMapConfig) }

type switchMapConfig struct {
	op          string // for errors
	prefetch    int64
	delayErrors bool
}

func (n PrefetchOption) applySwitchMap(c *switchMapConfig) {
	argument.NotNegative(c.op, "prefetch", int(n))
	c.prefetch = count(int(n))
}

func (d DelayErrorsOption) applySwitchMap(c *switchMapConfig) { c.delayErrors = bool(d) }

// SwitchMap emits the elements of the publisher that fn returns for the newest element of src; each
// element of src cancels the publisher of the element before.
//
//	src:  1 ----- 2 -------------- |
//	      SwitchMap(n => 10n, 10n+1, 10n+2, every 5)
//	out:  --- 10 ---- 20 - 21 - 22 |
//
// Everything is requested of src. Demand goes to the current inner publisher, and demand that it
// leaves open to the next one. With [Prefetch] each inner publisher is asked for that many elements
// ahead of demand instead; they wait in a queue, and are discarded when the next publisher comes.
// The stream completes when src and the newest inner publisher have completed.
//
// The first error, of src, of fn or of the current inner publisher, cancels everything and ends the
// stream. With [DelayErrors] an error of src waits until the current inner publisher has ended, and
// an error of an inner publisher until the end of the stream; several errors are joined. A nil
// publisher is an error of fn. Errors of publishers that were replaced are reported as dropped.
//
// Cancellation cancels src and the current inner publisher, unless they have ended. As in Reactor,
// a publisher that is replaced is cancelled even if it has completed: its [DoOnCancel] runs after
// its end. Without Prefetch the current publisher is also cancelled when src fails, even if it has
// completed. fn runs on the goroutine of src. But if an element of the publisher that is to be
// replaced is on its way down, fn runs after that delivery, on the goroutine of that publisher; of
// the elements of src that come meanwhile only the newest is used, and the others are discarded.
// Elements come on the goroutines of the inner publishers or, with Prefetch, on whatever goroutine
// delivers first: that of an inner publisher or of a request.
func SwitchMap[T, R any](
	src reactor.Publisher[T], fn func(T) reactor.Publisher[R], opts ...SwitchMapOption,
) reactor.Publisher[R] {
	return newSwitchMap("switchMap", src, fn, opts)
}

// SwitchOnNext emits the elements of the newest publisher that src has sent. It is
// [SwitchMap] without a function.
func SwitchOnNext[T any, P reactor.Publisher[T]](src reactor.Publisher[P], opts ...SwitchMapOption) reactor.Publisher[T] {
	return newSwitchMap("switchOnNext", src, func(p P) reactor.Publisher[T] { return p }, opts)
}

func newSwitchMap[T, R any](
	op string, src reactor.Publisher[T], fn func(T) reactor.Publisher[R], opts []SwitchMapOption,
) reactor.Publisher[R] {
	argument.Given(op, "mapper", fn != nil)
	p := &switchMapPublisher[T, R]{
		src: protocol.Trust(op, src), fn: fn, switchMapConfig: switchMapConfig{op: op},
	}
	for _, o := range argument.Options(op, opts) {
		o.applySwitchMap(&p.switchMapConfig)
	}
	return p
}

type switchMapPublisher[T, R any] struct {
	protocol.Op
	src reactor.Publisher[T]
	fn  func(T) reactor.Publisher[R]
	switchMapConfig
}

func (p *switchMapPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	if flatMapScalar(p.op, ctx, p.src, p.fn, s, nil) {
		return
	}
	if p.prefetch > 0 {
		p.src.Subscribe(ctx, newSwitchMapQueued(ctx, s, p.fn, p.switchMapConfig))
		return
	}
	down := protocol.Strict(ctx, s)
	p.src.Subscribe(ctx, &switchMapSubscriber[T, R]{
		ctx: ctx, down: down, push: protocol.Push(down), fn: p.fn, switchMapConfig: p.switchMapConfig,
		discard: reactor.DiscardHookFor[T](ctx), next: queue.NewLatest[T](),
	})
}

// switchMapSubscriber receives the signals of the source. Inner publishers send straight
// down. One is replaced, by the drain loop, only when it is not in the middle of an
// element; if it is, it starts the loop when the element is through. All terminal signals
// are sent by the loop as well, under the same condition.
type switchMapSubscriber[T, R any] struct {
	protocol.Inner
	protocol.Quiet
	arbiter protocol.Arbiter // the demand, and the subscription of the current inner publisher
	switchMapConfig
	ctx     context.Context
	down    reactor.Subscriber[R]
	push    func(R) // hands elements to down
	fn      func(T) reactor.Publisher[R]
	discard func(any)            // nil if nobody wants what is discarded
	up      reactor.Subscription // set by OnSubscribe

	next     *queue.Latest[T] // put by the signals of upstream, polled by the owner of loop
	current  atomic.Pointer[switchMapInner[T, R]]
	failures failure.List
	fatal    failure.List // what isn't held back: failures of fn
	done     atomic.Bool  // no further elements will come
	stop     atomic.Bool  // nothing is to be delivered any more: cancelled, failed, or ended
	leaving  earlyCancel  // set by Cancel
	loop     protocol.Drain
}

func (s *switchMapSubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	defer up.Request(reactor.Unbounded) // also if downstream ends the goroutine
	s.down.OnSubscribe(s)
}

func (s *switchMapSubscriber[T, R]) OnNext(v T) {
	switch {
	case s.stop.Load():
		s.leaving.refuse(s.up, s.discard, v)
		return
	case s.done.Load():
		reactor.DropNext(s.ctx, v)
		return
	}
	if old, replaced := s.next.Put(v); replaced {
		pending.Discard(s.discard, old)
	}
	defer s.loop.Run(s) // also if a function that hears of what follows ends the goroutine
	s.retire()
}

// retire stops the current inner publisher, if there is one. Now, not only in the loop: it may be sending in
// a loop of its own, that of the caller.
func (s *switchMapSubscriber[T, R]) retire() {
	if in := s.current.Load(); in != nil {
		in.retire()
	}
}

func (s *switchMapSubscriber[T, R]) OnError(err error) {
	if s.done.Load() || s.stop.Load() || !s.failures.Add(err) {
		reactor.DropError(s.ctx, err)
		return
	}
	defer s.OnComplete() // also if a function that hears of what follows ends the goroutine
	if !s.delayErrors {
		s.retire()
	}
}

func (s *switchMapSubscriber[T, R]) OnComplete() {
	s.done.Store(true)
	s.loop.Run(s)
}

// Request passes demand on, to the current inner publisher and to those after it.
func (s *switchMapSubscriber[T, R]) Request(n int64) { s.arbiter.Request(n) }

// Cancel stops the source and the current inner publisher.
func (s *switchMapSubscriber[T, R]) Cancel() {
	if s.stop.Swap(true) {
		return
	}
	s.leaving.Store(!s.done.Load())
	// Deferred: a function that hears of a cancellation may end the goroutine.
	defer s.loop.Run(s)
	defer s.leaving.leave(s.up)
	s.arbiter.Cancel()
}

// DrainPass implements protocol.Drainer.
func (s *switchMapSubscriber[T, R]) DrainPass() {
	for s.advance() {
	}
}

// advance goes on to the newest element, if there is one, or ends the stream. It reports
// whether to look again.
func (s *switchMapSubscriber[T, R]) advance() bool {
	if s.stop.Load() {
		s.release()
		return false
	}
	in := s.current.Load()
	done := s.done.Load()
	chaos.Yield()
	fails := s.fails()
	if fails || !s.next.IsEmpty() {
		if in != nil && !in.retire() {
			return false
		}
	} else if !done || in != nil && !in.isOver() {
		return false
	}
	if fails || s.next.IsEmpty() {
		s.finish()
		return false
	}
	v, _ := s.next.Poll()
	var sent int64
	if in != nil {
		sent = in.sent
	}
	if !s.arbiter.Next(sent) {
		pending.Discard(s.discard, v)
		return true
	}
	p, ok := failure.Apply(s.apply, v, s.failed)
	if !ok {
		return true
	}
	if s.stop.Load() {
		pending.Discard(s.discard, v)
		return true
	}
	in = &switchMapInner[T, R]{main: s}
	s.current.Store(in)
	chaos.Yield()
	if !s.next.IsEmpty() || s.fails() { // since: whoever came before has not seen this one
		in.retire()
		pending.Discard(s.discard, v)
		return true
	}
	s.arbiter.Set(&in.link)
	p.Subscribe(s.ctx, in)
	return true
}

// fails reports whether there is an error that does not wait.
func (s *switchMapSubscriber[T, R]) fails() bool {
	return s.fatal.Any() || !s.delayErrors && s.failures.Any()
}

// finish ends the stream; no inner publisher is sending.
func (s *switchMapSubscriber[T, R]) finish() {
	s.stop.Store(true)
	err := s.fatal.Terminate()
	held := s.failures.Terminate()
	if err == nil {
		err = held
	} else if held != nil {
		defer reactor.DropError(s.ctx, held) // also if what follows ends the goroutine
	}
	if err == nil {
		s.down.OnComplete()
		return
	}
	defer s.down.OnError(err) // also if a function that hears of what follows ends the goroutine
	defer s.release()
	s.cancelSource()
}

// fell ends the stream with the failure of an element on its way down, also after a cancellation,
// because that failure settles the elements that stages further down have in flight. The loop sends
// nothing meanwhile, because the inner publisher is in the middle of a signal.
func (s *switchMapSubscriber[T, R]) fell(err error) {
	stopped := s.stop.Swap(true)
	defer s.dropFailures() // also if what follows ends the goroutine
	failure.InTurn(func() {
		if !stopped {
			s.cancelSource()
		}
	}, func() { s.down.OnError(err) })
}

// cancelSource cancels the source, unless it has ended.
func (s *switchMapSubscriber[T, R]) cancelSource() {
	if !s.done.Load() {
		s.up.Cancel()
	}
}

// release discards what waits.
func (s *switchMapSubscriber[T, R]) release() {
	defer s.dropFailures()
	if v, ok := s.next.Poll(); ok {
		pending.Discard(s.discard, v)
	}
}

// dropFailures reports the errors as dropped that nobody will get any more.
func (s *switchMapSubscriber[T, R]) dropFailures() {
	for _, list := range []*failure.List{&s.fatal, &s.failures} {
		if err := list.Terminate(); err != nil {
			reactor.DropError(s.ctx, err)
		}
	}
}

func (s *switchMapSubscriber[T, R]) apply(v T) reactor.Publisher[R] {
	return protocol.Trust(s.op, s.fn(v))
}

// failed takes the failure of fn, called with v; the next pass ends the stream with it.
func (s *switchMapSubscriber[T, R]) failed(v T, err error) {
	defer pending.Discard(s.discard, v) // also if what follows ends the goroutine
	err = reactor.OperatorError(s.ctx, err, v)
	if s.stop.Load() || !s.fatal.Add(err) {
		reactor.DropError(s.ctx, err)
	}
}
