package operators

import (
	"context"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/upstream"
)

// FlatMapOption configures [FlatMap]: [Concurrency] (default 256), [Prefetch]
// (default 32), [DelayErrors].
type FlatMapOption interface{ applyFlatMap(*flatMapConfig) }

type flatMapConfig struct {
	op                    string // for errors
	concurrency, prefetch int64
	delayErrors, verbatim bool
}

func (n ConcurrencyOption) applyFlatMap(c *flatMapConfig) {
	c.concurrency = positiveSize(c.op, "concurrency", int(n))
}

func (n PrefetchOption) applyFlatMap(c *flatMapConfig) {
	c.prefetch = positiveSize(c.op, "prefetch", int(n))
}

func (d DelayErrorsOption) applyFlatMap(c *flatMapConfig) { c.delayErrors = bool(d) }

func (o VerbatimOption) applyFlatMap(c *flatMapConfig) { c.verbatim = bool(o) }

// FlatMap subscribes to the publisher that fn returns for each element, and emits what
// these publishers send, in the order in which it comes.
//
//	src:  1 --- 2 ---------- |
//	      FlatMap(n => n, 10n, each 4 later)
//	out:  1 --- 2 -10 --- 20 |
//
// At most [Concurrency] inner publishers are subscribed at a time: that many elements are
// requested from src, and one more for each that ends. Each inner publisher is asked for
// [Prefetch] elements ahead of demand; they wait in a queue of its own. Publishers that
// have at most one element and know it at once ([Just], [Empty], …) are not subscribed to.
//
// FlatMap starts no goroutines. Inner publishers run at the same time only if each works
// on a goroutine of its own: one that works on the goroutine that requests, such as
// [FromFunc], keeps the next one waiting unless it has a [SubscribeOn].
//
// The first error, of src, of fn, or of an inner publisher, cancels src and all inner
// publishers, discards the elements that wait and ends the stream. With [DelayErrors]
// inner publishers and src run on, and their errors, joined if there are several, come at
// the end. A nil publisher is an error of fn.
//
// Cancellation cancels src and all inner publishers: at once or, if an element is on its
// way down, when downstream has taken that element. fn runs on the goroutine of src.
// Elements are emitted on whatever goroutine delivers first: that of an inner publisher or
// of a request.
func FlatMap[T, R any](
	src reactor.Publisher[T], fn func(T) reactor.Publisher[R], opts ...FlatMapOption,
) reactor.Publisher[R] {
	argument.Given("flatMap", "mapper", fn != nil)
	return newFlatMap("flatMap", src, fn, opts)
}

func newFlatMap[T, R any](
	op string, src reactor.Publisher[T], fn func(T) reactor.Publisher[R], opts []FlatMapOption,
) *flatMapPublisher[T, R] {
	p := &flatMapPublisher[T, R]{
		src: protocol.Trust(op, src), fn: fn,
		flatMapConfig: flatMapConfig{op: op, concurrency: defaultConcurrency(), prefetch: defaultPrefetch()},
	}
	for _, o := range argument.Options(op, opts) {
		o.applyFlatMap(&p.flatMapConfig)
	}
	return p
}

// What is asked for, and subscribed, where no option says it. REACTOR_BUFFER_SIZE_SMALL and
// REACTOR_BUFFER_SIZE_X change it for a whole process. defaultHopPrefetch is that of stages that pass
// elements to another goroutine.
func defaultConcurrency() int64 { return int64(queue.Small()) }
func defaultPrefetch() int64    { return int64(queue.ExtraSmall()) }
func defaultHopPrefetch() int   { return queue.Small() }

// positiveSize converts a size given by the user to the demand it stands for.
func positiveSize(op, name string, n int) int64 {
	argument.Positive(op, name, n)
	return count(n)
}

type flatMapPublisher[T, R any] struct {
	protocol.Op
	src    reactor.Publisher[T]
	fn     func(T) reactor.Publisher[R]
	always bool // fn is called by the stage, also for the only element of a source that is known
	flatMapConfig
}

func (p *flatMapPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[R]) {
	if !p.always && flatMapScalar(p.op, ctx, p.src, p.fn, s, upstream.Continuing(ctx)) {
		return
	}
	sub := &flatMapSubscriber[T, R]{fn: p.fn}
	sub.main.begin(p.op, ctx, s, p.concurrency, p.prefetch, p.delayErrors)
	sub.main.inBatches = p.verbatim
	p.src.Subscribe(ctx, sub)
}

type flatMapSubscriber[T, R any] struct {
	protocol.Inner
	main flatMapMain[R] // the subscription handed down; a field, since its methods would be compiled for each T and R
	fn   func(T) reactor.Publisher[R]
}

func (s *flatMapSubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.main.up = up
	defer up.Request(s.main.concurrency) // also if downstream ends the goroutine
	s.main.down.OnSubscribe(&s.main)
}

func (s *flatMapSubscriber[T, R]) OnNext(v T) {
	if s.main.done.Load() {
		reactor.DropNext(s.main.ctx, v)
		return
	}
	if s.main.stop.Load() {
		pending.Discard(s.main.discard, v)
		return
	}
	p, ok := s.apply(v)
	if !ok {
		pending.Discard(s.main.discard, v)
		s.main.addNothing()
		return
	}
	s.take(p, v)
}

