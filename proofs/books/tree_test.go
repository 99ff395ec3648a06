package books

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/operators"
)

type publisher = reactor.Publisher[element]

// stage is a source, or an operator with its children.
type stage struct {
	name  string
	kids  int
	build func(u use) publisher
	// forgets says why errors that come into the stage, or up in its functions, need not come out of it, or is "".
	forgets string
	// several says why they may come to several ends, or is "".
	several string
	// strange is that of somebody else with nothing of the library around it.
	strange bool
}

// use is where a stage stands: its argument, its children, and what its functions have to call.
type use struct {
	*trial
	node  *node
	arg   int
	place int
}

// build makes what is described by n. It may be called for the same node again, by functions that make inner publishers.
func (t *trial) build(n *node) publisher {
	return n.stage.build(use{t, n, n.arg, t.places[n]})
}

// kid builds a child. Errors that come out of it are forgiven what the stage is.
func (u use) kid(i int) publisher {
	if u.returnsNil() {
		return nil
	}
	p := u.trial.build(u.node.kids[i])
	if s := u.node.stage; s.forgets != "" || s.several != "" {
		p = operators.DoOnError(p, func(err error) {
			u.books.forgive(err, s.forgets, s.several)
			if s.forgets != "" && errors.Is(err, reactor.ErrGoexit) {
				u.books.forgiveExits(s.forgets)
			}
		})
	}
	return p
}

// returnsNil reports whether the function that has just called has to return no publisher.
func (u use) returnsNil() bool {
	is := u.nils[u.place].Swap(false)
	if is {
		struck[faultNil].Add(1)
	}
	return is
}

func (u use) name() string { return u.names[u.place] }

// try is what functions call that can return an error; inFlight is what they were called with.
func (u use) try(inFlight ...element) error {
	return u.happen(u.place, u.name(), u.node.stage, inFlight)
}

// call is what the others call.
func (u use) call(inFlight ...element) {
	if err := u.try(inFlight...); err != nil {
		panic(err)
	}
}

// fails returns an error that has to end somewhere.
func (u use) fails() error {
	e := u.books.fail(u.name(), nil)
	e.forgive(u.node.stage.forgets, u.node.stage.several)
	return e
}

// more reports whether another element may be made.
func (u use) more() bool { return u.made.Load() < most }

func (u use) produce() element {
	u.made.Add(1)
	return u.books.Produce()
}

// taken returns a function that takes elements and returns numbers instead.
func (u use) taken(v element) int {
	u.books.delivered(v)
	return number(v)
}

// signals are the elements of a child for a stage that only looks when they come.
func (u use) signals(i int) reactor.Publisher[int] {
	if u.returnsNil() {
		return nil
	}
	return converted(u.kid(i), u.taken)
}

// converted makes something else of each element. Unlike Map it has a guard below: if a function further down fails, what
// came out is discarded, and not what went in.
func converted[A, B any](src reactor.Publisher[A], fn func(A) B) reactor.Publisher[B] {
	return operators.Hide(reactor.Publisher[B](converting[A, B]{src, fn, false}))
}

type converting[A, B any] struct {
	src    reactor.Publisher[A]
	fn     func(A) B
	shared bool
}

func (c converting[A, B]) Subscribe(ctx context.Context, s reactor.Subscriber[B]) {
	down := convertingSubscriber[A, B]{s, c.fn}
	if c.shared {
		c.src.Subscribe(ctx, sharingSubscriber[A, B]{convertingSubscriber: down})
		return
	}
	c.src.Subscribe(ctx, down)
}

// sharingSubscriber is one of several subscribers that get the same elements. It counts as one of the library, so that what comes
// for it has come: the edge before one of somebody else discards, when the context ends, what another one of them gets.
type sharingSubscriber[A, B any] struct {
	protocol.Inner
	convertingSubscriber[A, B]
}

type convertingSubscriber[A, B any] struct {
	down reactor.Subscriber[B]
	fn   func(A) B
}

