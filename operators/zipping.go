package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
)

// zipping is the subscription of a zip. Each source fills a batch that belongs to the
// drain loop; as many rows as all batches hold, and as there is demand for, are
// combined and sent in one go. When it runs out of one or the other it asks the
// sources for as many elements as were combined.
//
// If some sources, not all, have one element that is known at once, there is one row
// at most: of the others only the first element is wanted, and the row is combined
// as soon as it is there.
type zipping[R any] struct {
	rowsCore
	down    reactor.Subscriber[R]
	push    func(R) // hands elements to down
	members []zipMember
	row     zipRow[R]

	// Touched by the owner of the drain only.
	over bool // the end was sent, or downstream has gone
	made bool // the only row waits in hand for demand
	hand protocol.Hand[R]
}

// zipRow combines the elements at the head of all sources. As long as they were not
// advanced, they are still the sources'.
type zipRow[R any] struct {
	combine func() R
	advance func()
}

// rowsCore is what the sources know of a stage that combines their elements to rows, of
// whatever type it is.
type rowsCore struct {
	ctx      context.Context
	discard  func(any)        // nil if nobody wants what is discarded
	stage    protocol.Drainer // the stage
	drain    protocol.Drain
	prefetch int64
	single   bool // one row at most; written before sources are subscribed

	requested atomic.Int64
	failures  protocol.Failures
	failed    atomic.Bool // after failures got one
	cancelled atomic.Bool // downstream has cancelled
	stop      atomic.Bool // nothing is to be combined any more: cancelled, failed, or ended
}

// zipMember is a [zipSource] of any type.
type zipMember interface {
	// call takes the element of a source that is known at once. The first
	// result is false for all other sources.
	call() (scalar, some bool, err error)
	subscribe()
	cancel()
	// The methods below are for the owner of the drain.

	// fill returns how many elements there are to be combined, at least one if
	// any has come. ended reports that there will not be any.
	fill() (n int, ended bool)
	// refill tells how many elements were combined.
	refill(n int64)
	// clear discards what waits.
	clear()
}

// zipSetup makes the members of one subscription, which know their types, and the
// call of the user's function.
type zipSetup[R any] func(*rowsCore) ([]zipMember, zipRow[R])

func subscribeZip[R any](ctx context.Context, s reactor.Subscriber[R], prefetch int64, setup zipSetup[R]) {
	z := &zipping[R]{down: protocol.Strict(ctx, s)}
	z.ctx, z.discard, z.stage, z.prefetch = ctx, reactor.DiscardHookFor[R](ctx), z, prefetch
	z.members, z.row = setup(&z.rowsCore)
	scalars, ok := z.callScalars()
	if !ok {
		return
	}
	z.single = scalars > 0 && scalars < len(z.members)
	z.push = protocol.Push(z.down)
	z.down.OnSubscribe(z)
	protocol.Persist(len(z.members), func(i int) bool {
		// A source that has ended doesn't keep the others from being subscribed;
		// they are cancelled as soon as they are.
		wanted := !z.cancelled.Load() && !z.failed.Load() && !(z.single && z.stop.Load())
		if wanted {
			z.members[i].subscribe()
		}
		return wanted
	})
}

// callScalars asks the members that have one element at once for it and returns how many they
// are. It reports false if that was the end of the stream.
func (z *zipping[R]) callScalars() (scalars int, ok bool) {
	asked := 0
	end := func(err error) {
		for _, m := range z.members[:asked] {
			m.clear()
		}
		if err != nil {
			protocol.Fail(z.down, reactor.OperatorError(z.ctx, err, nil))
		} else {
			protocol.Complete(z.down)
		}
	}
	ok = true
	protocol.Guard(func() {
		for _, m := range z.members {
			scalar, some, err := m.call()
			if scalar {
				scalars++
			}
			if scalar && (err != nil || !some) {
				ok = false
				end(err)
				return
			}
			asked++
		}
	}, end)
	return scalars, ok
}

// fail ends the stream because of a source.
func (z *rowsCore) fail(err error) {
	if z.cancelled.Load() || !z.failures.Add(err) {
		reactor.DropError(z.ctx, err)
		return
	}
	z.failed.Store(true)
	z.stop.Store(true)
	z.drain.Run(z.stage)
}

func (z *zipping[R]) Request(n int64) {
	protocol.AddDemand(&z.requested, n)
	z.drain.Run(z)
}

func (z *zipping[R]) Cancel() {
	if z.cancelled.Swap(true) {
		return
	}
	z.stop.Store(true)
	// At once, not when the drain gets round to it.
	for _, m := range z.members {
		m.cancel()
	}
	z.drain.Run(z)
}

// DrainPass implements protocol.Drainer.
func (z *zipping[R]) DrainPass() {
	if z.over {
		z.clear()
		return
	}
	if z.made {
		z.emitOnly()
		return
	}
	demand := z.requested.Load()
	sent := int64(0)
	for !z.stopped() {
		n, ended := z.rows()
		if ended {
			z.close()
			z.down.OnComplete()
			return
		}
		if n > 0 && z.single {
			z.hand.Hold(z.row.combine())
			z.row.advance()
			z.made = true
			z.emitOnly()
			return
		}
		if n = min(n, demand-sent); n == 0 {
			z.produced(demand, sent)
			return
		}
		for i := int64(0); i < n && !z.stop.Load(); i++ {
			v := z.row.combine()
			z.row.advance()
			z.hand.Hold(v)
			z.push(v)
			z.hand.Sent()
			sent++
		}
		z.hand.LetGo()
	}
}

// rows returns how many rows can be combined; ended reports that there will not be
// any.
func (z *zipping[R]) rows() (n int64, ended bool) {
	n = reactor.Unbounded
	for _, m := range z.members {
		k, ended := m.fill()
		if ended {
			return 0, true
		}
		n = min(n, int64(k))
	}
	return n, false
}

// produced asks the sources for as many elements as were sent.
func (z *zipping[R]) produced(demand, sent int64) {
	if sent == 0 {
		return
	}
	for _, m := range z.members {
		m.refill(sent)
	}
	if demand != reactor.Unbounded {
		protocol.Produced(&z.requested, sent)
	}
}

// emitOnly sends the only row as soon as there is demand.
func (z *zipping[R]) emitOnly() {
	if z.stopped() || z.requested.Load() == 0 {
		return
	}
	z.made = false
	z.push(z.hand.Item())
	z.hand.LetGo()
	if !z.stopped() {
		z.close()
		z.down.OnComplete()
	}
}

// stopped reports whether downstream has cancelled or a source has failed, and ends
// the stream if so.
func (z *zipping[R]) stopped() bool {
	switch {
	case !z.stop.Load():
		return false
	case z.cancelled.Load():
		z.close()
	default:
		err := z.failures.Terminate()
		z.close()
		z.down.OnError(err)
	}
	return true
}

// close cancels all sources and discards what waits.
func (z *zipping[R]) close() {
	z.over = true
	z.stop.Store(true)
	if err := z.failures.Terminate(); err != nil {
		reactor.DropError(z.ctx, err)
	}
	for _, m := range z.members {
		m.cancel()
	}
	z.clear()
	if z.made {
		v := z.hand.Item()
		z.made = false
		z.hand.LetGo()
		discardTo(z.discard, v)
	}
}

func (z *zipping[R]) clear() {
	for _, m := range z.members {
		m.clear()
	}
}

// DrainCrashed implements protocol.Drainer: the function or downstream has failed.
func (z *zipping[R]) DrainCrashed(err error) {
	over := z.over
	if !over {
		z.close()
	}
	z.hand.Crash(z.ctx, z.down, over, err)
}
