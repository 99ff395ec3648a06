package operators

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/demand"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
)

// ParallelPublisher is a stream split into rails, which have no order between
// them. Each rail obeys the protocol by itself.
type ParallelPublisher[T any] interface {
	// Parallelism returns the number of rails, which is at least 1.
	Parallelism() int
	// SubscribeRails starts the stream; rail i goes to the i-th subscriber. There are
	// exactly as many subscribers as rails.
	SubscribeRails(ctx context.Context, rails []reactor.Subscriber[T])
}

// Parallel deals the elements of src out to n rails, in turn, and leaves out rails
// without demand.
//
//	src:     1 - 2 - 3 - 4 - 5 |
//	         Parallel(2)
//	rail 0:  1 ----- 3 ----- 5 |
//	rail 1:  --- 2 ----- 4 ----|
//
// All rails run on the goroutine where src emits, until [ParallelRunOn] gives each rail
// a worker. It asks src for 256 elements ([Prefetch]), and for another three quarters
// of that number whenever as many were dealt out. Completion reaches every rail; an
// error reaches every rail at once and discards the queued elements. A cancelled rail
// is left out from then on; when all rails are cancelled, src is cancelled.
func Parallel[T any](src reactor.Publisher[T], n int, opts ...ParallelOption) ParallelPublisher[T] {
	argument.Positive("parallel", "number of rails", n)
	c := parallelConfig{prefetch: defaultHopPrefetch()}
	for _, o := range argument.Options("parallel", opts) {
		o.applyParallel(&c)
	}
	return &parallelPublisher[T]{src: protocol.Trust("parallel", src), rails: n, prefetch: positiveSize("parallel", "prefetch", c.prefetch)}
}

// ParallelOption is an option of [Parallel]: [Prefetch].
type ParallelOption interface{ applyParallel(*parallelConfig) }

type parallelConfig struct{ prefetch int }

func (o PrefetchOption) applyParallel(c *parallelConfig) { c.prefetch = int(o) }

type parallelPublisher[T any] struct {
	src      reactor.Publisher[T]
	rails    int
	prefetch int64
}

func (p *parallelPublisher[T]) Parallelism() int { return p.rails }

func (p *parallelPublisher[T]) SubscribeRails(ctx context.Context, rails []reactor.Subscriber[T]) {
	s := &parallelSource[T]{
		ctx:      ctx,
		rails:    make([]parallelRail[T], len(rails)),
		prefetch: p.prefetch,
		discard:  reactor.DiscardHookFor[T](ctx),
		queue:    queue.NewSPSC[T](p.prefetch),
		refill:   demand.NewRefill(p.prefetch),
	}
	s.live.Store(int32(len(rails)))
	for i, sub := range rails {
		down := protocol.Strict(ctx, sub)
		r := &s.rails[i]
		r.main, r.down, r.PushDown = s, down, protocol.Push(down)
	}
	p.src.Subscribe(ctx, s)
}

// parallelSource is the subscriber of src.
type parallelSource[T any] struct {
	protocol.Inner
	ctx      context.Context
	rails    []parallelRail[T]
	prefetch int64
	discard  func(any)            // nil if nobody wants what is discarded
	up       reactor.Subscription // set by OnSubscribe
	queue    queue.SPSC[T]        // offered to by src's signals, polled by the owner of drain

	err   error        // written by src's signals before done, taken by the owner of drain when all rails were told
	done  atomic.Bool  // src has ended
	ready atomic.Bool  // every rail has its subscription
	live  atomic.Int32 // rails that are not cancelled
	drain protocol.Drain

	// What follows belongs to the owner of drain.
	over    bool // src has ended, and everything was dealt out, or nobody wants it
	told    int  // rails that were told so
	heard   bool // one of them has heard of the error of src
	at      int  // rail whose turn it is; while one has an element in flight, the one after it
	failing bool // in DrainCrashed; owner
	refill  demand.Refill
	owed    int64 // what to ask src for instead of elements that have failed
}

// parallelRail is the subscription of one rail.
type parallelRail[T any] struct {
	main      *parallelSource[T]
	down      reactor.Subscriber[T]
	requested atomic.Int64 // sum of what the rail has asked for
	cancelled atomic.Bool

	// What follows belongs to the owner of main.drain.
	protocol.LoopSender[T]
	emitted int64
	_       [64]byte // keeps the counters of rails, which run in parallel, apart
}

