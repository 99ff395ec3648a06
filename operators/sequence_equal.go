package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/queue"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/single"
)

// SequenceEqual reports whether both sources send equal elements in the same order and
// then complete.
//
//	a:    1 --- 2 --- 3 |
//	b:    1 - 2 - 4 ---- |
//	      SequenceEqual(a, b)
//	out:  ----------- false |
//
// Each source is asked for a prefetch (256, or [Prefetch]) at once, and for more as elements are
// compared. The first difference cancels both sources; an element without a counterpart, because
// the other source has completed, counts as a difference. An error of either source passes, and
// cancels the other source. The result waits for demand. Elements that were not compared are
// discarded; compared elements are used up. The comparison runs on the goroutine of the source that
// sends last.
func SequenceEqual[T comparable](a, b reactor.Publisher[T], opts ...SequenceEqualOption) reactor.Publisher[bool] {
	return SequenceEqualFunc(a, b, func(x, y T) bool { return x == y }, opts...)
}

// SequenceEqualFunc is [SequenceEqual] for elements that eq compares. A panic of eq
// cancels both sources and ends the stream.
func SequenceEqualFunc[T any](a, b reactor.Publisher[T], eq func(x, y T) bool, opts ...SequenceEqualOption) reactor.Publisher[bool] {
	argument.Given("sequenceEqual", "comparison", eq != nil)
	cfg := sequenceEqualConfig{prefetch: defaultHopPrefetch()}
	for _, o := range argument.Options("sequenceEqual", opts) {
		o.applySequenceEqual(&cfg)
	}
	return &sequenceEqualPublisher[T]{
		a: protocol.Trust("sequenceEqual", a), b: protocol.Trust("sequenceEqual", b),
		eq: eq, sequenceEqualConfig: cfg,
	}
}

// SequenceEqualOption is an option of [SequenceEqual]: [Prefetch], [Verbatim].
type SequenceEqualOption interface{ applySequenceEqual(*sequenceEqualConfig) }

type sequenceEqualConfig struct {
	prefetch int
	verbatim bool
}

func (n PrefetchOption) applySequenceEqual(c *sequenceEqualConfig) {
	argument.Positive("sequenceEqual", "prefetch", n)
	c.prefetch = int(n)
}

func (o VerbatimOption) applySequenceEqual(c *sequenceEqualConfig) { c.verbatim = bool(o) }

type sequenceEqualPublisher[T any] struct {
	protocol.Op
	a, b reactor.Publisher[T]
	eq   func(x, y T) bool
	sequenceEqualConfig
}

func (p *sequenceEqualPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[bool]) {
	c := &sequenceEqual[T]{eq: p.eq, spent: pending.SpentFor[T](ctx), verbatim: p.verbatim}
	c.Ctx, c.Down = ctx, protocol.Strict(ctx, s)
	for i := range c.sides {
		c.sides[i].parent = c
		c.sides[i].prefetch = count(p.prefetch)
		c.sides[i].queue = queue.NewLinked[T](min(p.prefetch, 64))
	}
	defer failure.InTurn(func() { p.a.Subscribe(ctx, &c.sides[0]) }, func() { p.b.Subscribe(ctx, &c.sides[1]) }) // also if downstream ends the goroutine
	c.Down.OnSubscribe(c)
}

// sequenceEqual compares what two sources send; the Slot keeps the result until there is
// demand.
type sequenceEqual[T any] struct {
	protocol.Quiet
	single.Slot[bool]
	drain    protocol.Drain
	eq       func(x, y T) bool
	spent    func(T) // takes elements that are equal; may be nil
	verbatim bool    // the end of both sides is waited for, whatever comes before
	sides    [2]sequenceEqualSide[T]
	asking   protocol.Calling // a pass requests; owner of the drain
	stopped  atomic.Bool      // decided, failed or cancelled: what is queued or still comes is discarded
}

// Cancel cancels both sources.
func (c *sequenceEqual[T]) Cancel() {
	if c.CancelOnce() {
		c.stop()
	}
}

// stop cancels the sources that have not ended, and makes the drain discard what they
// sent.
func (c *sequenceEqual[T]) stop() {
	failure.InTurn(c.sides[0].up.Cancel, c.sides[1].up.Cancel, func() { // either may end the goroutine
		c.stopped.Store(true)
		c.drain.Run(c)
	})
}

