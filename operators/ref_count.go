package operators

import (
	"context"
	"sync"
	"time"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/argument"
	"github.com/goreactor/reactor/internal/chaos"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
	"github.com/goreactor/reactor/schedulers"
)

// RefCount connects src when n > 0 subscribers have come, and disconnects src when the
// last one has cancelled, at once or after [Grace]; later subscribers begin anew.
//
//	src:  1 --- 2 --- 3 - X      from Publish
//	      RefCount(1)
//	out:  1 --- 2 - X
//	out:     -- 2 --- 3 - X      c is cancelled
//
// The source gets the values of the context of the subscriber that caused the connection,
// but not the end of that context. Everything else is as with src.
func RefCount[T any](src ConnectablePublisher[T], n int, opts ...RefCountOption) reactor.Publisher[T] {
	argument.NotNil("refCount", "publisher", src)
	argument.Positive("refCount", "number of subscribers", n)
	var c refCountConfig
	for _, o := range argument.Options("refCount", opts) {
		o.applyRefCount(&c)
	}
	argument.NotNegative("refCount", "grace", c.grace)
	p := &refCountPublisher[T]{src: src, n: n, grace: c.grace}
	timer := schedulers.Parallel
	if len(c.scheduler) > 0 {
		given := timerOf("refCount", c.scheduler)
		timer = func() schedulers.Scheduler { return given }
	}
	if c.grace > 0 {
		p.timer = timer
	}
	return p
}

// RefCountOption is an option of [RefCount]: [Grace], or [On].
type RefCountOption interface{ applyRefCount(*refCountConfig) }

type refCountConfig struct {
	grace     time.Duration
	scheduler []SchedulerOption
}

// GraceOption is how long a connection is kept after its last subscriber has left.
type GraceOption time.Duration

// Grace keeps a connection for d after its last subscriber has left, in case another one comes.
// The source of a [Replay] goes on meanwhile if it emits on its own; a source that emits on the
// goroutine that requests rests, because it would hold up the caller that cancelled.
func Grace(d time.Duration) GraceOption { return GraceOption(d) }

func (o GraceOption) applyRefCount(c *refCountConfig) { c.grace = time.Duration(o) }

func (o SchedulerOption) applyRefCount(c *refCountConfig) { c.scheduler = []SchedulerOption{o} }

type refCountPublisher[T any] struct {
	protocol.Op
	src   ConnectablePublisher[T]
	n     int
	grace time.Duration
	timer func() schedulers.Scheduler // nil without grace

	mu      sync.Mutex
	current *refCounted // guarded by mu; nil: the next subscriber begins one
}

// refCounted is one run of the source with the subscribers that count for it. A
// subscriber counts before it joins the run, so that the run is not stopped while it
// joins, and is there when it has joined, so that the run does not begin without it.
type refCounted struct {
	run       connection
	timer     protocol.Handle // of the grace
	counting  int             // guarded by the publisher's mu
	there     int             // guarded by the publisher's mu
	left      int64           // how many have left; guarded by the publisher's mu
	connected bool            // guarded by the publisher's mu
	over      bool            // the source has ended; guarded by the publisher's mu
}

func (p *refCountPublisher[T]) Subscribe(ctx context.Context, s reactor.Subscriber[T]) {
	sub := &refCountSubscriber[T]{parent: p, down: protocol.Strict(ctx, s)}
	p.src.introduce(ctx, sub, sub)
}

// introduced is called when a subscriber is prepared: it makes it a subscriber of a run.
func (s *refCountSubscriber[T]) introduced(ctx context.Context, join func(connection) bool) {
	p := s.parent
	for {
		c, left := p.count(s)
		if c == nil {
			return
		}
		in := false
		failure.InTurn(func() { c.timer.Clear(left) }, func() { // the first may end the goroutine
			chaos.Yield()
			in = p.enter(ctx, s, c, join)
		})
		if in {
			return
		}
		p.retire(c, s)
	}
}

// enter makes sub a subscriber of the run, unless the run has ended, and connects the run if
// it is time to.
func (p *refCountPublisher[T]) enter(ctx context.Context, sub *refCountSubscriber[T], c *refCounted, join func(connection) bool) (in bool) {
	in = true
	defer func() { // also if downstream ends the goroutine
		if !in {
			return
		}
		chaos.Yield()
		if p.arrive(sub) {
			connect(context.WithoutCancel(ctx), c.run, nil)
		}
	}()
	in = join(c.run)
	return in
}

// count makes sub count for a run, unless sub has left, and returns the run, and how many subscribers have left that before.
func (p *refCountPublisher[T]) count(sub *refCountSubscriber[T]) (c *refCounted, left int64) {
	chaos.Yield()
	p.mu.Lock()
	if sub.over {
		p.mu.Unlock()
		return nil, 0
	}
	c, run := p.current, p.src.open()
	if c == nil || c.run != run {
		run.counted()
		c = &refCounted{run: run}
		p.current = c
	}
	sub.counts = c
	c.counting++
	left = c.left
	p.mu.Unlock()
	return c, left
}