func (s convertingSubscriber[A, B]) OnSubscribe(up reactor.Subscription) { s.down.OnSubscribe(up) }
func (s convertingSubscriber[A, B]) OnNext(v A)                          { s.down.OnNext(s.fn(v)) }
func (s convertingSubscriber[A, B]) OnError(err error)                   { s.down.OnError(err) }
func (s convertingSubscriber[A, B]) OnComplete()                         { s.down.OnComplete() }

// takes says that whoever subscribes takes v, and then sends what p does.
func (u use) takes(v element, p publisher) publisher {
	return operators.Defer(func(context.Context) publisher {
		u.books.delivered(v)
		return p
	})
}

// inner is the publisher for v: the child, or what is known at once.
func (u use) inner(i int) func(v element) publisher {
	return func(v element) publisher {
		u.call(v)
		if number(v)%2 == 0 && u.returnsNil() {
			return nil
		}
		switch number(v) % 4 {
		case 0:
			return operators.Just(v)
		case 1:
			return operators.Hide(operators.Just(v))
		default:
			return u.takes(v, u.kid(i))
		}
	}
}

// through is a function that hands elements on.
func (u use) through(v element) element {
	u.call(v)
	return v
}

// on is the option for the scheduler.
func (u use) on() operators.SchedulerOption { return operators.On(u.scheduler) }

// flat are the elements of a slice.
func flat(list []element) []element { return list }

func window(w publisher) publisher { return w }

// flatten brings a publisher of publishers together in one of several ways.
func (u use) flatten(windows reactor.Publisher[publisher]) publisher {
	each := func(w publisher) publisher { u.call(); return w }
	switch u.arg % 6 {
	case 0:
		return operators.FlatMap(windows, each)
	case 1:
		return operators.ConcatMap(windows, each)
	case 2:
		return operators.FlatMapSequential(windows, each)
	case 3:
		return operators.FlatMap(windows, func(w publisher) publisher { u.call(); return operators.Take(w, 1) }, operators.DelayErrors())
	case 4:
		return operators.MergeAll(operators.PublishOn(windows, u.scheduler))
	default:
		var n atomic.Int64
		return operators.MergeAll(operators.Filter(windows, func(publisher) bool { return n.Add(1)%3 != 0 }))
	}
}

// again makes elements of what a shared stage sends to one subscriber.
func (u use) again(shared reactor.Publisher[int]) publisher {
	return u.heard(converted(shared, func(int) element { return u.produce() }))
}

// heard makes the errors of a shared stage ones of this subscriber.
func (u use) heard(p publisher) publisher {
	return operators.OnErrorMap(p, func(err error) error {
		u.books.settle(err, "a subscriber of "+u.name())
		return u.books.fail("a subscriber of "+u.name(), nil)
	})
}

// branches are subscribers of one publisher, each with elements of its own: those of shared have ended when one has
// got them.
func (u use) branches(n int) func(shared publisher) []publisher {
	var got sync.Map
	return func(shared publisher) []publisher {
		list := make([]publisher, n)
		for i := range list {
			list[i] = u.heard(operators.Hide(publisher(converting[element, element]{shared, func(v element) element {
				if _, known := got.LoadOrStore(v, true); !known {
					u.books.delivered(v)
				}
				return u.produce()
			}, n > 1})))
		}
		return list
	}
}

// together are the branches of a shared stage as one publisher.
func (u use) together(branches ...publisher) publisher {
	if len(branches) == 1 {
		return branches[0]
	}
	last := len(branches) - 1
	switch u.arg % 4 {
	case 0:
		return operators.Merge(branches...)
	case 1:
		branches[last] = operators.Take(branches[last], 1+u.arg/4)
		return operators.Merge(branches...)
	case 2:
		branches[last] = operators.PublishOn(branches[last], u.scheduler, operators.Prefetch(1+u.arg/4))
		return operators.Merge(branches...)
	default:
		return operators.Concat(branches...)
	}
}