// DrainPass implements protocol.Drainer.
func (c *sequenceEqual[T]) DrainPass() {
	x, y := &c.sides[0], &c.sides[1]
	compared := int64(0)
	for {
		if c.stopped.Load() {
			x.clear()
			y.clear()
			return
		}
		// What has ended is read before the queues: elements come before the end.
		xDone, yDone := x.done.Load(), y.done.Load()
		for _, s := range [...]*sequenceEqualSide[T]{x, y} {
			if err := s.takeError(); err != nil {
				defer c.Fail(err) // also if a function that hears of what follows ends the goroutine, as below
				c.stop()
				return
			}
		}
		xOK, yOK := x.peek(), y.peek()
		xOver, yOver := xDone && !xOK, yDone && !yOK
		switch {
		case xOK && yOK:
			if !c.eq(x.head, y.head) {
				defer c.Complete(false)
				c.stop()
				return
			}
			c.use(x)
			c.use(y)
			compared++
			continue
		case xOver && yOver:
			c.stopped.Store(true) // before somebody looks again
			c.Complete(true)
			return
		case (xOver && yOK || yOver && xOK) && (xDone && yDone || !c.verbatim):
			defer c.Complete(false)
			c.stop()
			return
		}
		if compared > 0 {
			c.asking.Begin()
			x.up.Request(compared)
			y.up.Request(compared)
			c.asking.End()
		}
		return
	}
}

// use takes the element that is compared out of s.
func (c *sequenceEqual[T]) use(s *sequenceEqualSide[T]) {
	v := s.head
	s.take()
	if c.spent != nil {
		c.spent(v)
	}
}

// Downstream implements protocol.Fallible.
func (c *sequenceEqual[T]) Downstream() (context.Context, protocol.Signals, bool) {
	return c.Ctx, c.Down, c.stopped.Load() || c.told()
}

// told reports whether a side that was asked has made its error of the Goexit that comes by: the next pass
// sends that. Owner of the drain.
func (c *sequenceEqual[T]) told() bool {
	return c.asking.Active() && (c.sides[0].hasFailed() || c.sides[1].hasFailed())
}

// Fell implements protocol.Fallible: the comparison failed. A result that is decided stays decided:
// then a function that has heard of it has ended the goroutine.
func (c *sequenceEqual[T]) Fell(err error) error {
	told := c.told()
	c.asking.End()
	if !told && !c.stopped.Load() {
		c.CancelOnce()
		c.stop()
	}
	return err
}

// sequenceEqualSide is the subscriber of one source.
type sequenceEqualSide[T any] struct {
	protocol.Inner
	parent   *sequenceEqual[T]
	prefetch int64
	up       protocol.Deferred
	queue    *queue.Linked[T]
	done     atomic.Bool
	err      error // written before done, then the owner's of the drain
	head     T     // the element to be compared next, if full; owner of the drain
	full     bool  // owner of the drain
}

func (s *sequenceEqualSide[T]) OnSubscribe(up reactor.Subscription) {
	if s.up.Set(up) {
		up.Request(s.prefetch)
	}
}

func (s *sequenceEqualSide[T]) OnNext(v T) {
	s.queue.Offer(v)
	s.parent.drain.Run(s.parent)
}

func (s *sequenceEqualSide[T]) OnError(err error) {
	if !s.ended() {
		reactor.DropError(s.parent.Ctx, err)
		return
	}
	s.err = err
	s.done.Store(true)
	s.parent.drain.Run(s.parent)
}

func (s *sequenceEqualSide[T]) OnComplete() {
	s.ended()
	s.done.Store(true)
	s.parent.drain.Run(s.parent)
}

// ended notes that the source is not to be cancelled any more, and reports whether it was not
// cancelled before.
func (s *sequenceEqualSide[T]) ended() bool {
	if s.parent.verbatim {
		return !s.up.IsCancelled()
	}
	return s.up.Close()
}

// peek makes head the next element and reports whether there is one.
func (s *sequenceEqualSide[T]) peek() bool {
	if !s.full {
		s.head, s.full = s.queue.Poll()
	}
	return s.full
}

func (s *sequenceEqualSide[T]) take() { s.head, s.full = *new(T), false }

// takeError takes out the error with which the source has ended, if there is one. Owner of the
// drain.
func (s *sequenceEqualSide[T]) takeError() (err error) {
	if s.done.Load() {
		err, s.err = s.err, nil
	}
	return err
}

// hasFailed reports whether takeError would return an error. Owner of the drain.
func (s *sequenceEqualSide[T]) hasFailed() bool { return s.done.Load() && s.err != nil }

// clear discards what has not been compared, and reports an error that ends nothing any more.
func (s *sequenceEqualSide[T]) clear() {
	if err := s.takeError(); err != nil {
		defer reactor.DropError(s.parent.Ctx, err)
	}
	discard := reactor.DiscardHookFor[T](s.parent.Ctx)
	for s.peek() {
		v := s.head
		s.take()
		if discard != nil {
			discard(v)
		}
	}
}
