package operators

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// zipping is the subscription of a zip. Each source fills a batch that belongs to the
// flow; as many tuples as all batches hold, and as there is demand for, are combined
// and sent in one go. When the flow runs out of tuples or of demand, it asks the
// sources for as many elements as were combined.
//
// If some sources, not all, have one element that is known at once, there is at most
// one tuple: only the first element of each other source is wanted, and the tuple is
// combined as soon as it is complete.
type zipping[R any] struct {
	protocol.Sender[R]
	tuplesCore
	members []zipMember
	tuple   zipTuple[R]

	// What follows belongs to the owner of out.
	made   bool  // the only tuple waits in InFlight for demand
	whole  int   // members, from the left, that were seen to have an element, and have it still
	looked int64 // what changes was when all members were looked at; -1: never, or before the last tuple
}

// zipTuple combines the elements at the head of all sources. As long as they were not
// advanced, they are still the sources'.
type zipTuple[R any] struct {
	combine func() R
	advance func()
}

// tuplesCore is what the sources know of a stage that combines their elements to tuples, of
// whatever type it is.
type tuplesCore struct {
	out      protocol.Outlet
	discard  func(any) // nil if nobody wants what is discarded
	prefetch int64
	single   bool        // one tuple at most; written before sources are subscribed
	failed   atomic.Bool // a source has failed

	begun   atomic.Int32 // members, from the left, that are subscribed or need not be
	changes atomic.Int64 // counts the sources that are to be looked at although others before them have no element
}

// zipMember is a [zipSource] of any type.
type zipMember interface {
	// call takes the element of a source that is known at once. The first
	// result is false for all other sources.
	call() (scalar, some bool, err error)
	subscribe()
	cancel()
	// The methods below are for the owner of out.

	// fill returns how many elements there are to be combined, at least one if
	// any has come. ended reports that there will not be any.
	fill() (n int, ended bool)
	// refill records how many elements were combined.
	refill(n int64)
	// clear discards what waits.
	clear()
}

// zipSetup makes the members of one subscription, which know their types, and the
// call of the user's function.
type zipSetup[R any] func(*tuplesCore) ([]zipMember, zipTuple[R])

func subscribeZip[R any](ctx context.Context, s reactor.Subscriber[R], prefetch int64, setup zipSetup[R]) {
	z := &zipping[R]{}
	z.discard, z.prefetch = reactor.DiscardHookFor[R](ctx), prefetch
	down := protocol.Strict(ctx, s)
	z.out.InRuns = true
	z.Attach(&z.out, ctx, down, z)
	z.members, z.tuple = setup(&z.tuplesCore)
	scalars, ok := z.callScalars(down)
	if !ok {
		return
	}
	z.looked = -1
	if z.single = scalars > 0 && scalars < len(z.members); scalars > 0 {
		z.begun.Store(int32(len(z.members)))
	}
	defer failure.Persist(len(z.members), func(i int) bool { // also if downstream ends the goroutine
		// A source that has ended doesn't keep the others from being subscribed;
		// they are cancelled as soon as they are.
		wanted := !z.out.Cancelled() && !z.failed.Load() && !(z.single && z.out.Stopped())
		if wanted {
			z.begun.Store(max(z.begun.Load(), int32(i+1)))
			z.members[i].subscribe()
		}
		return wanted
	})
	z.out.Begin()
}

// callScalars asks the members that have one element at once for it and returns how many they
// are. It reports false if that was the end of the stream.
func (z *zipping[R]) callScalars(down reactor.Subscriber[R]) (scalars int, ok bool) {
	var err error // with which the stream ends, if not ok
	ok = true
	failure.Guard(func() {
		for _, m := range z.members {
			scalar, some := false, false
			if scalar, some, err = m.call(); scalar {
				scalars++
			}
			if scalar && (err != nil || !some) {
				ok = false
				return
			}
		}
	}, func(goexit error) { z.endAtOnce(down, goexit) })
	if !ok {
		z.endAtOnce(down, err) // not within the guard: it would take a Goexit downstream for one of a source
	}
	return scalars, ok
}

