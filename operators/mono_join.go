package operators

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
	"github.com/goreactor/reactor/internal/stage/single"
)

// join is the subscription of MonoZip and When: several publishers run at the same
// time, from the first request on, and their outcomes make one.
type join[R any] struct {
	ctx     context.Context
	down    reactor.Subscriber[R]
	members []joinMember
	delay   bool // wait for all before passing on that one failed or was empty
	// finish makes the result when all have succeeded; ok false: there is none, the
	// stream just completes. It may panic.
	finish func() (r R, ok bool)

	begun     int          // so many members were computed, the last of them up to what it is started for in any case
	left      atomic.Int32 // members without an outcome
	started   atomic.Bool  // requested
	over      atomic.Bool  // set by whoever sends the end or cancels
	cancelled atomic.Bool  // downstream has cancelled
}

// joinMember is a [joinInner] of any type.
type joinMember interface {
	start(ctx context.Context)
	cancel()
	release() (settled bool)
	outcome() (has bool, err error)
	clear()
	// For a zip that is computed, and where that ends:
	compute(ctx context.Context) (out computedOutcome, end error)
	idle() bool // nobody can tell that it is subscribed to and cancelled
}

// subscribe hands the join down. members are in place.
func (j *join[R]) subscribe(members ...joinMember) {
	j.members = members
	j.left.Store(int32(len(members)))
	j.down.OnSubscribe(j)
}

// Request starts all members, the first time. If one member ends the stream at once,
// the other members are started nevertheless, and cancelled as soon as they are
// started.
func (j *join[R]) Request(int64) {
	if j.started.Swap(true) {
		return
	}
	failure.Persist(len(j.members), func(i int) bool {
		if j.cancelled.Load() && i >= j.begun {
			return false
		}
		j.members[i].start(j.ctx)
		return true
	})
}

// Cancel cancels all members and discards the elements they hold.
func (j *join[R]) Cancel() {
	j.cancelled.Store(true)
	if j.begun > 0 && !j.started.Swap(true) {
		defer j.members[j.begun-1].start(j.ctx) // also if a function that hears of what follows ends the goroutine
	}
	if j.over.CompareAndSwap(false, true) {
		j.cancel(nil)
	}
}

// cancel cancels all members but one and discards the elements they hold.
func (j *join[R]) cancel(but joinMember) {
	failure.Persist(len(j.members), func(i int) bool { // a function that hears of it may end the goroutine
		if m := j.members[i]; m != but {
			m.cancel()
		}
		return true
	})
}

// release discards the elements of members that have all ended.
func (j *join[R]) release() {
	failure.Persist(len(j.members), func(i int) bool { j.members[i].release(); return true }) // the hook may end the goroutine
}

// arrived counts the outcome of a member.
func (j *join[R]) arrived() {
	if j.left.Add(-1) == 0 && j.over.CompareAndSwap(false, true) {
		j.end()
	}
}

// interrupt ends the stream because of one member and cancels the others. It reports
// whether that was the first end.
func (j *join[R]) interrupt(m joinMember, err error) bool {
	if !j.over.CompareAndSwap(false, true) {
		return false
	}
	defer protocol.Finish(j.down, err) // also if a function that hears of what follows ends the goroutine
	j.cancel(m)
	return true
}

// end makes one outcome of all.
func (j *join[R]) end() {
	var errs []error
	empty := false
	for _, m := range j.members {
		has, err := m.outcome()
		if err != nil {
			errs = append(errs, err)
		}
		empty = empty || !has
	}
	switch {
	case len(errs) == 1:
		defer j.down.OnError(errs[0]) // also if the hook ends the goroutine, as below
		j.release()
		return
	case len(errs) > 1:
		defer j.down.OnError(errors.Join(errs...))
		j.release()
		return
	case empty:
		defer j.down.OnComplete()
		j.release()
		return
	}
	var r R
	var ok bool
	failed := false
	failure.Guard(func() { r, ok = j.finish() }, func(err error) {
		failed = true
		failure.InTurn(j.release, func() { err = reactor.OperatorError(j.ctx, err, nil) }, func() { j.down.OnError(err) })
	})
	for _, m := range j.members {
		m.clear()
	}
	switch {
	case failed:
	case ok:
		single.Last(j.ctx, j.down, r)
	default:
		j.down.OnComplete()
	}
}

const (
	joinOpen = iota
	joinSettled
	joinReleased
)

// joinInner is the subscriber of one member. Its outcome is the first element, or, for
// When, the end.
type joinInner[T, R any] struct {
	protocol.Inner
	parent *join[R]
	src    reactor.Publisher[T]
	up     protocol.Deferred
	state  atomic.Int32
	values bool  // the outcome is an element
	value  T     // written before joinSettled, read by whoever set over
	has    bool  // likewise
	err    error // likewise
	done   bool  // touched by the signals of src only
}

// start implements joinMember.
func (s *joinInner[T, R]) start(ctx context.Context) {
	if !s.done { // else it was computed
		s.src.Subscribe(ctx, s)
	}
}

// cancel implements joinMember. An error that has waited for the others is reported as dropped.
func (s *joinInner[T, R]) cancel() {
	defer s.up.Cancel()
	if s.release() && s.err != nil {
		reactor.DropError(s.parent.ctx, s.err)
	}
}

// release implements joinMember.
func (s *joinInner[T, R]) release() (settled bool) {
	settled = s.state.Swap(joinReleased) == joinSettled
	if settled && s.values && s.has {
		reactor.Discard(s.parent.ctx, pending.Take(&s.value))
	}
	return settled
}

// clear empties the field of an element that has become part of the result.
func (s *joinInner[T, R]) clear() { s.value = *new(T) }

// outcome implements joinMember.
func (s *joinInner[T, R]) outcome() (has bool, err error) { return s.has, s.err }

func (s *joinInner[T, R]) OnSubscribe(up reactor.Subscription) {
	if s.up.Set(up) {
		up.Request(reactor.Unbounded)
	}
}

func (s *joinInner[T, R]) OnNext(v T) {
	if s.done || !s.values {
		new(pending.Unwanted[T]).Discard(s.parent.ctx, v)
		return
	}
	s.done = true
	s.value, s.has = v, true
	s.up.Close() // src has nothing more to send
	if !s.settle() {
		reactor.Discard(s.parent.ctx, pending.Take(&s.value))
	}
}

func (s *joinInner[T, R]) OnError(err error) {
	if s.done {
		reactor.DropError(s.parent.ctx, err)
		return
	}
	s.done = true
	s.err = err
	if s.parent.delay {
		if !s.settle() {
			reactor.DropError(s.parent.ctx, err)
		}
		return
	}
	if !s.parent.interrupt(s, err) {
		reactor.DropError(s.parent.ctx, err)
	}
}

func (s *joinInner[T, R]) OnComplete() {
	if s.done {
		return
	}
	s.done = true
	s.has = !s.values
	if s.has || s.parent.delay {
		s.settle()
		return
	}
	s.parent.interrupt(s, nil)
}

// settle makes the outcome known, unless the member was cancelled.
func (s *joinInner[T, R]) settle() bool {
	if !s.state.CompareAndSwap(joinOpen, joinSettled) {
		return false
	}
	s.parent.arrived()
	return true
}
