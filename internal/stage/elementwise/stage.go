package elementwise

import (
	"context"
	"sync/atomic"

	"github.com/goreactor/reactor"
	"github.com/goreactor/reactor/internal/failure"
	"github.com/goreactor/reactor/internal/protocol"
)

// Kind says what a stage does with elements besides emitting them.
type Kind int

const (
	// Ends leaves no element out until it ends.
	Ends Kind = iota
	// Skips leaves out elements that its function has used up.
	Skips
	// Rejects leaves out elements, which are discarded.
	Rejects
)

// discardHook returns what takes the elements of type T that a stage leaves out, nil if
// nobody does.
func discardHook[T any](ctx context.Context, kind Kind) func(any) {
	if kind != Rejects {
		return nil
	}
	return reactor.DiscardHookFor[T](ctx)
}

// Stage is the upstream half of a stage that may leave elements out, or end. It has
// nothing to do with the type of the elements.
type Stage struct {
	ctx       context.Context
	up        reactor.Subscription // set by OnSubscribe
	discard   func(any)            // nil if nobody wants discarded elements
	unbounded atomic.Bool          // demand is unlimited: no need to replace what is left out
	done      bool                 // ended, what comes is dropped; touched by the signals of upstream only
}

// signals returns down, a subscriber of any type, as one. Said of a Subscriber[T] in generic code, that is a search
// for a table, which would be written out for each stage and type.
//
//go:noinline
func signals(down any) protocol.Signals { return down.(protocol.Signals) }

// init sets the stage up. One that leaves no elements out hands upstream's subscription
// down as it is: it counts as one with unlimited demand.
//
//go:noinline
func (s *Stage) init(ctx context.Context, kind Kind, discard func(any)) {
	s.ctx, s.discard = ctx, discard
	if kind == Ends {
		s.unbounded.Store(true)
	}
}

// Init sets up s for elements of type T.
//
//go:noinline
func Init[T any](s *Stage, ctx context.Context, kind Kind) {
	s.init(ctx, kind, discardHook[T](ctx, kind))
}

// IsDone reports whether the stage has ended. It may have after a call of next.
func (s *Stage) IsDone() bool { return s.done }

// Dropped reports whether the stage has ended, and v was therefore reported as dropped.
// It is the first thing to ask in a definition that may end the stream. IsDone before it spares
// the call, for which a large element is copied: that one is inlined.
func (s *Stage) Dropped[T any](v T) bool {
	if !s.done {
		return false
	}
	s.drop(v)
	return true
}

//go:noinline
func (s *Stage) drop(v any) { reactor.DropNext(s.ctx, v) }

// Ignores reports whether nothing has to be done about an element that is left out: it spares the call of
// Reject, since this one is inlined.
func (s *Stage) Ignores() bool { return s.discard == nil && s.unbounded.Load() }

// Reject discards v and requests another element in its place.
func (s *Stage) Reject[T any](v T) {
	if s.discard != nil {
		s.discard(v)
	}
	s.Skip()
}

// Skip requests one element more, because the stage has used one up.
func (s *Stage) Skip() {
	if !s.unbounded.Load() {
		s.up.Request(1)
	}
}

// OnSubscribe takes that signal of upstream; down is downstream. It is not inlined, nor are the other ends: each
// operator and type would have a copy of what happens once.
//
//go:noinline
func (s *Stage) OnSubscribe(up reactor.Subscription, down protocol.Signals) {
	s.up = up
	if !s.unbounded.Load() {
		up = (*demand)(s)
	}
	down.OnSubscribe(up)
}

// Unstarted ends the stage before it has begun, because its state has failed with err when it heard of up: what
// comes all the same is dropped.
func (s *Stage) Unstarted(up reactor.Subscription, err error, down protocol.Signals) {
	s.up, s.done = protocol.Empty, true
	failure.InTurn(up.Cancel, func() { // each may end the goroutine
		down.OnSubscribe(protocol.Empty)
	}, func() { down.OnError(reactor.OperatorError(s.ctx, err, nil)) })
}

// OnError takes that signal of upstream; down is downstream.
//
//go:noinline
func (s *Stage) OnError(err error, down protocol.Signals) {
	if s.done {
		reactor.DropError(s.ctx, err)
		return
	}
	s.done = true
	down.OnError(err)
}

// OnComplete takes that signal of upstream; down is downstream.
//
//go:noinline
func (s *Stage) OnComplete(down protocol.Signals) {
	if !s.done {
		s.done = true
		down.OnComplete()
	}
}

// Fail ends the stage because its function failed with err on the element v: upstream
// is cancelled, v is discarded, and err goes down. Not inlined: it happens once.
//
//go:noinline
func (s *Stage) Fail(err error, v any, down protocol.Signals) {
	s.done = true
	(&protocol.Link{Ctx: s.ctx, Up: s.up, Down: down}).Fail(err, v)
}

// FailAfter is Fail for a function that is called when v has been sent down: v is not discarded.
//
//go:noinline
func (s *Stage) FailAfter(err error, v any, down protocol.Signals) {
	if s.done {
		reactor.DropError(s.ctx, reactor.NonNil(err))
		return
	}
	s.done = true
	(&protocol.Link{Ctx: s.ctx, Up: s.up, Down: down}).FailAfter(err, v)
}

// Complete ends the stage before upstream has ended, which is cancelled.
func (s *Stage) Complete(down protocol.Signals) {
	s.done = true
	(&protocol.Link{Ctx: s.ctx, Up: s.up, Down: down}).Finish()
}

// Discard discards v.
func (s *Stage) Discard(v any) { reactor.Discard(s.ctx, v) }

// FailLate is Fail for a stage that has ended.
func (s *Stage) FailLate(err error, v any) {
	s.Discard(v)
	reactor.DropError(s.ctx, reactor.NonNil(err))
}

// demand is a Stage as the subscription handed down.
type demand Stage

func (d *demand) Request(n int64) {
	if n == reactor.Unbounded {
		d.unbounded.Store(true)
	}
	d.up.Request(n)
}

func (d *demand) Cancel() { d.up.Cancel() }

// Attach lets h know of the runs of the source.
func (d *demand) Attach(h *protocol.Half) bool { return h.Attach(d.up) }

// Host returns the [protocol.Host] behind it.
func (d *demand) Host() protocol.Host { return protocol.HostOf(d.up) }
