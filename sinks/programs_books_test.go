package sinks_test

// What must hold when all have done their part in a random program (programs_test.go): of emissions, of what subscribers got, of each
// element that was accepted or refused, and of the end. What is replayed is looked at in programs_replay_test.go.

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/testkit/probe"
	"github.com/goreactor/reactor/sinks"
)

// balance is what the books come to.
type balance struct {
	*program
	emitted    []*emission
	subs       []*subscriber
	items      map[*subscriber][]int
	got        map[int]int       // by how many, for each element
	ok         map[int]*emission // elements that were accepted
	ended      *emission         // the end that was accepted, or nil
	overflowed bool              // an emission that found no room has ended the sink
	perhaps    bool              // likewise, but who would have been told has ended its goroutine meanwhile, and that of the emission
}

// check looks at the books.
func (p *program) check() {
	b := balance{program: p, emitted: p.emissions.All(), subs: p.subs.All(), items: map[*subscriber][]int{}, got: map[int]int{}, ok: map[int]*emission{}}
	for _, s := range b.subs {
		b.overflowed = b.overflowed || errors.Is(s.Failure(), reactor.ErrOverflow)
		b.items[s] = s.Got()
		for _, v := range b.items[s] {
			b.got[v]++
		}
	}
	for _, e := range b.emitted {
		b.settle(e)
	}
	for _, e := range b.emitted {
		b.checkResult(e)
	}
	for i, s := range b.subs {
		b.checkSignals(s)
		for _, o := range b.subs[:i] {
			b.checkOrder(s, o)
		}
	}
	for v := range b.ok {
		b.checkAccepted(v)
	}
	for _, e := range b.emitted {
		if e.what == reactor.KindNext && e.result != sinks.OK && e.over != 0 && !p.is("empty") {
			b.checkRefused(e)
		}
	}
	there := 0
	for _, s := range b.subs {
		if s.stays() && s.Up != nil {
			b.checkEnd(s)
			if !s.Over() {
				there++
			}
		}
	}
	if c := p.sink.CurrentSubscriberCount(); c != there {
		p.Fail("%d subscribers are counted, of %d", c, there)
	}
	if p.is("replay") {
		b.checkReplay()
	}
}

// settle enters an emission where it belongs: who was ended with its goroutine has got no result, but others have seen what became of it.
func (b *balance) settle(e *emission) {
	asks := e.how == "fast" || e.how == "loop"
	if e.over == 0 { // a subscriber has ended its goroutine, perhaps with what it has delivered for another emission
		e.result = sinks.OK
		unseen := e.what == reactor.KindNext && b.got[e.v] == 0
		switch {
		case unseen && b.discarded[e.v] == 0:
			e.result = unknown
		case unseen && asks && b.overflowed:
			e.result = sinks.FailOverflow
		case unseen && asks:
			b.perhaps = true
		}
	}
	if e.what == reactor.KindNext && e.result == sinks.FailOverflow && asks {
		b.overflowed = true
	}
	switch {
	case e.result == sinks.FailNonSerialized && e.how == "loop":
		b.Fail("emission %d has given up at once", e.v)
	case e.result == strange:
		b.Fail("emission %d: unknown failure", e.v)
	}
	if e.result != sinks.OK {
		return
	}
	if e.what == reactor.KindNext {
		b.ok[e.v] = e
		if !b.is("one") { // whose value is its end
			return
		}
	}
	if b.ended != nil {
		b.Fail("two ends were accepted: %d and %d", b.ended.v, e.v)
	}
	b.ended = e
}

// checkResult compares the result of an emission with the end.
func (b *balance) checkResult(e *emission) {
	if b.ended != nil && b.ended.over != 0 && e.begun > b.ended.over && e.result == sinks.OK {
		b.Fail("emission %d was accepted after the end", e.v)
	}
	if b.ended == nil && !b.overflowed && !b.perhaps && e.result == sinks.FailTerminated && !b.is("empty") {
		b.Fail("emission %d: there was no end", e.v)
	}
}

// checkSignals looks at what a subscriber got.
func (b *balance) checkSignals(s *subscriber) {
	wrong := b.About("subscriber %d ", s.id)
	if f := s.Faults(); len(f) > 0 {
		wrong("has seen %v", f)
	}
	seen := map[int]bool{}
	last := map[*rand.Rand]int{}
	for _, v := range b.items[s] {
		if seen[v] {
			wrong("got %d twice", v)
		}
		seen[v] = true
		e := b.ok[v]
		if e == nil {
			wrong("got %d, which was refused", v)
			continue
		}
		if e.by != nil && last[e.by] > v {
			wrong("got %d after %d of the same emitter", v, last[e.by])
		}
		last[e.by] = v
		if s.over != 0 && e.over != 0 && e.over < s.begun && (b.is("all or") || b.is("best") || b.is("unicast error")) {
			wrong("got %d, which came before it", v)
		}
	}
}