// arrive records that sub has joined the run, and reports whether that is to begin now.
func (p *refCountPublisher[T]) arrive(sub *refCountSubscriber[T]) (begin bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if sub.over {
		return false
	}
	sub.there = true
	c := sub.counts
	c.there++
	if c.connected || c.there != p.n {
		return false
	}
	c.connected = true
	return true
}

// retire gives up a run that had ended before sub could join it.
func (p *refCountPublisher[T]) retire(c *refCounted, sub *refCountSubscriber[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if sub.over {
		return
	}
	sub.counts = nil
	c.counting--
	c.over = true
	if p.current == c {
		p.current = nil
	}
}

// leave takes sub out because it has cancelled or failed; cancel is its cancellation.
func (p *refCountPublisher[T]) leave(sub *refCountSubscriber[T], cancel func()) {
	chaos.Yield()
	p.mu.Lock()
	c := sub.counts
	if sub.over || c == nil {
		sub.over = true
		p.mu.Unlock()
		cancel()
		return
	}
	sub.over = true
	c.counting--
	if sub.there {
		c.there--
	}
	c.left++
	left := c.left
	last := !c.over && c.connected && c.counting == 0
	stop := last && p.grace == 0
	if stop {
		p.abandon(c)
	}
	p.mu.Unlock()
	if stop {
		defer c.run.Dispose() // also if a function that hears of the cancellation ends the goroutine
	} else if last {
		defer p.await(c, left)
	}
	cancel()
}

// abandon makes room for another run. mu is held.
func (p *refCountPublisher[T]) abandon(c *refCounted) {
	if p.current == c {
		p.current = nil
	}
	// Whoever comes now must not join a run that is about to be stopped.
	c.run.detach()
}

// await stops c after the grace, unless somebody comes.
func (p *refCountPublisher[T]) await(c *refCounted, left int64) {
	planned := false
	defer func() {
		if !planned { // also if a hook of the scheduler ends the goroutine
			p.disconnect(c, left)
		}
	}()
	task, err := p.timer().ScheduleAfter(func(context.Context) { p.disconnect(c, left) }, p.grace)
	if planned = err == nil; planned {
		c.timer.Set(left, task)
	}
}

// disconnect ends the grace that began when the left-th subscriber left.
func (p *refCountPublisher[T]) disconnect(c *refCounted, left int64) {
	chaos.Yield()
	p.mu.Lock()
	stop := !c.over && c.counting == 0 && c.left == left
	if stop {
		p.abandon(c)
	}
	p.mu.Unlock()
	if stop {
		c.run.Dispose()
	}
}

// ended records that the source has ended, as sub has just been told.
func (p *refCountPublisher[T]) ended(sub *refCountSubscriber[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sub.over = true
	if c := sub.counts; c != nil {
		c.over = true
		if p.current == c {
			p.current = nil
		}
	}
}

type refCountSubscriber[T any] struct {
	protocol.Inner
	parent *refCountPublisher[T]
	down   reactor.Subscriber[T]
	push   func(T)              // hands elements to down; taken by OnNext
	up     reactor.Subscription // set by OnSubscribe
	call   protocol.Calling     // inside push; touched by the signals of upstream only
	counts *refCounted          // for which it counts, nil for none yet; guarded by the publisher's mu
	there  bool                 // whether it has joined the run; guarded by the publisher's mu
	over   bool                 // ended or cancelled; guarded by the publisher's mu
}

func (s *refCountSubscriber[T]) OnSubscribe(up reactor.Subscription) {
	s.up = up
	s.down.OnSubscribe(s)
}

func (s *refCountSubscriber[T]) OnNext(v T) {
	if s.push == nil {
		s.push = protocol.Push(s.down)
	}
	s.call.Next(s.push, v)
}

// Push implements protocol.Pusher.
func (s *refCountSubscriber[T]) Push() func(T) { return s.call.Around(protocol.Push(s.down)) }

// PushGuarded implements what protocol.PushGuarded asks for.
func (s *refCountSubscriber[T]) PushGuarded() func(T) {
	return s.call.Around(protocol.PushGuarded(s.down))
}

func (s *refCountSubscriber[T]) OnError(err error) {
	defer s.down.OnError(err) // also if a function that hears of the cancellation ends the goroutine
	s.end()
}

func (s *refCountSubscriber[T]) OnComplete() {
	s.end()
	s.down.OnComplete()
}

// end leaves because the source has ended, or a stage downstream has failed.
func (s *refCountSubscriber[T]) end() {
	if s.call.Failed() {
		s.parent.leave(s, func() {})
		return
	}
	s.parent.ended(s)
}

func (s *refCountSubscriber[T]) Request(n int64) { s.up.Request(n) }

// Attach lets h know of the runs of the source.
func (s *refCountSubscriber[T]) Attach(h *protocol.Half) bool { return h.Attach(s.up) }

// Host returns the protocol.Host behind it.
func (s *refCountSubscriber[T]) Host() protocol.Host { return protocol.HostOf(s.up) }

func (s *refCountSubscriber[T]) Cancel() {
	s.parent.leave(s, s.up.Cancel)
}
