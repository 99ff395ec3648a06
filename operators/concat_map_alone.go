package operators

import (
	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/direct"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/internal/stage/pending"
)

// isAlone reports whether an element of the source can be dealt with as it comes: no publisher is at work, and nothing waits. The
// order of the looks counts: the owner of the drain has taken the last one that waited before he leaves, and nobody else adds
// to them. An element with which more are asked for has its turn: they are, before its publisher is subscribed.
func (s *concatMapSubscriber[T, R]) isAlone() bool {
	if s.cont != nil || s.errors != errorsAtOnce || !s.inner.IsUnbounded() || s.active.Load() || !s.queue.IsEmpty() {
		return false
	}
	chaos.Yield()
	return !s.drain.Active() && s.refill.Left() > 1
}

// behind takes an element that has come within another one.
func (s *concatMapSubscriber[T, R]) behind(v T) {
	switch {
	case s.alone.ended:
		reactor.DropNext(s.ctx, v)
	case int64(len(s.alone.behind)) == s.prefetch:
		s.overflow(v)
	default:
		s.alone.behind = append(s.alone.behind, v)
	}
}

// concatMapStep is what straight is about.
type concatMapStep uint8

const (
	concatMapApplying concatMapStep = iota // the function is called
	concatMapCalling                       // the publisher is
	concatMapSending
	concatMapDone
)

// straight goes on to the publisher of v. Who owns the drain meanwhile finds nothing to do.
func (s *concatMapSubscriber[T, R]) straight(v T) {
	s.alone.busy = true
	var (
		r    R
		step concatMapStep
	)
	defer func() {
		s.alone.busy = false
		if step != concatMapDone {
			defer s.resume() // also if what follows ends the goroutine
			s.straightFailed(v, r, step, failure.Recovered(recover()))
		} else if s.alone.left() {
			s.resume()
		}
	}()
	p := s.fn(v)
	s.refill.Consumed(1) // less than a batch
	r, ok := constant(p)
	if !ok {
		p = protocol.Trust("concatMap", p)
	}
	if s.stop.Load() {
		step = concatMapDone
		pending.Discard(s.discard, v)
		return
	}
	if !ok {
		c, callable := p.(direct.Callable[R])
		if !callable {
			step = concatMapDone
			s.active.Store(true)
			p.Subscribe(s.ctx, &s.inner)
			return
		}
		step = concatMapCalling
		var err error
		if r, ok, err = c.Call(s.ctx); err != nil {
			step = concatMapDone
			s.callFailed(v, err)
			return
		}
		if ok && s.out.Ended() {
			step = concatMapDone
			pending.Discard(s.discard, r)
			return
		}
	}
	if ok {
		step = concatMapSending
		s.alone.onWay.Next(s.PushDown, r)
	}
	step = concatMapDone
}

// straightFailed takes the failure of what straight was about.
func (s *concatMapSubscriber[T, R]) straightFailed(v T, r R, step concatMapStep, err error) {
	s.alone.onWay.End()
	switch step {
	case concatMapApplying:
		s.fnFailed(v, err)
	case concatMapCalling:
		s.callFailed(v, err)
	default:
		s.inner.call.Begin() // as if an inner publisher had sent it
		protocol.Crash(s.ctx, &s.inner, err, r)
	}
}

// resume takes what the source has signalled within an element.
func (s *concatMapSubscriber[T, R]) resume() {
	err, ended := s.alone.end()
	if err != nil {
		s.OnError(err)
	}
	for v, ok := s.alone.next(); ok; v, ok = s.alone.next() {
		if s.stop.Load() {
			pending.Discard(s.discard, v)
		} else if !s.queue.Offer(v) {
			s.overflow(v)
		}
	}
	if ended && err == nil {
		s.done.Store(true)
	}
	s.drain.Run(s)
}