// checkOrder checks that two subscribers got what both got in the same order.
func (b *balance) checkOrder(s, o *subscriber) {
	at := map[int]int{}
	for n, v := range b.items[s] {
		at[v] = n
	}
	before := -1
	for _, v := range b.items[o] {
		if n, both := at[v]; both {
			if n < before {
				b.Fail("subscribers %d and %d got %d in another order", s.id, o.id, v)
			}
			before = n
		}
	}
}

// checkAccepted checks that an element reached whom it had to, or was discarded.
func (b *balance) checkAccepted(v int) {
	got, discarded := b.got[v], b.discarded[v]
	failedOn := 0
	for _, s := range b.subs {
		if items := b.items[s]; s.failed.Load() && len(items) > 0 && items[len(items)-1] == v {
			failedOn++
		}
	}
	if discarded > 0 && got > failedOn && !b.is("unicast") && discarded > failedOn {
		b.Fail("%d was got by %d and discarded %d times", v, got, discarded)
	} else if discarded > 1+failedOn {
		b.Fail("%d was discarded %d times", v, discarded)
	}
	if b.dropped[v] > 0 {
		b.Fail("%d was accepted and dropped", v)
	}
	if got == 0 && discarded == 0 && !b.is("replay") && !b.is("one") {
		b.Fail("%d was accepted, and nobody has heard of it", v)
	}
	for _, s := range b.subs {
		if s.stays() && s.over != 0 && s.Up != nil && !slices.Contains(b.items[s], v) && !b.cameInVain(s) {
			b.checkMissed(s, v)
		}
	}
}

// checkMissed checks that nobody has promised the element to the subscriber, which stays and has not got it.
func (b *balance) checkMissed(s *subscriber, v int) {
	there := s.over < b.ok[v].begun
	failed := b.overflowed || b.ended != nil && b.ended.what == reactor.KindError
	switch {
	case b.is("unicast buffer"), b.is("unicast error"), b.is("all or") && there, b.is("replay all"), b.is("one"):
		b.Fail("subscriber %d has not got %d", s.id, v)
	case b.is("best") && there && s.initial == probe.All:
		b.Fail("subscriber %d has not got %d, which it has asked for", s.id, v)
	case b.is("replay") && there:
		b.Fail("subscriber %d has not got %d", s.id, v)
	case b.is("multicast") && there && (!failed || b.got[v] > 0):
		b.Fail("subscriber %d has not got %d", s.id, v)
	}
}

// checkRefused checks who has heard of an element that was refused: where the emitter still has it, nobody.
func (b *balance) checkRefused(e *emission) {
	d, x := b.discarded[e.v], b.dropped[e.v]
	keeps := e.how == "try" || e.how == "wait" || e.result == sinks.FailNonSerialized
	switch {
	case keeps && d+x > 0:
		b.Fail("%d is the emitter's, and was discarded %d times and dropped %d times: %v by %s", e.v, d, x, e.result, e.how)
	case !keeps && d+x != 1, !keeps && (e.result == sinks.FailTerminated) != (x == 1):
		b.Fail("%d was discarded %d times and dropped %d times: %v by %s", e.v, d, x, e.result, e.how)
	}
}

// checkEnd checks that a subscriber that stays has heard of the end.
func (b *balance) checkEnd(s *subscriber) {
	inVain := b.cameInVain(s)
	switch {
	case b.ended == nil && !b.overflowed && s.Over() && !inVain && !(b.auto && s.over > 0):
		b.Fail("subscriber %d has an end, %v, that nobody has emitted", s.id, s.Failure())
	case b.ended != nil && !s.Over():
		b.Fail("subscriber %d has not heard of the end", s.id)
	case b.ended != nil && !inVain && !b.overflowed && (b.ended.what == reactor.KindError) != (s.Failure() != nil):
		b.Fail("subscriber %d has ended with %v", s.id, s.Failure())
	}
}

// cameInVain reports whether the subscriber may have come when there was nothing for it any more: a unicast sink has another one, and a
// sink that ends with its last subscriber has ended.
func (b *balance) cameInVain(s *subscriber) bool {
	if b.auto && s.Over() && len(b.items[s]) == 0 {
		return slices.ContainsFunc(b.subs, func(o *subscriber) bool { return !o.stays() })
	}
	return b.is("unicast") && errors.Is(s.Failure(), reactor.ErrIllegalState)
}
