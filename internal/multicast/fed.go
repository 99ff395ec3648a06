package multicast

import "github.com/goreactor/reactor"

// feed is a producer that the owner of turn asks, and what it was asked for.
type feed[T any] struct {
	source reactor.Subscription
	most   int64 // that is asked of it at a time

	// What follows belongs to the owner of turn.
	waiting [fedAtATime]T // from next to end
	next    int
	end     int
}

const fedAtATime = 32

// Feed makes source the producer, which sends what it is asked for within Request, to [Fanout.Taking], and its end to
// End. It is asked by the owner of turn for as many as all members want, and most at a time: nothing is offered.
func (f *Fanout[T]) Feed(source reactor.Subscription, most int64) {
	f.feed.Store(&feed[T]{source: source, most: min(most, fedAtATime)})
	f.turn.Run(f)
}

// IsFed reports whether Feed was called.
func (f *Fanout[T]) IsFed() bool { return f.feed.Load() != nil }

// Taking returns the function that takes what the source was asked for.
func (f *Fanout[T]) Taking() func(T) {
	from := f.feed.Load()
	return func(v T) {
		from.waiting[from.end] = v
		from.end++
	}
}

// pull delivers what the source has.
func (f *Fanout[T]) pull(from *feed[T]) {
	for !f.halted() {
		who := f.set.load()
		room := from.most
		early := len(who.members) == 0
		if !early {
			room = f.room(who)
		} else if !f.DiscardEarly || !who.unused {
			return
		}
		switch {
		case room <= 0 || from.isEmpty() && !f.ask(from, room):
			return
		case early:
			f.discardOne()
		default:
			f.batch(who, room)
		}
	}
}

// ask asks the source for n elements or less, and reports false if nothing has come: it was cancelled, or has ended.
func (f *Fanout[T]) ask(from *feed[T], n int64) bool {
	if f.done.Load() {
		return false
	}
	from.next, from.end = 0, 0
	from.source.Request(min(n, from.most))
	return !from.isEmpty() || f.done.Load()
}

// stream is the loop of batch for what the source was asked for, where there is one member. It ends where something else has to be looked at.
func (f *Fanout[T]) stream(from *feed[T], who *roster[*Member[T]], room int64) {
	if from.isEmpty() {
		return
	}
	s := f.members[0]
	f.at, f.reached = 1, true
	for !from.isEmpty() && f.emitted < room && !s.cancelled.Load() && !f.interrupted(who) {
		f.emitted++
		f.inFlight, f.sending = from.take(), true
		s.push(f.inFlight)
	}
	f.inFlight, f.sending = *new(T), false
}

func (from *feed[T]) isEmpty() bool { return from.next == from.end }

// take takes the oldest element, which there is.
func (from *feed[T]) take() (v T) {
	slot := &from.waiting[from.next]
	from.next++
	v, *slot = *slot, v
	return v
}

// poll takes the oldest element that waits. Owner of turn.
func (f *Fanout[T]) poll() (v T, ok bool) {
	if from := f.feed.Load(); from != nil {
		if from.isEmpty() {
			return v, false
		}
		return from.take(), true
	}
	return f.Queue.Poll()
}

// dry reports whether nothing waits. Owner of turn.
func (f *Fanout[T]) dry() bool {
	if from := f.feed.Load(); from != nil {
		return from.isEmpty()
	}
	return f.Queue.IsEmpty()
}