// Push implements protocol.Pusher: OnNext without the way through tables where nothing special
// happens. Not inlined, see publishOnSubscriber.Push.
//
//go:noinline
func (s *flatMapSubscriber[T, R]) Push() func(T) {
	if s.main.cont != nil {
		return s.OnNext
	}
	return func(v T) {
		if s.main.done.Load() || s.main.stop.Load() {
			s.OnNext(v)
			return
		}
		p := s.fn(v)
		if j, ok := p.(*justPublisher[R]); ok {
			s.main.addScalar(j.value)
			return
		}
		s.take(p, v)
	}
}

// take goes on with p, the publisher for v.
func (s *flatMapSubscriber[T, R]) take(p reactor.Publisher[R], v T) {
	if r, ok := constant(p); ok {
		s.main.addScalar(r)
		return
	}
	if f, ok := p.(funcPublisher[R]); ok && !s.main.stop.Load() { // else nobody wants it any more
		if call := s.main.caller.begin(s.main.ctx); call != nil {
			s.callFunc(f, call)
			return
		}
	}
	p = protocol.Trust(s.main.op, p)
	if c, ok := p.(callablePublisher[R, callable[R]]); ok { // known without a look at tables
		s.call(c, v)
		return
	}
	if way := direct.WayOf(p); way != 0 {
		if c, ok := direct.AsCallable[R](p); ok {
			s.call(c, v)
			return
		}
		if call := s.main.beginInPlace(way); call != nil {
			s.main.addComputed(p, call)
			return
		}
	}
	if !s.main.add(p) {
		pending.Discard(s.main.discard, v)
	}
}

// apply calls the function. If it fails with OnErrorContinue in force the result is
// false.
func (s *flatMapSubscriber[T, R]) apply(v T) (p reactor.Publisher[R], ok bool) {
	if s.main.cont == nil {
		return s.fn(v), true
	}
	defer func() {
		if r := recover(); r != nil {
			if err := s.main.cont.Take(failure.Recovered(r), v); err != nil {
				panic(err)
			}
		}
	}()
	return protocol.Trust(s.main.op, s.fn(v)), true
}

// call takes the element of a publisher that has one at most.
func (s *flatMapSubscriber[T, R]) call(c direct.Callable[R], v T) {
	r, ok, err := callGuarded(s.main.ctx, c)
	if err != nil {
		if err = s.main.cont.Take(err, v); err != nil {
			err = reactor.OperatorError(s.main.ctx, err, v)
		}
	}
	switch {
	case err == nil && ok:
		s.main.addScalar(r)
		return
	case err == nil:
	case s.main.delayErrors && s.main.failures.Add(err):
		pending.Discard(s.main.discard, v)
	default:
		s.callFailed(err, v)
	}
	s.main.addNothing()
}

// callFailed ends the stream because the publisher for v has failed.
func (s *flatMapSubscriber[T, R]) callFailed(err error, v T) {
	failure.InTurn( // each may end the goroutine
		s.main.up.Cancel,
		func() { s.main.sourceError(err) },
		func() { pending.Discard(s.main.discard, v) },
	)
}

// callFunc calls a function as the subscription to its publisher would.
func (s *flatMapSubscriber[T, R]) callFunc(f funcPublisher[R], call *callContext) {
	if v, ok := calledBy(f, &s.main.caller, s.main.ctx, call, s.main.innerError); ok {
		s.main.addScalar(v)
	}
}

func (s *flatMapSubscriber[T, R]) OnError(err error) { s.main.sourceError(err) }

func (s *flatMapSubscriber[T, R]) OnComplete() {
	if !s.main.done.Load() {
		s.main.finish()
	}
}

// callGuarded calls c; a panic becomes an error.
func callGuarded[T any](ctx context.Context, c direct.Callable[T]) (v T, ok bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = failure.Recovered(r)
		}
	}()
	return c.Call(ctx)
}

// flatMapScalar subscribes without a stage of its own if src is a [direct.Callable]: s gets the
// publisher that fn returns for the element. It reports whether it has done so. It does not if
// failures are offered to cont, which may be nil: failures of the publisher have to be offered,
// too, and without a stage nobody would offer them.
func flatMapScalar[T, R any](
	op string, ctx context.Context, src reactor.Publisher[T], fn func(T) reactor.Publisher[R], s reactor.Subscriber[R],
	cont *upstream.Continuation,
) bool {
	c, ok := direct.AsCallable[T](src)
	if !ok || cont != nil {
		return false
	}
	var (
		v     T
		inner reactor.Publisher[R]
		inFn  bool
	)
	failure.Guard(func() {
		some := false
		var err error
		switch v, some, err = c.Call(ctx); {
		case err != nil:
			inner = Error[R](reactor.OperatorError(ctx, err, nil))
		case !some:
			inner = Empty[R]()
		default:
			inFn = true
			inner = protocol.Trust(op, fn(v))
		}
	}, func(err error) {
		if !inFn {
			protocol.Fail(protocol.Strict(ctx, s), reactor.OperatorError(ctx, err, nil)) // as if src were subscribed
			return
		}
		err = failure.Renamed(err, "flatMap", op)
		failKnown(ctx, s, v, err)
	})
	if inner != nil {
		inner.Subscribe(ctx, s)
	}
	return true
}

// failKnown ends the stream of s because a function has failed with v, the only element of its source.
func failKnown[T, R any](ctx context.Context, s reactor.Subscriber[R], v T, err error) {
	failure.InTurn( // each may end the goroutine
		func() { reactor.Discard(ctx, v) },
		func() { err = reactor.OperatorError(ctx, err, v) },
		func() { protocol.Fail(protocol.Strict(ctx, s), err) },
	)
}