func (s *parallelSource[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	defer s.drain.Run(s)
	n := len(s.rails)
	failure.Persist(n+1, func(i int) bool { // a subscriber may end the goroutine
		if i < n {
			s.rails[i].down.OnSubscribe(&s.rails[i])
			return true
		}
		s.ready.Store(true)
		up.Request(s.prefetch)
		return false
	})
}

func (s *parallelSource[T]) OnNext(v T) {
	if s.done.Load() {
		reactor.DropNext(s.ctx, v)
		return
	}
	if !s.queue.Offer(v) {
		s.overflow(v)
		return
	}
	s.drain.Run(s)
}

// overflow ends the stream because v found no room, and discards v.
func (s *parallelSource[T]) overflow(v T) {
	failure.InTurn(s.up.Cancel, func() { // which may end the goroutine
		s.err = reactor.OperatorError(s.ctx, reactor.Failure("parallel", reactor.ErrOverflow,
			"the source sent more than the %d elements it was asked for", s.prefetch), v)
		s.drop(v)
		s.done.Store(true)
		s.drain.Run(s)
	})
}

func (s *parallelSource[T]) OnError(err error) {
	if s.done.Load() {
		reactor.DropError(s.ctx, err)
		return
	}
	s.err = err
	s.done.Store(true)
	s.drain.Run(s)
}

func (s *parallelSource[T]) OnComplete() {
	if !s.done.Load() {
		s.done.Store(true)
		s.drain.Run(s)
	}
}

// Request adds to the demand of the rail.
func (r *parallelRail[T]) Request(n int64) {
	demand.Add(&r.requested, n)
	if r.main.ready.Load() {
		r.main.drain.Run(r.main)
	}
}

// Cancel leaves the rail out from now on.
func (r *parallelRail[T]) Cancel() {
	if r.cancelled.Swap(true) {
		return
	}
	defer r.main.drain.Run(r.main) // also if a function that hears of it ends the goroutine
	if r.main.live.Add(-1) == 0 {
		r.main.up.Cancel()
	}
}

func (r *parallelRail[T]) wants() bool {
	return r.requested.Load() != r.emitted && !r.cancelled.Load()
}

// DrainPass deals out what is queued.
func (s *parallelSource[T]) DrainPass() {
	if n := s.owed; n > 0 {
		s.owed = 0
		s.up.Request(n)
	}
	for !s.ended() {
		r := s.next()
		if r == nil {
			return
		}
		v, ok := s.queue.Poll()
		if !ok {
			return
		}
		s.at++
		r.InFlight.Send(r.PushDown, v)
		r.emitted++
		if n := s.refill.Consumed(1); n > 0 {
			s.up.Request(n)
		}
	}
}

// next returns the rail whose turn it is, nil if there is no demand anywhere.
func (s *parallelSource[T]) next() *parallelRail[T] {
	n := len(s.rails)
	for i := range n {
		if at := (s.at + i) % n; s.rails[at].wants() {
			s.at = at
			return &s.rails[at]
		}
	}
	return nil
}

// ended reports whether nothing is left to deal out; if so, it ends the rails.
func (s *parallelSource[T]) ended() bool {
	if !s.ready.Load() {
		return true // the end waits for the last OnSubscribe
	}
	if !s.over {
		s.over = s.live.Load() == 0 || s.done.Load() && (s.err != nil || s.queue.IsEmpty())
	}
	if !s.over {
		return false
	}
	for v, ok := s.queue.Poll(); ok; v, ok = s.queue.Poll() {
		s.drop(v)
	}
	for s.done.Load() && s.told < len(s.rails) {
		r := &s.rails[s.told]
		s.told++
		switch {
		case r.cancelled.Load():
		case s.err != nil:
			s.heard = true
			r.down.OnError(s.err)
		default:
			r.down.OnComplete()
		}
	}
	if s.told == len(s.rails) && s.err != nil {
		err := s.err
		s.err = nil // else it would hang on the subscription of a rail that somebody keeps
		if !s.heard {
			reactor.DropError(s.ctx, err)
		}
	}
	return true
}

// DrainCrashed ends one rail because it failed downstream; the others go on.
func (s *parallelSource[T]) DrainCrashed(_ protocol.Drainer, err error) {
	if s.failing { // the rail was told, and somebody has ended the goroutine
		s.failing = false
		return
	}
	if s.at == 0 || !s.rails[s.at-1].InFlight.Full() {
		reactor.DropError(s.ctx, err)
		return
	}
	r := &s.rails[s.at-1]
	s.failing = true
	s.owed = s.refill.Consumed(1) // the other rails share what src was asked for; the next pass asks
	clean := false
	defer func() { // also if a function that hears of what follows ends the goroutine
		r.InFlight.Crash(s.ctx, r.down, false, err)
		s.failing = !clean // then there is a second call
	}()
	if !r.cancelled.Swap(true) && s.live.Add(-1) == 0 {
		s.up.Cancel()
	}
	clean = true
}

func (s *parallelSource[T]) drop(v T) {
	if s.discard != nil {
		s.discard(v)
	}
}

// ParallelFrom makes each of the sources a rail.
func ParallelFrom[T any](sources ...reactor.Publisher[T]) ParallelPublisher[T] {
	argument.Positive("parallelFrom", "number of sources", len(sources))
	return parallelSources[T](protocol.TrustAll("parallelFrom", sources))
}

type parallelSources[T any] []reactor.Publisher[T]

func (p parallelSources[T]) Parallelism() int { return len(p) }

func (p parallelSources[T]) SubscribeRails(ctx context.Context, rails []reactor.Subscriber[T]) {
	failure.Persist(len(rails), func(i int) bool { p[i].Subscribe(ctx, rails[i]); return true })
}

// ParallelSubscribe starts src with one subscriber for each rail; any other number of
// subscribers panics, and so does a nil subscriber.
func ParallelSubscribe[T any](ctx context.Context, src ParallelPublisher[T], rails ...reactor.Subscriber[T]) {
	argument.NotNil("parallelSubscribe", "source", src)
	if n := src.Parallelism(); len(rails) != n {
		panic(fmt.Sprintf("reactor: parallelSubscribe: %d subscribers for %d rails", len(rails), n))
	}
	strict := make([]reactor.Subscriber[T], len(rails))
	for i, s := range rails {
		strict[i] = protocol.Strict(ctx, s)
	}
	src.SubscribeRails(ctx, strict)
}