// endAtOnce ends a stream whose members, of which some may have an element, are not subscribed.
func (z *zipping[R]) endAtOnce(down reactor.Subscriber[R], err error) {
	failure.InTurn( // each may end the goroutine
		func() { failure.Persist(len(z.members), func(i int) bool { z.members[i].clear(); return true }) },
		func() {
			if err != nil {
				err = reactor.OperatorError(z.out.Context(), err, nil)
			}
		},
		func() {
			if err != nil {
				protocol.Fail(down, err)
			} else {
				protocol.Complete(down)
			}
		},
	)
}

// fail ends the stream because of a source.
func (z *tuplesCore) fail(err error) {
	if z.out.Refuse(err) {
		z.failed.Store(true)
		z.out.Run()
	}
}

// Flow implements protocol.Flow, as do the three at the end.
func (z *zipping[R]) Flow() {
	demand := z.out.Demand()
	sent := int64(0)
	for z.out.Open() {
		if z.made {
			if z.out.Demand() == 0 {
				return
			}
			if !z.out.Sending() {
				continue
			}
			z.made = false
			z.InFlight.SendHeld(z.PushDown)
			z.out.Complete()
			continue
		}
		n, ended := z.tuples()
		switch {
		case ended:
			z.out.Complete()
			continue
		case n > 0 && z.single:
			z.InFlight.Hold(z.tuple.combine())
			z.tuple.advance()
			z.made = true
			continue
		}
		if n = min(n, demand-sent); n == 0 {
			z.produced(sent)
			return
		}
		z.whole, z.looked = 0, -1
		z.out.Sending()
		for i := int64(0); i < n && !z.out.Stopped(); i++ {
			v := z.tuple.combine()
			z.tuple.advance()
			z.InFlight.SendNext(z.PushDown, v)
			sent++
		}
		z.InFlight.Clear()
	}
}

// fewMembers is how many members are all looked at each time.
const fewMembers = 8

// tuples returns how many tuples can be combined; ended reports that there will not be
// any.
func (z *zipping[R]) tuples() (n int64, ended bool) {
	if len(z.members) > fewMembers {
		return z.tuplesOfMany()
	}
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

// tuplesOfMany goes on at the member where the previous call has found nothing: otherwise each
// element would cost a look at all members. Members behind one without an element are looked at
// once after each tuple, and when they have changed.
func (z *zipping[R]) tuplesOfMany() (n int64, ended bool) {
	changes := z.changes.Load()
	all := changes != z.looked
	begun := z.members[:z.begun.Load()]
	n = reactor.Unbounded
	seen := z.whole
	for i := seen; i < len(begun); i++ {
		k, ended := begun[i].fill()
		switch {
		case ended:
			return 0, true
		case k == 0 && !all:
			return 0, false
		case k > 0 && i == z.whole:
			z.whole++
		}
		n = min(n, int64(k))
	}
	z.looked = changes
	if z.whole < len(z.members) {
		return 0, false
	}
	for _, m := range begun[:seen] {
		k, _ := m.fill()
		n = min(n, int64(k))
	}
	return n, false
}

// produced asks the sources for as many elements as were sent.
func (z *zipping[R]) produced(sent int64) {
	if sent == 0 {
		return
	}
	for _, m := range z.members {
		m.refill(sent)
	}
	z.out.Produced(sent)
}

// Dry reports false: only Complete and fail end a zip.
func (z *zipping[R]) Dry() bool { return false }

func (z *zipping[R]) Stop() {
	failure.Persist(len(z.members), func(i int) bool { z.members[i].cancel(); return true })
}

func (z *zipping[R]) Drop() {
	z.out.DropFailures()
	for _, m := range z.members {
		m.clear()
	}
	v, made := z.InFlight.Element(), z.made
	z.made = false
	z.InFlight.Clear() // also of the tuple before one that could not be combined
	if made {
		z.Discard(v)
	}
}
