package operators

import (
	"context"
	"io"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// UsingOption is an option of [Using], [UsingCloser] and their Mono forms.
type UsingOption interface{ applyUsing(*usingConfig) }

type usingConfig struct{ late bool }

// LateReleaseOption makes [Using] release the resource after downstream has learnt of
// the end.
type LateReleaseOption bool

// LateRelease makes [Using] release the resource after downstream has learnt of the
// end, not before. A failure of the release is then reported as a dropped error.
func LateRelease() LateReleaseOption { return true }

func (o LateReleaseOption) applyUsing(c *usingConfig) { c.late = bool(o) }

// Using ties a resource to a subscription. It acquires the resource at subscription, emits
// the elements of the publisher that use makes of it, and releases it once: at the end or
// at the cancellation, whichever comes first.
//
//	lines:  a --- b --- c |
//	        Using(open, lines, close)
//	out:    a --- b --- c |      open() at subscription, close(r) before |
//
// Demand goes to the publisher of use. An error of acquire is the error of the stream, and
// nothing is released. Because the resource is released before downstream learns of the
// end, an error of release takes the place of completion, or is joined with the error of
// the stream; see [LateRelease]. At cancellation, and when a stage below fails, an error
// of release is reported as dropped. acquire and use run on the goroutine that subscribes;
// release runs on the goroutine on which the stream ends or is cancelled.
//
// acquire gets the context of the subscription: for its values, and to end what acquire
// itself waits for, because there is nothing to cancel yet. That context does not end with
// the stream. release has to end whatever still runs when acquire has returned.
func Using[T, R any](
	acquire func(context.Context) (R, error), use func(R) reactor.Publisher[T], release func(R) error, opts ...UsingOption,
) reactor.Publisher[T] {
	return newUsing("using", acquire, use, release, opts, false)
}

// MonoUsing is [Using] for a publisher of at most one element, which is its end:
// the resource is released before the element goes down.
//
//	src:  --- a |
//	      MonoUsing(open, first, close)
//	out:  --- a |      close(r) before a
func MonoUsing[T, R any](
	acquire func(context.Context) (R, error), use func(R) reactor.Publisher[T], release func(R) error, opts ...UsingOption,
) reactor.Publisher[T] {
	return newUsing("using", acquire, use, release, opts, true)
}

// UsingCloser is [Using] for a resource that is released by its Close method.
//
//	lines:  a --- b |
//	        UsingCloser(open, lines)
//	out:    a --- b |      f.Close() before |
func UsingCloser[T any, C io.Closer](
	acquire func(context.Context) (C, error), use func(C) reactor.Publisher[T], opts ...UsingOption,
) reactor.Publisher[T] {
	return newUsing("using", acquire, use, C.Close, opts, false)
}

// MonoUsingCloser is [MonoUsing] for a resource that is released by its Close
// method.
//
//	src:  --- a |
//	      MonoUsingCloser(open, first)
//	out:  --- a |      f.Close() before a
func MonoUsingCloser[T any, C io.Closer](
	acquire func(context.Context) (C, error), use func(C) reactor.Publisher[T], opts ...UsingOption,
) reactor.Publisher[T] {
	return newUsing("using", acquire, use, C.Close, opts, true)
}

type usingPublisher[T, R any] struct {
	protocol.Op
	acquire func(context.Context) (R, error)
	use     func(R) reactor.Publisher[T]
	release func(R) error
	config  usingConfig
	single  bool
}

func newUsing[T, R any](
	op string, acquire func(context.Context) (R, error), use func(R) reactor.Publisher[T], release func(R) error,
	opts []UsingOption, single bool,
) reactor.Publisher[T] {
	argument.Given(op, "function that acquires", acquire != nil)
	argument.Given(op, "function that uses", use != nil)
	argument.Given(op, "function that releases", release != nil)
	p := &usingPublisher[T, R]{acquire: acquire, use: use, release: release, single: single}
	for _, o := range argument.Options(op, opts) {
		o.applyUsing(&p.config)
	}
	return p
}

func (p *usingPublisher[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &usingSubscriber[T, R]{p: p, ctx: ctx, down: protocol.Strict(ctx, s)}
	fail := func(err error) { protocol.Fail(sub.down, reactor.OperatorError(ctx, err, nil)) }
	var err error
	if !failure.Guard(func() { sub.resource, err = p.acquire(ctx) }, fail) {
		return
	}
	if err != nil {
		fail(err)
		return
	}
	var src reactor.Publisher[T]
	if failure.Guard(func() { src = protocol.Trust("using", p.use(sub.resource)) }, func(err error) {
		err = reactor.OperatorError(ctx, err, nil)
		defer func() { protocol.Fail(sub.down, err) }() // also if the function that releases ends the goroutine
		sub.release(func(second error) { err = failure.Both(second, err) })
	}) {
		src.Subscribe(ctx, sub)
	}
}

// Computable reports whether nothing has to be done when downstream has learnt of the end: see [direct.Is].
func (p *usingPublisher[T, R]) Computable() direct.Way { return whole(p.single && !p.config.late) }

// Direct implements direct.Source.
func (p *usingPublisher[T, R]) Direct(ctx context.Context) (v T, ok bool, err error) {
	resource, err := p.acquire(ctx)
	if err != nil {
		return v, false, err
	}
	held, returned := true, false
	defer func() {
		switch {
		case returned:
			return
		case !held: // the function that releases has ended the goroutine
			if ok {
				abandon(ctx, v)
			}
			return
		}
		r := recover()
		failed := failure.Recovered(r)
		v, ok, err = *new(T), false, p.released(ctx, resource, failed)
		if r == nil && err != failed { // nothing is returned from a goroutine that ends
			reactor.DropError(ctx, err)
		}
	}()
	var src reactor.Publisher[T]
	if ctx.Err() == nil {
		src = protocol.Trust("using", p.use(resource))
	}
	var failed error
	switch {
	case src == nil, ctx.Err() != nil:
		if k, is := src.(keeping); is {
			k.giveUp(ctx)
		}
		failed = context.Cause(ctx)
	case isComputable(src):
		v, ok, failed, err = attempted(ctx, src)
	default:
		err = &instead[T]{src}
	}
	held = false
	if of, is := err.(*instead[T]); is {
		returned = true
		return v, false, &instead[T]{&usingBegun[T, R]{p: p, resource: resource, src: of.src}}
	}
	if failed == nil {
		failed = err
	}
	err = p.released(ctx, resource, failed)
	if returned = true; err != nil && ok {
		abandon(ctx, v)
		v, ok = *new(T), false
	}
	return v, ok, err
}

// released releases a resource, and returns how the stream ends that has failed so far, or nil.
func (p *usingPublisher[T, R]) released(ctx context.Context, resource R, failed error) (err error) {
	failure.Guard(func() { err = p.release(resource) }, func(broken error) { err = broken })
	switch {
	case err == nil:
		return failed
	case ctx.Err() != nil:
		reactor.DropError(ctx, reactor.OperatorError(ctx, err, nil))
		return failed
	}
	if err = reactor.OperatorError(ctx, err, nil); failed != nil {
		err = failure.Both(err, failed)
	}
	return err
}

// usingBegun is the source of a resource that was acquired. It is subscribed to once, in any case: that releases the resource.
type usingBegun[T, R any] struct {
	protocol.Op
	p        *usingPublisher[T, R]
	resource R
	src      reactor.Publisher[T]
}

func (b *usingBegun[T, R]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	b.src.Subscribe(ctx, &usingSubscriber[T, R]{p: b.p, ctx: ctx, down: protocol.Strict(ctx, s), resource: b.resource})
}

type usingSubscriber[T, R any] struct {
	protocol.Inner
	p        *usingPublisher[T, R]
	ctx      context.Context
	down     reactor.Subscriber[T]
	up       reactor.Subscription
	resource R                // written before the source is subscribed to, taken by the one who releases it
	released atomic.Bool      // somebody releases it, or has
	call     protocol.Calling // inside down.OnNext; signals of upstream only
	done     bool             // ended by its one element; signals of upstream only
}

func (s *usingSubscriber[T, R]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *usingSubscriber[T, R]) OnNext(v T) {
	if s.p.single {
		s.onOnly(v)
		return
	}
	s.call.Deliver(s.down, v)
}

// Push implements protocol.Pusher.
func (s *usingSubscriber[T, R]) Push() func(T) {
	if s.p.single {
		return s.OnNext
	}
	return s.call.Around(protocol.Push(s.down))
}

// onOnly delivers the one element of a Mono; that element is the end.
func (s *usingSubscriber[T, R]) onOnly(v T) {
	if s.done {
		reactor.DropNext(s.ctx, v)
		return
	}
	s.done = true
	if !s.p.config.late && !s.release(func(err error) {
		reactor.Discard(s.ctx, v)
		s.down.OnError(err)
	}) {
		return
	}
	s.call.Deliver(s.down, v)
	if s.p.config.late {
		defer s.releaseLate() // also if downstream ends the goroutine
	}
	s.down.OnComplete()
}

func (s *usingSubscriber[T, R]) OnError(err error) {
	switch {
	case s.call.Failed():
		// Downstream failed, which is a cancellation here.
		defer s.down.OnError(err) // also if the function that releases ends the goroutine
		s.releaseLate()
		return
	case s.done:
		reactor.DropError(s.ctx, err)
		return
	case !s.p.config.late:
		if !s.release(func(second error) { s.down.OnError(failure.Both(second, err)) }) {
			return
		}
	}
	if s.p.config.late {
		defer s.releaseLate() // also if downstream ends the goroutine
	}
	s.down.OnError(err)
}

func (s *usingSubscriber[T, R]) OnComplete() {
	if s.done || !s.p.config.late && !s.release(s.down.OnError) {
		return
	}
	if s.p.config.late {
		defer s.releaseLate() // also if downstream ends the goroutine
	}
	s.down.OnComplete()
}

// Attach lets h know of the runs of the source.
func (s *usingSubscriber[T, R]) Attach(h *protocol.Half) bool { return h.Attach(s.up) }

// Host returns the protocol.Host behind it.
func (s *usingSubscriber[T, R]) Host() protocol.Host { return protocol.HostOf(s.up) }

func (s *usingSubscriber[T, R]) Request(n int64) { s.up.Request(n) }

func (s *usingSubscriber[T, R]) Cancel() {
	if !s.released.Load() {
		defer s.releaseLate() // also if a function that hears of what follows ends the goroutine
		s.up.Cancel()
	}
}

// release releases the resource, the first time, and reports whether that went
// well; if not, failed gets the error.
func (s *usingSubscriber[T, R]) release(failed func(error)) (ok bool) {
	if s.released.Swap(true) {
		return true
	}
	broken := func(err error) { failed(reactor.OperatorError(s.ctx, err, nil)) }
	resource := pending.Take(&s.resource) // somebody may keep the subscription, such as concatMap until the next one comes
	var err error
	if !failure.Guard(func() { err = s.p.release(resource) }, broken) {
		return false
	}
	if err != nil {
		broken(err)
		return false
	}
	return true
}

// releaseLate is release when nobody downstream waits for the result.
func (s *usingSubscriber[T, R]) releaseLate() {
	s.release(func(err error) { reactor.DropError(s.ctx, err) })
}
