package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// Distinct emits the elements whose key was not seen before and discards the
// others.
//
//	src:  a --- b --- a --- c |
//	      Distinct(identity)
//	out:  a --- b --------- c |
//
// The keys of a subscription are kept until its end. Demand passes through; for
// each discarded element one more is requested. A panic of key cancels src and
// ends the stream. key runs on the goroutine of src.
func Distinct[T any, K comparable](src reactor.Publisher[T], key func(T) K) reactor.Publisher[T] {
	argument.Given("distinct", "key function", key != nil)
	return DistinctIn(src, func() *keySet[K] { return &keySet[K]{} },
		func(seen *keySet[K], v T) bool { return seen.add(key(v)) }, nil)
}

// DistinctIn is [Distinct] with a store that the caller provides, for example a Bloom
// filter or a bounded cache. newStore makes the store of each subscription. isNew
// records an element and reports whether to emit it. cleanup, which may be nil, is
// called once when the subscription has ended; if the cancellation comes from another
// goroutine, it may run at the same time as isNew.
func DistinctIn[T, S any](src reactor.Publisher[T], newStore func() S, isNew func(S, T) bool, cleanup func(S)) reactor.Publisher[T] {
	argument.Given("distinct", "store function", newStore != nil)
	argument.Given("distinct", "predicate", isNew != nil)
	if cleanup == nil {
		cleanup = func(S) {}
	}
	return &distinctPublisher[T, S]{src: protocol.Trust("distinct", src), newStore: newStore, isNew: isNew, cleanup: cleanup}
}

type distinctPublisher[T, S any] struct {
	protocol.Op
	src      reactor.Publisher[T]
	newStore func() S
	isNew    func(S, T) bool
	cleanup  func(S)
}

func (p *distinctPublisher[T, S]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &distinctSubscriber[T, S]{isNew: p.isNew, cleanup: p.cleanup}
	sub.down = initFiltering(ctx, &sub.filtering, s)
	made := false
	failure.Guard(func() { sub.store, made = p.newStore(), true }, func(err error) {
		protocol.Fail(sub.down, reactor.OperatorError(ctx, err, nil))
	})
	if made {
		p.src.Subscribe(ctx, sub)
	}
}

type distinctSubscriber[T, S any] struct {
	filtering
	down    reactor.Subscriber[T]
	store   S // touched by the signals of upstream, and by who sets cleaned
	isNew   func(S, T) bool
	over    bool // store is gone; touched by the signals of upstream
	cleanup func(S)
	cleaned atomic.Bool // cleanup is called, or was
}

func (s *distinctSubscriber[T, S]) OnSubscribe(up reactor.Subscription) {
	s.Up, s.demand.up = up, up
	s.Down.OnSubscribe(s)
}

func (s *distinctSubscriber[T, S]) Request(n int64) { s.demand.Request(n) }

func (s *distinctSubscriber[T, S]) OnNext(v T) {
	if !s.over && s.isNew(s.store, v) {
		s.down.OnNext(v)
		return
	}
	reject(&s.filtering, v)
}

// Push implements protocol.Pusher.
func (s *distinctSubscriber[T, S]) Push() func(T) {
	next := protocol.Push(s.down)
	return func(v T) {
		if !s.over && s.isNew(s.store, v) {
			next(v)
			return
		}
		reject(&s.filtering, v)
	}
}

func (s *distinctSubscriber[T, S]) OnError(err error) {
	defer s.Link.OnError(err) // also if the cleanup ends the goroutine, as below
	s.ended()
}

func (s *distinctSubscriber[T, S]) OnComplete() {
	defer s.Link.OnComplete()
	s.ended()
}

func (s *distinctSubscriber[T, S]) Cancel() {
	defer s.cancelled() // also if a function that hears of it ends the goroutine
	s.Up.Cancel()
}

// Attach lets h know of the runs of the source.
func (s *distinctSubscriber[T, S]) Attach(h *protocol.Half) bool { return h.Attach(s.Up) }

// Host returns the protocol.Host behind it.
func (s *distinctSubscriber[T, S]) Host() protocol.Host { return protocol.HostOf(s.Up) }

// ended lets go of the store: somebody may keep the subscription, such as concatMap until the next one comes.
func (s *distinctSubscriber[T, S]) ended() {
	if !s.cleaned.Swap(true) {
		s.over = true // a source that does not know of its end may send more
		s.clean(pending.Take(&s.store))
	}
}

// cancelled leaves the store where it is, as src may be in the middle of an element.
func (s *distinctSubscriber[T, S]) cancelled() {
	if !s.cleaned.Swap(true) {
		s.clean(s.store)
	}
}

func (s *distinctSubscriber[T, S]) clean(store S) {
	failure.Guard(func() { s.cleanup(store) }, func(err error) { reactor.DropError(s.Ctx, err) })
}
